//! Topics, their partitions and their configs.

use headwater_codec::{Str, TopicName};

use crate::{
    limits,
    wire::{message, part},
};

message! {
    /// CREATE_TOPIC: creates a topic with default configs. Answered with OK.
    CreateTopic, CreateTopic {
        /// Its name.
        name: TopicName => topic,
        /// How many partitions it gets.
        partitions: u32 => u32,
    }
}

message! {
    /// LIST_TOPICS: asks for the names of all topics.
    ListTopics, ListTopics {}
}

message! {
    /// TOPIC_LIST: the names of all topics, sorted.
    TopicList, TopicList {
        /// The names.
        topics: Vec<TopicName> => list(limits::LIST_MAX),
    }
}

message! {
    /// DELETE_TOPIC: deletes a topic. Answered with OK.
    DeleteTopic, DeleteTopic {
        /// Its name.
        name: TopicName => topic,
    }
}

message! {
    /// CREATE_PARTITIONS: adds partitions to a topic. Answered with OK.
    CreatePartitions, CreatePartitions {
        /// The topic's name.
        name: TopicName => topic,
        /// How many partitions it has then.
        total: u32 => u32,
    }
}

message! {
    /// DESCRIBE_TOPIC: asks for a topic's partitions and configs.
    DescribeTopic, DescribeTopic {
        /// Its name.
        name: TopicName => topic,
    }
}

part! {
    /// One config of a topic.
    ConfigEntry, 8 {
        /// Its name.
        key: Str => text(limits::CONFIG_KEY_BYTES_MAX),
        /// Its value; numbers as decimal text.
        value: Str => text(limits::CONFIG_VALUE_BYTES_MAX),
    }
}

message! {
    /// TOPIC_DESCRIPTION: a topic's partitions and configs.
    TopicDescription, TopicDescription {
        /// Its name.
        name: TopicName => topic,
        /// How many partitions it has.
        partitions: u32 => u32,
        /// Its configs, sorted by name.
        configs: Vec<ConfigEntry> => list(limits::LIST_MAX),
    }
}

message! {
    /// ALTER_TOPIC_CONFIG: sets some of a topic's configs. Answered with OK.
    AlterTopicConfig, AlterTopicConfig {
        /// The topic's name.
        name: TopicName => topic,
        /// The configs to set.
        configs: Vec<ConfigEntry> => list(limits::CONFIGS_MAX),
    }
}
