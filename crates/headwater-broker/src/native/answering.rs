//! What a connection's requests are answered with.

use std::{collections::HashMap, sync::Arc};

use bytes::{Bytes, BytesMut};
use headwater_codec::{Str, Uuid};
use headwater_native::{
    Capabilities, CorrelationId, ErrorCode, Frame, Payload, Phase, Request, Session, limits,
    messages::{
        AuthOk, Done, Failure, Fetch, FetchFlags, HeartbeatResponse, Hello, IdentifyAck, InitProducerId,
        Produce, ProduceBatch, ProducerIdentity, RecordBatch, RecordLayout, Subscribe, Welcome,
    },
};
use headwater_security::ServerExchange;
use tokio::time::{Instant, sleep_until};

use super::{
    account::Account,
    connection::{Outcome, framed},
    consume::{Consumer, FETCH_BYTES_MAX, FETCH_RECORDS_MAX, PullLimits},
    door::Native,
    ended::Ended,
    outbound::Outbound,
    producers::Producer,
    push::Push,
    refusal::{Answer, refuse},
    spread::Spread,
};
use crate::{context::Peer, security::Principal};

/// The client of one connection: how far it has come, what it reads, as whom it produces.
pub(super) struct Client {
    native: Native,
    peer: Arc<Peer>,
    /// Who it is, once it is authenticated.
    principal: Principal,
    outbound: Outbound,
    session: Session,
    account: Account,
    exchange: Option<ServerExchange>,
    /// What stands for the connection where a member gave itself no name.
    short_id: String,
    consumer: Consumer,
    push: Push,
    producer: Option<Producer>,
    /// By topic.
    spreads: HashMap<Uuid, Spread>,
}

