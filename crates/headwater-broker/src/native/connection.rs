//! One native connection: requests in order, answers in order, pushes between them.
//!
//! Requests are handled one after the other, but for records that are produced without a producer id: they take their
//! places at once, and only their answers wait for the disk. What is sent goes through a bounded queue to a task of its
//! own, so that a client may send while it does not read.

use std::{future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt, StreamExt, stream::FuturesOrdered};
use headwater_native::{
    CorrelationId, EncodeError, ErrorCode, Frame, Opcode, Payload, Phase, Request, Session, limits,
    messages::{Failure, HeartbeatRequest},
};
use tokio::{
    net::TcpStream,
    time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout},
};

use super::{
    answering::Client,
    door::Native,
    ended::Ended,
    frames::{FrameReader, ReadError},
    outbound::outbound,
    served,
};
use crate::context::Peer;

/// An answer on its way.
pub(super) type Acking = Pin<Box<dyn Future<Output = Bytes> + Send>>;

/// What a request comes to.
pub(super) enum Outcome {
    /// It is answered, or needs no answer.
    Done,
    /// It is answered later, and the next request may begin.
    Later(Acking),
}

/// Serves a connection until it is over, and tells why.
pub(super) async fn serve(native: Native, peer: Arc<Peer>, stream: TcpStream) -> Ended {
    let (reading, writing) = stream.into_split();
    let (outbound, writer) = outbound(OUTBOUND_BYTES_MAX);
    let metrics = native.services().metrics.clone();
    let mut writer = tokio::spawn(writer.run(writing, metrics));
    let stopping = native.services().stopping.clone();
    let connection = Connection {
        reader: FrameReader::new(reading),
        client: Client::new(native, peer, outbound),
        acking: FuturesOrdered::new(),
    };
    let ended = tokio::select! {
        ended = AssertUnwindSafe(connection.run()).catch_unwind() => ended.unwrap_or(Ended::Panicked),
        () = stopping.begun() => Ended::Stopping,
    };
    // What was queued still goes out, to a client that takes it.
    if timeout(DRAIN_MAX, &mut writer).await.is_err() {
        writer.abort();
    }
    ended
}

struct Connection {
    reader: FrameReader,
    client: Client,
    acking: FuturesOrdered<Acking>,
}

impl Connection {
    async fn run(mut self) -> Ended {
        match self.serve().await {
            Ok(never) => match never {},
            Err(ended) => {
                // Who sends what cannot be read is told, as far as there is something to tell.
                if let Some(failure) = parting(&ended) {
                    let _ = self.client.send(CorrelationId::ZERO, &failure);
                }
                ended
            }
        }
    }

    async fn serve(&mut self) -> Result<std::convert::Infallible, Ended> {
        let outbound = self.client.outbound().clone();
        let mut heard = Instant::now();
        let mut heartbeats = interval_at(Instant::now() + HEARTBEAT_EVERY, HEARTBEAT_EVERY);
        heartbeats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let paused = self.client.paused_until();
            // A client that is not listened to could not be heard.
            let deadline =
                paused.map_or(heard, |until| until.max(heard)) + silence_max(self.client.session());
            let may_read = self.acking.len() < ACKING_MAX && paused.is_none();
            tokio::select! {
                biased;
                Some(answer) = self.acking.next(), if !self.acking.is_empty() => {
                    outbound.queue(answer)?;
                }
                // Before the frames: they may come without an end.
                () = sleep_until(deadline) => return Err(Ended::Silent),
                frame = self.reader.next(), if may_read => {
                    let frame = frame?.ok_or(Ended::Closed)?;
                    let (begun, phase) = (Instant::now(), self.client.session().phase());
                    self.handle(frame).await?;
                    // Until it is authenticated a client is heard when it comes on, whatever else it says. What it took
                    // us is not its silence.
                    let is_heard = phase == Phase::Authenticated || self.client.session().phase() != phase;
                    heard = if is_heard { Instant::now() } else { heard + begun.elapsed() };
                }
                () = sleep_until(paused.unwrap_or(deadline)), if paused.is_some() => {}
                () = self.client.push_due() => self.client.push_now().await?,
                () = outbound.broken() => return Err(Ended::Broken),
                _ = heartbeats.tick() => {
                    if self.client.session().phase() == Phase::Authenticated {
                        self.client.send(CorrelationId::new(rand::random()), &HeartbeatRequest {})?;
                    }
                }
            }
        }
    }

    async fn handle(&mut self, frame: Frame) -> Result<(), Ended> {
        let (id, opcode) = (frame.correlation_id, Opcode::from_code(frame.opcode));
        self.client.count(frame.opcode, Frame::PREFIX_SIZE + Frame::SIZE_MIN + frame.payload.len());
        let Some(opcode) = opcode else {
            let message = format!("there is no opcode {:#04x}", frame.opcode);
            return self.client.send(id, &Failure::new(ErrorCode::UNKNOWN_OP, message));
        };
        let capabilities = &self.client.native().services().capabilities;
        let admitted = self.client.session().admit(opcode).and_then(|()| served::check(opcode, capabilities));
        if let Err(refused) = admitted {
            return self.client.send(id, &refused);
        }
        let request = match Request::decode(frame) {
            Ok(request) => request,
            // What opens a connection has to be right.
            Err(_) if matches!(opcode, Opcode::Hello | Opcode::Auth) => return Err(Ended::BadOpening),
            Err(error) => return self.client.send(id, &Failure::new(error.code(), error.to_string())),
        };
        if !overlaps(&request) {
            while let Some(answer) = self.acking.next().await {
                self.client.outbound().queue(answer)?;
            }
        }
        match self.client.handle(id, request).await? {
            Outcome::Done => {}
            Outcome::Later(acking) => self.acking.push_back(acking),
        }
        Ok(())
    }
}

