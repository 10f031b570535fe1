//! Topics and their offsets.

use headwater_codec::{Str, TopicName};
use headwater_native::messages::{
    AlterTopicConfig, ConfigEntry, CreatePartitions, CreateTopic, DeleteTopic, DescribeTopic, ListOffsets,
    ListOffsetsMode, ListTopics, OffsetForTime, PartitionOffsets, TopicDescription,
};

use super::{Client, expected};
use crate::ClientError;

impl Client {
    /// Creates a topic with default configs.
    ///
    /// # Errors
    /// The server's refusal, and what can go wrong with any call.
    pub async fn create_topic(&self, name: &str, partitions: u32) -> Result<(), ClientError> {
        self.done(&CreateTopic { name: name.into(), partitions }).await
    }

    /// Deletes a topic.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn delete_topic(&self, name: &str) -> Result<(), ClientError> {
        self.done(&DeleteTopic { name: name.into() }).await
    }

    /// Adds partitions to a topic, until it has `total`.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn create_partitions(&self, name: &str, total: u32) -> Result<(), ClientError> {
        self.done(&CreatePartitions { name: name.into(), total }).await
    }

    /// The names of all topics, sorted.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn list_topics(&self) -> Result<Vec<TopicName>, ClientError> {
        Ok(expected!(self.connection.call(&ListTopics {}).await?, TopicList)?.topics)
    }

    /// A topic's partitions and configs.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn describe_topic(&self, name: &str) -> Result<TopicDescription, ClientError> {
        expected!(self.connection.call(&DescribeTopic { name: name.into() }).await?, TopicDescription)
    }

    /// Sets some of a topic's configs.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn alter_topic_config(
        &self,
        name: &str,
        configs: impl IntoIterator<Item = (&str, &str)>,
    ) -> Result<(), ClientError> {
        let configs = configs.into_iter();
        let configs =
            configs.map(|(key, value)| ConfigEntry { key: Str::from(key), value: Str::from(value) });
        self.done(&AlterTopicConfig { name: name.into(), configs: configs.collect() }).await
    }

    /// The bounds of each partition of a topic.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn list_offsets(&self, topic: &str) -> Result<Vec<PartitionOffsets>, ClientError> {
        let request = ListOffsets { topic: topic.into(), mode: ListOffsetsMode::Bounds };
        Ok(expected!(self.connection.call(&request).await?, Offsets)?.partitions)
    }

    /// The first record of each partition at or after a time, milliseconds since the epoch.
    ///
    /// # Errors
    /// As [`Client::create_topic`].
    pub async fn offsets_for_time(
        &self,
        topic: &str,
        timestamp: i64,
    ) -> Result<Vec<OffsetForTime>, ClientError> {
        let request = ListOffsets { topic: topic.into(), mode: ListOffsetsMode::Timestamp(timestamp) };
        Ok(expected!(self.connection.call(&request).await?, Offsets)?.for_time.unwrap_or_default())
    }
}
