//! PRODUCE, PRODUCE_BATCH, PRODUCE_IDEMPOTENT and INIT_PRODUCER_ID.
//!
//! - An unknown topic is TOPIC_MISSING (5), an internal one TOPIC_FORBIDDEN (18); there is no automatic creation.
//! - Records of one request that go to one partition are one batch there. An answer comes when they are durable.
//! - A batch is not atomic: the acks are those of the records before the first one that failed, with its code.
//! - Idempotent records: without INIT_PRODUCER_ID 10, another producer's id 8, an epoch that is over 50, more than 1024
//!   records 14, a number out of order 11. The last batch, sent again, is answered with the same places.

use std::{future::Future, sync::Arc, time::Instant};

use headwater_codec::{PartitionIndex, TopicName};
use headwater_native::{
    ErrorCode, limits,
    messages::{
        BatchProducer, Failure, Produce, ProduceAck, ProduceBatch, ProduceBatchAck, ProduceIdempotent,
        RecordToProduce,
    },
};
use headwater_records::native::ValueCodec;
use headwater_storage::{AppendDurability, Appended, Pending, StorageError};

use super::{
    batches::{BatchRules, PlacedRecord, batches},
    door::Native,
    judge::judge,
    producers::{Identity, Place, Producer, Sequence, Verdict, no_producer},
    refusal::{self, Answer, refuse},
    spread::{Spread, place_idempotent},
};
use crate::{
    security::{Operation, Principal, Resource},
    topics::Topic,
};

/// Records on their way into their partitions.
struct Begun {
    appending: Vec<Appending>,
    /// Why the records from that place on were not begun.
    refused: Option<(usize, Failure)>,
    count: usize,
    /// Bytes of keys, values and headers of the records that were begun: what is billed.
    bytes: usize,
}

/// One batch on its way.
struct Appending {
    partition: PartitionIndex,
    records: Vec<usize>,
    appended: Pending<Result<Appended, StorageError>>,
}

/// What became of the records of a request.
struct Landed {
    /// The place of each, in the request's order.
    places: Vec<Option<Place>>,
    /// Why some have none.
    failure: Option<Failure>,
    /// How many records each partition took.
    counts: Vec<(PartitionIndex, i32)>,
}

impl Native {
    /// Appends one record. It has its place when this returns; what is returned waits until it is durable.
    pub(super) fn produce(
        &self,
        principal: &Principal,
        spread: &mut Spread,
        bill: &mut usize,
        request: Produce,
    ) -> Answer<impl Future<Output = Answer<ProduceAck>> + Send + use<>> {
        let Produce { codec, topic, key, value, headers } = request;
        let topic = self.writable(principal, &topic)?;
        let record = RecordToProduce { key, value, headers };
        let begun = self.begin_spread(spread, &topic, codec, &[record])?;
        *bill += begun.bytes;
        Ok(async move {
            let Landed { places, failure, .. } = begun.land().await;
            match (places.first().copied().flatten(), failure) {
                (Some(place), _) => Ok(place.ack()),
                (None, Some(failure)) => Err(failure),
                (None, None) => refuse(ErrorCode::INTERNAL, "the record has no place"),
            }
        })
    }

    /// Appends records. They have their places when this returns; what is returned waits until they are durable.
    pub(super) fn produce_batch(
        &self,
        principal: &Principal,
        spread: &mut Spread,
        bill: &mut usize,
        request: &ProduceBatch,
    ) -> Answer<impl Future<Output = ProduceBatchAck> + Send + use<>> {
        let topic = self.writable(principal, &request.topic)?;
        let begun = self.begin_spread(spread, &topic, request.codec, &request.records)?;
        *bill += begun.bytes;
        Ok(async move {
            let landed = begun.land().await;
            let acks = landed.places.iter().map_while(|place| place.map(Place::ack)).collect();
            batch_ack(acks, landed.failure)
        })
    }

    /// Appends one record of an idempotent producer.
    pub(super) async fn produce_idempotent(
        &self,
        principal: &Principal,
        producer: Option<&Producer>,
        bill: &mut usize,
        request: ProduceIdempotent,
    ) -> Answer<ProduceAck> {
        let ProduceIdempotent { producer_id, sequence, producer_epoch, codec, topic, key, value, headers } =
            request;
        let producer = producer.ok_or_else(no_producer)?;
        self.producers().check(producer, producer_id, producer_epoch)?;
        let topic = self.writable(principal, &topic)?;
        let records = [RecordToProduce { key, value, headers }];
        let judge = |known: &Sequence| known.judge_single(sequence);
        let (places, failure, bytes) =
            self.write_once(producer, &topic, codec, sequence, &records, judge).await?;
        *bill += bytes;
        match (places.first(), failure) {
            (Some(place), _) => Ok(place.ack()),
            (None, Some(failure)) => Err(failure),
            (None, None) => refuse(ErrorCode::INTERNAL, "the record has no place"),
        }
    }

