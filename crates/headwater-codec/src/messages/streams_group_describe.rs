//! StreamsGroupDescribe (key 89, versions 0-1): state, topology and members of streams groups. Version 1
//! belongs to Kafka 4.4. KIP-1071, KIP-1331.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags};

/// Asks about groups by id.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = StreamsGroupDescribe, request, versions = "0..=1", stable = "..=0", flexible = "0..")]
pub struct StreamsGroupDescribeRequest {
    /// Ids of the groups.
    pub group_ids: Vec<GroupId>,
    /// Whether to tell what the caller may do to each group (KIP-430).
    pub include_authorized_operations: bool,
    /// Whether to tell the whole topology (KIP-1331).
    #[message(versions = "1..")]
    pub include_topology_description: bool,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The groups.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = StreamsGroupDescribe, response, versions = "0..=1", stable = "..=0", flexible = "0..")]
pub struct StreamsGroupDescribeResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// The groups, in the order of the request.
    pub groups: Vec<DescribedGroup>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A group, or why it cannot be described.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct DescribedGroup {
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// The group's id.
    pub group_id: GroupId,
    /// The group's state, such as `Stable` or `Empty`.
    pub group_state: Str,
    /// The group's epoch: grows with every change of members or subscriptions.
    pub group_epoch: i32,
    /// The group epoch that the target assignment was made for.
    pub assignment_epoch: i32,
    /// What the application consists of; null when not known.
    #[message(nullable = "0..", default = null)]
    pub topology: Option<Topology>,
    /// The members.
    pub members: Vec<Member>,
    /// Operations that the caller may do, as bits by operation code; `i32::MIN` when not asked for
    /// (KIP-430).
    #[message(default = -2147483648)]
    pub authorized_operations: i32,
    /// The whole topology; null when not asked for or not known (KIP-1331).
    #[message(versions = "1..", nullable = "1..", default = null)]
    pub topology_description: Option<TopologyDescription>,
    /// Why the topology is told or not, as a code (KIP-1331).
    #[message(versions = "1..")]
    pub topology_description_status: i8,
    /// The assignment strategy in use; null when not known.
    #[message(versions = "1..", nullable = "1..", default = null)]
    pub assignor_name: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// What the application consists of.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Topology {
    /// The epoch of the topology, by which its versions are told apart.
    pub epoch: i32,
    /// The parts of the application; null when not known.
    #[message(nullable = "0..", default = null)]
    pub subtopologies: Option<Vec<Subtopology>>,
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
    /// Repartition topics that it writes.
    pub repartition_sink_topics: Vec<TopicName>,
    /// Topics that hold the changes of its stores.
    pub state_changelog_topics: Vec<TopicInfo>,
    /// Repartition topics that it reads.
    pub repartition_source_topics: Vec<TopicInfo>,
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

/// A member of the group.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Member {
    /// The member's id.
    pub member_id: Str,
    /// The member's epoch.
    pub member_epoch: i32,
    /// A static member's own, stable name; null for a dynamic member.
    #[message(nullable = "0..", default = null)]
    pub instance_id: Option<Str>,
    /// The member's rack; null for none.
    #[message(nullable = "0..", default = null)]
    pub rack_id: Option<Str>,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// The epoch of the topology.
    pub topology_epoch: i32,
    /// The process's id.
    pub process_id: Str,
    /// Where to reach the member; null for nowhere.
    #[message(nullable = "0..", default = null)]
    pub user_endpoint: Option<Endpoint>,
    /// Tags by which standby tasks are spread.
    pub client_tags: Vec<KeyValue>,
    /// How far the stores of tasks are.
    pub task_offsets: Vec<TaskOffset>,
    /// How far the changelogs of tasks go.
    pub task_end_offsets: Vec<TaskOffset>,
    /// What the member has.
    pub assignment: Assignment,
    /// What the member should have.
    pub target_assignment: Assignment,
    /// Whether the member speaks the classic protocol.
    pub is_classic: bool,
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

/// Tasks that a member has or should have.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Assignment {
    /// Tasks that run.
    pub active_tasks: Vec<TaskIds>,
    /// Tasks that keep a copy of stores.
    pub standby_tasks: Vec<TaskIds>,
    /// Tasks that fill their stores before they run.
    pub warmup_tasks: Vec<TaskIds>,
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

/// The whole topology, for people to look at (KIP-1331).
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct TopologyDescription {
    /// The parts of the application.
    #[message(versions = "1..")]
    pub subtopologies: Vec<TopologyDescriptionSubtopology>,
    /// The global stores.
    #[message(versions = "1..")]
    pub global_stores: Vec<TopologyDescriptionGlobalStore>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A part of the application, with its nodes.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct TopologyDescriptionSubtopology {
    /// The subtopology's id.
    #[message(versions = "1..")]
    pub subtopology_id: Str,
    /// The nodes.
    #[message(versions = "1..")]
    pub nodes: Vec<TopologyDescriptionNode>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A node of the topology.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct TopologyDescriptionNode {
    /// The node's name.
    #[message(versions = "1..")]
    pub name: Str,
    /// Kind of node, as a code.
    #[message(versions = "1..")]
    pub node_type: i8,
    /// Topics that it reads.
    #[message(versions = "1..")]
    pub source_topics: Vec<TopicName>,
    /// The topic that it writes; null for none, or one that is chosen for each record.
    #[message(versions = "1..", nullable = "1..", default = null)]
    pub sink_topic: Option<TopicName>,
    /// Names of the stores that it uses.
    #[message(versions = "1..")]
    pub stores: Vec<Str>,
    /// Names of the nodes that come after it.
    #[message(versions = "1..")]
    pub successors: Vec<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A global store, with the nodes that feed it.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(versions = "1..")]
pub struct TopologyDescriptionGlobalStore {
    /// The node that reads its topic.
    #[message(versions = "1..")]
    pub source: TopologyDescriptionNode,
    /// The node that fills it.
    #[message(versions = "1..")]
    pub processor: TopologyDescriptionNode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}
