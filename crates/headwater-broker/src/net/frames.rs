//! Reading requests off a socket.

use std::{future::poll_fn, io, ops::RangeInclusive};

use bytes::{BufMut, Bytes};
use headwater_codec::{ApiKey, frame};
use tokio::net::TcpStream;

use super::{
    buffers::{Buffer, BufferPool, SMALLEST},
    ended::Ended,
};

/// Reads one frame after the other. Dropping a read under way loses nothing.
pub(crate) struct FrameReader {
    pool: BufferPool,
    /// How long the next frame may be.
    bounds: RangeInclusive<usize>,
    /// What was read and is not consumed yet; absent while the peer is silent.
    ahead: Option<Buffer>,
    /// How much at the front of `ahead` is consumed.
    consumed: usize,
    /// A frame that does not fit `ahead`, and its length.
    large: Option<(Buffer, usize)>,
}

impl FrameReader {
    /// A reader that refuses requests of more than `request_bytes_max` bytes.
    pub(crate) fn new(pool: BufferPool, request_bytes_max: usize) -> Self {
        Self { pool, bounds: HEADER_BYTES_MIN..=request_bytes_max, ahead: None, consumed: 0, large: None }
    }

    /// From the next frame on, reads bare tokens as well as requests, of at most `bytes_max` bytes; or requests again.
    pub(crate) fn expect(&mut self, tokens: bool, bytes_max: usize) {
        self.bounds = if tokens { 0 } else { HEADER_BYTES_MIN }..=bytes_max;
    }

    /// The next frame without its length; `None` when the peer has closed its side between two frames.
    ///
    /// # Errors
    /// [`Ended`] when no frame can come any more.
    pub(crate) async fn next(&mut self, stream: &TcpStream) -> Result<Option<Bytes>, Ended> {
        loop {
            if let Some(frame) = self.read_large(stream).await? {
                return Ok(Some(frame));
            }
            if let Some(frame) = self.take_frame().await? {
                return Ok(Some(frame));
            }
            if self.large.is_some() {
                continue;
            }
            if !self.read_ahead(stream).await? {
                return if self.unconsumed().is_empty() { Ok(None) } else { Err(Ended::Truncated) };
            }
        }
    }

    fn unconsumed(&self) -> &[u8] {
        self.ahead.as_ref().and_then(|ahead| ahead.bytes().get(self.consumed..)).unwrap_or_default()
    }

    /// Takes a frame out of what was read ahead, or begins a large one.
    async fn take_frame(&mut self) -> Result<Option<Bytes>, Ended> {
        let Some((prefix, rest)) = self.unconsumed().split_first_chunk::<{ frame::PREFIX_SIZE }>() else {
            return Ok(None);
        };
        let length = frame::length(*prefix, *self.bounds.end())?;
        if length < *self.bounds.start() {
            return Err(Ended::TooShort { length });
        }
        if let Some(whole) = rest.get(..length) {
            // Small enough to copy: the frame is as long as its bytes are needed, the buffer ahead as long as the
            // connection talks.
            let whole = Bytes::copy_from_slice(whole);
            self.consumed += frame::PREFIX_SIZE + length;
            return Ok(Some(whole));
        }
        let Some(key) = rest.first_chunk().map(|key| i16::from_be_bytes(*key)) else { return Ok(None) };
        if key != ApiKey::Produce.code() && length > OTHER_REQUEST_BYTES_MAX {
            return Err(Ended::TooLarge { key, length, max: OTHER_REQUEST_BYTES_MAX });
        }
        if frame::PREFIX_SIZE + length <= SMALLEST {
            return Ok(None);
        }
        let budget = self.pool.reserve(length).await;
        let mut large = self.pool.take(length, budget);
        let begun = self.unconsumed().get(frame::PREFIX_SIZE..).unwrap_or_default();
        large.vec().extend_from_slice(begun);
        self.consumed = 0;
        if let Some(ahead) = &mut self.ahead {
            ahead.vec().clear();
        }
        self.large = Some((large, length));
        Ok(None)
    }

    /// Goes on with a large frame, if there is one.
    async fn read_large(&mut self, stream: &TcpStream) -> Result<Option<Bytes>, Ended> {
        while let Some((buffer, length)) = &mut self.large {
            let missing = *length - buffer.bytes().len();
            if missing == 0 {
                return Ok(self.large.take().map(|(buffer, _)| buffer.freeze()));
            }
            match read(stream, &mut buffer.vec().limit(missing)).await? {
                Read::Some => {}
                Read::End => return Err(Ended::Truncated),
            }
        }
        Ok(None)
    }

    /// Reads what has come, as far as there is room. `false` at the end.
    async fn read_ahead(&mut self, stream: &TcpStream) -> Result<bool, Ended> {
        if self.unconsumed().is_empty() {
            // Nothing is kept while the peer is silent.
            self.ahead = None;
            self.consumed = 0;
            poll_fn(|cx| stream.poll_read_ready(cx)).await?;
        }
        let ahead = self.ahead.get_or_insert_with(|| self.pool.take_small()).vec();
        if self.consumed > 0 {
            ahead.drain(..self.consumed);
            self.consumed = 0;
        }
        let room = SMALLEST - ahead.len();
        Ok(matches!(read(stream, &mut ahead.limit(room)).await?, Read::Some))
    }
}

enum Read {
    Some,
    End,
}

/// Reads some bytes as soon as there are any.
async fn read(stream: &TcpStream, into: &mut impl BufMut) -> io::Result<Read> {
    loop {
        poll_fn(|cx| stream.poll_read_ready(cx)).await?;
        match stream.try_read_buf(into) {
            Ok(0) => return Ok(Read::End),
            Ok(_) => return Ok(Read::Some),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Key, version and correlation id: no request has less.
const HEADER_BYTES_MIN: usize = 8;
/// The largest request that is no Produce. None of them needs more, and their decoders build structures.
const OTHER_REQUEST_BYTES_MAX: usize = 8 << 20;
