//! The native members of one group, and the rebalance on their behalf.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::future::join_all;
use headwater_codec::{
    ErrorCode as KafkaCode, GroupId, Str, TopicName, Uuid,
    records::{
        ConsumerProtocolAssignment, ConsumerProtocolSubscription,
        consumer_protocol_assignment::TopicPartition, encode_versioned,
    },
};
use headwater_coordinator::{
    GroupDescription, HeartbeatRequest, JoinRequest, LeaveMember, LeaveRequest, Protocol, SyncAssignment,
    SyncRequest,
};
use headwater_native::ErrorCode;

use super::{
    Inner,
    range::{Assignment, assign},
};
use crate::native::refusal::{self, Answer, refuse};

/// The native members of one group, by the names they gave themselves.
#[derive(Debug, Default)]
pub(super) struct Roster {
    pub(super) members: BTreeMap<Str, Member>,
    pub(super) generation: i32,
    /// The coordinator's id of the member that leads.
    leader: Str,
    /// How many partitions the topics had when they were assigned.
    counts: BTreeMap<TopicName, i32>,
}

/// One native member.
#[derive(Debug)]
pub(super) struct Member {
    /// The id that the coordinator gave it; empty before it joined.
    pub(super) id: Str,
    pub(super) topics: Vec<TopicName>,
    pub(super) assignment: Assignment,
    pub(super) seen: Instant,
    client_host: Str,
}

impl Member {
    pub(super) fn new(topics: Vec<TopicName>, client_host: String, now: Instant) -> Self {
        let client_host = Str::from(client_host);
        Self { id: Str::default(), topics, assignment: Assignment::new(), seen: now, client_host }
    }
}

impl Roster {
    /// Assigns anew. `first` is the member because of which it happens: it joins before the others, so that they join a
    /// rebalance that has begun.
    pub(super) async fn rebalance(
        &mut self,
        group: &GroupId,
        first: Option<&Str>,
        inner: &Inner,
    ) -> Answer<()> {
        for _ in 0..ATTEMPTS {
            if self.members.is_empty() {
                return Ok(());
            }
            if self.join_all(group, first, inner).await? && self.sync_all(group, inner).await? {
                return Ok(());
            }
        }
        refuse(ErrorCode::INTERNAL, format!("group '{group}' does not come to rest"))
    }

    /// Everybody joins. Whether everybody did; who is not known any more joins as a new member the next time.
    async fn join_all(&mut self, group: &GroupId, first: Option<&Str>, inner: &Inner) -> Answer<bool> {
        let mut names: Vec<Str> = self.members.keys().cloned().collect();
        // Whoever makes the coordinator begin a rebalance comes first: a new member, one with other topics, the leader.
        names.sort_by_key(|name| {
            let member = self.members.get(name);
            let is_new = member.is_some_and(|member| member.id.is_empty());
            let leads = member.is_some_and(|member| member.id == self.leader);
            (first != Some(name), !is_new, !leads)
        });
        let requests: Vec<(Str, JoinRequest)> = names
            .into_iter()
            .filter_map(|name| Some((name.clone(), join_request(&name, self.members.get(&name)?, inner))))
            .collect();
        // Polled in this order.
        let replies = join_all(
            requests.into_iter().map(async |(name, request)| (name, inner.groups.join(group, request).await)),
        )
        .await;
        let mut all = true;
        for (name, reply) in replies {
            let reply = reply.map_err(refusal::kafka)?;
            let Some(member) = self.members.get_mut(&name) else { continue };
            match reply.error {
                KafkaCode::None => {
                    member.id = reply.member_id.detached();
                    // Of two generations the later one stands.
                    if reply.generation != self.generation {
                        self.generation = reply.generation;
                    }
                    self.leader = reply.leader.detached();
                }
                KafkaCode::UnknownMemberId => {
                    member.id = Str::default();
                    all = false;
                }
                KafkaCode::RebalanceInProgress => all = false,
                code => return Err(refusal::kafka(code)),
            }
        }
        Ok(all)
    }

    /// Everybody syncs, the leader with everybody's assignment. Whether everybody did.
    async fn sync_all(&mut self, group: &GroupId, inner: &Inner) -> Answer<bool> {
        let assignments = self.assign(inner);
        let sent: Vec<SyncAssignment> = assignments
            .iter()
            .filter_map(|(name, assignment)| {
                let member_id = self.members.get(name)?.id.clone();
                Some(SyncAssignment { member_id, assignment: encode_assignment(assignment)? })
            })
            .collect();
        let generation = self.generation;
        let leader = self.leader.clone();
        let requests: Vec<SyncRequest> = self
            .members
            .values()
            .map(|member| SyncRequest {
                member_id: member.id.clone(),
                instance_id: None,
                generation,
                protocol_type: None,
                protocol: None,
                assignments: if member.id == leader { sent.clone() } else { Vec::new() },
            })
            .collect();
        let replies = join_all(requests.into_iter().map(|request| inner.groups.sync(group, request))).await;
        for reply in replies {
            match reply.map_err(refusal::kafka)?.error {
                KafkaCode::None => {}
                KafkaCode::UnknownMemberId
                | KafkaCode::IllegalGeneration
                | KafkaCode::RebalanceInProgress => {
                    return Ok(false);
                }
                code => return Err(refusal::kafka(code)),
            }
        }
        for (name, assignment) in assignments {
            if let Some(member) = self.members.get_mut(&name) {
                member.assignment = assignment;
            }
        }
        Ok(true)
    }

    fn assign(&mut self, inner: &Inner) -> BTreeMap<Str, Assignment> {
        let topics = self.members.values().flat_map(|member| member.topics.iter());
        self.counts = topics.map(|topic| (topic.clone(), inner.partition_count(topic))).collect();
        let members = self.members.iter().map(|(name, member)| (name, &member.topics[..]));
        assign(members, |topic| self.counts.get(topic).copied().unwrap_or(0))
    }

