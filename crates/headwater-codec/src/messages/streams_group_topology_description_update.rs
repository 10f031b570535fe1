//! StreamsGroupTopologyDescriptionUpdate (key 93, version 0): a member of a streams group tells what its
//! topology looks like. Of Kafka 4.4. KIP-1331.

use crate::{ErrorCode, GroupId, Message, Str, TopicName, UnknownTags};

/// The topology of the member's application.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = StreamsGroupTopologyDescriptionUpdate, request, versions = "0..=0", stable = "none", flexible = "0..")]
pub struct StreamsGroupTopologyDescriptionUpdateRequest {
    /// The group's id.
    pub group_id: GroupId,
    /// The member's id.
    pub member_id: Str,
    /// The epoch of the topology.
    pub topology_epoch: i32,
    /// The whole topology.
    pub topology_description: TopologyDescription,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// The whole topology, for people to look at (KIP-1331).
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopologyDescription {
    /// The parts of the application.
    pub subtopologies: Vec<TopologyDescriptionSubtopology>,
    /// The global stores.
    pub global_stores: Vec<TopologyDescriptionGlobalStore>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A part of the application, with its nodes.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopologyDescriptionSubtopology {
    /// The subtopology's id.
    pub subtopology_id: Str,
    /// The nodes.
    pub nodes: Vec<TopologyDescriptionNode>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A node of the topology.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopologyDescriptionNode {
    /// The node's name.
    pub name: Str,
    /// Kind of node, as a code.
    pub node_type: i8,
    /// Topics that it reads.
    pub source_topics: Vec<TopicName>,
    /// The topic that it writes; null for none, or one that is chosen for each record.
    #[message(nullable = "0..", default = null)]
    pub sink_topic: Option<TopicName>,
    /// Names of the stores that it uses.
    pub stores: Vec<Str>,
    /// Names of the nodes that come after it.
    pub successors: Vec<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A global store, with the nodes that feed it.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct TopologyDescriptionGlobalStore {
    /// The node that reads its topic.
    pub source: TopologyDescriptionNode,
    /// The node that fills it.
    pub processor: TopologyDescriptionNode,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// Whether it was taken.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(api = StreamsGroupTopologyDescriptionUpdate, response, versions = "0..=0", stable = "none", flexible = "0..")]
pub struct StreamsGroupTopologyDescriptionUpdateResponse {
    /// Milliseconds for which the client is throttled; 0 when it is not.
    pub throttle_time_ms: i32,
    /// What went wrong; `None` when nothing did.
    pub error_code: ErrorCode,
    /// What went wrong, in words; null when there is nothing to say.
    #[message(nullable = "0..", default = null)]
    pub error_message: Option<Str>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}