/// Whether a request may be under way together with its like.
fn overlaps(request: &Request) -> bool {
    match request {
        Request::Produce(_) => true,
        Request::ProduceBatch(batch) => batch.producer.is_none(),
        _ => false,
    }
}

/// What is sent before a connection is closed on the client's account.
fn parting(ended: &Ended) -> Option<Failure> {
    use headwater_native::FrameError;
    let code = match ended {
        Ended::Read(ReadError::Frame(FrameError::TooLarge { .. })) => ErrorCode::FRAME_TOO_LARGE,
        Ended::AuthFailed => ErrorCode::AUTH_FAILED,
        Ended::Panicked => ErrorCode::INTERNAL,
        _ => return None,
    };
    Some(Failure::new(code, ended.to_string()))
}

/// How long a client may be silent.
fn silence_max(session: &Session) -> Duration {
    match session.phase() {
        Phase::New => HANDSHAKE_MAX,
        Phase::Greeted => AUTHENTICATION_MAX,
        Phase::Authenticated | Phase::Closed => IDLE_MAX,
    }
}

/// A message as a frame; one that the wire cannot carry becomes a failure.
pub(super) fn framed(id: CorrelationId, message: &impl Payload) -> Bytes {
    let mut frame = BytesMut::new();
    if let Err(error) = encode(id, message, &mut frame) {
        let failure = Failure::new(ErrorCode::INTERNAL, format!("the answer cannot be sent: {error}"));
        // A failure's text was cut to what the wire carries.
        let _ = encode(id, &failure, &mut frame);
    }
    frame.freeze()
}

fn encode(id: CorrelationId, message: &impl Payload, frame: &mut BytesMut) -> Result<(), EncodeError> {
    Frame::encode(id, message, limits::CLIENT_FRAME_BYTES_MAX, frame)
}

impl Client {
    /// Queues one message.
    pub(super) fn send(&self, id: CorrelationId, message: &impl Payload) -> Result<(), Ended> {
        Ok(self.outbound().queue(framed(id, message))?)
    }
}

/// Bytes that may wait for a client to read them.
const OUTBOUND_BYTES_MAX: u64 = 16 << 20;
/// Produced records of a connection that may wait for the disk together.
const ACKING_MAX: usize = 64;
/// How long a client may take to say hello.
const HANDSHAKE_MAX: Duration = Duration::from_secs(5);
/// How long a client may take from its hello until it is authenticated.
const AUTHENTICATION_MAX: Duration = Duration::from_secs(5);
/// How long a client may be silent.
const IDLE_MAX: Duration = Duration::from_secs(60);
/// How often a client is asked whether it lives.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(30);
/// How long a connection is kept for its last answers.
const DRAIN_MAX: Duration = Duration::from_secs(5);
