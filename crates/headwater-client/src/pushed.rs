//! Records that the server pushed and nobody has taken yet.

use std::sync::atomic::{AtomicUsize, Ordering};

use headwater_native::messages::{Record, RecordLayout};
use tokio::sync::{Mutex, Notify, mpsc};

/// The taking end of the queue, and how full it is.
///
/// The reader of the connection stops at [`SOFT_BYTES_MAX`], so that the server holds back what is not taken. It must go
/// on while an answer is awaited, which comes behind records that are already on their way: then up to
/// [`HARD_BYTES_MAX`].
#[derive(Debug)]
pub(crate) struct Pushed {
    queue: Mutex<mpsc::UnboundedReceiver<Record>>,
    bytes: AtomicUsize,
    /// Wakes the reader when there is room, or a reason to make some.
    room: Notify,
}

impl Pushed {
    pub(crate) fn new() -> (mpsc::UnboundedSender<Record>, Self) {
        let (sender, queue) = mpsc::unbounded_channel();
        (sender, Self { queue: Mutex::new(queue), bytes: AtomicUsize::new(0), room: Notify::new() })
    }

    /// Counts a record that is about to be queued; gives the bytes that are queued then.
    pub(crate) fn count(&self, record: &Record) -> usize {
        let bytes = size(record);
        self.bytes.fetch_add(bytes, Ordering::AcqRel) + bytes
    }

    /// Whether the reader should wait for records to be taken.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes.load(Ordering::Acquire) >= SOFT_BYTES_MAX
    }

    /// Waits until a record was taken or [`Pushed::wake`] was called.
    pub(crate) async fn changed(&self) {
        self.room.notified().await;
    }

    /// Lets the reader look again.
    pub(crate) fn wake(&self) {
        self.room.notify_one();
    }

    /// The next record; `None` when the connection has ended and all were taken.
    pub(crate) async fn take(&self) -> Option<Record> {
        let record = self.queue.lock().await.recv().await?;
        self.bytes.fetch_sub(size(&record), Ordering::AcqRel);
        self.wake();
        Some(record)
    }
}

fn size(record: &Record) -> usize {
    record.encoded_len(RecordLayout::Headers)
}

/// Bytes of records that wait to be taken before the server is held back.
const SOFT_BYTES_MAX: usize = 1 << 20;

/// Bytes of records that may wait to be taken while an answer is awaited. A server queues up to 16 MiB before it.
pub(crate) const HARD_BYTES_MAX: usize = 64 << 20;