    /// Tells the coordinator who is gone, and assigns anew.
    pub(super) async fn after_leaving(
        &mut self,
        group: &GroupId,
        gone: Vec<Member>,
        inner: &Inner,
    ) -> Answer<()> {
        let ids = gone.into_iter().map(|member| member.id).filter(|id| !id.is_empty()).collect();
        inner.leave(group, ids).await?;
        self.rebalance(group, None, inner).await
    }

    /// Ends silent memberships, keeps the others alive, and assigns anew when something has changed.
    pub(super) async fn keep(&mut self, group: &GroupId, inner: &Inner, now: Instant) -> Answer<()> {
        let session = inner.session();
        let is_silent = |member: &Member| now.duration_since(member.seen) > session;
        let silent: Vec<Str> = self
            .members
            .iter()
            .filter(|(_, member)| is_silent(member))
            .map(|(name, _)| name.clone())
            .collect();
        if !silent.is_empty() {
            tracing::info!(%group, members = silent.len(), "native members were silent for too long");
            let gone = silent.iter().filter_map(|name| self.members.remove(name)).collect();
            return self.after_leaving(group, gone, inner).await;
        }
        let mut changed = self.counts.iter().any(|(topic, count)| inner.partition_count(topic) != *count);
        let mut removed = Vec::new();
        for (name, member) in &self.members {
            let (member_id, generation) = (member.id.clone(), self.generation);
            let heartbeat = HeartbeatRequest { member_id, instance_id: None, generation };
            match inner.groups.heartbeat(group, heartbeat).await {
                KafkaCode::None => {}
                // Removed by an operator.
                KafkaCode::UnknownMemberId => removed.push(name.clone()),
                _ => changed = true,
            }
        }
        for name in &removed {
            self.members.remove(name);
        }
        if changed || !removed.is_empty() { self.rebalance(group, None, inner).await } else { Ok(()) }
    }
}

impl Inner {
    pub(super) fn session(&self) -> Duration {
        Duration::from_millis(self.config.native_group_session_timeout_ms.max(1))
    }

    fn partition_count(&self, topic: &TopicName) -> i32 {
        self.topics.by_name(topic.as_str()).map_or(0, |topic| topic.partition_count())
    }

    /// Members that joined on behalf of native clients, as the coordinator tells them.
    pub(super) fn ghosts(&self, group: &GroupId, described: &GroupDescription) -> Vec<Str> {
        let _ = group;
        if described.protocol.as_str() != ASSIGNOR && !described.protocol.is_empty() {
            return Vec::new();
        }
        let ours = described.members.iter().filter(|member| member.client_id.starts_with(CLIENT_ID_PREFIX));
        ours.map(|member| member.member_id.clone()).collect()
    }

    /// Tells the coordinator that members leave. Those that it does not know have left.
    pub(super) async fn leave(&self, group: &GroupId, ids: Vec<Str>) -> Answer<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let leaving = |member_id| LeaveMember { member_id, instance_id: None, reason: None };
        let members = ids.into_iter().map(leaving).collect();
        let reply = self.groups.leave(group, LeaveRequest { members }).await.map_err(refusal::kafka)?;
        match reply.error {
            KafkaCode::None => Ok(()),
            code => Err(refusal::kafka(code)),
        }
    }
}

fn join_request(name: &Str, member: &Member, inner: &Inner) -> JoinRequest {
    // The coordinator's own bounds hold for Kafka's members; ours are kept alive by the broker itself.
    let config = &inner.config;
    let millis = |ms: i32| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    let (shortest, longest) =
        (millis(config.group_min_session_timeout_ms), millis(config.group_max_session_timeout_ms));
    JoinRequest {
        member_id: member.id.clone(),
        instance_id: None,
        client_id: Str::from(format!("{CLIENT_ID_PREFIX}{name}")),
        client_host: member.client_host.clone(),
        session_timeout: inner.session().clamp(shortest, longest),
        rebalance_timeout: REBALANCE_MAX,
        protocol_type: Str::from_static("consumer"),
        protocols: vec![Protocol {
            name: Str::from_static(ASSIGNOR),
            metadata: subscription(&member.topics),
        }],
        requires_known_member_id: false,
        supports_skip_assignment: false,
        joins_at_once: true,
        fresh_id: Uuid::from_u128(rand::random()),
    }
}

/// What a Kafka consumer would say of its topics, so that tools can read it.
fn subscription(topics: &[TopicName]) -> Bytes {
    let mut topics = topics.to_vec();
    topics.sort_unstable();
    topics.dedup();
    let subscription = ConsumerProtocolSubscription { topics, ..Default::default() };
    // Topic names have 249 bytes at most, so nothing can be too long.
    encode_versioned(&subscription, 0).unwrap_or_default()
}

fn encode_assignment(assignment: &Assignment) -> Option<Bytes> {
    let assigned_partitions = assignment
        .iter()
        .map(|(topic, partitions)| TopicPartition { topic: topic.clone(), partitions: partitions.clone() })
        .collect();
    encode_versioned(&ConsumerProtocolAssignment { assigned_partitions, user_data: None }, 0).ok()
}

/// The assignor's name, as tools show it.
const ASSIGNOR: &str = "headwater-range";
/// What tells native members from others in the coordinator's eyes.
const CLIENT_ID_PREFIX: &str = "native-";
/// How long the coordinator waits for members to join: they all join at once.
const REBALANCE_MAX: Duration = Duration::from_secs(10);
/// How often a rebalance is tried.
const ATTEMPTS: usize = 5;
