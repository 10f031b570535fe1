//! Records that could not be processed: NACK, attempts, the dead-letter topic.
//!
//! - Each NACK counts, per group and record; the counters survive a restart. Before the last attempt the group and the
//!   connection are set back to the record. With the last one it goes to `<topic>.dlq`, key and headers as they were, the
//!   value in an envelope, and the group goes on behind it, or at a record before it that still waits for its next delivery.
//! - A record of a dead-letter topic that fails stays where it is: it is a dead letter already. The group goes on.
//! - A dead letter that the dead-letter topic cannot take is left out: the group goes on, the record stays where it is, an
//!   error is logged with its place, and `headwater_native_dlq_undeliverable_total` counts it. NACK_ACK names no topic then.
//! - Refused without counting: no group yet 8, a membership that is over 12, an unknown topic or partition 5, an offset
//!   where no record can be read 1.

mod attempts;
mod letter;
mod stored;

use std::sync::Arc;

use bytes::{Buf, BufMut, BytesMut};
use headwater_codec::{GroupId, Offset, PartitionIndex, TopicName, Uuid};
use headwater_native::messages::{Nack, NackAck};
use headwater_storage::{
    AppendDurability, CoordinatorRecord, MetadataError, NewTopic, RecordFormat, StorageError,
};
use parking_lot::Mutex;

use self::{
    attempts::{Attempts, Failing},
    letter::{Cause, StoredRecord},
};
use super::{
    consume::{Consumer, cursor_key, no_group, no_partition, position},
    door::Native,
    refusal::{self, Answer},
    state_log::StateLog,
};
use crate::{
    security::Principal,
    topic_config::TopicNameRules,
    topics::{Partition, Topic},
};

/// The attempts at records that fail. Cheap to clone.
#[derive(Clone)]
pub(super) struct DeadLetters {
    inner: Arc<Inner>,
}

struct Inner {
    log: StateLog,
    /// Held from counting an attempt to what follows from it: two clients may fail at one record.
    counting: tokio::sync::Mutex<()>,
    attempts: Mutex<Attempts>,
}

impl DeadLetters {
    /// Counters for at most `tracked_max` records.
    pub(super) fn new(log: StateLog, tracked_max: usize) -> Self {
        let attempts = Mutex::new(Attempts::new(tracked_max));
        Self { inner: Arc::new(Inner { log, counting: tokio::sync::Mutex::new(()), attempts }) }
    }

    /// Takes over one record of the state log, oldest first.
    pub(super) fn replay(&self, record: &CoordinatorRecord) {
        let Some(failing) = Failing::decode(&record.key) else { return };
        let mut attempts = self.inner.attempts.lock();
        match record.value.as_deref().and_then(|mut value| value.try_get_u16().ok()) {
            Some(count) => drop(attempts.set(failing, count)),
            None => attempts.remove(&failing),
        }
    }

    /// Forgets the records of topics that are gone.
    pub(super) async fn forget_topics(&self, exists: impl Fn(Uuid) -> bool) -> Answer<()> {
        let gone: Vec<Failing> = {
            let attempts = self.inner.attempts.lock();
            attempts.records().filter(|record| !exists(record.topic_id)).cloned().collect()
        };
        self.forget(&gone).await
    }

    async fn forget(&self, records: &[Failing]) -> Answer<()> {
        self.inner.log.write(records.iter().map(|record| (record.encode(), None)).collect()).await?;
        let mut attempts = self.inner.attempts.lock();
        for record in records {
            attempts.remove(record);
        }
        Ok(())
    }

    async fn count(&self, record: Failing, count: u16) -> Answer<()> {
        let mut value = BytesMut::with_capacity(2);
        value.put_u16(count);
        let mut records = vec![(record.encode(), Some(value.freeze()))];
        let forgotten = self.inner.attempts.lock().set(record, count);
        records.extend(forgotten.iter().map(|record| (record.encode(), None)));
        self.inner.log.write(records).await
    }
}

