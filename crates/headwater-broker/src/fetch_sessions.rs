//! Incremental fetch sessions (KIP-227): a consumer says once what it reads, and is told only what has changed.
//!
//! A session lives in a bounded cache. Every request but the first must carry the session's next epoch, so that a lost
//! answer is noticed by both sides.

mod session;

use std::{collections::HashMap, sync::Arc};

use headwater_codec::{ErrorCode, TopicName, Uuid, messages::fetch::PartitionData};
use parking_lot::Mutex;

use session::{Session, next_epoch};

/// A partition as a fetch names it: by topic id from version 13 on, by name before.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct FetchTarget {
    /// The topic's name; empty when it was named by id.
    pub(crate) topic: TopicName,
    /// The topic's id; all zero when it was named by name.
    pub(crate) topic_id: Uuid,
    /// The partition's index.
    pub(crate) partition: i32,
}

/// What is wanted of a partition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct FetchFrom {
    /// The first offset wanted.
    pub(crate) offset: i64,
    /// Bytes wanted at most.
    pub(crate) bytes_max: i32,
    /// The leader epoch that the client knows; negative when it knows none.
    pub(crate) current_leader_epoch: i32,
    /// The epoch of the last record that the client has; negative when it does not say.
    pub(crate) last_fetched_epoch: i32,
}

/// A partition and what is wanted of it.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) target: FetchTarget,
    pub(crate) from: FetchFrom,
}

/// A partition and what is answered about it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) target: FetchTarget,
    pub(crate) data: PartitionData,
}

/// What a fetch says about its session.
#[derive(Debug)]
pub(crate) struct SessionRequest {
    /// The session's id; 0 when there is none.
    pub(crate) id: i32,
    /// The session's epoch: 0 asks for a new session, -1 for none.
    pub(crate) epoch: i32,
    /// Whether topics are named by id.
    pub(crate) by_topic_id: bool,
    /// New partitions, and those that are wanted otherwise than before.
    pub(crate) wanted: Vec<Wanted>,
    /// Partitions that are wanted no more.
    pub(crate) forgotten: Vec<FetchTarget>,
}

/// A fetch within its session.
pub(crate) struct Fetching {
    /// Everything that is wanted, in the order in which it is to be read.
    pub(crate) wanted: Vec<Wanted>,
    kind: Kind,
}

enum Kind {
    Sessionless,
    New { by_topic_id: bool },
    Incremental { id: i32, session: Arc<Mutex<Session>>, epoch: i32 },
}

/// What a fetch answers at the top.
#[derive(Debug)]
pub(crate) struct SessionAnswer {
    pub(crate) error_code: ErrorCode,
    pub(crate) session_id: i32,
    /// What is told, in order.
    pub(crate) answered: Vec<Answered>,
}

/// Every session there is.
pub(crate) struct FetchSessions {
    slots: usize,
    sessions: Mutex<HashMap<i32, Arc<Mutex<Session>>>>,
}

impl FetchSessions {
    /// Room for `slots` sessions (`max.incremental.fetch.session.cache.slots`).
    pub(crate) fn new(slots: usize) -> Self {
        Self { slots, sessions: Mutex::default() }
    }

