//! Reading for a group: FETCH, the pushes after SUBSCRIBE, COMMIT.
//!
//! - A connection reads every topic that it has named so far: all partitions, or, as a member of the group, those assigned
//!   to it. It reads on from where the group is, and a new group from the first record there is.
//! - Below the log start it goes on at the log start, above the log end at the log end.
//! - A read is bounded in records and bytes; each partition gives an equal share of the records.
//! - A partition that cannot be read holds up no other: its failure is told once nothing else is there.
//! - What was sent is committed for the group. Somebody who did not join reads only while the group has no members.

use std::{collections::HashSet, sync::Arc};

use headwater_codec::{GroupId, Offset, Str, TopicName};
use headwater_native::{
    ErrorCode, limits,
    messages::{Commit, Failure, Isolation, Record, RecordLayout},
};

use super::{
    cursors::{Cursors, share},
    door::Native,
    groups::{Assignment, Committer, Position},
    reading::{ReadLimits, Taken, read},
    refusal::{self, Answer, refuse},
};
use crate::{
    security::{Operation, Principal, Resource},
    topics::{Partition, Topic},
};

/// What a connection reads, and as whom.
#[derive(Debug, Default)]
pub(super) struct Consumer {
    pub(super) cursors: Cursors,
    /// The name of the member that the connection is.
    pub(super) member: Option<Str>,
}

/// What one read may give.
#[derive(Clone, Copy, Debug)]
pub(super) struct PullLimits {
    pub(super) records_max: usize,
    pub(super) bytes_max: usize,
    /// Bytes of a first record that is larger than `bytes_max`: it goes alone.
    pub(super) alone_max: usize,
    pub(super) isolation: Isolation,
    pub(super) layout: RecordLayout,
}

/// What one read gave, and what is to be committed once it is sent.
#[derive(Debug, Default)]
pub(super) struct Pulled {
    pub(super) records: Vec<Record>,
    pub(super) positions: Vec<Position>,
    /// Bytes of keys, values and delivered headers: what is billed.
    pub(super) bytes: usize,
    /// Nothing was taken, but a record is there for which `alone_max` was too little for now.
    pub(super) held_back: bool,
}

impl Consumer {
    /// As whom the connection commits.
    pub(super) fn committer(&self) -> Committer<'_> {
        self.member.as_ref().map_or(Committer::Outsider, Committer::Member)
    }
}

impl Native {
    /// Adds a topic to what a connection reads.
    pub(super) fn begin_reading(
        &self,
        principal: &Principal,
        consumer: &mut Consumer,
        topic: &TopicName,
        group: &GroupId,
    ) -> Answer<()> {
        self.readable(principal, topic, group)?;
        consumer.cursors.add(topic);
        Ok(())
    }

    /// Finds a topic that may be read for a group.
    pub(super) fn readable(
        &self,
        principal: &Principal,
        topic: &TopicName,
        group: &GroupId,
    ) -> Answer<Arc<Topic>> {
        if group.as_str().is_empty() {
            return refuse(ErrorCode::BAD_FRAME, "a group needs a name");
        }
        principal.authorize(Operation::Read, Resource::Topic(topic)).map_err(refusal::kafka)?;
        principal.authorize(Operation::Read, Resource::Group(group)).map_err(refusal::kafka)?;
        self.services().topics.by_name(topic.as_str()).ok_or_else(|| refusal::no_topic(topic.as_str()))
    }