impl Native {
    /// NACK: a delivered record could not be processed.
    pub(super) async fn nack(
        &self,
        principal: &Principal,
        consumer: &mut Consumer,
        group: Option<&GroupId>,
        request: Nack,
    ) -> Answer<NackAck> {
        let group = group.ok_or_else(no_group)?;
        let topic = self.readable(principal, &request.topic, group)?;
        if let Some(member) = &consumer.member {
            self.groups().alive(group, member).await?;
        }
        let partition = request.partition.index().and_then(|index| topic.partition(index));
        let partition = partition.ok_or_else(|| no_partition(&request.topic))?;
        let unpacked_max = self.services().config.max_decompressed_message_bytes;
        let record = stored::record_at(&partition, request.offset, unpacked_max).await?;

        let letters = self.dead_letters();
        let _counting = letters.inner.counting.lock().await;
        let failing = Failing {
            group: group.detached(),
            topic_id: topic.id(),
            partition: partition.index().get(),
            offset: request.offset,
        };
        let attempts = letters.inner.attempts.lock().of(&failing).saturating_add(1);
        self.metrics().nacked();
        if attempts < self.services().config.headwater_dlq_attempts_max {
            letters.count(failing, attempts).await?;
            self.go_back(consumer, group, &partition, request.offset).await?;
            return Ok(NackAck { dead_lettered: false, attempts, dlq_topic: TopicName::default() });
        }
        let cause = Cause {
            topic: topic.name().clone(),
            partition: request.partition,
            offset: request.offset,
            group: group.clone(),
            attempts,
            reason: request.reason,
        };
        let dlq_topic = self.dead_letter(&topic, &partition, &record, &cause).await?;
        letters.forget(std::slice::from_ref(&failing)).await?;
        self.go_on(consumer, group, &partition, &failing).await?;
        Ok(NackAck { dead_lettered: true, attempts, dlq_topic: dlq_topic.unwrap_or_default() })
    }

    /// Puts a record into the dead-letter topic. Gives the topic's name; `None` when it cannot take the record, which was
    /// logged and counted then.
    async fn dead_letter(
        &self,
        topic: &Arc<Topic>,
        partition: &Partition,
        record: &StoredRecord,
        cause: &Cause,
    ) -> Answer<Option<TopicName>> {
        let suffix = self.services().config.headwater_dlq_suffix.as_str();
        if topic.name().as_str().ends_with(suffix) {
            tracing::warn!(topic = %topic.name(), partition = cause.partition.get(), offset = cause.offset.get(), group = %cause.group, "a dead letter could not be processed; it stays where it is");
            return Ok(Some(topic.name().clone()));
        }
        let name = TopicName::from(format!("{}{suffix}", topic.name()));
        let topics = self.services().topics.all();
        let existing = topics.iter().map(|topic| topic.name().as_str());
        if let Err(error) = TopicNameRules::check_new(name.as_str(), existing) {
            self.undeliverable(name.as_str(), cause, &error.to_string());
            return Ok(None);
        }
        let dlq = self.dead_letter_topic(topic, &name).await?;
        let letter = letter::envelope(record, cause);
        let made = letter::batch(record, &letter, dlq.log_config(), self.services().clock.now_ms());
        let Ok(Some(batch)) = made else {
            self.undeliverable(dlq.name().as_str(), cause, "the dead-letter topic does not take it");
            return Ok(None);
        };
        let index = partition.index().get() % dlq.partition_count().max(1);
        let Some(place) = dlq.partition(PartitionIndex::new(index)) else {
            return Err(refusal::no_topic(dlq.name().as_str()));
        };
        match place.append(batch, AppendDurability::Committed).await {
            Ok(_) => self.metrics().dead_lettered(),
            // The same letter would be refused each time, and the group would never get past its record.
            Err(error @ (StorageError::Refused { .. } | StorageError::BatchTooLarge { .. })) => {
                self.undeliverable(dlq.name().as_str(), cause, &error.to_string());
                return Ok(None);
            }
            Err(error) => return Err(refusal::storage(&error)),
        }
        Ok(Some(dlq.name().clone()))
    }

