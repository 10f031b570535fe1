//! The offsets that a group has committed.

use std::collections::BTreeMap;

use headwater_codec::{Str, TopicName, Uuid};

/// A committed offset.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommittedOffset {
    /// The next offset to read.
    pub offset: i64,
    /// The leader epoch of the last record read, -1 when not known (KIP-320).
    pub leader_epoch: i32,
    /// The client's own words, as it gave them.
    pub metadata: Str,
    /// When it was committed, milliseconds since the epoch.
    pub commit_timestamp_ms: i64,
    /// When it expires, if the client said so, milliseconds since the epoch.
    pub expire_timestamp_ms: Option<i64>,
    /// The topic's id at that time; nil when not known.
    pub topic_id: Uuid,
}

/// Offsets by topic and partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offsets {
    by_topic: BTreeMap<TopicName, BTreeMap<i32, CommittedOffset>>,
}

impl Offsets {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_topic.is_empty()
    }

    pub(crate) fn get(&self, topic: &str, partition: i32) -> Option<&CommittedOffset> {
        self.by_topic.get(topic)?.get(&partition)
    }

    pub(crate) fn insert(&mut self, topic: &TopicName, partition: i32, offset: CommittedOffset) {
        if let Some(partitions) = self.by_topic.get_mut(topic.as_str()) {
            partitions.insert(partition, offset);
        } else {
            let topic = TopicName::new(topic.as_wire().detached());
            self.by_topic.insert(topic, BTreeMap::from([(partition, offset)]));
        }
    }

    pub(crate) fn remove(&mut self, topic: &str, partition: i32) {
        if let Some(partitions) = self.by_topic.get_mut(topic) {
            partitions.remove(&partition);
            if partitions.is_empty() {
                self.by_topic.remove(topic);
            }
        }
    }

    /// Every offset, topics in order, partitions in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&TopicName, i32, &CommittedOffset)> {
        self.by_topic.iter().flat_map(|(topic, partitions)| {
            partitions.iter().map(move |(index, offset)| (topic, *index, offset))
        })
    }

    /// The offsets in one topic, by partition.
    pub(crate) fn of_topic(&self, topic: &str) -> impl Iterator<Item = (i32, &CommittedOffset)> {
        let partitions = self.by_topic.get(topic).into_iter().flatten();
        partitions.map(|(partition, offset)| (*partition, offset))
    }
}
