//! Groups driven with a made-up clock and a made-up log.

mod commits;
mod forgetting;
mod interleavings;
mod joins;
mod replays;
mod static_members;
mod syncs;
mod time;

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use headwater_codec::{ErrorCode, GroupId, Str, TopicName, Uuid};

use crate::*;

/// One group in a shard, its clock and its log. Writes are durable at once unless the log is held.
struct Bench {
    shard: GroupShard,
    config: Arc<GroupConfig>,
    id: GroupId,
    now: Now,
    next: u64,
    replies: HashMap<Token, Reply>,
    log: Vec<GroupRecord>,
    held: Option<VecDeque<Write>>,
}

impl Bench {
    fn new() -> Self {
        Self::with(GroupConfig::default())
    }

    fn with(config: GroupConfig) -> Self {
        let config = Arc::new(config);
        Self {
            shard: GroupShard::new(config.clone()),
            config,
            id: GroupId::from("g"),
            now: Now { at: Instant::now(), wall_ms: 1_000_000_000_000 },
            next: 0,
            replies: HashMap::new(),
            log: Vec::new(),
            held: None,
        }
    }

    fn send(&mut self, event: impl FnOnce(Token) -> GroupEvent) -> Token {
        self.next += 1;
        let token = Token(self.next);
        let effects = self.shard.handle(&self.id, event(token), self.now);
        self.take(effects);
        token
    }

    fn take(&mut self, effects: Effects) {
        for (token, reply) in effects.replies {
            assert!(self.replies.insert(token, reply).is_none(), "{token:?} was answered twice");
        }
        for write in effects.writes {
            assert!(!write.records.is_empty());
            match &mut self.held {
                Some(held) => held.push_back(write),
                None => self.persist(write),
            }
        }
    }

    fn persist(&mut self, write: Write) {
        self.log.extend(write.records);
        let effects = self.shard.handle(&write.group, GroupEvent::Persisted(write.id), self.now);
        self.take(effects);
    }

    fn hold(&mut self) {
        self.held = Some(VecDeque::new());
    }

    /// Lets the oldest held write through.
    fn persist_held(&mut self) {
        let write = self.held.as_mut().and_then(VecDeque::pop_front).expect("a held write");
        self.persist(write);
    }

    fn fail_held(&mut self, error: ErrorCode) {
        let write = self.held.as_mut().and_then(VecDeque::pop_front).expect("a held write");
        let effects = self.shard.handle(&write.group, GroupEvent::PersistFailed(write.id, error), self.now);
        self.take(effects);
    }

    fn held_count(&self) -> usize {
        self.held.as_ref().map_or(0, VecDeque::len)
    }

    /// Lets time pass, timers firing on the way.
    fn pass(&mut self, time: Duration) {
        let end = self.now.at + time;
        while let Some(at) = self.shard.next_timeout().filter(|at| *at <= end) {
            self.advance_to(at.max(self.now.at));
            let effects = self.shard.on_timeout(self.now);
            self.take(effects);
        }
        self.advance_to(end);
    }

    fn advance_to(&mut self, at: Instant) {
        self.now.wall_ms += i64::try_from((at - self.now.at).as_millis()).unwrap();
        self.now.at = at;
    }

    /// The log is all that is left, and is read again.
    fn restart(&mut self) {
        self.shard = GroupShard::new(self.config.clone());
        for record in &self.log {
            assert_eq!(
                self.shard.replay(record.key.clone(), record.value.clone()).unwrap(),
                Replayed::Applied
            );
        }
        let effects = self.shard.loaded(self.now);
        self.take(effects);
    }

    fn join(&mut self, request: JoinRequest) -> Token {
        self.send(|token| GroupEvent::Join(token, request))
    }

    fn joined(&self, token: Token) -> &JoinReply {
        match self.replies.get(&token) {
            Some(Reply::Join(reply)) => reply,
            other => panic!("{token:?}: {other:?}"),
        }
    }

