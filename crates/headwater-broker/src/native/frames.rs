//! Reading frames off a socket.

use std::io;

use bytes::BytesMut;
use headwater_native::{Frame, FrameError, limits};
use tokio::{io::AsyncReadExt, net::tcp::OwnedReadHalf};

/// Reads one frame after the other. Dropping a read under way loses nothing.
#[derive(Debug)]
pub(super) struct FrameReader {
    socket: OwnedReadHalf,
    buffer: BytesMut,
}

/// Why no frame can come any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// No frame begins like this.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The client closed in the middle of a frame.
    #[error("the client closed the connection within a frame")]
    Truncated,
    /// The socket failed.
    #[error("the socket failed: {0}")]
    Io(#[from] io::Error),
}

impl FrameReader {
    pub(super) fn new(socket: OwnedReadHalf) -> Self {
        Self { socket, buffer: BytesMut::new() }
    }

    /// The next frame; `None` when the client has closed its side between two frames.
    ///
    /// # Errors
    /// [`ReadError`].
    pub(super) async fn next(&mut self) -> Result<Option<Frame>, ReadError> {
        loop {
            // The length is judged before memory is taken for the rest.
            if let Some(frame) = Frame::take(&mut self.buffer, limits::SERVER_FRAME_BYTES_MAX)? {
                return Ok(Some(frame));
            }
            self.buffer.reserve(READ_AHEAD);
            if self.socket.read_buf(&mut self.buffer).await? == 0 {
                return if self.buffer.is_empty() { Ok(None) } else { Err(ReadError::Truncated) };
            }
        }
    }
}

/// How much is read at a time, in bytes.
const READ_AHEAD: usize = 16 << 10;
