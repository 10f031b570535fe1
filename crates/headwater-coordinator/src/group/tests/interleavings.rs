//! Every order of events, time, durable and failed writes: what must hold always does.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Join { who: usize, fresh: bool, protocols: u8 },
    Sync { who: usize },
    Heartbeat { who: usize },
    Leave { who: usize },
    Commit { who: usize, simple: bool },
    Persist { which: usize },
    Fail { which: usize },
    Pass { ms: u64 },
    Delete,
    DeleteOffsets,
    TopicDeleted,
    Expire,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..CLIENTS;
    prop_oneof![
        8 => (who.clone(), any::<bool>(), 0..4_u8)
            .prop_map(|(who, fresh, protocols)| Step::Join { who, fresh, protocols }),
        8 => who.clone().prop_map(|who| Step::Sync { who }),
        4 => who.clone().prop_map(|who| Step::Heartbeat { who }),
        2 => who.clone().prop_map(|who| Step::Leave { who }),
        4 => (who, any::<bool>()).prop_map(|(who, simple)| Step::Commit { who, simple }),
        10 => (0..4_usize).prop_map(|which| Step::Persist { which }),
        2 => (0..4_usize).prop_map(|which| Step::Fail { which }),
        8 => (0..20_000_u64).prop_map(|ms| Step::Pass { ms }),
        1 => Just(Step::Delete),
        1 => Just(Step::DeleteOffsets),
        1 => Just(Step::TopicDeleted),
        1 => Just(Step::Expire),
        1 => Just(Step::Restart),
    ]
}

/// Clients 0 and 1 are static, the others dynamic; client 4 goes the round for its id.
const CLIENTS: usize = 5;

/// What a client knows of itself.
#[derive(Clone, Debug, Default)]
struct Client {
    member_id: Str,
    generation: i32,
    leads: Vec<Str>,
}

struct World {
    bench: Bench,
    clients: Vec<Client>,
    /// Who asked what, until the answer.
    asked: HashMap<Token, usize>,
    /// Leaders by generation, as members were told.
    leaders: HashMap<i32, Str>,
    /// Writes that are in the log before their outcome was told.
    landed: Vec<WriteId>,
}

impl World {
    fn new() -> Self {
        let mut bench = Bench::with(GroupConfig { members_max: 4, ..GroupConfig::default() });
        bench.hold();
        Self {
            bench,
            clients: vec![Client::default(); CLIENTS],
            asked: HashMap::new(),
            leaders: HashMap::new(),
            landed: Vec::new(),
        }
    }

    fn ask(&mut self, who: usize, event: impl FnOnce(Token) -> GroupEvent) {
        // The answer may come within the call: note who asks first.
        self.asked.insert(Token(self.bench.next + 1), who);
        self.bench.send(event);
    }

