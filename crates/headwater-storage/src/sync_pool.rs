//! A small pool of threads for what blocks: syncs, cold reads, files to remove. No runtime.

use std::{
    collections::VecDeque,
    fmt,
    sync::Arc,
    thread::{self, JoinHandle},
};

use parking_lot::{Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

/// Threads that start when there is work and stay until the pool is closed.
pub(crate) struct WorkerPool {
    shared: Arc<Shared>,
}

struct Shared {
    name: &'static str,
    /// 0: nothing runs until [`WorkerPool::run_pending`], which tests use to choose the moment.
    threads_max: usize,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: Vec<JoinHandle<()>>,
    closed: bool,
}

impl WorkerPool {
    pub(crate) fn new(name: &'static str, threads_max: usize) -> Self {
        let shared = Shared { name, threads_max, state: Mutex::default(), wake: Condvar::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Queues a job. After the pool was closed it is dropped; whoever waits for it is told by its channel.
    pub(crate) fn submit(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.shared.state.lock();
        if state.closed {
            return;
        }
        state.jobs.push_back(Box::new(job));
        if state.idle >= state.jobs.len() {
            drop(state);
            self.shared.wake.notify_one();
        } else if state.threads.len() < self.shared.threads_max {
            let shared = Arc::clone(&self.shared);
            let name = format!("headwater-{}-{}", shared.name, state.threads.len());
            match thread::Builder::new().name(name).spawn(move || shared.work()) {
                Ok(thread) => state.threads.push(thread),
                Err(error) => {
                    tracing::warn!(%error, pool = self.shared.name, "no new thread; work waits for another")
                }
            }
        }
    }

    /// Runs one waiting job on this thread; whether there was one.
    pub(crate) fn run_one(&self) -> bool {
        let job = self.shared.state.lock().jobs.pop_front();
        match job {
            Some(job) => {
                job();
                true
            }
            None => false,
        }
    }

    /// Runs everything that waits on this thread.
    pub(crate) fn run_pending(&self) {
        while self.run_one() {}
    }

    /// Finishes what is queued and joins the threads.
    pub(crate) fn close(&self) {
        let threads = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            std::mem::take(&mut state.threads)
        };
        self.shared.wake.notify_all();
        self.run_pending();
        for thread in threads {
            if thread.thread().id() != thread::current().id() && thread.join().is_err() {
                tracing::error!(pool = self.shared.name, "a thread had panicked");
            }
        }
    }
}

impl Shared {
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state.lock();
            } else if state.closed {
                return;
            } else {
                state.idle += 1;
                self.wake.wait(&mut state);
                state.idle -= 1;
            }
        }
    }
}

impl fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkerPool({})", self.shared.name)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn jobs_run_on_several_threads_at_a_time() {
        let pool = WorkerPool::new("test", 2);
        let (first, second) = (mpsc::channel(), mpsc::channel());
        let (tx, rx) = (first.0, second.1);
        pool.submit(move || rx.recv().unwrap());
        pool.submit(move || {
            tx.send(()).unwrap();
            second.0.send(()).unwrap();
        });
        first.1.recv().unwrap();
        pool.close();
    }

    #[test]
    fn closing_finishes_what_is_queued() {
        let (tx, rx) = mpsc::channel();
        let pool = WorkerPool::new("test", 0);
        pool.submit(move || tx.send(1).unwrap());
        assert!(rx.try_recv().is_err());
        pool.close();
        assert_eq!(rx.recv().unwrap(), 1);
    }
}
