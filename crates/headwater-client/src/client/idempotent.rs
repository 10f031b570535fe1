//! Producing records once, however often they have to be sent.
//!
//! A record whose answer never came may have been appended or not. It keeps its sequence number, and is sent again
//! before the next record of its topic: the server tells a repetition by the number, and answers as it did. A caller
//! that tries the same record again has that answer.

use std::collections::HashMap;

use headwater_codec::{ProducerId, TopicName};
use headwater_native::{
    ErrorCode, limits,
    messages::{BatchProducer, ProduceIdempotent, RecordToProduce},
};

use super::{
    Client, expected,
    produce::{BatchOutcome, Patience, Produced, request_len},
};
use crate::ClientError;

/// A producer id, and how far each topic has come.
#[derive(Debug)]
pub(super) struct Producer {
    id: ProducerId,
    epoch: u16,
    topics: HashMap<TopicName, Sequence>,
}

/// How far a topic has come.
#[derive(Debug, Default)]
struct Sequence {
    next: u32,
    /// What was sent with `next` and has no answer.
    unanswered: Option<Unanswered>,
}

#[derive(Clone, Debug)]
enum Unanswered {
    One(RecordToProduce),
    Batch(Vec<RecordToProduce>),
}

impl Producer {
    pub(super) fn new(id: ProducerId, epoch: u16) -> Self {
        Self { id, epoch, topics: HashMap::new() }
    }

    fn sequence(&mut self, topic: &TopicName) -> &mut Sequence {
        self.topics.entry(topic.clone()).or_default()
    }
}

impl Client {
    /// The producer id and its epoch, when the connection is an idempotent producer.
    pub async fn producer_id(&self) -> Option<(ProducerId, u16)> {
        let producer = self.producer.as_ref()?.lock().await;
        Some((producer.id, producer.epoch))
    }

    /// Appends a record with a sequence number of the caller's, and leaves the client's own count as it is.
    ///
    /// For programs that keep sequence numbers themselves, to repeat a record after a restart.
    ///
    /// # Errors
    /// [`ClientError::NotIdempotent`], and those of [`Client::produce`].
    pub async fn produce_at_sequence(
        &self,
        topic: &str,
        record: RecordToProduce,
        sequence: u32,
    ) -> Result<Produced, ClientError> {
        self.check_headers(&record)?;
        let producer = self.producer.as_ref().ok_or(ClientError::NotIdempotent)?.lock().await;
        self.send_one(producer.id, producer.epoch, &topic.into(), record, sequence).await
    }

    pub(super) async fn produce_once(
        &self,
        producer: &mut Producer,
        topic: &str,
        record: RecordToProduce,
    ) -> Result<Produced, ClientError> {
        let topic = TopicName::from(topic);
        let (id, epoch) = (producer.id, producer.epoch);
        if !producer
            .sequence(&topic)
            .is_repetition(|open| matches!(open, Unanswered::One(one) if *one == record))
        {
            self.settle(producer, &topic).await?;
        }
        let sequence = producer.sequence(&topic);
        // Noted before it is sent: this call may be dropped at any moment from here on.
        sequence.unanswered = Some(Unanswered::One(record.clone()));
        let sent = self.send_one(id, epoch, &topic, record, sequence.next).await;
        sequence.answered_one(&sent);
        sent
    }

    pub(super) async fn produce_batch_once(
        &self,
        producer: &mut Producer,
        topic: &str,
        records: Vec<RecordToProduce>,
    ) -> Result<BatchOutcome, ClientError> {
        let topic = TopicName::from(topic);
        let first = &records[..request_len(&records, limits::IDEMPOTENT_BATCH_RECORDS_MAX)];
        if !producer
            .sequence(&topic)
            .is_repetition(|open| matches!(open, Unanswered::Batch(batch) if batch == first))
        {
            self.settle(producer, &topic).await?;
        }
        let mut produced = Vec::with_capacity(records.len());
        let failure = self.send_all(producer, &topic, records, &mut produced).await.err();
        Ok(BatchOutcome { produced, failure })
    }

