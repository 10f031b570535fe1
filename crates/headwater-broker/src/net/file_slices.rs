//! Sending slices of log files without copying them.
//!
//! A connection's task never waits for a disk: before each turn it asks the system whether the next bytes are in the
//! page cache. Those that are go straight from there to the socket. Others are first brought in by one of a few
//! blocking threads.

use std::{io, sync::Arc};

use bytes::Bytes;
use headwater_storage::FileSlice;
use tokio::{
    net::TcpStream,
    sync::Semaphore,
    task::{JoinHandle, spawn_blocking},
};

use super::ended::Ended;

/// A slice on its way out.
pub(super) struct Sending {
    slice: FileSlice,
    sent: usize,
    /// Up to here the bytes are taken to be in the page cache.
    warm: usize,
    warming: Option<JoinHandle<io::Result<usize>>>,
}

impl Sending {
    pub(super) fn new(slice: FileSlice) -> Self {
        Self { slice, sent: 0, warm: 0, warming: None }
    }

    pub(super) fn remaining(&self) -> usize {
        self.slice.len() - self.sent
    }

    /// Sends up to [`TURN_BYTES`] and gives how many. 0 when the socket takes no more at the moment. Dropping it loses nothing.
    pub(super) async fn turn(
        &mut self,
        stream: &TcpStream,
        readers: &Arc<Semaphore>,
    ) -> Result<usize, Ended> {
        if self.sent == self.warm {
            self.warm_up(readers).await?;
        }
        match system::send(stream, &self.slice, self.sent, self.warm - self.sent) {
            Ok(0) => Err(Ended::SliceCut),
            Ok(sent) => {
                self.sent += sent;
                Ok(sent)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Sees to it that the next turn's bytes are in the page cache.
    async fn warm_up(&mut self, readers: &Arc<Semaphore>) -> Result<(), Ended> {
        let length = self.remaining().min(TURN_BYTES);
        if self.warming.is_none() && system::is_cached(&self.slice, self.sent, length) {
            self.warm = self.sent + length;
            return Ok(());
        }
        if self.warming.is_none() {
            // The semaphore is never closed.
            let permit = readers.clone().acquire_owned().await.ok();
            let (slice, from) = (self.slice.clone(), self.sent);
            self.warming = Some(spawn_blocking(move || {
                let _permit = permit;
                read_through(&slice, from, length)
            }));
        }
        if let Some(warming) = &mut self.warming {
            let read = warming.await.map_err(io::Error::other);
            self.warming = None;
            if read?? < length {
                return Err(Ended::SliceCut);
            }
            self.warm = self.sent + length;
        }
        Ok(())
    }
}

/// The bytes of a slice that is so small that copying it is cheaper than sending it by itself, if they are in the page
/// cache.
pub(super) fn read_small(slice: &FileSlice) -> Option<Bytes> {
    if slice.len() > SMALL_BYTES {
        return None;
    }
    let mut bytes = vec![0; slice.len()];
    system::read_cached(slice, &mut bytes).then(|| Bytes::from(bytes))
}

/// Reads `length` bytes and forgets them; what matters is that the system has them then. Gives how many there were.
fn read_through(slice: &FileSlice, from: usize, length: usize) -> io::Result<usize> {
    let mut scratch = vec![0; SCRATCH_BYTES.min(length)];
    let mut done = 0;
    while done < length {
        let room = scratch.len().min(length - done);
        let Some(scratch) = scratch.get_mut(..room) else { break };
        match slice.read_at(from + done, scratch) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Bytes that one connection sends before others have their turn.
pub(super) const TURN_BYTES: usize = 1 << 20;
/// Slices up to this size share a write with what is around them.
const SMALL_BYTES: usize = 16 << 10;
const SCRATCH_BYTES: usize = 128 << 10;

#[cfg(target_os = "linux")]
mod system {
    use std::io;

    use headwater_storage::FileSlice;
    use rustix::io::{IoSliceMut, ReadWriteFlags};
    use tokio::{io::Interest, net::TcpStream};

    /// Moves bytes from the page cache to the socket; does not block on the socket.
    pub(super) fn send(
        stream: &TcpStream,
        slice: &FileSlice,
        skip: usize,
        length: usize,
    ) -> io::Result<usize> {
        let Some(file) = slice.std_file() else { return super::copy(stream, slice, skip, length) };
        let mut position = slice.position() + skip as u64;
        stream.try_io(Interest::WRITABLE, || {
            Ok(rustix::fs::sendfile(stream, file.as_ref(), Some(&mut position), length)?)
        })
    }

    /// Fills `bytes` from the beginning of the slice, if that needs no disk.
    pub(super) fn read_cached(slice: &FileSlice, bytes: &mut [u8]) -> bool {
        let Some(file) = slice.std_file() else { return false };
        let length = bytes.len();
        let read = rustix::io::preadv2(
            file.as_ref(),
            &mut [IoSliceMut::new(bytes)],
            slice.position(),
            ReadWriteFlags::NOWAIT,
        );
        read == Ok(length)
    }

    /// Whether the first and the last byte can be read without waiting for the disk. What cannot be told counts as
    /// cached.
    pub(super) fn is_cached(slice: &FileSlice, skip: usize, length: usize) -> bool {
        let Some(file) = slice.std_file() else { return false };
        let begin = slice.position() + skip as u64;
        [begin, begin + (length as u64).saturating_sub(1)].into_iter().all(|position| {
            let mut byte = [0];
            let probe = rustix::io::preadv2(
                file.as_ref(),
                &mut [IoSliceMut::new(&mut byte)],
                position,
                ReadWriteFlags::NOWAIT,
            );
            !matches!(probe, Err(rustix::io::Errno::AGAIN))
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use headwater_storage::FileSlice;
    use tokio::net::TcpStream;

    pub(super) fn send(
        stream: &TcpStream,
        slice: &FileSlice,
        skip: usize,
        length: usize,
    ) -> io::Result<usize> {
        super::copy(stream, slice, skip, length)
    }

    pub(super) fn read_cached(_slice: &FileSlice, _bytes: &mut [u8]) -> bool {
        false
    }

    pub(super) fn is_cached(_slice: &FileSlice, _skip: usize, _length: usize) -> bool {
        false
    }
}

/// Sends bytes of a file that the system cannot send by itself. They were read a moment ago.
fn copy(stream: &TcpStream, slice: &FileSlice, skip: usize, length: usize) -> io::Result<usize> {
    let mut scratch = vec![0; SCRATCH_BYTES.min(length)];
    let read = slice.read_at(skip, &mut scratch)?;
    scratch.truncate(read);
    if scratch.is_empty() { Ok(0) } else { stream.try_write(&scratch) }
}
