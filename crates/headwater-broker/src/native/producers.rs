//! Idempotent producers: who they are, and what they wrote last to each topic.
//!
//! A producer without a name lives as long as its connection. A named one keeps its id, and gets the next epoch each time
//! it asks for it, which fences whoever bears an older one. Numbers begin again with each epoch: what is sent again is
//! recognised within an epoch alone, which belongs to one connection.

mod sequence;

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::{BufMut, Bytes, BytesMut};
use headwater_codec::{ProducerEpoch, ProducerId, Str, TopicName, Uuid};
use headwater_native::{ErrorCode, messages::Failure};
use headwater_storage::{CoordinatorRecord, Fence, MetadataStore};
use parking_lot::Mutex;

pub(super) use self::sequence::{Place, Sequence, Verdict};
use super::{
    refusal::{self, Answer, refuse},
    state_log::StateLog,
};

/// Every named producer. Cheap to clone.
#[derive(Clone)]
pub(super) struct Producers {
    inner: Arc<Inner>,
}

struct Inner {
    metadata: Arc<dyn MetadataStore>,
    log: StateLog,
    /// Held while an identity is made or renewed.
    naming: tokio::sync::Mutex<()>,
    named: Mutex<HashMap<Str, Identity>>,
    memory: Mutex<Memory>,
}

type Memory = HashMap<(ProducerId, TopicName), Arc<tokio::sync::Mutex<Remembered>>>;

/// A producer's id and epoch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Identity {
    pub(super) id: ProducerId,
    pub(super) epoch: u16,
}

/// The producer of a connection.
#[derive(Clone, Debug)]
pub(super) struct Producer {
    pub(super) identity: Identity,
    pub(super) name: Option<Str>,
    /// What it wrote, when it has no name.
    own: Arc<Mutex<Memory>>,
}

/// What a producer wrote to a topic.
#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) sequence: Option<Sequence>,
    used: Instant,
}

