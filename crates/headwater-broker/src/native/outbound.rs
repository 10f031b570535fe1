//! What is on its way to a client: a queue that is bounded in bytes, and the task that writes it to the socket.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    io::AsyncWriteExt,
    net::tcp::OwnedWriteHalf,
    sync::{mpsc, watch},
    time::timeout,
};

use crate::metrics::Metrics;

/// The near end of the queue. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Outbound {
    /// Has no bound of its own: the bytes in it have one.
    frames: mpsc::UnboundedSender<Bytes>,
    queued: Arc<AtomicU64>,
    written: watch::Receiver<u64>,
    bytes_max: u64,
}

/// The client does not read what it is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("more than {bytes_max} bytes wait for the client to read them")]
pub(super) struct Overflow {
    bytes_max: u64,
}

/// The far end of the queue.
#[derive(Debug)]
pub(super) struct Writer {
    frames: mpsc::UnboundedReceiver<Bytes>,
    written: watch::Sender<u64>,
}

/// A queue that holds at most `bytes_max` bytes.
pub(super) fn outbound(bytes_max: u64) -> (Outbound, Writer) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let (written, watching) = watch::channel(0);
    let outbound = Outbound { frames: sender, queued: Arc::default(), written: watching, bytes_max };
    (outbound, Writer { frames: receiver, written })
}

impl Outbound {
    /// Queues frames.
    ///
    /// # Errors
    /// [`Overflow`] when there is no room; the connection is to be closed.
    pub(super) fn queue(&self, frames: Bytes) -> Result<(), Overflow> {
        let bytes = frames.len() as u64;
        if self.waiting() + bytes > self.bytes_max {
            return Err(Overflow { bytes_max: self.bytes_max });
        }
        self.queued.fetch_add(bytes, Ordering::Relaxed);
        // When the writer is gone the connection ends anyway.
        let _ = self.frames.send(frames);
        Ok(())
    }

    /// Bytes that have not reached the socket.
    pub(super) fn waiting(&self) -> u64 {
        self.mark().saturating_sub(*self.written.borrow())
    }

    /// Bytes that there is room for.
    pub(super) fn room(&self) -> usize {
        usize::try_from(self.bytes_max.saturating_sub(self.waiting())).unwrap_or(usize::MAX)
    }

    /// Waits until there is room for so many bytes: false when there never will be, because the writer is gone.
    pub(super) async fn has_room(&self, bytes: usize) -> bool {
        let may_wait = self.bytes_max.saturating_sub(bytes as u64);
        let mut written = self.written.clone();
        written.wait_for(|written| self.mark().saturating_sub(*written) <= may_wait).await.is_ok()
    }

    /// Stands for everything that was queued up to now.
    pub(super) fn mark(&self) -> u64 {
        self.queued.load(Ordering::Relaxed)
    }

    /// Waits until everything up to the mark has reached the socket, or the writer is gone.
    pub(super) async fn reached(&self, mark: u64) {
        let mut written = self.written.clone();
        // An error means that the writer is gone.
        let _ = written.wait_for(|written| *written >= mark).await;
    }

    /// Waits until the writer is gone: the client does not take anything any more.
    pub(super) async fn broken(&self) {
        self.frames.closed().await;
    }
}

impl Writer {
    /// Writes until the near end is gone and everything is written.
    pub(super) async fn run(mut self, mut socket: OwnedWriteHalf, metrics: Metrics) -> io::Result<()> {
        while let Some(frames) = self.frames.recv().await {
            let written = timeout(WRITE_MAX, socket.write_all(&frames)).await;
            written.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            metrics.bytes_out(frames.len());
            self.written.send_modify(|written| *written += frames.len() as u64);
        }
        socket.shutdown().await
    }
}

/// How long a client may leave a write waiting.
const WRITE_MAX: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_no_more_than_its_bound() {
        let (outbound, writer) = outbound(10);
        assert_eq!(outbound.queue(Bytes::from_static(b"123456")), Ok(()));
        assert_eq!((outbound.waiting(), outbound.room()), (6, 4));
        assert_eq!(outbound.queue(Bytes::from_static(b"12345")), Err(Overflow { bytes_max: 10 }));
        writer.written.send_replace(6);
        assert_eq!(outbound.queue(Bytes::from_static(b"1234567890")), Ok(()));
    }

    #[tokio::test]
    async fn room_is_waited_for_while_there_is_a_writer() {
        let (outbound, writer) = outbound(10);
        outbound.queue(Bytes::from_static(b"123456")).unwrap();
        assert!(outbound.has_room(4).await);
        let waiting = outbound.has_room(5);
        tokio::pin!(waiting);
        assert!(timeout(Duration::from_millis(20), &mut waiting).await.is_err());
        writer.written.send_replace(6);
        assert!(waiting.await);
        outbound.queue(Bytes::from_static(b"123456")).unwrap();
        drop(writer);
        assert!(!outbound.has_room(5).await);
    }
}
