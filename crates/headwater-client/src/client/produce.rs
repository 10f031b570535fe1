//! Producing records.

use std::time::Duration;

use headwater_codec::{Offset, TopicName};
use headwater_native::{
    ErrorCode, PartitionId, limits,
    messages::{BatchProducer, Produce, ProduceBatch, ProduceBatchAck, RecordToProduce},
};
use tokio::time::{Instant, sleep_until};

use super::{Client, expected};
use crate::{ClientError, ServerError};

/// Where a record is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Produced {
    /// Its partition, counted from 1.
    pub partition: PartitionId,
    /// Its offset.
    pub offset: Offset,
    /// Its sequence number, if it was produced once.
    pub sequence: Option<u32>,
}

/// What became of a batch: its first records were appended, in order, and if not all, there is a reason.
#[derive(Debug)]
pub struct BatchOutcome {
    /// Where the appended records are, in the batch's order.
    pub produced: Vec<Produced>,
    /// Why the others were not appended; `None` when all were.
    pub failure: Option<ClientError>,
}

impl BatchOutcome {
    /// Where all records are.
    ///
    /// # Errors
    /// The reason why not all were appended.
    pub fn all(self) -> Result<Vec<Produced>, ClientError> {
        self.failure.map_or(Ok(self.produced), Err)
    }
}

impl Client {
    /// Appends one record. The server chooses the partition by the key, and stamps the time.
    ///
    /// # Errors
    /// The server's refusal; [`ClientError::HeadersNotKept`] when there are headers that the server would drop; what
    /// can go wrong with any call.
    ///
    /// ```no_run
    /// use headwater_client::{Client, RecordToProduce};
    ///
    /// # async fn example(client: &Client) -> Result<(), headwater_client::ClientError> {
    /// let record = RecordToProduce::new("key-1", "payload").with_headers([("trace-id", "abc123")])?;
    /// let produced = client.produce("orders", record).await?;
    /// println!("partition {}, offset {}", produced.partition, produced.offset);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn produce(&self, topic: &str, record: RecordToProduce) -> Result<Produced, ClientError> {
        self.check_headers(&record)?;
        if let Some(producer) = &self.producer {
            return self.produce_once(&mut *producer.lock().await, topic, record).await;
        }
        let RecordToProduce { key, value, headers } = record;
        let produce = Produce { codec: self.options.codec, topic: topic.into(), key, value, headers };
        let ack = expected!(self.connection.call(&produce).await?, ProduceAck)?;
        Ok(Produced { partition: ack.partition, offset: ack.offset, sequence: None })
    }

    /// Appends records in order, in as many requests as they need. The records that were appended are the first ones.
    ///
    /// A server that is over a limit is asked again for what it left, for as long as one call may take; nothing is
    /// appended twice by that. When a reason is in [`BatchOutcome::failure`] that is no server's refusal, records
    /// after the acknowledged ones may have been appended too.
    ///
    /// # Errors
    /// Those of [`Client::produce`], before anything was sent.
    pub async fn produce_batch(
        &self,
        topic: &str,
        records: Vec<RecordToProduce>,
    ) -> Result<BatchOutcome, ClientError> {
        records.iter().try_for_each(|record| self.check_headers(record))?;
        if let Some(producer) = &self.producer {
            return self.produce_batch_once(&mut *producer.lock().await, topic, records).await;
        }
        let mut produced = Vec::with_capacity(records.len());
        let failure = self.produce_all(topic, records, &mut produced).await.err();
        Ok(BatchOutcome { produced, failure })
    }

    async fn produce_all(
        &self,
        topic: &str,
        mut records: Vec<RecordToProduce>,
        produced: &mut Vec<Produced>,
    ) -> Result<(), ClientError> {
        let topic = TopicName::from(topic);
        let mut patience = Patience::new(self.options.timeout);
        while !records.is_empty() {
            let rest = records.split_off(request_len(&records, limits::BATCH_RECORDS_MAX));
            let (ack, sent) = self.send_batch(&topic, None, records).await?;
            produced.extend(ack.acks.iter().map(|ack| Produced {
                partition: ack.partition,
                offset: ack.offset,
                sequence: None,
            }));
            records = self.judge(ack, sent, rest, &mut patience).await?;
        }
        Ok(())
    }

    /// Sends one request, and gives its records back with its answer: some may have to be sent again.
    pub(super) async fn send_batch(
        &self,
        topic: &TopicName,
        producer: Option<BatchProducer>,
        records: Vec<RecordToProduce>,
    ) -> Result<(ProduceBatchAck, Vec<RecordToProduce>), ClientError> {
        let batch = ProduceBatch { codec: self.options.codec, topic: topic.clone(), producer, records };
        let ack = match self.connection.call(&batch).await {
            Ok(reply) => expected!(reply, ProduceBatchAck)?,
            Err(ClientError::Refused(ServerError { code, message })) => {
                ProduceBatchAck { acks: Vec::new(), code, message: message.into() }
            }
            Err(error) => return Err(error),
        };
        Ok((ack, batch.records))
    }

    /// What is left to send after an answer, once it may be sent.
    pub(super) async fn judge(
        &self,
        ack: ProduceBatchAck,
        mut sent: Vec<RecordToProduce>,
        rest: Vec<RecordToProduce>,
        patience: &mut Patience,
    ) -> Result<Vec<RecordToProduce>, ClientError> {
        sent.drain(..ack.acks.len().min(sent.len()));
        if ack.code == ErrorCode::NONE && sent.is_empty() {
            patience.renew();
            return Ok(rest);
        }
        let refusal = ServerError { code: ack.code, message: ack.message.as_str().to_owned() };
        if ack.code != ErrorCode::RATE_LIMITED || !patience.wait().await {
            return Err(refusal.into());
        }
        sent.extend(rest);
        Ok(sent)
    }

    /// Nothing is dropped in silence.
    pub(super) fn check_headers(&self, record: &RecordToProduce) -> Result<(), ClientError> {
        if record.headers.is_empty() || self.server.capabilities.headers {
            Ok(())
        } else {
            Err(ClientError::HeadersNotKept)
        }
    }
}

/// How long a server that is over a limit is asked again.
#[derive(Debug)]
pub(super) struct Patience {
    allowed: Duration,
    until: Instant,
    pause: Duration,
}

impl Patience {
    pub(super) fn new(allowed: Duration) -> Self {
        Self { allowed, until: Instant::now() + allowed, pause: PAUSE_MIN }
    }

    /// Starts anew, after progress.
    fn renew(&mut self) {
        *self = Self::new(self.allowed);
    }

    /// Waits for a while; false when the time is over.
    async fn wait(&mut self) -> bool {
        let next = Instant::now() + self.pause;
        if next > self.until {
            return false;
        }
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        sleep_until(next).await;
        true
    }
}

/// How many of the records go into one request: as many as the protocol takes, and at least one.
pub(super) fn request_len(records: &[RecordToProduce], count_max: usize) -> usize {
    let mut bytes = 0;
    let fits = |record: &&RecordToProduce| {
        bytes += record.key.len() + record.value.len() + record.headers.as_bytes().len() + RECORD_OVERHEAD;
        bytes <= limits::SERVER_FRAME_BYTES_MAX - BATCH_OVERHEAD
    };
    records.iter().take(count_max).take_while(fits).count().max(1).min(records.len())
}

/// The lengths of key, value and header block.
const RECORD_OVERHEAD: usize = 3 * 4;
/// All that is in a frame beside its records.
const BATCH_OVERHEAD: usize = 512;
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(1);