    /// Reads on in every partition that the connection reads.
    pub(super) async fn pull(
        &self,
        consumer: &mut Consumer,
        group: &GroupId,
        limits: PullLimits,
    ) -> Answer<Pulled> {
        let partitions = self.owned(consumer, group).await?;
        let mut pulled = Pulled::default();
        if limits.records_max == 0 || partitions.is_empty() {
            return Ok(pulled);
        }
        self.find_starts(consumer, group, &partitions)?;
        let (share, first) =
            (share(limits.records_max, partitions.len()), consumer.cursors.turn(partitions.len()));
        let mut bytes_left = limits.bytes_max;
        let mut failed = None;
        for partition in partitions[first..].iter().chain(&partitions[..first]) {
            let records_left = limits.records_max - pulled.records.len();
            if records_left == 0 {
                break;
            }
            let key = cursor_key(partition);
            let Some(from) = consumer.cursors.next(key) else { continue };
            let alone_max = if pulled.records.is_empty() { limits.alone_max } else { 0 };
            let read_limits = ReadLimits {
                records_max: share.min(records_left),
                bytes_max: bytes_left,
                unpacked_max: self.services().config.max_decompressed_message_bytes,
                isolation: limits.isolation,
                layout: limits.layout,
            };
            let taken = match read_one(partition, from, read_limits, alone_max).await {
                Ok(taken) => taken,
                // What others gave has been taken, and has to go out.
                Err(failure) => {
                    failed.get_or_insert(failure);
                    continue;
                }
            };
            if taken.oversize {
                // It has its turn; then it is the first, and has all the room.
                if !pulled.records.is_empty() {
                    break;
                }
                if limits.alone_max < FETCH_BYTES_MAX {
                    pulled.held_back = true;
                } else {
                    failed.get_or_insert_with(|| oversize(partition, taken.next));
                }
                continue;
            }
            bytes_left -= taken.bytes.min(bytes_left);
            consumer.cursors.set(key, taken.next);
            if !taken.records.is_empty() {
                pulled.positions.push(position(partition, taken.next));
                pulled.records.extend(taken.records);
            }
        }
        if !pulled.records.is_empty() {
            pulled.held_back = false;
        } else if let Some(failure) = failed.filter(|_| !pulled.held_back) {
            return Err(failure);
        }
        let billed =
            |record: &Record| record.key.len() + record.value.len() + record.headers.as_bytes().len();
        pulled.bytes = pulled.records.iter().map(billed).sum();
        self.services().metrics.fetched(pulled.bytes);
        self.metrics().fetched(pulled.records.len());
        Ok(pulled)
    }

    /// Every partition that the connection reads now.
    pub(super) async fn owned(&self, consumer: &mut Consumer, group: &GroupId) -> Answer<Vec<Partition>> {
        let assignment = self.assignment(consumer, group).await?;
        let mut partitions = Vec::new();
        for topic in consumer.cursors.topics() {
            let Some(known) = self.services().topics.by_name(topic.as_str()) else { continue };
            let is_owned = |partition: &Partition| match &assignment {
                None => true,
                Some(assignment) => {
                    assignment.get(topic).is_some_and(|owned| owned.contains(&partition.index().get()))
                }
            };
            partitions.extend(known.partitions().filter(is_owned));
        }
        let owned: HashSet<_> = partitions.iter().map(cursor_key).collect();
        consumer.cursors.keep_only(|key| owned.contains(&key));
        Ok(partitions)
    }

    /// What the connection's member is assigned; `None` when it is no member. One that was evicted has nothing.
    async fn assignment(&self, consumer: &Consumer, group: &GroupId) -> Answer<Option<Assignment>> {
        let Some(member) = &consumer.member else {
            return self.groups().check_outsider(group).await.map(|()| None);
        };
        match self.groups().alive(group, member).await {
            Ok(assignment) => Ok(Some(assignment)),
            Err(failure) if failure.code == ErrorCode::GROUP_MEMBER_UNKNOWN => Ok(Some(Assignment::new())),
            Err(failure) => Err(failure),
        }
    }

    /// Looks up where the group is in partitions that the connection has not read yet.
    fn find_starts(&self, consumer: &mut Consumer, group: &GroupId, partitions: &[Partition]) -> Answer<()> {
        let new: Vec<&Partition> = partitions
            .iter()
            .filter(|partition| consumer.cursors.next(cursor_key(partition)).is_none())
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        let asked: Vec<(TopicName, i32)> =
            new.iter().map(|partition| (partition.topic().name().clone(), partition.index().get())).collect();
        let committed = self.committed(group, &asked)?;
        for (partition, committed) in new.into_iter().zip(committed) {
            consumer.cursors.set(cursor_key(partition), committed.unwrap_or(Offset::ZERO));
        }
        Ok(())
    }

