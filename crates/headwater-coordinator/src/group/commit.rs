//! Committing offsets.

use headwater_codec::{ErrorCode, Str, TopicName};

use super::{Group, writes::Action};
use crate::{
    CommitRequest, CommittedOffset, Effects, GroupState, Now, OffsetToCommit, Reply, Token, records,
};

/// An offset on its way to the log.
#[derive(Clone, Debug)]
pub(super) struct PendingOffset {
    pub(super) topic: TopicName,
    pub(super) partition: i32,
    pub(super) offset: CommittedOffset,
}

impl Group {
    pub(super) fn commit(&mut self, token: Token, request: CommitRequest, now: Now, effects: &mut Effects) {
        if let Err(error) = self.check_commit(&request) {
            return effects.reply(token, Reply::Commit(vec![error; request.offsets.len()]));
        }
        if matches!(self.state, GroupState::Stable | GroupState::PreparingRebalance) {
            self.renew_session_of_idle(&request.member_id, now);
        }
        let retention_ms = request.retention.map(|kept| i64::try_from(kept.as_millis()).unwrap_or(i64::MAX));
        let expire_timestamp_ms = retention_ms.map(|kept| now.wall_ms.saturating_add(kept));
        let mut results = Vec::with_capacity(request.offsets.len());
        let mut offsets = Vec::with_capacity(request.offsets.len());
        for to_commit in request.offsets {
            let too_long = self.is_metadata_too_long(to_commit.metadata.as_ref());
            results.push(if too_long { ErrorCode::OffsetMetadataTooLarge } else { ErrorCode::None });
            if !too_long {
                offsets.push(pending_offset(to_commit, now, expire_timestamp_ms));
            }
        }
        if offsets.is_empty() {
            return effects.reply(token, Reply::Commit(results));
        }
        let record = |pending: &PendingOffset| {
            records::offset_commit(&self.id, &pending.topic, pending.partition, &pending.offset)
        };
        let records = offsets.iter().map(record).collect();
        self.write(records, Action::Commit { token, results, offsets }, now, effects);
    }

    fn check_commit(&self, request: &CommitRequest) -> Result<(), ErrorCode> {
        let outside_any_generation = request.generation < 0;
        if self.is_unheard_of() && !outside_any_generation {
            let unknown = request.knows_group_id_not_found;
            return Err(if unknown { ErrorCode::GroupIdNotFound } else { ErrorCode::IllegalGeneration });
        }
        if outside_any_generation && self.state == GroupState::Empty {
            return Ok(());
        }
        if !outside_any_generation || !request.member_id.is_empty() || request.instance_id.is_some() {
            self.check_member(&request.member_id, request.instance_id.as_ref())?;
            if request.generation != self.generation {
                return Err(ErrorCode::IllegalGeneration);
            }
        } else if self.state != GroupState::Empty {
            return Err(ErrorCode::UnknownMemberId);
        }
        // The member knows the generation, so it joined; it must not commit before it knows what it may read.
        if self.state == GroupState::CompletingRebalance {
            return Err(ErrorCode::RebalanceInProgress);
        }
        Ok(())
    }

    fn is_metadata_too_long(&self, metadata: Option<&Str>) -> bool {
        let max = self.config.offset_metadata_max;
        metadata.is_some_and(|metadata| metadata.len() > max && metadata.encode_utf16().count() > max)
    }

    pub(super) fn offsets_persisted(
        &mut self,
        token: Token,
        results: Vec<ErrorCode>,
        offsets: Vec<PendingOffset>,
        effects: &mut Effects,
    ) {
        for PendingOffset { topic, partition, offset } in offsets {
            self.offsets.insert(&topic, partition, offset);
        }
        effects.reply(token, Reply::Commit(results));
    }
}

fn pending_offset(to_commit: OffsetToCommit, now: Now, expire_timestamp_ms: Option<i64>) -> PendingOffset {
    PendingOffset {
        topic: to_commit.topic,
        partition: to_commit.partition,
        offset: CommittedOffset {
            offset: to_commit.offset,
            leader_epoch: to_commit.leader_epoch,
            metadata: to_commit.metadata.as_ref().map(Str::detached).unwrap_or_default(),
            commit_timestamp_ms: now.wall_ms,
            expire_timestamp_ms,
            topic_id: to_commit.topic_id,
        },
    }
}
