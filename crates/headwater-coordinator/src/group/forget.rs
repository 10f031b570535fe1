//! Forgetting offsets, and the group itself.

use headwater_codec::{EncodeError, ErrorCode, TopicName, Uuid};

use super::{Group, writes::Action};
use crate::{CommittedOffset, Effects, GroupRecord, GroupState, Now, Reply, Token, records};

/// What is to be forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Forgotten {
    pub(super) offsets: Vec<(TopicName, i32)>,
    /// The group with everything it has.
    pub(super) group: bool,
}

impl Group {
    /// Forgets single offsets, unless a member reads their topic (KIP-496).
    pub(super) fn delete_offsets(
        &mut self,
        token: Token,
        partitions: &[(TopicName, i32)],
        now: Now,
        effects: &mut Effects,
    ) {
        if let Err(error) = self.check_delete_offsets() {
            return effects.reply(token, Reply::DeleteOffsets(Err(error)));
        }
        let mut results = Vec::with_capacity(partitions.len());
        let mut offsets = Vec::new();
        for (topic, partition) in partitions {
            let read = self.reads_topic(topic.as_str());
            results.push(if read { ErrorCode::GroupSubscribedToTopic } else { ErrorCode::None });
            if !read && self.offsets.get(topic.as_str(), *partition).is_some() {
                offsets.push((topic.clone(), *partition));
            }
        }
        let reply = Some((token, Reply::DeleteOffsets(Ok(results))));
        self.write_forgotten(Forgotten { offsets, group: false }, reply, now, effects);
    }

    fn check_delete_offsets(&self) -> Result<(), ErrorCode> {
        match self.state() {
            GroupState::Dead => Err(ErrorCode::GroupIdNotFound),
            GroupState::Empty => Ok(()),
            _ if self.is_consumer_group() => Ok(()),
            _ => Err(ErrorCode::NonEmptyGroup),
        }
    }

    /// Forgets the group, if it has no members (KIP-229).
    pub(super) fn delete(&mut self, token: Token, now: Now, effects: &mut Effects) {
        match self.state() {
            GroupState::Dead => effects.reply(token, Reply::Delete(ErrorCode::GroupIdNotFound)),
            GroupState::Empty => {
                let reply = Some((token, Reply::Delete(ErrorCode::None)));
                self.write_forgotten(
                    Forgotten { offsets: self.all_offsets(), group: true },
                    reply,
                    now,
                    effects,
                );
            }
            _ => effects.reply(token, Reply::Delete(ErrorCode::NonEmptyGroup)),
        }
    }

    /// Forgets the offsets of topics that no longer exist.
    pub(super) fn forget_topics(&mut self, topics: &[(TopicName, Uuid)], now: Now, effects: &mut Effects) {
        let mut offsets = Vec::new();
        for (topic, topic_id) in topics {
            let of_that_topic = self.offsets.of_topic(topic.as_str()).filter(|(_, offset)| {
                // Older records do not say which topic of that name it was.
                offset.topic_id.is_nil() || offset.topic_id == *topic_id
            });
            offsets.extend(of_that_topic.map(|(partition, _)| (topic.clone(), partition)));
        }
        self.write_forgotten(Forgotten { offsets, group: false }, None, now, effects);
    }

    /// Forgets offsets that nobody used for the time of retention (KIP-211), and a group that is left with nothing.
    pub(super) fn expire_offsets(&mut self, now: Now, effects: &mut Effects) {
        let expired = |offset: &CommittedOffset, topic: &TopicName| self.is_expired(topic, offset, now);
        let offsets: Vec<(TopicName, i32)> = self
            .offsets
            .iter()
            .filter(|(topic, _, offset)| expired(offset, topic))
            .map(|(topic, partition, _)| (topic.clone(), partition))
            .collect();
        let nothing_left = offsets.len() == self.offsets.iter().count();
        let group = nothing_left && self.state() == GroupState::Empty && self.pending.is_empty();
        self.write_forgotten(Forgotten { offsets, group }, None, now, effects);
    }

    fn is_expired(&self, topic: &TopicName, offset: &CommittedOffset, now: Now) -> bool {
        let Some(unused_since_ms) = self.unused_since_ms(topic, offset) else { return false };
        if let Some(expire_timestamp_ms) = offset.expire_timestamp_ms {
            return now.wall_ms >= expire_timestamp_ms;
        }
        let retention_ms = i64::try_from(self.config.offsets_retention.as_millis()).unwrap_or(i64::MAX);
        now.wall_ms.saturating_sub(unused_since_ms) >= retention_ms
    }

    /// Since when nobody uses the offset; `None` while somebody does.
    fn unused_since_ms(&self, topic: &TopicName, offset: &CommittedOffset) -> Option<i64> {
        match (&self.protocol_type, self.state) {
            // Nobody ever joined: the offsets are all there is of the group.
            (None, _) => Some(offset.commit_timestamp_ms),
            (Some(_), GroupState::Empty) => Some(self.state_since_ms.unwrap_or(offset.commit_timestamp_ms)),
            (Some(_), GroupState::Stable) if self.is_consumer_group() && self.subscribed.is_some() => {
                (!self.reads_topic(topic.as_str())).then_some(offset.commit_timestamp_ms)
            }
            _ => None,
        }
    }

    fn all_offsets(&self) -> Vec<(TopicName, i32)> {
        self.offsets.iter().map(|(topic, partition, _)| (topic.clone(), partition)).collect()
    }

    fn write_forgotten(
        &mut self,
        forgotten: Forgotten,
        reply: Option<(Token, Reply)>,
        now: Now,
        effects: &mut Effects,
    ) {
        let records = self.tombstones(&forgotten);
        if records.as_ref().is_ok_and(Vec::is_empty) {
            self.forgotten_persisted(&forgotten);
            effects.replies.extend(reply);
        } else {
            self.write(records, Action::Forget { forgotten, reply }, now, effects);
        }
    }

    fn tombstones(&self, forgotten: &Forgotten) -> Result<Vec<GroupRecord>, EncodeError> {
        let tombstone =
            |(topic, partition): &(TopicName, i32)| records::offset_tombstone(&self.id, topic, *partition);
        let mut tombstones: Vec<GroupRecord> =
            forgotten.offsets.iter().map(tombstone).collect::<Result<_, _>>()?;
        if forgotten.group && self.recorded {
            tombstones.push(records::group_tombstone(&self.id)?);
        }
        Ok(tombstones)
    }

    pub(super) fn forgotten_persisted(&mut self, forgotten: &Forgotten) {
        for (topic, partition) in &forgotten.offsets {
            self.offsets.remove(topic.as_str(), *partition);
        }
        if forgotten.group {
            for member_id in std::mem::take(&mut self.pending) {
                self.deadlines.cancel(&member_id);
            }
            self.generation = 0;
            self.recorded = false;
            self.protocol_type = None;
            self.state_since_ms = None;
            self.subscribed = None;
        }
    }
}
