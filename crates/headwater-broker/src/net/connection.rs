//! One connection: requests begin in order, answers leave in order.
//!
//! Only requests that may overlap (Produce) are under way together, and those only with their like; every other request
//! waits for the ones before it, and the ones after it wait for it. A request under way was polled at least once,
//! which is when a produce takes its place in its partitions.

use std::{
    collections::VecDeque,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::{self, Poll, Waker},
    time::Duration,
};

use headwater_codec::{ApiKey, EncodeError, frame::PREFIX_SIZE};
use tokio::{
    net::TcpStream,
    sync::Semaphore,
    time::{Instant, sleep_until},
};

use super::{
    accept::Door,
    answers::Answers,
    buffers::BufferPool,
    dispatch::{Request, dispatch},
    ended::Ended,
    frames::FrameReader,
};
use crate::{
    api::{Answering, Order, Reply},
    context::{Peer, Services},
    metrics::Metrics,
};

/// What every connection of a broker shares.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) services: Arc<Services>,
    pub(crate) pool: BufferPool,
    /// How many threads may read cold files at a time.
    pub(crate) readers: Arc<Semaphore>,
    pub(crate) request_bytes_max: usize,
    /// How long a connection may be silent; `None` for ever.
    pub(crate) idle_max: Option<Duration>,
}

impl Door for Shared {
    fn metrics(&self) -> &Metrics {
        &self.services.metrics
    }

    async fn serve(self, peer: Arc<Peer>, stream: TcpStream) {
        let metrics = self.services.metrics.clone();
        match serve(self, peer.clone(), stream).await {
            Ok(()) => {
                tracing::debug!(address = %peer.address, listener = %peer.listener, "connection closed by the client");
            }
            Err(ended) => {
                if let Some(key) = ended.api_key() {
                    metrics.request_error(key);
                }
                log(&peer, &ended);
            }
        }
    }
}

fn log(peer: &Peer, ended: &Ended) {
    let Peer { address, listener, .. } = peer;
    if ended.is_ours() {
        tracing::error!(%address, %listener, reason = %ended, "connection closed");
    } else if ended.is_ordinary() {
        tracing::debug!(%address, %listener, reason = %ended, "connection closed");
    } else {
        tracing::warn!(%address, %listener, reason = %ended, "connection closed");
    }
}

/// Serves a connection until it is over.
async fn serve(shared: Shared, peer: Arc<Peer>, stream: TcpStream) -> Result<(), Ended> {
    let services = &shared.services;
    let metrics = &services.metrics;
    let mut reader = FrameReader::new(shared.pool.clone(), shared.request_bytes_max);
    let mut answers = Answers::new(shared.readers.clone());
    let mut under_way = UnderWay::default();
    // A request that is read and may not begin yet.
    let mut held: Option<Request> = None;
    let mut reading = true;
    // Why nothing is read any more after an answer that was the last one.
    let mut last = None;
    let login = &peer.authentication;
    let mut logging_in = false;
    let mut deadline = Deadline::new(shared.idle_max);
    let mut stopping = pin!(services.stopping.begun());
    let mut stop_noticed = false;
    let mut timer = pin!(sleep_until(deadline.at));
    let mut unmuted = pin!(sleep_until(deadline.at));

    loop {
        if let Some(request) = held.take_if(|request| under_way.may_begin(request.order)) {
            under_way.begin(request)?;
        }
        if !reading && under_way.is_empty() && held.is_none() && answers.is_empty() {
            return match last {
                Some(reason) => Err(Ended::LoginFailed(reason)),
                None if stop_noticed => Err(Ended::Stopping),
                None => Ok(()),
            };
        }
        if login.is_pending() != logging_in {
            logging_in = !logging_in;
            let config = &services.config;
            let login_max = config.sasl_server_max_receive_size.min(shared.request_bytes_max);
            reader.expect(logging_in, if logging_in { login_max } else { shared.request_bytes_max });
        }
        let muted_until = peer.throttle.until(Instant::now);
        if let Some(at) = muted_until.filter(|at| *at != unmuted.deadline()) {
            unmuted.as_mut().reset(at);
        }
        let may_read = if muted_until.is_some() {
            false
        } else if logging_in {
            // What the next bytes mean follows from how this request ends.
            reading && held.is_none() && under_way.is_empty() && answers.is_empty()
        } else {
            reading && held.is_none() && under_way.has_room() && answers.has_room()
        };
        tokio::select! {
            biased;
            reply = under_way.front(), if !under_way.is_empty() && answers.has_room() => match reply? {
                Reply::Frame { frame, slices } => answers.push(frame, &slices)?,
                Reply::Nothing => {}
                Reply::Last { frame, reason } => {
                    answers.push(frame, &[])?;
                    (last, reading, held) = (Some(reason), false, None);
                    deadline.limit(DRAIN_MAX);
                    timer.as_mut().reset(deadline.at);
                }
                Reply::Close(reason) => return Err(Ended::Refused(reason)),
            },
            result = answers.flush(&stream, |bytes| {
                metrics.bytes_out(bytes);
                deadline.touch();
            }), if !answers.is_empty() => result?,
            frame = reader.next(&stream), if may_read => match frame? {
                Some(frame) => {
                    metrics.bytes_in(PREFIX_SIZE + frame.len());
                    deadline.touch();
                    held = Some(dispatch(services, &peer, frame)?);
                }
                None => {
                    // The peer may still read; it gets what it asked for, but not for ever.
                    reading = false;
                    deadline.limit(DRAIN_MAX);
                    timer.as_mut().reset(deadline.at);
                }
            },
            // The peer could not know that it was not listened to: its silence begins now.
            () = &mut unmuted, if muted_until.is_some() => deadline.touch(),
            () = &mut stopping, if !stop_noticed => {
                stop_noticed = true;
                reading = false;
                held = None;
                if under_way.parks() {
                    return Err(Ended::Stopping);
                }
                deadline.limit(DRAIN_MAX);
                timer.as_mut().reset(deadline.at);
            }
            () = &mut timer => {
                let is_waiting = muted_until.is_some() || !under_way.is_empty();
                let waits_for_us = reading && is_waiting && answers.is_empty();
                if waits_for_us {
                    deadline.touch();
                }
                if deadline.has_passed() {
                    return Err(if stop_noticed { Ended::Stopping } else { Ended::Idle });
                }
                timer.as_mut().reset(deadline.at);
            }
        }
    }
}

