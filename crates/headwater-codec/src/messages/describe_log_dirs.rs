//! DescribeLogDirs (key 35, versions 1-5): a broker's log directories: space, and the size of each log.
//! KIP-113, KIP-827, KIP-1066.

use crate::{ErrorCode, Message, Str, TopicName, UnknownTags};

/// Asks for log directories, and for some or all logs in them.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeLogDirs, request, versions = "1..=5", flexible = "2..")]
pub struct DescribeLogDirsRequest {
    /// Logs to describe, by topic; null means all.
    #[message(nullable = "0..")]
    pub topics: Option<Vec<DescribableLogDirTopic>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribableLogDirTopic {
    /// The topic's name.
    #[message(map_key)]
    pub topic: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The log directories.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = DescribeLogDirs, response, versions = "1..=5", flexible = "2..")]
pub struct DescribeLogDirsResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong with the whole request.
    #[message(versions = "3..", ignorable)]
    pub error_code: ErrorCode,
    /// The log directories.
    pub results: Vec<DescribeLogDirsResult>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A log directory, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeLogDirsResult {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// Absolute path of the directory.
    pub log_dir: Str,
    /// The logs in it, by topic.
    pub topics: Vec<DescribeLogDirsTopic>,
    /// Bytes that the volume holds; -1 when not known (KIP-827).
    #[message(versions = "4..", default = -1, ignorable)]
    pub total_bytes: i64,
    /// Bytes that are free on the volume; -1 when not known (KIP-827).
    #[message(versions = "4..", default = -1, ignorable)]
    pub usable_bytes: i64,
    /// Whether the directory takes no new logs (KIP-1066).
    #[message(versions = "5..", ignorable)]
    pub is_cordoned: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Logs of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeLogDirsTopic {
    /// The topic's name.
    pub name: TopicName,
    /// The logs, by partition.
    pub partitions: Vec<DescribeLogDirsPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// One log.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribeLogDirsPartition {
    /// Index of the partition, from 0.
    pub partition_index: i32,
    /// Bytes in the segments of the log.
    pub partition_size: i64,
    /// Offsets by which the log trails: behind the high watermark, or behind the log that it will
    /// replace.
    pub offset_lag: i64,
    /// Whether the log is a copy that will replace one in another directory (KIP-113).
    pub is_future_key: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}