    /// The group's offsets in these partitions.
    pub(super) fn committed(
        &self,
        group: &GroupId,
        asked: &[(TopicName, i32)],
    ) -> Answer<Vec<Option<Offset>>> {
        let offsets = self.services().groups.offsets(group, asked).map_err(refusal::kafka)?;
        Ok(offsets.into_iter().map(|offset| Offset::new(offset?.offset)).collect())
    }

    /// COMMIT: sets where the group, and this connection, reads on.
    pub(super) async fn commit(
        &self,
        principal: &Principal,
        consumer: &mut Consumer,
        group: Option<&GroupId>,
        request: &Commit,
    ) -> Answer<()> {
        let group = group.ok_or_else(no_group)?;
        let topic = self.readable(principal, &request.topic, group)?;
        let partition = request.partition.index().and_then(|index| topic.partition(index));
        let partition = partition.ok_or_else(|| no_partition(&request.topic))?;
        let to = [position(&partition, request.offset)];
        self.groups().commit(group, consumer.committer(), &to).await?;
        let key = cursor_key(&partition);
        if consumer.cursors.next(key).is_some() {
            consumer.cursors.set(key, request.offset);
        }
        Ok(())
    }
}

/// What stands for a partition among cursors.
pub(super) fn cursor_key(partition: &Partition) -> super::cursors::CursorKey {
    (partition.topic().id(), partition.index().get())
}

/// A position as it is committed.
pub(super) fn position(partition: &Partition, next: Offset) -> Position {
    Position {
        topic: partition.topic().name().clone(),
        topic_id: partition.topic().id(),
        partition: partition.index().get(),
        next,
    }
}

/// The connection has not named a group.
pub(super) fn no_group() -> Failure {
    Failure::new(ErrorCode::BAD_PROTOCOL, "FETCH, SUBSCRIBE or JOIN_GROUP has to name a group first")
}

/// The topic has no such partition.
pub(super) fn no_partition(topic: &TopicName) -> Failure {
    Failure::new(ErrorCode::TOPIC_MISSING, format!("topic '{topic}' has no such partition"))
}

fn oversize(partition: &Partition, offset: Offset) -> Failure {
    let (topic, number) = (partition.topic().name(), partition.index().get() + 1);
    let message = format!(
        "the record at offset {} of '{topic}' partition {number} does not fit a frame; commit {} to pass it over",
        offset.get(),
        offset.plus(1).get()
    );
    Failure::new(ErrorCode::FRAME_TOO_LARGE, message)
}

/// Reads one partition. A first record that is too large for the bound is read alone if it fits `alone_max`.
async fn read_one(
    partition: &Partition,
    from: Offset,
    limits: ReadLimits,
    alone_max: usize,
) -> Answer<Taken> {
    let taken = read(partition, within(partition, from)?, limits).await?;
    if taken.oversize && alone_max > limits.bytes_max {
        let alone = ReadLimits { records_max: 1, bytes_max: alone_max, ..limits };
        return read(partition, taken.next, alone).await;
    }
    Ok(taken)
}

/// The offset, or the nearest one that can be read.
fn within(partition: &Partition, offset: Offset) -> Answer<Offset> {
    let watermarks = partition.watermarks().map_err(|error| refusal::storage(&error))?;
    Ok(offset.clamp(watermarks.log_start, watermarks.high_watermark.max(watermarks.log_start)))
}

/// Records of one FETCH at most.
pub(super) const FETCH_RECORDS_MAX: usize = limits::BATCH_RECORDS_MAX;
/// Bytes of records of one FETCH: what a client takes in one frame, less the frames' own bytes.
pub(super) const FETCH_BYTES_MAX: usize = limits::CLIENT_FRAME_BYTES_MAX - (512 << 10);
