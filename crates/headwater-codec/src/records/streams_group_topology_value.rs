//! StreamsGroupTopologyValue (`__consumer_offsets`, version 0): KIP-1071.

use crate::{Message, Str, TopicName, UnknownTags};

/// What a streams application consists of. Stands after its version.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=0", flexible = "0..")]
pub struct StreamsGroupTopologyValue {
    /// The epoch of the topology.
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
