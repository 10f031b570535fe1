//! How one topic's logs roll, keep and check records. The names and defaults are Kafka's.

use headwater_records::{Compression, TimestampType, native::HeaderLimits};

/// A topic's settings, parsed. Sizes in bytes, times in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct LogConfig {
    /// `segment.bytes`: a segment takes no batch that would make it longer.
    pub segment_bytes: u32,
    /// `segment.ms`: a segment that is older than this is closed when the next batch comes.
    pub segment_ms: i64,
    /// `segment.jitter.ms`: at most this much is taken off `segment.ms`, differently for each segment.
    pub segment_jitter_ms: i64,
    /// `segment.index.bytes`: the largest size of an index file.
    pub segment_index_bytes: u32,
    /// `index.interval.bytes`: how far index entries are apart.
    pub index_interval_bytes: u32,
    /// `retention.ms`: how long records are kept; `None` for ever.
    pub retention_ms: Option<i64>,
    /// `retention.bytes`: how much of a partition is kept; `None` for all.
    pub retention_bytes: Option<u64>,
    /// `cleanup.policy` names `delete`.
    pub cleanup_delete: bool,
    /// `cleanup.policy` names `compact`.
    pub cleanup_compact: bool,
    /// `max.message.bytes`: the largest batch taken.
    pub max_message_bytes: u32,
    /// `compression.type`: how batches are stored; `None` for as the producer compressed them.
    pub compression: Option<Compression>,
    /// `message.timestamp.type`.
    pub timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far a timestamp may lie in the past.
    pub timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`: how far a timestamp may lie in the future.
    pub timestamp_after_max_ms: i64,
    /// `file.delete.delay.ms`: how long removed files stay; slices hold what they need, so 0 is safe here.
    pub file_delete_delay_ms: i64,
    /// `min.cleanable.dirty.ratio`: how much of a log must not have been compacted for that to be worth while, 0 to 1.
    pub min_cleanable_dirty_ratio: f64,
    /// `delete.retention.ms`: how long compaction keeps tombstones.
    pub delete_retention_ms: i64,
    /// `min.compaction.lag.ms`: how long a record stays as it is.
    pub min_compaction_lag_ms: i64,
    /// `max.compaction.lag.ms`: how long a record may wait for compaction.
    pub max_compaction_lag_ms: i64,
    /// `headwater.record.format`: how records are stored; fixed when the topic is created.
    pub record_format: RecordFormat,
    /// `headwater.headers.bytes.max`, `headwater.headers.count.max` and `headwater.header.name.bytes.max`: what the
    /// headers of a record in a native topic must keep.
    pub header_limits: HeaderLimits,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_ms: 7 * DAY_MS,
            segment_jitter_ms: 0,
            segment_index_bytes: 10 << 20,
            index_interval_bytes: 4096,
            retention_ms: Some(7 * DAY_MS),
            retention_bytes: None,
            cleanup_delete: true,
            cleanup_compact: false,
            max_message_bytes: 1_048_588,
            compression: None,
            timestamp_type: TimestampType::CreateTime,
            timestamp_before_max_ms: i64::MAX,
            timestamp_after_max_ms: 3_600_000,
            file_delete_delay_ms: 60_000,
            min_cleanable_dirty_ratio: 0.5,
            delete_retention_ms: DAY_MS,
            min_compaction_lag_ms: 0,
            max_compaction_lag_ms: i64::MAX,
            record_format: RecordFormat::Kafka,
            header_limits: HeaderLimits::default(),
        }
    }
}

/// `headwater.record.format`: how a topic's records are stored.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum RecordFormat {
    /// Kafka's record batches, in `log.dirs`.
    #[default]
    Kafka,
    /// Native records, one an entry, in `headwater.native.dirs`.
    Native,
}

impl RecordFormat {
    /// The topic config that says it.
    pub const CONFIG: &str = "headwater.record.format";

    /// Its name as the config's value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kafka => "kafka",
            Self::Native => "native",
        }
    }

    /// What a topic's own configs say.
    pub fn of_configs<'c>(configs: impl IntoIterator<Item = (&'c String, &'c String)>) -> Self {
        let native = |(name, value): (&String, &String)| name == Self::CONFIG && value.trim() == "native";
        if configs.into_iter().any(native) { Self::Native } else { Self::Kafka }
    }
}

/// `flush.policy`: what "committed" means, and with it how far the high watermark goes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum FlushPolicy {
    /// Committed is on disk: many appends share one sync, and the high watermark is the synced offset.
    #[default]
    GroupCommit,
    /// Committed is in the page cache, as in Kafka: the high watermark is the log end, syncs happen in the background.
    Os,
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
