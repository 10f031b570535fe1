//! The thread that writes the metadata log.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use headwater_codec::ProducerId;
use tokio::sync::watch;
use tracing::{error, warn};
use uuid::Uuid;

use super::{
    command::{
        Answer, Command, CommandKind, ProducerIdBlock, allocate_producer_ids, alter_client_quotas,
        alter_configs, alter_scram_credentials, create_partitions, create_topic, delete_topic,
    },
    error::MetadataError,
    image::MetadataImage,
    kafka_uuid::IdSource,
    metadata_log::MetadataLog,
    registration,
    to_records::VersionedRecord,
};
use crate::{Clock, Fence, ImageSink};

/// Owns the metadata log and the newest image.
#[derive(Debug)]
pub(crate) struct Writer<I> {
    log: MetadataLog,
    image: MetadataImage,
    published: watch::Sender<Arc<MetadataImage>>,
    /// Who else gets each image.
    sink: Option<ImageSink>,
    producer_ids: ProducerIdBlock,
    newest_fence: Fence,
    clock: Arc<dyn Clock>,
    ids: I,
}

/// An answer that waits for the sync.
enum Answered {
    TopicId(Answer<Uuid>, Result<Uuid, MetadataError>),
    Done(Answer<()>, Result<(), MetadataError>),
    ProducerId(Answer<ProducerId>, Result<ProducerId, MetadataError>),
}

impl<I: IdSource> Writer<I> {
    /// Goes on from an image whose records are durable.
    pub(crate) fn new(log: MetadataLog, image: MetadataImage, clock: Arc<dyn Clock>, ids: I) -> Self {
        let (published, _) = watch::channel(Arc::new(image.clone()));
        let newest_fence = Fence::default();
        let producer_ids = ProducerIdBlock::default();
        Self { log, image, published, sink: None, producer_ids, newest_fence, clock, ids }
    }

    /// Gives each image to `sink` as well, before whoever asked for the change is answered.
    pub(crate) fn publishing_to(mut self, sink: ImageSink) -> Self {
        sink.publish(&self.published.borrow());
        self.sink = Some(sink);
        self
    }

    /// Tells of each newer image.
    pub(crate) fn watch(&self) -> watch::Receiver<Arc<MetadataImage>> {
        self.published.subscribe()
    }

    /// Serves commands until the store is closed or dropped.
    pub(crate) fn run(mut self, commands: &Receiver<Command>) {
        loop {
            let first = match commands.recv_timeout(SNAPSHOT_CHECK) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let waiting: Vec<Command> =
                first.into_iter().chain(commands.try_iter().take(COMMANDS_PER_SYNC)).collect();
            let closing = self.serve(waiting);
            if let Some(answer) = closing {
                // Nobody need be left to hear it.
                let _unheard = answer.send(self.close());
                return;
            }
            if let Err(error) = self.log.snapshot_if_due(&self.image, self.clock.now_ms()) {
                warn!(%error, "no snapshot of the metadata was written; the log is whole without it");
            }
        }
    }

    /// Serves commands with one sync; gives the closing one, after which nothing is served.
    fn serve(&mut self, commands: Vec<Command>) -> Option<Answer<()>> {
        let mut closing = None;
        let mut image = self.image.clone();
        let mut producer_ids = self.producer_ids;
        let mut answers = Vec::with_capacity(commands.len());
        for command in commands {
            if let CommandKind::Close { answer } = command.kind {
                closing = Some(answer);
                break;
            }
            answers.push(self.prepare(&mut image, &mut producer_ids, command));
        }
        if !self.log.has_unwritten() {
            self.producer_ids = producer_ids;
            answers.into_iter().for_each(|answered| answered.send(None));
            return closing;
        }
        match self.log.commit(self.clock.now_ms()) {
            Ok(end_offset) => {
                image.end_offset = end_offset;
                self.image = image;
                self.producer_ids = producer_ids;
                self.publish();
                answers.into_iter().for_each(|answered| answered.send(None));
            }
            Err(error) => {
                error!(%error, "metadata was not written");
                answers.into_iter().for_each(|answered| answered.send(Some(&error)));
            }
        }
        closing
    }

    fn publish(&self) {
        let image = Arc::new(self.image.clone());
        if let Some(sink) = &self.sink {
            sink.publish(&image);
        }
        self.published.send_replace(image);
    }