impl Client {
    pub(super) fn new(native: Native, peer: Arc<Peer>, outbound: Outbound) -> Self {
        Self {
            native,
            peer,
            principal: Principal::ANONYMOUS,
            outbound,
            session: Session::default(),
            account: Account::default(),
            exchange: None,
            short_id: format!("{:08x}", rand::random::<u32>()),
            consumer: Consumer::default(),
            push: Push::default(),
            producer: None,
            spreads: HashMap::new(),
        }
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    pub(super) fn outbound(&self) -> &Outbound {
        &self.outbound
    }

    /// A frame was read.
    pub(super) fn count(&self, opcode: u8, bytes: usize) {
        self.native.services().metrics.bytes_in(bytes);
        self.native.metrics().frame(opcode);
    }

    /// Handles one request that may be handled now.
    pub(super) async fn handle(&mut self, id: CorrelationId, request: Request) -> Result<Outcome, Ended> {
        self.wait_for_coordinator(&request).await;
        match request {
            Request::Hello(hello) => self.hello(id, &hello),
            Request::Goodbye(_) => Err(Ended::Goodbye),
            Request::HeartbeatRequest(_) => self.answer(id, Ok(HeartbeatResponse {})),
            // It has done its work: the client was heard.
            Request::HeartbeatResponse(_) => Ok(Outcome::Done),
            Request::IdentifyClient(client) => {
                tracing::debug!(address = %self.peer.address, name = %client.name, version = %client.version, "a native client");
                self.account.name(&client.name);
                self.answer(id, Ok(identity()))
            }
            Request::Auth(auth) => self.authenticate(id, &auth).await,
            Request::AuthScram(first) => self.begin_scram(id, &first).await,
            Request::AuthScramFinal(last) => self.finish_scram(id, &last).await,
            Request::Produce(produce) => self.produce(id, produce),
            Request::ProduceBatch(batch) => self.produce_batch(id, batch).await,
            Request::ProduceIdempotent(produce) => {
                let (native, principal, producer) = (&self.native, &self.principal, self.producer.as_ref());
                let mut bill = 0;
                let produced = native.produce_idempotent(principal, producer, &mut bill, produce).await;
                self.account.produced(&self.native.services().quotas, &self.principal, bill);
                self.answer(id, produced)
            }
            Request::InitProducerId(init) => self.init_producer(id, init).await,
            Request::Fetch(fetch) => self.fetch(id, &fetch).await,
            Request::Subscribe(subscribe) => self.subscribe(id, &subscribe).await,
            Request::BeginTxn(_) | Request::EndTxn(_) | Request::TxnOffsetCommit(_) => {
                let later = "transactions are not served yet; they come with the broker's transactions";
                self.answer::<Done>(id, refuse(ErrorCode::INVALID_TXN_STATE, later))
            }
            other => self.handle_more(id, other).await,
        }
    }

    /// A request that concerns a group waits until the group is known.
    async fn wait_for_coordinator(&self, request: &Request) {
        let group = match request {
            Request::Fetch(fetch) => Some(&fetch.group),
            Request::Subscribe(subscribe) => Some(&subscribe.group),
            Request::JoinGroup(join) => Some(&join.group),
            Request::DescribeGroup(describe) => Some(&describe.group),
            Request::DeleteGroup(delete) => Some(&delete.group),
            Request::Commit(_) | Request::Nack(_) => self.session.group(),
            Request::ListGroups(_) => return self.native.groups().all_loaded().await,
            _ => None,
        };
        if let Some(group) = group {
            self.native.groups().loaded(group).await;
        }
    }

    /// What asks for no more than an answer.
    async fn handle_more(&mut self, id: CorrelationId, request: Request) -> Result<Outcome, Ended> {
        let (native, principal) = (self.native.clone(), self.principal.clone());
        let group = self.session.group().cloned();
        let done = |answer: Answer<()>| answer.map(|()| Done {});
        match request {
            Request::Commit(commit) => {
                let committed = native.commit(&principal, &mut self.consumer, group.as_ref(), &commit).await;
                self.answer(id, done(committed))
            }
            Request::Nack(nack) => {
                let nacked = native.nack(&principal, &mut self.consumer, group.as_ref(), nack).await;
                self.answer(id, nacked)
            }
            Request::CreateTopic(create) => {
                self.answer(id, done(native.create_topic(&principal, &create).await))
            }
            Request::ListTopics(_) => self.answer(id, Ok(native.list_topics(&principal))),
            Request::DeleteTopic(delete) => {
                self.answer(id, done(native.delete_topic(&principal, &delete.name).await))
            }
            Request::CreatePartitions(grow) => {
                self.answer(id, done(native.create_partitions(&principal, &grow).await))
            }
            Request::DescribeTopic(describe) => {
                self.answer(id, native.describe_topic(&principal, &describe.name))
            }
            Request::AlterTopicConfig(alter) => {
                self.answer(id, done(native.alter_topic_config(&principal, &alter).await))
            }
            Request::ListOffsets(list) => self.answer(id, native.list_offsets(&principal, &list).await),
            Request::JoinGroup(join) => {
                // Who could not join is not bound to the group.
                let mut bound = self.session.clone();
                let joined = match bound.join(&join.group) {
                    Ok(()) => {
                        let (address, short_id) = (self.peer.address, self.short_id.as_str());
                        native.join_group(&principal, &mut self.consumer, address, short_id, join).await
                    }
                    Err(refused) => Err(refused),
                };
                if joined.is_ok() {
                    self.session = bound;
                }
                self.answer(id, joined)
            }
            Request::LeaveGroup(leave) => {
                let left = native.leave_group(&mut self.consumer, &leave.group, &leave.member).await;
                self.answer(id, done(left))
            }
            Request::GroupHeartbeat(beat) => {
                let alive = native.groups().alive(&beat.group, &beat.member).await;
                self.answer(id, done(alive.map(drop)))
            }
            Request::ListGroups(_) => self.answer(id, native.list_groups(&principal)),
            Request::DescribeGroup(describe) => {
                self.answer(id, native.describe_group(&principal, &describe.group).await)
            }
            Request::DeleteGroup(delete) => {
                self.answer(id, done(native.delete_group(&principal, &delete.group).await))
            }
            // Everything else was handled before.
            other => {
                let message = format!("{} is not served", other.opcode().name());
                self.answer::<Done>(id, refuse(ErrorCode::UNKNOWN_OP, message))
            }
        }
    }

    /// Answers a request.
    pub(super) fn answer<P: Payload>(&self, id: CorrelationId, answer: Answer<P>) -> Result<Outcome, Ended> {
        match answer {
            Ok(message) => self.send(id, &message)?,
            Err(failure) => self.send(id, &failure)?,
        }
        Ok(Outcome::Done)
    }

    fn hello(&mut self, id: CorrelationId, hello: &Hello) -> Result<Outcome, Ended> {
        if hello.version != limits::PROTOCOL_VERSION {
            let message = format!("version {} is spoken here", limits::PROTOCOL_VERSION);
            self.send(id, &Failure::new(ErrorCode::BAD_PROTOCOL, message))?;
            return Err(Ended::Version(hello.version));
        }
        self.session.enter(Phase::Greeted);
        self.answer(id, Ok(Welcome { version: limits::PROTOCOL_VERSION }))
    }

    /// Until when the client is not listened to; `None` when it is.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.account.paused_until(Instant::now())
    }