impl Producers {
    pub(super) fn new(metadata: Arc<dyn MetadataStore>, log: StateLog) -> Self {
        let inner = Inner {
            metadata,
            log,
            naming: tokio::sync::Mutex::new(()),
            named: Mutex::default(),
            memory: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes over one record of the state log, oldest first.
    pub(super) fn replay(&self, record: &CoordinatorRecord) {
        let Some((kind, key)) = record.key.split_first() else { return };
        match *kind {
            IDENTITY => self.replay_identity(key, record.value.as_deref()),
            MEMO => self.replay_memo(key, record.value.as_deref()),
            _ => {}
        }
    }

    fn replay_identity(&self, name: &[u8], value: Option<&[u8]>) {
        let Ok(name) = std::str::from_utf8(name) else { return };
        let identity = value.and_then(|value| {
            let (id, epoch) = value.split_first_chunk::<8>()?;
            let epoch = u16::from_be_bytes(*epoch.first_chunk()?);
            Some(Identity { id: ProducerId::new(i64::from_be_bytes(*id)), epoch })
        });
        let mut named = self.inner.named.lock();
        match identity {
            Some(identity) => drop(named.insert(Str::from(name), identity)),
            None => drop(named.remove(name)),
        }
    }

    fn replay_memo(&self, key: &[u8], value: Option<&[u8]>) {
        let Some((id, topic)) = key.split_first_chunk::<8>() else { return };
        let Ok(topic) = std::str::from_utf8(topic) else { return };
        let key = (ProducerId::new(i64::from_be_bytes(*id)), TopicName::from(topic));
        let mut memory = self.inner.memory.lock();
        match value.and_then(Sequence::decode) {
            Some(sequence) => {
                let remembered = Remembered { sequence: Some(sequence), used: Instant::now() };
                memory.insert(key, Arc::new(tokio::sync::Mutex::new(remembered)));
            }
            None => drop(memory.remove(&key)),
        }
    }

    /// Gives a connection its producer.
    pub(super) async fn init(&self, name: Option<Str>) -> Answer<Producer> {
        let identity = match &name {
            None => Identity { id: self.fresh_id().await?, epoch: 0 },
            Some(name) => self.renew(name).await?,
        };
        Ok(Producer { identity, name: name.map(|name| name.detached()), own: Arc::default() })
    }

    /// The next epoch of a named producer, or a new id when there was none or its epochs are used up.
    async fn renew(&self, name: &Str) -> Answer<Identity> {
        let _naming = self.inner.naming.lock().await;
        let known = {
            let named = self.inner.named.lock();
            if named.len() >= NAMED_MAX && !named.contains_key(name) {
                return refuse(
                    ErrorCode::RATE_LIMITED,
                    format!("there are {NAMED_MAX} named producers already"),
                );
            }
            named.get(name).copied()
        };
        let identity = match known {
            Some(Identity { id, epoch }) if epoch < EPOCH_MAX => Identity { id, epoch: epoch + 1 },
            _ => Identity { id: self.fresh_id().await?, epoch: 0 },
        };
        let mut value = BytesMut::with_capacity(10);
        value.put_i64(identity.id.get());
        value.put_u16(identity.epoch);
        self.inner.log.write(vec![(identity_key(name), Some(value.freeze()))]).await?;
        self.inner.named.lock().insert(name.detached(), identity);
        Ok(identity)
    }

    async fn fresh_id(&self) -> Answer<ProducerId> {
        self.inner
            .metadata
            .allocate_producer_ids(1, Fence::default())
            .await
            .map_err(|error| refusal::metadata(&error))
    }

    /// Whether the producer still is who it was: a named one may have been fenced.
    pub(super) fn check(&self, producer: &Producer, id: ProducerId, epoch: u16) -> Answer<()> {
        if id != producer.identity.id {
            return refuse(ErrorCode::BAD_PROTOCOL, "the producer id is not this connection's");
        }
        let Some(name) = &producer.name else { return Ok(()) };
        let current = self.inner.named.lock().get(name).copied();
        let stands = current.is_some_and(|current| (current.id, current.epoch) == (id, epoch));
        if stands && epoch == producer.identity.epoch {
            return Ok(());
        }
        refuse(ErrorCode::PRODUCER_FENCED, format!("producer '{name}' goes on elsewhere with a newer epoch"))
    }

    /// What the producer wrote to a topic; to be locked while it writes.
    pub(super) fn remembered(
        &self,
        producer: &Producer,
        topic: &TopicName,
    ) -> Arc<tokio::sync::Mutex<Remembered>> {
        let memory = if producer.name.is_some() { &self.inner.memory } else { &*producer.own };
        let mut memory = memory.lock();
        memory.entry((producer.identity.id, topic.detached())).or_default().clone()
    }

    /// Keeps what a producer wrote: durably, when it has a name.
    pub(super) async fn keep(
        &self,
        producer: &Producer,
        topic: &TopicName,
        sequence: &Sequence,
    ) -> Answer<()> {
        if producer.name.is_none() {
            return Ok(());
        }
        self.inner.log.write(vec![(memo_key(producer.identity.id, topic), Some(sequence.encode()))]).await
    }

    /// Forgets what was not used for `idle_max`, and what was written to topics that are gone.
    pub(super) async fn forget_idle(
        &self,
        idle_max: Duration,
        exists: impl Fn(&TopicName) -> bool,
    ) -> Answer<()> {
        let idle: Vec<(ProducerId, TopicName)> = {
            let memory = self.inner.memory.lock();
            let is_idle = |remembered: &Arc<tokio::sync::Mutex<Remembered>>| {
                remembered.try_lock().is_ok_and(|remembered| remembered.used.elapsed() > idle_max)
            };
            memory
                .iter()
                .filter(|((_, topic), remembered)| !exists(topic) || is_idle(remembered))
                .map(|(key, _)| key.clone())
                .collect()
        };
        let tombstones = idle.iter().map(|(id, topic)| (memo_key(*id, topic), None)).collect();
        self.inner.log.write(tombstones).await?;
        let mut memory = self.inner.memory.lock();
        for key in &idle {
            memory.remove(key);
        }
        Ok(())
    }
}

impl Identity {
    /// The epoch as the logs have it.
    pub(super) fn log_epoch(self) -> ProducerEpoch {
        ProducerEpoch::new(i16::try_from(self.epoch).unwrap_or(i16::MAX))
    }
}

impl Remembered {
    /// The sequence in a topic and epoch; what was before another epoch, or another topic of that name, is over.
    pub(super) fn sequence(&mut self, topic_id: Uuid, epoch: u16) -> &mut Sequence {
        self.used = Instant::now();
        if !self.sequence.as_ref().is_some_and(|sequence| sequence.is_of(topic_id, epoch)) {
            self.sequence = None;
        }
        self.sequence.get_or_insert_with(|| Sequence::new(topic_id, epoch))
    }
}

impl Default for Remembered {
    fn default() -> Self {
        Self { sequence: None, used: Instant::now() }
    }
}

/// No producer was asked for.
pub(super) fn no_producer() -> Failure {
    Failure::new(ErrorCode::NO_PRODUCER_ID, "INIT_PRODUCER_ID has to come first")
}

fn identity_key(name: &Str) -> Bytes {
    let mut key = BytesMut::with_capacity(1 + name.len());
    key.put_u8(IDENTITY);
    key.put_slice(name.as_bytes());
    key.freeze()
}

fn memo_key(id: ProducerId, topic: &TopicName) -> Bytes {
    let mut key = BytesMut::with_capacity(9 + topic.as_str().len());
    key.put_u8(MEMO);
    key.put_i64(id.get());
    key.put_slice(topic.as_str().as_bytes());
    key.freeze()
}

/// Keys of identities begin with this.
const IDENTITY: u8 = 1;
/// Keys of memos begin with this.
const MEMO: u8 = 2;
/// The last epoch that a batch has room for.
const EPOCH_MAX: u16 = i16::MAX as u16;
/// Named producers at most.
const NAMED_MAX: usize = 65_536;