    /// Appends records of an idempotent producer.
    pub(super) async fn produce_batch_once(
        &self,
        principal: &Principal,
        producer: Option<&Producer>,
        bill: &mut usize,
        request: &ProduceBatch,
        of: BatchProducer,
    ) -> Answer<ProduceBatchAck> {
        let producer = producer.ok_or_else(no_producer)?;
        self.producers().check(producer, of.producer_id, of.producer_epoch)?;
        let count = request.records.len();
        if count > limits::IDEMPOTENT_BATCH_RECORDS_MAX {
            let max = limits::IDEMPOTENT_BATCH_RECORDS_MAX;
            return refuse(ErrorCode::BATCH_TOO_LARGE, format!("{count} idempotent records are over {max}"));
        }
        let topic = self.writable(principal, &request.topic)?;
        let judge = |known: &Sequence| known.judge_batch(of.base_sequence, count);
        let (places, failure, bytes) = self
            .write_once(producer, &topic, request.codec, of.base_sequence, &request.records, judge)
            .await?;
        *bill += bytes;
        Ok(batch_ack(places.into_iter().map(Place::ack).collect(), failure))
    }

    /// Finds a topic that clients may write to.
    fn writable(&self, principal: &Principal, name: &TopicName) -> Answer<Arc<Topic>> {
        principal.authorize(Operation::Write, Resource::Topic(name)).map_err(refusal::kafka)?;
        let topic =
            self.services().topics.by_name(name.as_str()).ok_or_else(|| refusal::no_topic(name.as_str()))?;
        if topic.is_internal() {
            return refuse(ErrorCode::TOPIC_FORBIDDEN, format!("topic '{name}' belongs to the broker"));
        }
        Ok(topic)
    }

    fn begin_spread(
        &self,
        spread: &mut Spread,
        topic: &Arc<Topic>,
        codec: ValueCodec,
        records: &[RecordToProduce],
    ) -> Answer<Begun> {
        let (now, partitions) = (Instant::now(), topic.partition_count().unsigned_abs());
        let place = |record: &RecordToProduce| spread.place(&record.key, partitions, now, rand::random);
        let placed: Vec<PartitionIndex> = records.iter().map(place).collect();
        let placed = (records.iter().zip(placed)).enumerate();
        let placed =
            placed.map(|(index, (record, partition))| PlacedRecord { index, record, partition }).collect();
        self.begin(topic, codec, records.len(), placed, None)
    }

    /// Judges records and begins to append those before the first that is refused; nothing at all when that is the very
    /// first one of the request.
    fn begin(
        &self,
        topic: &Arc<Topic>,
        codec: ValueCodec,
        count: usize,
        mut records: Vec<PlacedRecord<'_>>,
        by: Option<(Identity, &Sequence)>,
    ) -> Answer<Begun> {
        let config = topic.log_config();
        let rules = BatchRules { config, codec, now_ms: self.services().clock.now_ms() };
        let judged = records.iter().enumerate().find_map(|(at, placed)| {
            judge(placed.record, topic.name(), config).err().map(|failure| (at, placed.index, failure))
        });
        let mut refused = judged.map(|(at, index, failure)| {
            records.truncate(at);
            (index, failure)
        });
        let batches = loop {
            let mut numbered = by.map(|(identity, sequence)| (identity, sequence.clone()));
            let number = |partition, count| {
                let (identity, sequence) = numbered.as_mut()?;
                let first = sequence.next_in(partition);
                sequence.advance(partition, count);
                Some((identity.id, identity.log_epoch(), first))
            };
            match batches(&records, rules, number) {
                Ok(batches) => break batches,
                Err((index, failure)) => {
                    records.retain(|placed| placed.index < index);
                    refused = Some((index, failure));
                }
            }
        };
        if let Some((0, failure)) = refused {
            return Err(failure);
        }
        let mut appending = Vec::with_capacity(batches.len());
        for made in batches {
            // Every record was placed in a partition that there is.
            let Some(partition) = topic.partition(made.partition) else {
                return Err(refusal::no_topic(topic.name().as_str()));
            };
            self.services().metrics.appended(made.batch.record_count(), made.batch.len());
            let appended = partition.append(made.batch, AppendDurability::Committed);
            appending.push(Appending { partition: made.partition, records: made.records, appended });
        }
        self.metrics().produced(records.len());
        let bytes = records.iter().map(|placed| billed(placed.record)).sum();
        Ok(Begun { appending, refused, count, bytes })
    }