/// When a connection is given up.
struct Deadline {
    idle_max: Option<Duration>,
    at: Instant,
    limited: bool,
}

impl Deadline {
    fn new(idle_max: Option<Duration>) -> Self {
        Self { idle_max, at: Instant::now() + idle_max.unwrap_or(FAR), limited: false }
    }

    /// Something came or went.
    fn touch(&mut self) {
        if !self.limited {
            self.at = Instant::now() + self.idle_max.unwrap_or(FAR);
        }
    }

    /// From now on only so long, whatever happens.
    fn limit(&mut self, rest: Duration) {
        self.limited = true;
        self.at = self.at.min(Instant::now() + rest);
    }

    fn has_passed(&self) -> bool {
        Instant::now() >= self.at
    }
}

/// Requests that have begun, oldest first.
#[derive(Default)]
struct UnderWay {
    requests: VecDeque<Begun>,
}

struct Begun {
    api: ApiKey,
    version: i16,
    order: Order,
    parks: bool,
    state: State,
}

enum State {
    Answering(Answering),
    Done(Option<Result<Reply, EncodeError>>),
}

impl UnderWay {
    fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    fn has_room(&self) -> bool {
        self.requests.len() < UNDER_WAY_MAX
    }

    /// Whether one of them waits for something that others do.
    fn parks(&self) -> bool {
        self.requests.iter().any(|request| request.parks)
    }

    fn may_begin(&self, order: Order) -> bool {
        match self.requests.back() {
            None => true,
            Some(last) => self.has_room() && order == Order::Overlaps && last.order == Order::Overlaps,
        }
    }

    /// Polls the request for the first time and puts it behind the others.
    fn begin(&mut self, request: Request) -> Result<(), Ended> {
        let Request { api, version, order, parks, mut answering } = request;
        // Whatever wakes it before it is at the front is noticed when it gets there.
        let polled = poll(&mut answering, &mut task::Context::from_waker(Waker::noop()), api, version)?;
        let state = match polled {
            Poll::Ready(reply) => State::Done(Some(reply)),
            Poll::Pending => State::Answering(answering),
        };
        self.requests.push_back(Begun { api, version, order, parks, state });
        Ok(())
    }

    /// Waits for the oldest one's answer. Dropping it loses nothing. Never ends when there is none.
    async fn front(&mut self) -> Result<Reply, Ended> {
        let requests = &mut self.requests;
        let (reply, api, version) = poll_fn(|cx| {
            let Some(first) = requests.front_mut() else { return Poll::Pending };
            let reply = match &mut first.state {
                State::Done(reply) => reply.take().map_or(Poll::Pending, Poll::Ready),
                State::Answering(answering) => match poll(answering, cx, first.api, first.version) {
                    Ok(polled) => polled,
                    Err(ended) => return Poll::Ready(Err(ended)),
                },
            };
            reply.map(|reply| Ok((reply, first.api, first.version)))
        })
        .await?;
        requests.pop_front();
        reply.map_err(|source| Ended::Unwritable { api, version, source })
    }
}

/// Polls a request; a panic in a handler ends the connection and nothing else.
fn poll(
    answering: &mut Answering,
    cx: &mut task::Context<'_>,
    api: ApiKey,
    version: i16,
) -> Result<Poll<Result<Reply, EncodeError>>, Ended> {
    catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(cx)))
        .map_err(|_| Ended::Panicked { api, version })
}

/// Requests of one connection that may be under way together.
const UNDER_WAY_MAX: usize = 64;
/// How long a connection is kept for its last answers.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// For ever, as far as a timer can tell.
const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

#[cfg(test)]
mod tests;