    fn sync(&mut self, member_id: &Str, generation: i32, assignments: &[(&Str, &'static [u8])]) -> Token {
        let assignments = assignments
            .iter()
            .map(|(id, bytes)| SyncAssignment {
                member_id: (*id).clone(),
                assignment: Bytes::from_static(bytes),
            })
            .collect();
        let request = SyncRequest {
            member_id: member_id.clone(),
            instance_id: None,
            generation,
            protocol_type: None,
            protocol: None,
            assignments,
        };
        self.send(|token| GroupEvent::Sync(token, request))
    }

    fn synced(&self, token: Token) -> &SyncReply {
        match self.replies.get(&token) {
            Some(Reply::Sync(reply)) => reply,
            other => panic!("{token:?}: {other:?}"),
        }
    }

    fn waits(&self, token: Token) -> bool {
        !self.replies.contains_key(&token)
    }

    fn heartbeat(&mut self, member_id: &Str, generation: i32) -> ErrorCode {
        self.heartbeat_as(member_id, None, generation)
    }

    fn heartbeat_as(&mut self, member_id: &Str, instance_id: Option<&str>, generation: i32) -> ErrorCode {
        let request = HeartbeatRequest {
            member_id: member_id.clone(),
            instance_id: instance_id.map(Str::from),
            generation,
        };
        let token = self.send(|token| GroupEvent::Heartbeat(token, request));
        match self.replies.get(&token) {
            Some(Reply::Heartbeat(error)) => *error,
            other => panic!("{other:?}"),
        }
    }

    fn leave(&mut self, members: &[(&str, Option<&str>)]) -> Token {
        let members = members
            .iter()
            .map(|(id, instance)| LeaveMember {
                member_id: Str::from(*id),
                instance_id: instance.map(Str::from),
                reason: None,
            })
            .collect();
        self.send(|token| GroupEvent::Leave(token, LeaveRequest { members }))
    }

    fn left(&self, token: Token) -> Vec<ErrorCode> {
        match self.replies.get(&token) {
            Some(Reply::Leave(reply)) => reply.members.iter().map(|member| member.error).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn commit(&mut self, request: CommitRequest) -> Token {
        self.send(|token| GroupEvent::Commit(token, request))
    }

    fn committed(&self, token: Token) -> &[ErrorCode] {
        match self.replies.get(&token) {
            Some(Reply::Commit(results)) => results,
            other => panic!("{other:?}"),
        }
    }

    fn offset(&self, topic: &str, partition: i32) -> Option<i64> {
        self.shard.offset("g", topic, partition).map(|committed| committed.offset)
    }

    fn state(&self) -> GroupState {
        self.shard.describe("g").map_or(GroupState::Dead, |group| group.state)
    }

    /// A stable group of `count` dynamic members; the first one leads. Ids and generation.
    fn stable(&mut self, count: usize) -> (Vec<Str>, i32) {
        let tokens: Vec<Token> = (0..count).map(|_| self.join(dynamic(""))).collect();
        self.pass(Duration::from_secs(10));
        self.settle(&tokens)
    }

    /// Everybody who joined with these tokens syncs.
    fn settle(&mut self, tokens: &[Token]) -> (Vec<Str>, i32) {
        let ids: Vec<Str> = tokens.iter().map(|token| self.joined(*token).member_id.clone()).collect();
        let reply = self.joined(tokens[0]).clone();
        let assignments: Vec<(&Str, &'static [u8])> = ids.iter().map(|id| (id, &b"partitions"[..])).collect();
        let syncs: Vec<Token> = ids
            .iter()
            .map(|id| {
                let own = if *id == reply.leader { assignments.as_slice() } else { &[] };
                self.sync(id, reply.generation, own)
            })
            .collect();
        for sync in syncs {
            assert_eq!(self.synced(sync).error, ErrorCode::None);
        }
        assert_eq!(self.state(), GroupState::Stable);
        (ids, reply.generation)
    }
}

/// A dynamic member that speaks `range`, joins with what version 3 and below ask, and gives itself that id.
fn dynamic(member_id: &str) -> JoinRequest {
    JoinRequest {
        member_id: Str::from(member_id),
        instance_id: None,
        client_id: Str::from("client"),
        client_host: Str::from("/127.0.0.1"),
        session_timeout: Duration::from_secs(30),
        rebalance_timeout: Duration::from_secs(60),
        protocol_type: Str::from("consumer"),
        protocols: vec![protocol("range", &["t"])],
        requires_known_member_id: false,
        supports_skip_assignment: false,
        joins_at_once: false,
        fresh_id: Uuid::from_u128(FRESH.fetch_add(1, std::sync::atomic::Ordering::Relaxed).into()),
    }
}

static FRESH: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);

/// A static member.
fn named(instance_id: &str, member_id: &str) -> JoinRequest {
    JoinRequest { instance_id: Some(Str::from(instance_id)), ..dynamic(member_id) }
}

/// An assignor with a subscription to these topics.
fn protocol(name: &str, topics: &[&str]) -> Protocol {
    let subscription = headwater_codec::records::ConsumerProtocolSubscription {
        topics: topics.iter().map(|topic| TopicName::from(*topic)).collect(),
        ..Default::default()
    };
    let metadata = headwater_codec::records::encode_versioned(&subscription, 0).unwrap();
    Protocol { name: Str::from(name), metadata }
}

fn protocols(names: &[&str]) -> Vec<Protocol> {
    names.iter().map(|name| protocol(name, &["t"])).collect()
}

fn to_commit(topic: &str, partition: i32, offset: i64) -> OffsetToCommit {
    OffsetToCommit {
        topic: TopicName::from(topic),
        topic_id: Uuid::from_u128(9),
        partition,
        offset,
        leader_epoch: 3,
        metadata: Some(Str::from("note")),
    }
}

/// A commit from outside any generation.
fn simple(offsets: Vec<OffsetToCommit>) -> CommitRequest {
    CommitRequest {
        member_id: Str::default(),
        instance_id: None,
        generation: -1,
        knows_group_id_not_found: false,
        retention: None,
        offsets,
    }
}
