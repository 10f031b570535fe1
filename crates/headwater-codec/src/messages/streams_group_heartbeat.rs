//! StreamsGroupHeartbeat (key 88, versions 0-1): everything that a member of a streams group says: topology,
//! tasks, how far its stores are. Version 1 belongs to Kafka 4.4. KIP-1071, KIP-1331.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags};

/// A sign of life of one member. Fields that have not changed since the last one may be null.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = StreamsGroupHeartbeat, request, versions = "0..=1", stable = "..=0", flexible = "0..")]
pub struct StreamsGroupHeartbeatRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The member's id, made by the client.
    pub member_id: Str,
    /// The member's epoch: 0 to join, -1 to leave, -2 for a static member that leaves for a while.
    pub member_epoch: i32,
    /// Changes when the endpoints of members do.
    pub endpoint_information_epoch: i32,
    /// A static member's own, stable name; null for a dynamic member or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub instance_id: Option<Str>,
    /// The member's rack; null for none or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub rack_id: Option<Str>,
    /// Milliseconds that the member may take to give up partitions; -1 when it has not changed.
    #[message(default = -1)]
    pub rebalance_timeout_ms: i32,
    /// What the application consists of; null except to join.
    #[message(nullable = "0..", default = null)]
    pub topology: Option<Topology>,
    /// Tasks that run; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub active_tasks: Option<Vec<TaskIds>>,
    /// Tasks that keep a copy of stores; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub standby_tasks: Option<Vec<TaskIds>>,
    /// Tasks that fill their stores before they run; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub warmup_tasks: Option<Vec<TaskIds>>,
    /// The process's id; null when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub process_id: Option<Str>,
    /// Where to reach the member; null for nowhere or when it has not changed.
    #[message(nullable = "0..", default = null)]
    pub user_endpoint: Option<Endpoint>,
    /// Tags by which standby tasks are spread; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub client_tags: Option<Vec<KeyValue>>,
    /// How far the stores of tasks are; null when that has not changed.
    #[message(nullable = "0..", default = null)]
    pub task_offsets: Option<Vec<TaskOffset>>,
    /// How far the changelogs of tasks go; null when that has not changed.
    #[message(nullable = "0..", default = null)]
    pub task_end_offsets: Option<Vec<TaskOffset>>,
    /// Whether all members should shut down.
    pub shutdown_application: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What the application consists of, as far as assigning tasks needs to know.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Topology {
    /// The epoch of the topology, by which its versions are told apart.
    pub epoch: i32,
    /// The parts of the application.
    pub subtopologies: Vec<Subtopology>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A part of the application that runs as tasks, one for each partition.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Subtopology {
    /// The subtopology's id.
    pub subtopology_id: Str,
    /// Topics that it reads.
    pub source_topics: Vec<TopicName>,
    /// Regular expressions of topics that it reads.
    pub source_topic_regex: Vec<Str>,
    /// Topics that hold the changes of its stores.
    pub state_changelog_topics: Vec<TopicInfo>,
    /// Repartition topics that it writes.
    pub repartition_sink_topics: Vec<TopicName>,
    /// Repartition topics that it reads.
    pub repartition_source_topics: Vec<TopicInfo>,
    /// Topics that must have the same number of partitions.
    pub copartition_groups: Vec<CopartitionGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// An internal topic of the application, as it should be.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicInfo {
    /// The topic's name.
    pub name: TopicName,
    /// How many partitions; 0 when the broker decides.
    pub partitions: i32,
    /// How many replicas of each; 0 for the broker's default.
    pub replication_factor: i16,
    /// Configs that the topic should have.
    pub topic_configs: Vec<KeyValue>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct KeyValue {
    /// The name.
    pub key: Str,
    /// The value.
    pub value: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Topics that must have the same number of partitions, by their index within the subtopology.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct CopartitionGroup {
    /// Indexes into `source_topics`.
    pub source_topics: Vec<i16>,
    /// Indexes into `source_topic_regex`.
    pub source_topic_regex: Vec<i16>,
    /// Indexes into `repartition_source_topics`.
    pub repartition_source_topics: Vec<i16>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Tasks of one subtopology.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TaskIds {
    /// The subtopology's id.
    pub subtopology_id: Str,
    /// Partitions of the tasks.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Where a client of the application can reach it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Endpoint {
    /// Host name or address.
    pub host: Str,
    /// Port to connect to.
    pub port: u16,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// How far the stores of one task are.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TaskOffset {
    /// The subtopology's id.
    pub subtopology_id: Str,
    /// Index of the partition, from 0.
    pub partition: i32,
    /// The sum of the offsets in its changelogs.
    pub offset: i64,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The member's epoch, and its tasks when they have changed.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = StreamsGroupHeartbeat, response, versions = "0..=1", stable = "..=0", flexible = "0..")]
pub struct StreamsGroupHeartbeatResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// The member's id; null on an error.
    pub member_id: Str,
    /// The member's epoch.
    pub member_epoch: i32,
    /// Milliseconds between heartbeats.
    pub heartbeat_interval_ms: i32,
    /// Records that a store may lack before its task counts as caught up, in version 0.
    #[message(versions = "0..=0")]
    pub acceptable_recovery_lag_legacy: i32,
    /// Milliseconds between reports of how far stores are.
    pub task_offset_interval_ms: i32,
    /// Records that a store may lack before its task counts as caught up.
    #[message(versions = "1..")]
    pub acceptable_recovery_lag: i64,
    /// What the member should know; null for nothing.
    #[message(nullable = "0..")]
    pub status: Option<Vec<Status>>,
    /// Tasks that run; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub active_tasks: Option<Vec<TaskIds>>,
    /// Tasks that keep a copy of stores; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub standby_tasks: Option<Vec<TaskIds>>,
    /// Tasks that fill their stores before they run; null when they have not changed.
    #[message(nullable = "0..", default = null)]
    pub warmup_tasks: Option<Vec<TaskIds>>,
    /// Whether the member should describe its topology (KIP-1331).
    #[message(versions = "1..")]
    pub topology_description_required: bool,
    /// Changes when the endpoints of members do.
    pub endpoint_information_epoch: i32,
    /// The endpoints of members, with what they serve; null when that has not changed.
    #[message(nullable = "0..", default = null)]
    pub partitions_by_user_endpoint: Option<Vec<EndpointToPartitions>>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Something that the member should know.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Status {
    /// 0 stale topology, 1 missing source topics, 2 topics partitioned wrongly, 3 missing internal
    /// topics, 4 shut down, 5 assignment put off.
    pub status_code: i8,
    /// The same in words.
    pub status_detail: Str,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A member's endpoint, and the partitions that it serves.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct EndpointToPartitions {
    /// Where to reach the member; null for nowhere or when it has not changed.
    pub user_endpoint: Endpoint,
    /// Partitions whose tasks run there.
    pub active_partitions: Vec<TopicPartition>,
    /// Partitions of which there are copies.
    pub standby_partitions: Vec<TopicPartition>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopicPartition {
    /// The topic's name.
    pub topic: TopicName,
    /// Indexes of the partitions.
    pub partitions: Vec<i32>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}
