//! Memory for requests: used again while there is load, given back to the system when the load is over.
//!
//! Fresh memory is slow to touch the first time, and a broker touches a lot of it; so buffers go round in size classes.
//! What no one needed between two calls of [`BufferPool::trim`] is freed.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Buffers that go round, and a bound on how many bytes of requests are in memory. Cheap to clone.
#[derive(Clone)]
pub(crate) struct BufferPool {
    shared: Arc<Shared>,
}

struct Shared {
    classes: Vec<Class>,
    free_bytes: AtomicUsize,
    free_bytes_max: usize,
    /// Bytes that requests may take, in units of [`UNIT`]; `None` for no bound.
    budget: Option<(Arc<Semaphore>, u32)>,
}

struct Class {
    free: Mutex<Free>,
}

#[derive(Default)]
struct Free {
    buffers: Vec<Vec<u8>>,
    /// The fewest that were free at any time since the last trim: so many were not needed.
    idle: usize,
}

/// A buffer that returns to its pool when it is dropped.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    pool: Arc<Shared>,
    _budget: Option<OwnedSemaphorePermit>,
}

/// A share of the budget, taken before the memory is.
pub(crate) struct Budget(Option<OwnedSemaphorePermit>);

impl BufferPool {
    /// A pool that keeps at most `free_bytes_max` for later use and lets at most `budget_bytes` be taken at a time.
    pub(crate) fn new(free_bytes_max: usize, budget_bytes: Option<u64>) -> Self {
        let budget = budget_bytes.map(|bytes| {
            let units = u32::try_from(bytes.div_ceil(UNIT as u64)).unwrap_or(u32::MAX).clamp(1, UNITS_MAX);
            (Arc::new(Semaphore::new(units as usize)), units)
        });
        let classes = (0..CLASS_COUNT).map(|_| Class { free: Mutex::default() }).collect();
        Self { shared: Arc::new(Shared { classes, free_bytes: AtomicUsize::new(0), free_bytes_max, budget }) }
    }

    /// Waits until a request of `length` bytes may be taken into memory. One that exceeds the whole budget waits for
    /// all of it.
    pub(crate) async fn reserve(&self, length: usize) -> Budget {
        let Some((semaphore, all)) = &self.shared.budget else { return Budget(None) };
        let units = u32::try_from(length.div_ceil(UNIT)).unwrap_or(u32::MAX).min(*all);
        // The semaphore is never closed.
        Budget(semaphore.clone().acquire_many_owned(units).await.ok())
    }

    /// An empty buffer with room for at least `length` bytes.
    pub(crate) fn take(&self, length: usize, budget: Budget) -> Buffer {
        let reused = class_for(length).and_then(|class| self.shared.classes.get(class)).and_then(|class| {
            let mut free = class.free.lock();
            let buffer = free.buffers.pop();
            free.idle = free.idle.min(free.buffers.len());
            buffer
        });
        let bytes = reused.map_or_else(
            || Vec::with_capacity(class_for(length).map_or(length, class_size)),
            |bytes| {
                self.shared.free_bytes.fetch_sub(bytes.capacity(), Ordering::Relaxed);
                bytes
            },
        );
        Buffer { bytes, pool: self.shared.clone(), _budget: budget.0 }
    }

    /// An empty buffer of the smallest class, outside the budget.
    pub(crate) fn take_small(&self) -> Buffer {
        self.take(SMALLEST, Budget(None))
    }