    /// Finds the session of a request and brings it up to date.
    ///
    /// # Errors
    /// `FETCH_SESSION_ID_NOT_FOUND`, `INVALID_FETCH_SESSION_EPOCH`, `FETCH_SESSION_TOPIC_ID_ERROR`.
    pub(crate) fn begin(&self, request: SessionRequest, now_ms: i64) -> Result<Fetching, ErrorCode> {
        let SessionRequest { id, epoch, by_topic_id, wanted, forgotten } = request;
        if matches!(epoch, INITIAL_EPOCH | FINAL_EPOCH) {
            if id != NO_SESSION {
                self.sessions.lock().remove(&id);
            }
            let kind = if epoch == FINAL_EPOCH { Kind::Sessionless } else { Kind::New { by_topic_id } };
            return Ok(Fetching { wanted, kind });
        }
        let found = self.sessions.lock().get(&id).cloned();
        let handle = found.ok_or(ErrorCode::FetchSessionIdNotFound)?;
        let mut session = handle.lock();
        if session.epoch != epoch {
            return Err(ErrorCode::InvalidFetchSessionEpoch);
        }
        if session.by_topic_id != by_topic_id {
            return Err(ErrorCode::FetchSessionTopicIdError);
        }
        session.update(wanted, &forgotten);
        let wanted = session.wanted();
        if wanted.is_empty() {
            drop(session);
            self.sessions.lock().remove(&id);
            return Ok(Fetching { wanted, kind: Kind::Sessionless });
        }
        session.used_ms = now_ms;
        session.epoch = next_epoch(epoch);
        let epoch = session.epoch;
        drop(session);
        Ok(Fetching { wanted, kind: Kind::Incremental { id, session: handle, epoch } })
    }

    /// Decides what of the answers is told, and remembers it.
    pub(crate) fn finish(&self, fetching: Fetching, answered: Vec<Answered>, now_ms: i64) -> SessionAnswer {
        let whole =
            |session_id, answered| SessionAnswer { error_code: ErrorCode::None, session_id, answered };
        match fetching.kind {
            Kind::Sessionless => whole(NO_SESSION, answered),
            Kind::New { by_topic_id } => {
                let mut session = Session::new(by_topic_id, now_ms);
                session.update(fetching.wanted, &[]);
                session.remember(&answered);
                whole(self.insert(session, now_ms).unwrap_or(NO_SESSION), answered)
            }
            Kind::Incremental { id, session, epoch } => {
                let mut session = session.lock();
                if session.epoch != epoch {
                    // Another request of the same session has overtaken this one.
                    return SessionAnswer {
                        error_code: ErrorCode::InvalidFetchSessionEpoch,
                        session_id: id,
                        answered: Vec::new(),
                    };
                }
                whole(id, session.changes(answered))
            }
        }
    }

    /// How many sessions there are.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.sessions.lock().len()
    }

    /// Gives the session an id, if there is room or room can be made.
    fn insert(&self, session: Session, now_ms: i64) -> Option<i32> {
        let mut sessions = self.sessions.lock();
        if sessions.len() >= self.slots {
            let victim = evictable(&sessions, session.len(), now_ms)?;
            sessions.remove(&victim);
        }
        let id = loop {
            let id = rand::random_range(1..=i32::MAX);
            if !sessions.contains_key(&id) {
                break id;
            }
        };
        sessions.insert(id, Arc::new(Mutex::new(session)));
        Some(id)
    }
}

/// The session that makes room for one of `len` partitions: one that was not used for a while, or else a smaller one
/// that has had its time.
fn evictable(sessions: &HashMap<i32, Arc<Mutex<Session>>>, len: usize, now_ms: i64) -> Option<i32> {
    let facts = || sessions.iter().map(|(id, session)| (*id, session.lock()));
    let (stalest, used_ms) =
        facts().map(|(id, session)| (id, session.used_ms)).min_by_key(|(id, used_ms)| (*used_ms, *id))?;
    if now_ms - used_ms > EVICTION_MS {
        return Some(stalest);
    }
    facts()
        .filter(|(_, session)| now_ms - session.created_ms > EVICTION_MS && session.len() < len)
        .map(|(id, session)| (session.len(), id))
        .min()
        .map(|(_, id)| id)
}

/// Asks for a new session.
const INITIAL_EPOCH: i32 = 0;
/// Asks for no session, and ends the one that is named.
const FINAL_EPOCH: i32 = -1;
/// "No session" on the wire.
const NO_SESSION: i32 = 0;
/// How long a session is safe, from its last use and from its creation. Milliseconds; Kafka's value.
const EVICTION_MS: i64 = 120_000;

#[cfg(test)]
mod tests;