    fn instance(who: usize) -> Option<Str> {
        (who < 2).then(|| Str::from(format!("i{who}")))
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Join { who, fresh, protocols: spoken } => {
                let names: &[&str] =
                    [&["range"][..], &["sticky", "range"], &["range", "sticky"], &["sticky"]]
                        [usize::from(spoken)];
                let member_id = if fresh { Str::default() } else { self.clients[who].member_id.clone() };
                let request = JoinRequest {
                    instance_id: Self::instance(who),
                    protocols: protocols(names),
                    session_timeout: Duration::from_secs(10),
                    rebalance_timeout: Duration::from_secs(15),
                    requires_known_member_id: who == 4,
                    ..dynamic(&member_id)
                };
                self.ask(who, |token| GroupEvent::Join(token, request));
            }
            Step::Sync { who } => {
                let client = self.clients[who].clone();
                let assign = |member_id: &Str| SyncAssignment {
                    member_id: member_id.clone(),
                    assignment: Bytes::from(format!("{member_id}@{}", client.generation)),
                };
                let request = SyncRequest {
                    member_id: client.member_id.clone(),
                    instance_id: Self::instance(who),
                    generation: client.generation,
                    protocol_type: None,
                    protocol: None,
                    assignments: client.leads.iter().map(assign).collect(),
                };
                self.ask(who, |token| GroupEvent::Sync(token, request));
            }
            Step::Heartbeat { who } => {
                let request = HeartbeatRequest {
                    member_id: self.clients[who].member_id.clone(),
                    instance_id: Self::instance(who),
                    generation: self.clients[who].generation,
                };
                self.ask(who, |token| GroupEvent::Heartbeat(token, request));
            }
            Step::Leave { who } => {
                let member = LeaveMember {
                    member_id: self.clients[who].member_id.clone(),
                    instance_id: Self::instance(who),
                    reason: None,
                };
                self.ask(who, |token| GroupEvent::Leave(token, LeaveRequest { members: vec![member] }));
            }
            Step::Commit { who, simple: outside } => {
                let offset = i64::try_from(self.bench.next).unwrap();
                let request = simple(vec![to_commit("t", 0, offset), to_commit("u", 0, offset)]);
                let client = &self.clients[who];
                let inside = CommitRequest {
                    member_id: client.member_id.clone(),
                    generation: client.generation,
                    ..request.clone()
                };
                let request = if outside { request } else { inside };
                self.ask(who, |token| GroupEvent::Commit(token, request));
            }
            Step::Persist { which } => self.outcome(which, None),
            Step::Fail { which } => self.outcome(which, Some(ErrorCode::CoordinatorNotAvailable)),
            Step::Pass { ms } => self.bench.pass(Duration::from_millis(ms)),
            Step::Delete => self.ask(0, GroupEvent::Delete),
            Step::DeleteOffsets => {
                self.ask(0, |token| GroupEvent::DeleteOffsets(token, vec![(TopicName::from("u"), 0)]));
            }
            Step::TopicDeleted => {
                let effects = self
                    .bench
                    .shard
                    .topics_deleted(&[(TopicName::from("t"), Uuid::from_u128(9))], self.bench.now);
                self.bench.take(effects);
            }
            Step::Expire => {
                let effects = self.bench.shard.expire_offsets(self.bench.now);
                self.bench.take(effects);
            }
            Step::Restart => {
                // Those who wait lose their connections with the process; what was not in the log is gone.
                self.asked.clear();
                self.leaders.clear();
                self.landed.clear();
                self.bench.hold();
                self.bench.restart();
            }
        }
        self.learn();
        self.check();
    }

    /// The log takes writes in their order; their outcomes come in any. Once a later write is in the log, so are those
    /// before it that did not fail, whether that was told or not.
    fn outcome(&mut self, which: usize, error: Option<ErrorCode>) {
        let held = self.bench.held.as_mut().unwrap();
        if held.is_empty() {
            return;
        }
        let which = which % held.len();
        let landing = if error.is_none() { which + 1 } else { which };
        for write in held
            .range(..landing)
            .filter(|write| !self.landed.contains(&write.id))
            .cloned()
            .collect::<Vec<_>>()
        {
            if write.records.iter().any(|record| record.key.starts_with(&[0, 2]) && record.value.is_none()) {
                // The group is gone: generations are counted from the beginning.
                self.leaders.clear();
            }
            self.landed.push(write.id);
            self.bench.log.extend(write.records);
        }
        let write = self.bench.held.as_mut().unwrap().remove(which).unwrap();
        let landed = self.landed.contains(&write.id);
        self.landed.retain(|id| *id != write.id);
        let event = match error {
            Some(error) if !landed => GroupEvent::PersistFailed(write.id, error),
            _ => GroupEvent::Persisted(write.id),
        };
        let effects = self.bench.shard.handle(&write.group, event, self.bench.now);
        self.bench.take(effects);
    }

    /// Clients take over what they are told.
    fn learn(&mut self) {
        for (token, reply) in self.bench.replies.drain() {
            let who = self.asked.remove(&token).expect("an answer that nobody waits for");
            match reply {
                Reply::Join(reply) if reply.error == ErrorCode::MemberIdRequired => {
                    self.clients[who].member_id = reply.member_id;
                }
                Reply::Join(reply) if reply.error == ErrorCode::None => {
                    assert!(reply.protocol.is_some() && !reply.leader.is_empty());
                    let is_leader = reply.leader == reply.member_id;
                    if !reply.members.is_empty() {
                        assert!(is_leader, "only the leader is told of the members");
                        assert!(reply.members.iter().any(|member| member.member_id == reply.member_id));
                    }
                    let named = self.leaders.entry(reply.generation).or_insert_with(|| reply.leader.clone());
                    // A static leader that came back leads under its new id.
                    if *named != reply.leader {
                        assert!(named.starts_with('i') && reply.leader.starts_with('i'), "two leaders");
                        *named = reply.leader.clone();
                    }
                    self.clients[who] = Client {
                        member_id: reply.member_id,
                        generation: reply.generation,
                        leads: reply.members.into_iter().map(|member| member.member_id).collect(),
                    };
                }
                Reply::Sync(reply) if reply.error != ErrorCode::None => assert!(reply.assignment.is_empty()),
                _ => {}
            }
        }
    }

    fn check(&self) {
        self.bench.shard.check_invariants();
    }

    /// Nothing is lost: when writes come through and time passes, everybody has an answer.
    fn finish(&mut self) {
        for _ in 0..50 {
            while self.bench.held_count() > 0 {
                self.outcome(0, None);
                self.learn();
            }
            self.bench.pass(Duration::from_secs(20));
            self.learn();
            self.check();
        }
        assert!(self.asked.is_empty(), "unanswered: {:?}", self.asked);
        let state = self.bench.state();
        assert!(
            matches!(state, GroupState::Dead | GroupState::Empty),
            "silent members are still there: {state}"
        );
        // The log tells the same story as the memory.
        let before: Vec<_> =
            self.bench.shard.offsets("g").map(|(t, p, o)| (t.clone(), p, o.clone())).collect();
        self.bench.restart();
        let after: Vec<_> =
            self.bench.shard.offsets("g").map(|(t, p, o)| (t.clone(), p, o.clone())).collect();
        assert_eq!(before, after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_must_hold_always_holds(steps in proptest::collection::vec(step(), 1..120)) {
        let mut world = World::new();
        for step in &steps {
            world.run(step);
        }
        world.finish();
    }
}