    /// Frees what was not needed since the last call.
    pub(crate) fn trim(&self) {
        for class in &self.shared.classes {
            let unneeded = {
                let mut free = class.free.lock();
                let count = free.idle.min(free.buffers.len());
                // The oldest lie at the bottom.
                let unneeded: Vec<_> = free.buffers.drain(..count).collect();
                free.idle = free.buffers.len();
                if free.buffers.is_empty() {
                    free.buffers.shrink_to_fit();
                }
                unneeded
            };
            let bytes = unneeded.iter().map(Vec::capacity).sum();
            self.shared.free_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Bytes that lie ready to be used again.
    pub(crate) fn free_bytes(&self) -> usize {
        self.shared.free_bytes.load(Ordering::Relaxed)
    }
}

impl Buffer {
    /// The buffer itself. Its capacity is not to be exceeded.
    pub(crate) fn vec(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// What is in it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The content as shared bytes; the buffer returns to its pool with the last slice of them.
    pub(crate) fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        let capacity = bytes.capacity();
        // A buffer that has outgrown its class, or belongs to none, is freed.
        let Some(class) = class_for(capacity).filter(|class| class_size(*class) == capacity) else { return };
        let kept = self.pool.free_bytes.fetch_add(capacity, Ordering::Relaxed) + capacity;
        if kept > self.pool.free_bytes_max {
            self.pool.free_bytes.fetch_sub(capacity, Ordering::Relaxed);
            return;
        }
        bytes.clear();
        if let Some(class) = self.pool.classes.get(class) {
            class.free.lock().buffers.push(bytes);
        }
    }
}

/// The smallest class that holds `length` bytes; `None` above the largest.
fn class_for(length: usize) -> Option<usize> {
    let class =
        length.max(SMALLEST).checked_next_power_of_two()?.trailing_zeros() - SMALLEST.trailing_zeros();
    let class = class as usize;
    (class < CLASS_COUNT).then_some(class)
}

const fn class_size(class: usize) -> usize {
    SMALLEST << class
}

/// Bytes of the smallest class: many requests at once, or one.
pub(crate) const SMALLEST: usize = 16 << 10;
/// Classes of 16 KiB to 128 MiB, each double the one before.
const CLASS_COUNT: usize = 14;
/// The grain of the budget in bytes.
const UNIT: usize = 1 << 10;
/// The most permits that the semaphore can hold on every platform.
const UNITS_MAX: u32 = u32::MAX >> 3;

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn gives_a_returned_buffer_again() {
        let pool = BufferPool::new(1 << 20, None);
        let budget = pool.reserve(20_000).await;
        let mut buffer = pool.take(20_000, budget);
        buffer.vec().extend_from_slice(b"abc");
        let address = buffer.bytes().as_ptr();
        let slice = buffer.freeze().slice(1..);
        assert_eq!(pool.free_bytes(), 0, "a slice keeps it");
        drop(slice);
        assert_eq!(pool.free_bytes(), 32 << 10);
        let budget = pool.reserve(30_000).await;
        let again = pool.take(30_000, budget);
        assert_eq!((again.bytes(), again.bytes().as_ptr()), (&b""[..], address));
        assert_eq!(pool.free_bytes(), 0);
    }

    #[test]
    fn keeps_no_more_than_its_bound() {
        let pool = BufferPool::new(SMALLEST * 2, None);
        let buffers: Vec<_> = (0..5).map(|_| pool.take_small()).collect();
        drop(buffers);
        assert_eq!(pool.free_bytes(), SMALLEST * 2);
    }

    #[test]
    fn frees_in_two_trims_what_is_not_needed() {
        let pool = BufferPool::new(1 << 20, None);
        drop((0..4).map(|_| pool.take_small()).collect::<Vec<_>>());
        pool.trim();
        let two = (pool.take_small(), pool.take_small());
        drop(two);
        pool.trim();
        assert_eq!(pool.free_bytes(), 2 * SMALLEST, "two of four were needed");
        pool.trim();
        assert_eq!(pool.free_bytes(), 0);
    }

    #[tokio::test]
    async fn budget_is_taken_before_memory_and_given_back_with_it() {
        let pool = BufferPool::new(0, Some(64 << 10));
        let first = pool.take(60 << 10, pool.reserve(60 << 10).await);
        let second = pool.reserve(8 << 10);
        tokio::pin!(second);
        assert!(second.as_mut().now_or_never().is_none());
        drop(first.freeze());
        assert!(second.as_mut().now_or_never().is_some());
    }

    #[tokio::test]
    async fn request_above_the_whole_budget_is_served_alone() {
        let pool = BufferPool::new(0, Some(16 << 10));
        let huge = pool.take(1 << 20, pool.reserve(1 << 20).await);
        assert!(huge.bytes.capacity() >= 1 << 20);
    }
}