    /// Appends what the producer has not written yet and keeps its memory; what it has written is answered as it was. Gives
    /// the places, what failed, and the bytes to bill.
    async fn write_once(
        &self,
        producer: &Producer,
        topic: &Arc<Topic>,
        codec: ValueCodec,
        base: u32,
        records: &[RecordToProduce],
        judge: impl FnOnce(&Sequence) -> Verdict,
    ) -> Answer<(Vec<Place>, Option<Failure>, usize)> {
        let identity = producer.identity;
        let remembered = self.producers().remembered(producer, topic.name());
        let mut remembered = remembered.lock().await;
        // Somebody with a newer epoch may have come while this waited.
        self.producers().check(producer, identity.id, identity.epoch)?;
        let known = remembered.sequence(topic.id(), identity.epoch);
        match judge(known) {
            // Nothing is written, and nothing billed again.
            Verdict::Replay(places) => return Ok((places, None, 0)),
            Verdict::OutOfOrder(expected) => {
                let message = format!("record {base} is out of order, {expected} is expected");
                return refuse(ErrorCode::OUT_OF_ORDER_SEQUENCE, message);
            }
            Verdict::Write => {}
        }
        let partitions = topic.partition_count().unsigned_abs();
        let numbered = records.iter().enumerate().map(|(index, record)| {
            let sequence = base.wrapping_add(u32::try_from(index).unwrap_or(u32::MAX));
            let partition = place_idempotent(&record.key, partitions, identity.id, sequence);
            (PlacedRecord { index, record, partition }, known.ahead(sequence))
        });
        let (mut to_write, mut ahead) = (Vec::with_capacity(records.len()), vec![None; records.len()]);
        for (placed, written) in numbered {
            match written {
                Some(place) => ahead[placed.index] = Some(place),
                None => to_write.push(placed),
            }
        }
        let begun = self.begin(topic, codec, records.len(), to_write, Some((identity, known)))?;
        let bytes = begun.bytes;
        let mut landed = begun.land().await;
        for (place, ahead) in landed.places.iter_mut().zip(ahead) {
            *place = place.or(ahead);
        }
        let mut after = known.clone();
        for (partition, count) in &landed.counts {
            after.advance(*partition, *count);
        }
        let done = after.written(base, &landed.places);
        self.producers().keep(producer, topic.name(), &after).await?;
        *known = after;
        self.metrics().idempotent(done.len());
        Ok((done, landed.failure, bytes))
    }
}

impl Begun {
    /// Waits until every batch is durable, or was refused.
    async fn land(self) -> Landed {
        let mut places = vec![None; self.count];
        let mut failure: Option<(usize, Failure)> = self.refused;
        let mut counts = Vec::with_capacity(self.appending.len());
        for Appending { partition, records, appended } in self.appending {
            match appended.await {
                Ok(appended) => {
                    counts.push((partition, i32::try_from(records.len()).unwrap_or(i32::MAX)));
                    for (delta, index) in (0..).zip(records) {
                        let offset = appended.base_offset.plus(delta);
                        if let Some(place) = places.get_mut(index) {
                            *place = Some(Place { partition, offset });
                        }
                    }
                }
                Err(error) => {
                    let first = records.first().copied().unwrap_or(0);
                    if failure.as_ref().is_none_or(|(index, _)| first < *index) {
                        failure = Some((first, refusal::storage(&error)));
                    }
                }
            }
        }
        Landed { places, failure: failure.map(|(_, failure)| failure), counts }
    }
}

/// What a produced record is billed for.
fn billed(record: &RecordToProduce) -> usize {
    record.key.len() + record.value.len() + record.headers.as_bytes().len()
}

fn batch_ack(acks: Vec<ProduceAck>, failure: Option<Failure>) -> ProduceBatchAck {
    let failure = failure.unwrap_or_else(|| Failure::new(ErrorCode::NONE, ""));
    ProduceBatchAck { acks, code: failure.code, message: failure.message }
}
