//! Every topic config that Apache Kafka 4.3 knows, stated once.

use crate::config::{
    ConfigError, ConfigType as T,
    key::{Check, ConfigKey, ConfigValue, Effect, NoticeLevel, Reason},
};

/// One topic config, and the broker keys that give its default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TopicKey {
    /// Name, type, default, check and effect.
    pub(crate) key: ConfigKey,
    /// The broker keys that give its default, the strongest first.
    pub(crate) synonyms: &'static [BrokerDefault],
}

/// A broker key that gives a topic config its default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BrokerDefault {
    /// The broker key.
    pub(crate) name: &'static str,
    /// What one of its units is in those of the topic config: 3,600,000 for hours to milliseconds.
    pub(crate) unit: i64,
    /// The type of the broker key's value, when it is not the topic config's.
    pub(crate) kind: T,
    /// The broker key's own default.
    pub(crate) default: Option<&'static str>,
}

impl TopicKey {
    /// Judges `text`.
    pub(crate) fn parse(&self, text: &str) -> Result<ConfigValue, ConfigError> {
        self.key.parse(text)
    }
}

impl BrokerDefault {
    /// The broker key as the broker's table has it.
    pub(crate) const fn key(&self, topic: &TopicKey) -> ConfigKey {
        let check = if self.unit == 1 { topic.key.check } else { Check::Any };
        ConfigKey { name: self.name, kind: self.kind, default: self.default, check, effect: topic.key.effect }
    }

    /// What `text`, a judged value of this key, means as a value of the topic config.
    pub(crate) fn in_topic_units(&self, text: &str) -> String {
        match text.trim().parse::<i64>() {
            // A negative time means no limit, whatever its unit.
            Ok(number) if self.unit != 1 && number < 0 => "-1".to_owned(),
            Ok(number) if self.unit != 1 => number.saturating_mul(self.unit).to_string(),
            _ => text.trim().to_owned(),
        }
    }
}

/// The topic config of that name.
pub(crate) fn topic_key(name: &str) -> Option<&'static TopicKey> {
    TOPIC_KEYS.binary_search_by(|key| key.key.name.cmp(name)).ok().map(|at| &TOPIC_KEYS[at])
}

/// The broker keys that give topics their defaults.
pub(crate) fn broker_defaults() -> Vec<ConfigKey> {
    TOPIC_KEYS.iter().flat_map(|topic| topic.synonyms.iter().map(|synonym| synonym.key(topic))).collect()
}

/// A config that does something.
const fn works(
    name: &'static str,
    kind: T,
    default: &'static str,
    check: Check,
    synonyms: &'static [BrokerDefault],
    doc: &'static str,
) -> TopicKey {
    let effect = Effect::Works { doc, dynamic: true };
    TopicKey { key: ConfigKey { name, kind, default: Some(default), check, effect }, synonyms }
}

/// A config that is judged, kept and shown, and does nothing.
const fn ignored(
    name: &'static str,
    kind: T,
    default: &'static str,
    check: Check,
    synonyms: &'static [BrokerDefault],
    text: &'static str,
) -> TopicKey {
    let effect = Effect::Ignored(Reason { text, level: NoticeLevel::Debug });
    TopicKey { key: ConfigKey { name, kind, default: Some(default), check, effect }, synonyms }
}

/// A broker key of the topic config's own type and unit.
const fn same(name: &'static str, kind: T, default: &'static str) -> BrokerDefault {
    BrokerDefault { name, unit: 1, kind, default: Some(default) }
}

/// A broker key that has no default, because a later one of the list has.
const fn bare(name: &'static str, unit: i64, kind: T) -> BrokerDefault {
    BrokerDefault { name, unit, kind, default: None }
}

const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;
const MAX: &str = "9223372036854775807";
const NO_LEVELS: &str = "Batches that `compression.type` asks to compress anew get the codec's usual level.";
const NO_REPLICATION: &str = "There is one node, so nothing is replicated.";
const NO_TIERS: &str = "Tiered storage is not part of Headwater.";
const SYNC_POLICY: &str = "When records are on disk is decided by the broker's `flush.policy`.";