    pub(super) fn native(&self) -> &Native {
        &self.native
    }

    /// The user is who it says.
    pub(super) fn enter(
        &mut self,
        id: CorrelationId,
        principal: Principal,
        server_final: Option<Bytes>,
    ) -> Result<Outcome, Ended> {
        self.principal = principal;
        self.session.enter(Phase::Authenticated);
        self.answer(id, Ok(AuthOk { server_final }))
    }

    /// A SCRAM exchange has begun.
    pub(super) fn set_exchange(&mut self, exchange: ServerExchange) {
        self.exchange = Some(exchange);
    }

    /// The SCRAM exchange that was begun: it can be finished once.
    pub(super) fn take_exchange(&mut self) -> Option<ServerExchange> {
        self.exchange.take()
    }

    fn produce(&mut self, id: CorrelationId, request: Produce) -> Result<Outcome, Ended> {
        let spread = spread(&mut self.spreads, &self.native, &request.topic);
        let mut bill = 0;
        let begun = self.native.produce(&self.principal, spread, &mut bill, request);
        self.account.produced(&self.native.services().quotas, &self.principal, bill);
        match begun {
            Err(failure) => self.answer::<Done>(id, Err(failure)),
            Ok(producing) => Ok(Outcome::Later(Box::pin(async move {
                match producing.await {
                    Ok(ack) => framed(id, &ack),
                    Err(failure) => framed(id, &failure),
                }
            }))),
        }
    }

    async fn produce_batch(&mut self, id: CorrelationId, request: ProduceBatch) -> Result<Outcome, Ended> {
        let principal = &self.principal;
        let mut bill = 0;
        if let Some(of) = request.producer.clone() {
            let producer = self.producer.as_ref();
            let produced = self.native.produce_batch_once(principal, producer, &mut bill, &request, of).await;
            self.account.produced(&self.native.services().quotas, &self.principal, bill);
            return self.answer(id, produced);
        }
        let spread = spread(&mut self.spreads, &self.native, &request.topic);
        let begun = self.native.produce_batch(principal, spread, &mut bill, &request);
        self.account.produced(&self.native.services().quotas, &self.principal, bill);
        match begun {
            Err(failure) => self.answer::<Done>(id, Err(failure)),
            Ok(producing) => Ok(Outcome::Later(Box::pin(async move { framed(id, &producing.await) }))),
        }
    }

    async fn init_producer(&mut self, id: CorrelationId, request: InitProducerId) -> Result<Outcome, Ended> {
        match self.native.producers().init(request.producer_name).await {
            Err(failure) => self.answer::<Done>(id, Err(failure)),
            Ok(producer) => {
                let (producer_id, producer_epoch) = (producer.identity.id, producer.identity.epoch);
                self.producer = Some(producer);
                self.answer(id, Ok(ProducerIdentity { producer_id, producer_epoch }))
            }
        }
    }

