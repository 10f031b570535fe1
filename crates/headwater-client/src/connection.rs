//! One socket and its two tasks: one writes what is queued, one reads and answers heartbeats.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use headwater_native::{
    CorrelationId, Frame, Payload, Reply, limits,
    messages::{Goodbye, HeartbeatRequest, HeartbeatResponse, Record, RecordLayout},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::{sleep, timeout},
};

use crate::{
    ClientError, Ended,
    calls::{Answer, Calls, Expects, Next},
};

/// A connection on which any number of requests may wait for their answers.
#[derive(Debug)]
pub(crate) struct Connection {
    outgoing: mpsc::Sender<Outgoing>,
    calls: Arc<Calls>,
    timeout: Duration,
    tasks: [JoinHandle<()>; 2],
}

/// What the writing task does next.
#[derive(Debug)]
enum Outgoing {
    Frame(Bytes),
    /// Ends the writing, and says so.
    End(oneshot::Sender<()>),
}

impl Connection {
    /// Takes a connected socket.
    pub(crate) fn new(stream: TcpStream, timeout: Duration) -> Self {
        let (read, write) = stream.into_split();
        let (outgoing, queued) = mpsc::channel(OUTGOING_MAX);
        let calls = Arc::new(Calls::new());
        let writer = tokio::spawn(write_all(write, queued, Arc::clone(&calls)));
        let reader = tokio::spawn(read_all(read, outgoing.clone(), Arc::clone(&calls)));
        Self { outgoing, calls, timeout, tasks: [writer, reader] }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn call(&self, request: &impl Payload) -> Result<Reply, ClientError> {
        Ok(self.ask(request, Expects::default()).await?.1)
    }

    /// Sends a request and waits for its answer and the records before it.
    pub(crate) async fn ask(&self, request: &impl Payload, expects: Expects) -> Result<Answer, ClientError> {
        let id = CorrelationId::new(version_4(rand::random()));
        let frame = encode(id, request)?;
        let answered = self.calls.begin(id, expects)?;
        let _forget = Forget { id, calls: &self.calls };
        let answer = async {
            let ended = || ClientError::from(self.calls.ended());
            self.outgoing.send(Outgoing::Frame(frame)).await.map_err(|_| ended())?;
            answered.await.map_err(|_| ended())?
        };
        timeout(self.timeout, answer).await.map_err(|_| ClientError::Timeout)?
    }

    /// Says in which layout pushed records come from now on.
    pub(crate) fn set_push_layout(&self, layout: RecordLayout) {
        self.calls.set_push_layout(layout);
    }

    /// The next pushed record.
    pub(crate) async fn next_record(&self) -> Result<Record, ClientError> {
        self.calls.pushed.take().await.ok_or_else(|| self.calls.ended().into())
    }

    /// Says goodbye and closes. What is under way ends with [`Ended::Closed`].
    pub(crate) async fn close(&self) {
        let (ended, writing_ended) = oneshot::channel();
        let farewell = async {
            if let Ok(frame) = encode(CorrelationId::ZERO, &Goodbye {}) {
                self.outgoing.send(Outgoing::Frame(frame)).await.ok()?;
            }
            self.outgoing.send(Outgoing::End(ended)).await.ok()?;
            writing_ended.await.ok()
        };
        // A server that does not read need not be waited for.
        let _ = timeout(self.timeout, farewell).await;
        self.calls.end(Ended::Closed);
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Forgets a call when its caller goes on, whatever the reason.
struct Forget<'a> {
    id: CorrelationId,
    calls: &'a Calls,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.calls.forget(self.id);
    }
}

async fn write_all(mut socket: OwnedWriteHalf, mut queued: mpsc::Receiver<Outgoing>, calls: Arc<Calls>) {
    let mut together = BytesMut::new();
    while let Some(first) = queued.recv().await {
        let (mut next, mut ended) = (Some(first), None);
        // What is queued by now goes out together.
        while let Some(outgoing) = next.take() {
            match outgoing {
                Outgoing::Frame(frame) => together.extend_from_slice(&frame),
                Outgoing::End(end) => ended = Some(end),
            }
            if ended.is_none() && together.len() < WRITE_BYTES {
                next = queued.try_recv().ok();
            }
        }
        if let Err(error) = socket.write_all(&together).await {
            return calls.end(Ended::Io(Arc::new(error)));
        }
        together.clear();
        if let Some(ended) = ended {
            // The server sees the end even if it does not know GOODBYE.
            let _ = socket.shutdown().await;
            let _ = ended.send(());
            return;
        }
    }
}

async fn read_all(socket: OwnedReadHalf, outgoing: mpsc::Sender<Outgoing>, calls: Arc<Calls>) {
    let Err(reason) = read_until_end(socket, outgoing, &calls).await;
    calls.end(reason);
}

async fn read_until_end(
    mut socket: OwnedReadHalf,
    outgoing: mpsc::Sender<Outgoing>,
    calls: &Calls,
) -> Result<std::convert::Infallible, Ended> {
    let mut buffer = BytesMut::new();
    loop {
        while let Some(frame) = Frame::take(&mut buffer, limits::CLIENT_FRAME_BYTES_MAX)? {
            if let Next::Heartbeat(id) = calls.receive(frame)? {
                beat(&outgoing, id, &HeartbeatResponse {});
            }
            hold_back(&outgoing, calls).await;
        }
        buffer.reserve(READ_BYTES);
        match socket.read_buf(&mut buffer).await {
            Ok(0) => return Err(Ended::ByServer),
            Ok(_) => {}
            Err(error) => return Err(Ended::Io(Arc::new(error))),
        }
    }
}

/// Waits while pushed records are not taken. The server is told meanwhile that we live, since nothing that it asks is
/// read.
async fn hold_back(outgoing: &mpsc::Sender<Outgoing>, calls: &Calls) {
    while calls.holds_back() {
        tokio::select! {
            () = calls.pushed.changed() => {}
            () = sleep(HEARTBEAT_INTERVAL) => {
                beat(outgoing, CorrelationId::new(version_4(rand::random())), &HeartbeatRequest {});
            }
        }
    }
}

/// Queues a heartbeat. When the queue is full the server hears of us anyway.
fn beat(outgoing: &mpsc::Sender<Outgoing>, id: CorrelationId, heartbeat: &impl Payload) {
    if let Ok(frame) = encode(id, heartbeat) {
        let _ = outgoing.try_send(Outgoing::Frame(frame));
    }
}

fn encode(id: CorrelationId, message: &impl Payload) -> Result<Bytes, ClientError> {
    let mut frame = BytesMut::new();
    Frame::encode(id, message, limits::SERVER_FRAME_BYTES_MAX, &mut frame)?;
    Ok(frame.freeze())
}

/// Marks random bytes as a version 4 UUID, so that they are never those of [`CorrelationId::ZERO`].
const fn version_4(mut bytes: [u8; 16]) -> [u8; 16] {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

/// Frames that wait to be written.
const OUTGOING_MAX: usize = 64;
/// Bytes that are written together when they are there.
const WRITE_BYTES: usize = 256 << 10;
/// Bytes to have room for when reading.
const READ_BYTES: usize = 64 << 10;
/// A server closes what it has not heard of for 60 s.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