/// Every topic config, by name.
#[rustfmt::skip]
pub(crate) const TOPIC_KEYS: &[TopicKey] = &[
    works("cleanup.policy", T::List, "delete", Check::EachOf(&["compact", "delete"]),
        &[same("log.cleanup.policy", T::List, "delete")],
        "What happens to old segments: `delete` removes them by retention, `compact` demands a key of every record and keeps the newest one of each key."),
    ignored("compression.gzip.level", T::Int, "-1", Check::MinusOneOrBetween(1, 9),
        &[same("compression.gzip.level", T::Int, "-1")], NO_LEVELS),
    ignored("compression.lz4.level", T::Int, "9", Check::Between(1, 17),
        &[same("compression.lz4.level", T::Int, "9")], NO_LEVELS),
    works("compression.type", T::String, "producer",
        Check::OneOf(&["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"]),
        &[same("compression.type", T::String, "producer")],
        "How batches are stored: `producer` leaves them as they come, anything else compresses them anew."),
    ignored("compression.zstd.level", T::Int, "3", Check::Between(-131_072, 22),
        &[same("compression.zstd.level", T::Int, "3")], NO_LEVELS),
    works("delete.retention.ms", T::Long, "86400000", Check::AtLeast(0),
        &[same("log.cleaner.delete.retention.ms", T::Long, "86400000")],
        "How long a record without a value, which deletes its key, and the marker of a transaction without records stay once compaction has come upon them. Milliseconds."),
    works("file.delete.delay.ms", T::Long, "60000", Check::AtLeast(0),
        &[same("log.segment.delete.delay.ms", T::Long, "60000")],
        "How long a removed segment's files stay in the directory. Milliseconds."),
    ignored("flush.messages", T::Long, MAX, Check::AtLeast(1),
        &[same("log.flush.interval.messages", T::Long, MAX)], SYNC_POLICY),
    ignored("flush.ms", T::Long, MAX, Check::AtLeast(0),
        &[bare("log.flush.interval.ms", 1, T::Long), same("log.flush.scheduler.interval.ms", T::Long, MAX)], SYNC_POLICY),
    ignored("follower.replication.throttled.replicas", T::List, "", Check::ThrottledReplicas, &[], NO_REPLICATION),
    works("headwater.header.name.bytes.max", T::Int, "255", Check::Between(1, 65_535),
        &[same("headwater.header.name.bytes.max", T::Int, "255")],
        "How long the name of a record's header may be in a native topic. Bytes."),
    works("headwater.headers.bytes.max", T::Int, "65536", Check::AtLeast(2),
        &[same("headwater.headers.bytes.max", T::Int, "65536")],
        "How long the header block of a record may be in a native topic: 2 bytes, and 6 more than its name and value for each header. Bytes."),
    works("headwater.headers.count.max", T::Int, "256", Check::Between(0, 65_000),
        &[same("headwater.headers.count.max", T::Int, "256")],
        "How many headers a record may have in a native topic."),
    works("headwater.record.format", T::String, "kafka", Check::OneOf(&["kafka", "native"]), &[],
        "How records are stored: `kafka` as Kafka's batches in `log.dirs`, `native` as native records in `headwater.native.dirs`. Fixed when the topic is created."),
    works("index.interval.bytes", T::Int, "4096", Check::AtLeast(0),
        &[same("log.index.interval.bytes", T::Int, "4096")],
        "How many bytes of a segment lie between two entries of its offset index."),
    TopicKey {
        key: ConfigKey {
            name: "internal.segment.bytes", kind: T::Int, default: None, check: Check::AtLeast(1),
            effect: Effect::Works { doc: "Wins over `segment.bytes` and may be smaller than that allows; for tests.", dynamic: true },
        },
        synonyms: &[],
    },
    ignored("leader.replication.throttled.replicas", T::List, "", Check::ThrottledReplicas, &[], NO_REPLICATION),
    ignored("local.retention.bytes", T::Long, "-2", Check::AtLeast(-2),
        &[same("log.local.retention.bytes", T::Long, "-2")], NO_TIERS),
    ignored("local.retention.ms", T::Long, "-2", Check::AtLeast(-2),
        &[same("log.local.retention.ms", T::Long, "-2")], NO_TIERS),
    works("max.compaction.lag.ms", T::Long, MAX, Check::AtLeast(1),
        &[same("log.cleaner.max.compaction.lag.ms", T::Long, MAX)],
        "How long a record of a compacted topic may wait for compaction, whatever `min.cleanable.dirty.ratio` says; the active segment is closed at that age, too. Milliseconds."),
    works("max.message.bytes", T::Int, "1048588", Check::AtLeast(0),
        &[same("message.max.bytes", T::Int, "1048588")],
        "The largest batch that is taken, as it arrives: compressed, header included. Bytes."),
    works("message.timestamp.after.max.ms", T::Long, "3600000", Check::AtLeast(0),
        &[same("log.message.timestamp.after.max.ms", T::Long, "3600000")],
        "How far a record's timestamp may lie in the future. Milliseconds."),
    works("message.timestamp.before.max.ms", T::Long, MAX, Check::AtLeast(0),
        &[same("log.message.timestamp.before.max.ms", T::Long, MAX)],
        "How far a record's timestamp may lie in the past. Milliseconds."),
    works("message.timestamp.type", T::String, "CreateTime", Check::OneOf(&["CreateTime", "LogAppendTime"]),
        &[same("log.message.timestamp.type", T::String, "CreateTime")],
        "Whose clock a record's timestamp is read from: the producer's (`CreateTime`) or the broker's (`LogAppendTime`)."),
    works("min.cleanable.dirty.ratio", T::Double, "0.5", Check::Fraction(0.0, 1.0),
        &[same("log.cleaner.min.cleanable.ratio", T::Double, "0.5")],
        "How much of what can be compacted must not have been for a log to be compacted. A fraction of its bytes."),
    works("min.compaction.lag.ms", T::Long, "0", Check::AtLeast(0),
        &[same("log.cleaner.min.compaction.lag.ms", T::Long, "0")],
        "How old a record of a compacted topic must be for compaction to look at its segment. Milliseconds."),
    ignored("min.insync.replicas", T::Int, "1", Check::AtLeast(1),
        &[same("min.insync.replicas", T::Int, "1")], "There is one node; values above 1 mean 1."),
    ignored("preallocate", T::Boolean, "false", Check::Any,
        &[same("log.preallocate", T::Boolean, "false")], "Segments grow as they are written."),
    ignored("remote.log.copy.disable", T::Boolean, "false", Check::Any, &[], NO_TIERS),
    ignored("remote.log.delete.on.disable", T::Boolean, "false", Check::Any, &[], NO_TIERS),
    ignored("remote.storage.enable", T::Boolean, "false", Check::Any, &[], NO_TIERS),
    works("retention.bytes", T::Long, "-1", Check::Any,
        &[same("log.retention.bytes", T::Long, "-1")],
        "How much of a partition is kept before its oldest segments are removed, -1 for everything. Bytes."),
    works("retention.ms", T::Long, "604800000", Check::AtLeast(-1),
        &[
            bare("log.retention.ms", 1, T::Long),
            bare("log.retention.minutes", MINUTE_MS, T::Int),
            BrokerDefault { name: "log.retention.hours", unit: HOUR_MS, kind: T::Int, default: Some("168") },
        ],
        "How long records are kept, -1 for ever. Milliseconds (`log.retention.minutes` and `log.retention.hours` in their own units)."),
    works("segment.bytes", T::Int, "1073741824", Check::AtLeast(1_048_576),
        &[same("log.segment.bytes", T::Int, "1073741824")],
        "How large a segment grows before a new one is begun. Bytes."),
    works("segment.index.bytes", T::Int, "10485760", Check::AtLeast(4),
        &[same("log.index.size.max.bytes", T::Int, "10485760")],
        "How large a segment's index grows before a new segment is begun. Bytes."),
    works("segment.jitter.ms", T::Long, "0", Check::AtLeast(0),
        &[
            bare("log.roll.jitter.ms", 1, T::Long),
            BrokerDefault { name: "log.roll.jitter.hours", unit: HOUR_MS, kind: T::Int, default: Some("0") },
        ],
        "How much earlier than `segment.ms`, at random, a new segment is begun at most. Milliseconds (`log.roll.jitter.hours` in hours)."),
    works("segment.ms", T::Long, "604800000", Check::AtLeast(1),
        &[
            bare("log.roll.ms", 1, T::Long),
            BrokerDefault { name: "log.roll.hours", unit: HOUR_MS, kind: T::Int, default: Some("168") },
        ],
        "How old a segment grows before a new one is begun. Milliseconds (`log.roll.hours` in hours)."),
    ignored("unclean.leader.election.enable", T::Boolean, "false", Check::Any,
        &[same("unclean.leader.election.enable", T::Boolean, "false")], NO_REPLICATION),
];
