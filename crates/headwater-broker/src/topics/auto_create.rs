//! Topics that come into being because somebody asks for them.

use std::sync::Arc;

use headwater_codec::{ErrorCode, TopicName};
use headwater_storage::{MetadataError, NewTopic};

use super::{CONSUMER_OFFSETS, NATIVE_STATE, TRANSACTION_STATE, Topic, Topics};
use crate::{
    error_code,
    topic_config::{TopicNameRules, settle_format},
};

impl Topics {
    /// Whether a new topic may have this name.
    ///
    /// # Errors
    /// `INVALID_TOPIC_EXCEPTION`.
    pub(crate) fn judge_name(&self, name: &TopicName) -> Result<(), ErrorCode> {
        let catalog = self.shared.catalog.load();
        let existing = catalog.all().map(|topic| topic.name().as_str());
        TopicNameRules::check_new(name.as_str(), existing).map_err(|error| error.code())
    }

    /// Creates a topic that somebody asked for by a name that [`Topics::judge_name`] allows, with the defaults of
    /// topics, or of the internal topic that it is. One that was created meanwhile is as good.
    ///
    /// # Errors
    /// Whatever keeps the metadata store from writing, as a code.
    pub(crate) async fn auto_create(&self, name: &TopicName) -> Result<Arc<Topic>, ErrorCode> {
        match self.create(self.defaults_of(name)).await {
            Ok(_) => tracing::info!(topic = %name, "created, because a client asked for it"),
            Err(MetadataError::TopicExists { .. }) => self.keep_in_step().await,
            Err(error) => {
                tracing::error!(topic = %name, %error, "could not be created");
                return Err(error_code::metadata(&error));
            }
        }
        // It may have been deleted again.
        self.by_name(name.as_str()).ok_or(ErrorCode::UnknownTopicOrPartition)
    }

    fn defaults_of(&self, name: &TopicName) -> NewTopic {
        let config = &self.shared.config;
        let (partition_count, configs) = match name.as_str() {
            CONSUMER_OFFSETS => (
                config.offsets_topic_num_partitions,
                vec![
                    ("cleanup.policy", "compact".to_owned()),
                    ("compression.type", "producer".to_owned()),
                    ("segment.bytes", config.offsets_topic_segment_bytes.to_string()),
                ],
            ),
            TRANSACTION_STATE => (TRANSACTION_PARTITIONS, vec![("cleanup.policy", "compact".to_owned())]),
            NATIVE_STATE => (1, vec![("cleanup.policy", "compact".to_owned())]),
            _ => (config.num_partitions, Vec::new()),
        };
        let mut configs = configs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        settle_format(config, name, &mut configs);
        NewTopic { name: name.clone(), partition_count, configs: configs.into_iter().collect() }
    }
}

/// Kafka's default of `transaction.state.log.num.partitions`.
const TRANSACTION_PARTITIONS: i32 = 50;