    async fn fetch(&mut self, id: CorrelationId, request: &Fetch) -> Result<Outcome, Ended> {
        match self.pull(id, request).await? {
            Ok(()) => self.answer(id, Ok(Done {})),
            Err(failure) => self.answer::<Done>(id, Err(failure)),
        }
    }

    /// Reads, sends and commits what a FETCH asks for.
    async fn pull(&mut self, id: CorrelationId, request: &Fetch) -> Result<Answer<()>, Ended> {
        let principal = &self.principal;
        let begun = self.native.readable(principal, &request.topic, &request.group);
        let begun = begun.and_then(|_| self.session.fetch(request));
        let layout = match begun {
            Ok(layout) => layout,
            Err(failure) => return Ok(Err(failure)),
        };
        let consumer = &mut self.consumer;
        if let Err(failure) = self.native.begin_reading(principal, consumer, &request.topic, &request.group) {
            return Ok(Err(failure));
        }
        let asked = usize::try_from(request.max_records).unwrap_or(usize::MAX);
        let pulled = loop {
            let limits = self.pull_limits(asked.min(FETCH_RECORDS_MAX), FETCH_BYTES_MAX, layout);
            match self.native.pull(&mut self.consumer, &request.group, limits).await {
                // The client has to read first what waits for it.
                Ok(pulled) if pulled.held_back => {
                    if !self.outbound.has_room(FETCH_BYTES_MAX + ROOM_KEPT).await {
                        return Err(Ended::Broken);
                    }
                }
                Ok(pulled) => break pulled,
                Err(failure) => return Ok(Err(failure)),
            }
        };
        self.account.fetched(&self.native.services().quotas, &self.principal, pulled.bytes);
        let batched = request.flags.contains(FetchFlags::BATCHED);
        let records = RecordBatch { records: pulled.records };
        if !records.records.is_empty() {
            self.outbound.queue(records_framed(id, &records, layout, batched))?;
        }
        let committer = self.consumer.committer();
        Ok(self.native.groups().commit(&request.group, committer, &pulled.positions).await)
    }

    /// What one read may give: what there is room for, and no more than the quota lets pass at once. A record that is
    /// larger than that goes alone, as in a fetch of Kafka's.
    fn pull_limits(&self, records_max: usize, bytes_max: usize, layout: RecordLayout) -> PullLimits {
        let room = FETCH_BYTES_MAX.min(self.outbound.room().saturating_sub(ROOM_KEPT));
        let of_quota = self.account.fetch_bytes_max(&self.native.services().quotas, &self.principal);
        PullLimits {
            records_max,
            bytes_max: bytes_max.min(of_quota).min(room),
            alone_max: room,
            isolation: self.session.isolation(),
            layout,
        }
    }

    async fn subscribe(&mut self, id: CorrelationId, request: &Subscribe) -> Result<Outcome, Ended> {
        let begun = self.native.readable(&self.principal, &request.topic, &request.group);
        let begun = match begun {
            // Whoever may not read for the group is told at once, not by silence.
            Ok(_) if self.consumer.member.is_none() => {
                self.native.groups().check_outsider(&request.group).await
            }
            Ok(_) => Ok(()),
            Err(failure) => Err(failure),
        };
        let layout = match begun.and_then(|()| self.session.subscribe(request)) {
            Ok(layout) => layout,
            Err(failure) => return self.answer::<Done>(id, Err(failure)),
        };
        self.consumer.cursors.add(&request.topic);
        self.push.begin(layout);
        self.answer(id, Ok(Done {}))
    }

    /// Waits until something may be there to push, or what was pushed has reached the client. For ever on a connection that
    /// is not pushed to. Dropping it loses nothing.
    pub(super) async fn push_due(&mut self) {
        if self.push.layout().is_none() {
            std::future::pending::<()>().await;
        }
        if let Some(until) = self.account.paused_until(Instant::now()) {
            sleep_until(until).await;
        }
        match self.push.sent() {
            Some(sent) => self.outbound.reached(sent).await,
            None => self.push.wait().await,
        }
    }