    fn undeliverable(&self, dlq_topic: &str, cause: &Cause, why: &str) {
        tracing::error!(
            topic = %cause.topic, partition = cause.partition.get(), offset = cause.offset.get(), group = %cause.group,
            %dlq_topic, why, "a record that could not be processed could not be dead-lettered either; the group passes it over"
        );
        self.metrics().undeliverable();
    }

    /// The dead-letter topic, created with the source's partitions, format and header limits when it is not there.
    async fn dead_letter_topic(&self, source: &Topic, name: &TopicName) -> Answer<Arc<Topic>> {
        let topics = &self.services().topics;
        if let Some(known) = topics.by_name(name.as_str()) {
            return Ok(known);
        }
        // Room for the envelope, so that whatever fits the source fits.
        let bytes = source.log_config().max_message_bytes.saturating_add(ENVELOPE_ROOM).min(i32::MAX as u32);
        let mut configs = vec![("max.message.bytes".to_owned(), bytes.to_string())];
        let own = &source.known().configs;
        let shared = SHARED_CONFIGS.iter().filter_map(|name| own.get_key_value(*name));
        configs.extend(shared.map(|(key, value)| (key.clone(), value.clone())));
        let new = NewTopic { name: name.clone(), partition_count: source.partition_count(), configs };
        match topics.create(new).await {
            Ok(_) => tracing::info!(topic = %name, "created, for records that could not be processed"),
            Err(MetadataError::TopicExists { .. }) => topics.keep_in_step().await,
            Err(error) => return Err(refusal::metadata(&error)),
        }
        topics.by_name(name.as_str()).ok_or_else(|| refusal::no_topic(name.as_str()))
    }

    /// Sets group and connection back to a record, unless they have not come so far.
    async fn go_back(
        &self,
        consumer: &mut Consumer,
        group: &GroupId,
        partition: &Partition,
        to: Offset,
    ) -> Answer<()> {
        if self.committed_at(group, partition)?.is_none_or(|committed| committed > to) {
            self.groups().commit(group, consumer.committer(), &[position(partition, to)]).await?;
        }
        consumer.cursors.rewind(cursor_key(partition), to);
        Ok(())
    }

    /// Sets group and connection behind a record, unless they are further, or at a record that waits for its next delivery.
    async fn go_on(
        &self,
        consumer: &mut Consumer,
        group: &GroupId,
        partition: &Partition,
        done: &Failing,
    ) -> Answer<()> {
        let from = |at: Offset| self.dead_letters().inner.attempts.lock().go_on_at(at, done);
        let committed = self.committed_at(group, partition)?;
        let to = from(committed.unwrap_or(Offset::ZERO));
        if committed.is_none_or(|committed| committed < to) {
            self.groups().commit(group, consumer.committer(), &[position(partition, to)]).await?;
        }
        let key = cursor_key(partition);
        if let Some(next) = consumer.cursors.next(key) {
            consumer.cursors.set(key, next.max(from(next)));
        }
        Ok(())
    }

    fn committed_at(&self, group: &GroupId, partition: &Partition) -> Answer<Option<Offset>> {
        let asked = [(partition.topic().name().clone(), partition.index().get())];
        Ok(self.committed(group, &asked)?.into_iter().next().flatten())
    }
}

/// What a dead-letter topic has from its source, so that each header that fits the source fits it.
const SHARED_CONFIGS: [&str; 4] = [
    RecordFormat::CONFIG,
    "headwater.headers.bytes.max",
    "headwater.headers.count.max",
    "headwater.header.name.bytes.max",
];

/// What a dead letter may be larger than its record.
const ENVELOPE_ROOM: u32 = 4096;