    /// Finds a command's records, applies them to `image` and hands them to the log.
    fn prepare(
        &mut self,
        image: &mut MetadataImage,
        producer_ids: &mut ProducerIdBlock,
        command: Command,
    ) -> Answered {
        let fenced = self.check(command.fence);
        match command.kind {
            CommandKind::CreateTopic { topic, answer } => {
                let made = fenced.and_then(|()| create_topic(image, &topic, &mut self.ids));
                let done = made.and_then(|(id, records)| self.apply(image, records).map(|()| id));
                Answered::TopicId(answer, done)
            }
            CommandKind::DeleteTopic { topic_id, answer } => {
                let records = fenced.and_then(|()| delete_topic(image, topic_id));
                Answered::Done(answer, records.and_then(|records| self.apply(image, records)))
            }
            CommandKind::CreatePartitions { topic_id, partition_count, answer } => {
                let records = fenced.and_then(|()| create_partitions(image, topic_id, partition_count));
                Answered::Done(answer, records.and_then(|records| self.apply(image, records)))
            }
            CommandKind::AlterConfigs { resource, changes, answer } => {
                let records = fenced.and_then(|()| alter_configs(image, &resource, &changes));
                Answered::Done(answer, records.and_then(|records| self.apply(image, records)))
            }
            CommandKind::AlterScramCredentials { changes, answer } => {
                let records = fenced.map(|()| alter_scram_credentials(image, changes));
                Answered::Done(answer, records.and_then(|records| self.apply(image, records)))
            }
            CommandKind::AlterClientQuotas { changes, answer } => {
                let records = fenced.map(|()| alter_client_quotas(image, &changes));
                Answered::Done(answer, records.and_then(|records| self.apply(image, records)))
            }
            CommandKind::AllocateProducerIds { count, answer } => {
                let given = fenced.and_then(|()| allocate_producer_ids(image, producer_ids, count));
                let done = given.and_then(|(first, records)| self.apply(image, records).map(|()| first));
                Answered::ProducerId(answer, done)
            }
            CommandKind::Close { answer } => Answered::Done(answer, Err(MetadataError::Closed)),
        }
    }

    /// Refuses a caller whose epoch is older than the newest seen.
    fn check(&mut self, fence: Fence) -> Result<(), MetadataError> {
        if fence < self.newest_fence {
            return Err(MetadataError::Fenced { fence, newest: self.newest_fence });
        }
        self.newest_fence = fence;
        Ok(())
    }

    /// Puts one command's records into one batch, and their effect into the image.
    fn apply(
        &mut self,
        image: &mut MetadataImage,
        records: Vec<VersionedRecord>,
    ) -> Result<(), MetadataError> {
        if records.is_empty() {
            return Ok(());
        }
        self.log.push(&records, self.clock.now_ms())?;
        for (record, _) in records {
            if let Err(error) = image.apply(record) {
                // Records are made from this very image, so they fit it.
                error!(%error, "a metadata record does not fit the image that it was made from");
            }
        }
        Ok(())
    }

    /// Fences this node and closes the log.
    fn close(&mut self) -> Result<(), MetadataError> {
        let mut image = self.image.clone();
        for records in registration::fence(&image) {
            self.apply(&mut image, records)?;
        }
        image.end_offset = self.log.commit(self.clock.now_ms())?;
        self.image = image;
        self.publish();
        self.log.close(self.clock.now_ms())
    }
}

impl Answered {
    /// Sends the answer, or the failure of the sync that it waited for.
    fn send(self, failure: Option<&MetadataError>) {
        // Whoever asked may have gone.
        let failed = failure.cloned();
        match self {
            Self::TopicId(answer, done) => drop(answer.send(failed.map_or(done, Err))),
            Self::Done(answer, done) => drop(answer.send(failed.map_or(done, Err))),
            Self::ProducerId(answer, done) => drop(answer.send(failed.map_or(done, Err))),
        }
    }
}

/// How often it is looked whether a snapshot is due although nothing is asked.
const SNAPSHOT_CHECK: Duration = Duration::from_secs(60);
/// How many calls may share one sync.
const COMMANDS_PER_SYNC: usize = 1000;
