//! Reading records, by pulling and by being pushed to; commits and dead letters.

use futures_util::stream::{self, Stream};
use headwater_codec::Offset;
use headwater_native::{
    PartitionId,
    messages::{Commit, Fetch, FetchFlags, Nack, NackAck, Record, Subscribe},
};

use super::{Client, expected};
use crate::{ClientError, calls::Expects};

/// How records are fetched.
#[derive(Clone, Copy, Debug)]
pub struct FetchOptions {
    /// Records at most.
    pub max_records: u32,
    /// Whether they come in one frame.
    pub batched: bool,
    /// Whether their headers are wanted. From a server that keeps none, none come.
    pub headers: bool,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self { max_records: 100, batched: true, headers: true }
    }
}

impl Client {
    /// Reads the group's next records: of this topic, and of every other topic that this connection has fetched.
    ///
    /// The server commits what it sends. To have a record again, [`nack`](Client::nack) it or commit an earlier offset.
    /// A connection reads for one group, and either fetches or subscribes.
    ///
    /// # Errors
    /// The server's refusal, and what can go wrong with any call.
    ///
    /// ```no_run
    /// use headwater_client::{Client, FetchOptions};
    ///
    /// # async fn example(client: &Client) -> Result<(), headwater_client::ClientError> {
    /// for record in client.fetch("orders", "billing", FetchOptions::default()).await? {
    ///     println!("{} of {}: {} bytes", record.offset, record.partition, record.value.len());
    ///     for (name, value) in &record.headers {
    ///         println!("  {}: {}", String::from_utf8_lossy(name), String::from_utf8_lossy(value));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fetch(
        &self,
        topic: &str,
        group: &str,
        options: FetchOptions,
    ) -> Result<Vec<Record>, ClientError> {
        let batched = if options.batched { FetchFlags::BATCHED } else { FetchFlags::NONE };
        let flags = batched | self.header_flags(options.headers);
        let fetch = Fetch {
            topic: topic.into(),
            group: group.into(),
            max_records: options.max_records,
            isolation: self.options.isolation,
            flags,
        };
        let expects = Expects { layout: flags.layout(), records_max: options.max_records as usize };
        let (records, reply) = self.connection.ask(&fetch, expects).await?;
        expected!(reply, Done)?;
        Ok(records)
    }

    /// Asks the server to push the group's next records of this topic, with their headers. More topics may follow.
    ///
    /// The server commits what it sends. Records that are not taken are not sent for long: see
    /// [`next_record`](Client::next_record).
    ///
    /// # Errors
    /// The server's refusal, and what can go wrong with any call.
    pub async fn subscribe(&self, topic: &str, group: &str) -> Result<(), ClientError> {
        let flags = self.header_flags(true);
        self.connection.set_push_layout(flags.layout());
        let isolation = self.options.isolation;
        self.done(&Subscribe { topic: topic.into(), group: group.into(), isolation, flags }).await
    }

    /// The next pushed record, however long it takes. Dropping the call loses no record.
    ///
    /// About 1 MiB of records wait here to be taken; when they are not, the server is held back.
    ///
    /// # Errors
    /// [`ClientError::Ended`] when the connection has ended and all records were taken.
    pub async fn next_record(&self) -> Result<Record, ClientError> {
        self.connection.next_record().await
    }

    /// The pushed records as a stream, which ends after an error.
    ///
    /// ```no_run
    /// use futures_util::{StreamExt, pin_mut};
    /// use headwater_client::Client;
    ///
    /// # async fn example(client: &Client) -> Result<(), headwater_client::ClientError> {
    /// client.subscribe("orders", "billing").await?;
    /// let records = client.records();
    /// pin_mut!(records);
    /// while let Some(record) = records.next().await.transpose()? {
    ///     println!("{}", record.offset);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn records(&self) -> impl Stream<Item = Result<Record, ClientError>> + '_ {
        stream::unfold(Some(self), |client| async move {
            let record = client?.next_record().await;
            let client = if record.is_ok() { client } else { None };
            Some((record, client))
        })
    }

    /// Sets the next offset that this connection's group reads.
    ///
    /// # Errors
    /// The server's refusal, and what can go wrong with any call.
    pub async fn commit(
        &self,
        topic: &str,
        partition: PartitionId,
        offset: Offset,
    ) -> Result<(), ClientError> {
        self.done(&Commit { topic: topic.into(), partition, offset }).await
    }

    /// Says that a record could not be processed. It comes again, until it was tried often enough and becomes a dead
    /// letter; [`DeadLetter`](crate::DeadLetter) reads those.
    ///
    /// # Errors
    /// The server's refusal, and what can go wrong with any call.
    pub async fn nack(
        &self,
        topic: &str,
        partition: PartitionId,
        offset: Offset,
        reason: &str,
    ) -> Result<NackAck, ClientError> {
        let nack = Nack { topic: topic.into(), partition, offset, reason: reason.to_owned().into() };
        expected!(self.connection.call(&nack).await?, NackAck)
    }

    /// Headers are asked for only where they are known.
    const fn header_flags(&self, wanted: bool) -> FetchFlags {
        if wanted && self.server.capabilities.headers { FetchFlags::HEADERS } else { FetchFlags::NONE }
    }
}
