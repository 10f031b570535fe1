//! Writing answers to a socket.

use std::{
    collections::VecDeque,
    future::poll_fn,
    io::{self, IoSlice},
    sync::Arc,
};

use bytes::{Buf, Bytes};
use headwater_codec::{Chunk, EncodedFrame};
use headwater_storage::LogSlice;
use tokio::{net::TcpStream, sync::Semaphore};

use super::{
    ended::Ended,
    file_slices::{Sending, read_small},
};

/// Answers on their way out, in order.
pub(super) struct Answers {
    pieces: VecDeque<Piece>,
    /// Bytes in memory among the pieces.
    bytes: usize,
    /// How many threads may read cold files at a time, all connections together.
    readers: Arc<Semaphore>,
}

enum Piece {
    Bytes(Bytes),
    File(Box<Sending>),
}

impl Answers {
    pub(super) fn new(readers: Arc<Semaphore>) -> Self {
        Self { pieces: VecDeque::new(), bytes: 0, readers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether one more answer may be put behind those that wait. A peer that does not read its answers is not read
    /// from either.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < WAITING_BYTES_MAX && self.pieces.len() < PIECES_MAX
    }

    /// Puts an answer behind the others. An external chunk is the slices that its token is the index of.
    pub(super) fn push(&mut self, frame: EncodedFrame, slices: &[Vec<LogSlice>]) -> Result<(), Ended> {
        for chunk in frame.chunks {
            match chunk {
                Chunk::Bytes(bytes) => self.push_bytes(bytes),
                Chunk::External { token, length } => {
                    let slices = usize::try_from(token).ok().and_then(|token| slices.get(token));
                    let slices = slices.map(Vec::as_slice).unwrap_or_default();
                    if slices.iter().map(LogSlice::len).sum::<usize>() != length as usize {
                        return Err(Ended::SliceCut);
                    }
                    slices.iter().for_each(|slice| self.push_slice(slice));
                }
            }
        }
        Ok(())
    }

    fn push_slice(&mut self, slice: &LogSlice) {
        match slice {
            LogSlice::Bytes(bytes) => self.push_bytes(bytes.clone()),
            LogSlice::File(slice) => match read_small(slice) {
                Some(bytes) => self.push_bytes(bytes),
                None => self.pieces.push_back(Piece::File(Box::new(Sending::new(slice.clone())))),
            },
        }
    }

    fn push_bytes(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.bytes += bytes.len();
            self.pieces.push_back(Piece::Bytes(bytes));
        }
    }

    /// Writes until nothing is left. Dropping it loses nothing. `wrote` is told of the bytes after each step.
    pub(super) async fn flush(
        &mut self,
        stream: &TcpStream,
        mut wrote: impl FnMut(usize),
    ) -> Result<(), Ended> {
        while let Some(first) = self.pieces.front_mut() {
            let progress = match first {
                Piece::Bytes(_) => self.write_bytes(stream)?,
                Piece::File(sending) => {
                    let progress = sending.turn(stream, &self.readers).await?;
                    if sending.remaining() == 0 {
                        self.pieces.pop_front();
                    }
                    if progress > 0 {
                        // One turn after the other would keep this thread from everybody else.
                        tokio::task::consume_budget().await;
                    }
                    progress
                }
            };
            match progress {
                0 => poll_fn(|cx| stream.poll_write_ready(cx)).await?,
                bytes => wrote(bytes),
            }
        }
        Ok(())
    }

    /// Writes the bytes at the front with one call. Gives how many, 0 when the socket takes
    /// nothing at the moment.
    fn write_bytes(&mut self, stream: &TcpStream) -> Result<usize, Ended> {
        let mut slices = [IoSlice::new(&[]); WRITEV_MAX];
        let mut count = 0;
        for (slot, piece) in slices.iter_mut().zip(&self.pieces) {
            let Piece::Bytes(bytes) = piece else { break };
            *slot = IoSlice::new(bytes);
            count += 1;
        }
        let more = matches!(self.pieces.get(count), Some(Piece::File(_)));
        match write(stream, slices.get(..count).unwrap_or_default(), more) {
            Ok(0) => Err(Ended::Io(io::ErrorKind::WriteZero.into())),
            Ok(written) => {
                self.consume(written);
                Ok(written)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    fn consume(&mut self, mut written: usize) {
        self.bytes -= written;
        while let Some(Piece::Bytes(bytes)) = self.pieces.front_mut() {
            if written < bytes.len() {
                bytes.advance(written);
                return;
            }
            written -= bytes.len();
            self.pieces.pop_front();
        }
    }
}

/// One write; `more` says that a file follows at once, so that both can share a packet.
#[cfg(target_os = "linux")]
fn write(stream: &TcpStream, slices: &[IoSlice<'_>], more: bool) -> io::Result<usize> {
    use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};

    let flags = if more { SendFlags::NOSIGNAL | SendFlags::MORE } else { SendFlags::NOSIGNAL };
    stream.try_io(tokio::io::Interest::WRITABLE, || {
        Ok(sendmsg(stream, slices, &mut SendAncillaryBuffer::default(), flags)?)
    })
}

#[cfg(not(target_os = "linux"))]
fn write(stream: &TcpStream, slices: &[IoSlice<'_>], _more: bool) -> io::Result<usize> {
    stream.try_write_vectored(slices)
}

/// Pieces that go out with one call.
const WRITEV_MAX: usize = 16;
/// Bytes of answers in memory above which no further request is answered until some are gone.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// Pieces above which no further request is answered until some are gone.
const PIECES_MAX: usize = 256;