    /// Sends again what of a topic has no answer, so that the next sequence number is known.
    async fn settle(&self, producer: &mut Producer, topic: &TopicName) -> Result<(), ClientError> {
        let (id, epoch) = (producer.id, producer.epoch);
        let sequence = producer.sequence(topic);
        match sequence.unanswered.clone() {
            None => Ok(()),
            Some(Unanswered::One(record)) => {
                let sent = self.send_one(id, epoch, topic, record, sequence.next).await;
                sequence.answered_one(&sent);
                // A refusal now says that it was not appended then either; its caller knows nothing better.
                match sent {
                    Err(ClientError::Refused(_)) | Ok(_) => Ok(()),
                    Err(error) => Err(error),
                }
            }
            Some(Unanswered::Batch(records)) => {
                match self.send_all(producer, topic, records, &mut Vec::new()).await {
                    Err(ClientError::Refused(_)) | Ok(()) => Ok(()),
                    Err(error) => Err(error),
                }
            }
        }
    }

    async fn send_one(
        &self,
        producer_id: ProducerId,
        producer_epoch: u16,
        topic: &TopicName,
        record: RecordToProduce,
        sequence: u32,
    ) -> Result<Produced, ClientError> {
        let RecordToProduce { key, value, headers } = record;
        let (codec, topic) = (self.options.codec, topic.clone());
        let produce =
            ProduceIdempotent { producer_id, sequence, producer_epoch, codec, topic, key, value, headers };
        let ack = expected!(self.connection.call(&produce).await?, ProduceAck)?;
        Ok(Produced { partition: ack.partition, offset: ack.offset, sequence: Some(sequence) })
    }

    async fn send_all(
        &self,
        producer: &mut Producer,
        topic: &TopicName,
        mut records: Vec<RecordToProduce>,
        produced: &mut Vec<Produced>,
    ) -> Result<(), ClientError> {
        let (producer_id, producer_epoch) = (producer.id, producer.epoch);
        let sequence = producer.sequence(topic);
        let mut patience = Patience::new(self.options.timeout);
        while !records.is_empty() {
            let rest = records.split_off(request_len(&records, limits::IDEMPOTENT_BATCH_RECORDS_MAX));
            sequence.unanswered = Some(Unanswered::Batch(records.clone()));
            let base_sequence = sequence.next;
            let batch = BatchProducer { producer_id, base_sequence, producer_epoch };
            let (ack, sent) = match self.send_batch(topic, Some(batch), records).await {
                Ok(answer) => answer,
                Err(error) => {
                    sequence.forget_unless_open(&error);
                    return Err(error);
                }
            };
            // A server that failed may have failed after the append.
            if ack.code != ErrorCode::INTERNAL || !ack.acks.is_empty() {
                sequence.unanswered = None;
            }
            for ack in &ack.acks {
                let place =
                    Produced { partition: ack.partition, offset: ack.offset, sequence: Some(sequence.next) };
                produced.push(place);
                sequence.next = sequence.next.wrapping_add(1);
            }
            records = self.judge(ack, sent, rest, &mut patience).await?;
        }
        Ok(())
    }
}

impl Sequence {
    fn is_repetition(&self, same: impl FnOnce(&Unanswered) -> bool) -> bool {
        self.unanswered.as_ref().is_some_and(same)
    }

    fn answered_one(&mut self, answer: &Result<Produced, ClientError>) {
        match answer {
            Ok(_) => {
                self.unanswered = None;
                self.next = self.next.wrapping_add(1);
            }
            Err(error) => self.forget_unless_open(error),
        }
    }

    /// Keeps what was sent only while it may have been appended.
    fn forget_unless_open(&mut self, error: &ClientError) {
        let open = match error {
            ClientError::Timeout | ClientError::Ended(_) => true,
            // A server that failed may have failed after the append.
            ClientError::Refused(refusal) => refusal.code == ErrorCode::INTERNAL,
            _ => false,
        };
        if !open {
            self.unanswered = None;
        }
    }
}