    /// Does what is due: commits what has reached the client, or pushes what is there.
    pub(super) async fn push_now(&mut self) -> Result<(), Ended> {
        let (Some(layout), Some(group)) = (self.push.layout(), self.session.group().cloned()) else {
            return Ok(());
        };
        if self.push.sent().is_some() {
            let positions = self.push.take_sent();
            let committed = self.native.groups().commit(&group, self.consumer.committer(), &positions).await;
            // A member that was evicted goes on when it has joined again, from where the group is.
            return committed.or_else(|failure| self.push_failed(&failure));
        }
        let partitions = match self.native.owned(&mut self.consumer, &group).await {
            Ok(partitions) => partitions,
            Err(failure) => return self.push_failed(&failure),
        };
        self.push.watch(&partitions);
        let limits = self.pull_limits(PUSH_RECORDS_MAX, PUSH_BYTES_MAX, layout);
        match self.native.pull(&mut self.consumer, &group, limits).await {
            Ok(pulled) if pulled.records.is_empty() => self.push.rest(),
            Ok(pulled) => {
                self.account.fetched(&self.native.services().quotas, &self.principal, pulled.bytes);
                let records = RecordBatch { records: pulled.records };
                self.outbound.queue(records_framed(CorrelationId::ZERO, &records, layout, false))?;
                self.push.sending(self.outbound.mark(), pulled.positions);
            }
            Err(failure) => return self.push_failed(&failure),
        }
        Ok(())
    }

    /// There is nobody to answer: the client is told with the zero id, once for each kind of failure in a row.
    fn push_failed(&mut self, failure: &Failure) -> Result<(), Ended> {
        self.push.rest();
        if self.push.is_news(failure.code) {
            self.send(CorrelationId::ZERO, failure)?;
        }
        Ok(())
    }
}

/// Who we are, and that we keep headers.
fn identity() -> IdentifyAck {
    let version = Capabilities { headers: true }.version_text(env!("CARGO_PKG_VERSION"));
    IdentifyAck { server: Str::from_static(SERVER_NAME), version: version.into() }
}

/// Records as one frame, or one frame each.
fn records_framed(id: CorrelationId, records: &RecordBatch, layout: RecordLayout, batched: bool) -> Bytes {
    if batched {
        return framed(id, &records.laid_out(layout));
    }
    let mut frames = BytesMut::new();
    for record in &records.records {
        let encoded =
            Frame::encode(id, &record.laid_out(layout), limits::CLIENT_FRAME_BYTES_MAX, &mut frames);
        if let Err(error) = encoded {
            let failure = Failure::new(ErrorCode::INTERNAL, format!("a record cannot be sent: {error}"));
            let _ = Frame::encode(id, &failure, limits::CLIENT_FRAME_BYTES_MAX, &mut frames);
        }
    }
    frames.freeze()
}

/// How the connection spreads records without a key over a topic. One of a topic that does not exist is not kept.
fn spread<'a>(
    spreads: &'a mut HashMap<Uuid, Spread>,
    native: &Native,
    topic: &headwater_codec::TopicName,
) -> &'a mut Spread {
    let id = native.services().topics.by_name(topic.as_str()).map_or(Uuid::nil(), |topic| topic.id());
    if spreads.len() >= SPREADS_MAX && !spreads.contains_key(&id) {
        spreads.clear();
    }
    spreads.entry(id).or_default()
}

/// What IDENTIFY_ACK says.
const SERVER_NAME: &str = "Headwater";
/// Room in the queue that records leave for other answers and for the heads of their own frames, bytes.
const ROOM_KEPT: usize = 256 << 10;
/// Records pushed in a row.
const PUSH_RECORDS_MAX: usize = 256;
/// Bytes pushed in a row, but for a record that is larger.
const PUSH_BYTES_MAX: usize = 4 << 20;
/// Topics whose spread is remembered.
const SPREADS_MAX: usize = 1024;
