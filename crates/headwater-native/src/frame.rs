//! Frames: `u32 length | u8 opcode | 16-byte correlation id | payload`. The length does not count itself.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::{CorrelationId, EncodeError, Payload};

/// One frame, its payload not looked at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Frame {
    /// The opcode's number; [`Opcode::from_code`](crate::Opcode::from_code) tells whether there is one.
    pub opcode: u8,
    /// Repeated by the reply.
    pub correlation_id: CorrelationId,
    /// The message.
    pub payload: Bytes,
}

/// Bytes with which no frame can begin. The connection cannot be read on.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// The frame is over the limit.
    #[error("a frame of {length} bytes exceeds the limit of {max}")]
    TooLarge {
        /// Bytes announced.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// The frame has no room for opcode and correlation id.
    #[error("a frame of {length} bytes has no room for its opcode and correlation id")]
    TooShort {
        /// Bytes announced.
        length: usize,
    },
}

impl Frame {
    /// Bytes before each frame: its length.
    pub const PREFIX_SIZE: usize = 4;

    /// Bytes of a frame without payload, after its length.
    pub const SIZE_MIN: usize = 1 + CorrelationId::SIZE;

    /// The length of the frame that begins with `prefix`, at most `max` bytes.
    ///
    /// # Errors
    /// [`FrameError`] when there can be no such frame.
    pub const fn length(prefix: [u8; Self::PREFIX_SIZE], max: usize) -> Result<usize, FrameError> {
        let length = u32::from_be_bytes(prefix) as usize;
        if length > max {
            return Err(FrameError::TooLarge { length, max });
        }
        if length < Self::SIZE_MIN {
            return Err(FrameError::TooShort { length });
        }
        Ok(length)
    }

    /// Takes a frame apart that was read whole, without its length.
    ///
    /// # Errors
    /// [`FrameError::TooShort`].
    pub fn parse(mut body: Bytes) -> Result<Self, FrameError> {
        let Some((&opcode, rest)) = body.split_first() else {
            return Err(FrameError::TooShort { length: 0 });
        };
        let Some(&id) = rest.first_chunk::<{ CorrelationId::SIZE }>() else {
            return Err(FrameError::TooShort { length: body.len() });
        };
        body.advance(Self::SIZE_MIN);
        Ok(Self { opcode, correlation_id: CorrelationId::new(id), payload: body })
    }

    /// Takes the first frame off `buffer`; `None` while it is not whole.
    ///
    /// The length is judged as soon as it is there, so that a buffer never has to grow beyond `max` and its prefix.
    ///
    /// # Errors
    /// [`FrameError`] when the buffer begins with no frame.
    ///
    /// ```
    /// use bytes::BytesMut;
    /// use headwater_native::{CorrelationId, Frame, Message, limits, messages::Hello};
    ///
    /// let mut sent = BytesMut::new();
    /// Frame::encode(CorrelationId::ZERO, &Hello { version: 1 }, limits::SERVER_FRAME_BYTES_MAX, &mut sent)?;
    ///
    /// let mut received = sent.split_to(7);
    /// assert_eq!(Frame::take(&mut received, limits::SERVER_FRAME_BYTES_MAX)?, None);
    /// received.unsplit(sent);
    /// let frame = Frame::take(&mut received, limits::SERVER_FRAME_BYTES_MAX)?.expect("it is whole now");
    /// assert_eq!(Hello::decode(frame.payload)?, Hello { version: 1 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(buffer: &mut BytesMut, max: usize) -> Result<Option<Self>, FrameError> {
        let Some(&prefix) = buffer.first_chunk::<{ Self::PREFIX_SIZE }>() else { return Ok(None) };
        let length = Self::length(prefix, max)?;
        if buffer.len() - Self::PREFIX_SIZE < length {
            return Ok(None);
        }
        buffer.advance(Self::PREFIX_SIZE);
        Self::parse(buffer.split_to(length).freeze()).map(Some)
    }

    /// Appends a message as a frame of at most `max` bytes to `out`.
    ///
    /// # Errors
    /// [`EncodeError`] when the message is not one that a peer takes; `out` is as it was then.
    pub fn encode<P: Payload>(
        correlation_id: CorrelationId,
        message: &P,
        max: usize,
        out: &mut BytesMut,
    ) -> Result<(), EncodeError> {
        let start = out.len();
        let written = write_frame(correlation_id, message, max, out);
        if written.is_err() {
            out.truncate(start);
        }
        written
    }
}

fn write_frame<P: Payload>(
    correlation_id: CorrelationId,
    message: &P,
    max: usize,
    out: &mut BytesMut,
) -> Result<(), EncodeError> {
    let start = out.len();
    out.put_u32(0);
    out.put_u8(P::OPCODE.code());
    out.put_slice(&correlation_id.get());
    message.encode(out)?;
    let length = out.len() - start - Frame::PREFIX_SIZE;
    match u32::try_from(length) {
        Ok(on_wire) if length <= max => {
            out[start..start + Frame::PREFIX_SIZE].copy_from_slice(&on_wire.to_be_bytes());
            Ok(())
        }
        _ => Err(EncodeError::FrameTooLarge { length, max }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Opcode, messages::Hello};

    const MAX: usize = 1 << 20;

    #[test]
    fn a_length_over_the_limit_is_refused_before_its_bytes_come() {
        let mut buffer = BytesMut::from(&[0, 16, 0, 1][..]);
        assert_eq!(Frame::take(&mut buffer, MAX), Err(FrameError::TooLarge { length: MAX + 1, max: MAX }));
        let mut buffer = BytesMut::from(&[0xff; 4][..]);
        assert!(matches!(Frame::take(&mut buffer, MAX), Err(FrameError::TooLarge { .. })));
    }

    #[test]
    fn a_frame_without_room_for_its_head_is_refused() {
        for length in 0..17_u8 {
            let mut buffer = BytesMut::from(&[0, 0, 0, length][..]);
            assert_eq!(
                Frame::take(&mut buffer, MAX),
                Err(FrameError::TooShort { length: usize::from(length) })
            );
        }
    }

    #[test]
    fn frames_come_out_one_by_one_however_the_bytes_arrive() {
        let mut sent = BytesMut::new();
        for version in 1..=3 {
            let id = CorrelationId::new([version as u8; 16]);
            Frame::encode(id, &Hello { version }, MAX, &mut sent).unwrap();
        }
        let (mut buffer, mut seen) = (BytesMut::new(), Vec::new());
        for byte in sent {
            buffer.put_u8(byte);
            while let Some(frame) = Frame::take(&mut buffer, MAX).unwrap() {
                assert_eq!(frame.opcode, Opcode::Hello.code());
                seen.push((frame.correlation_id.get()[0], frame.payload[3]));
            }
        }
        assert_eq!(seen, [(1, 1), (2, 2), (3, 3)]);
        assert!(buffer.is_empty());
    }

    #[test]
    fn what_cannot_be_sent_leaves_the_buffer_as_it_was() {
        let mut out = BytesMut::from(&b"before"[..]);
        let refused = Frame::encode(CorrelationId::ZERO, &Hello { version: 1 }, 20, &mut out);
        assert_eq!(refused, Err(EncodeError::FrameTooLarge { length: 21, max: 20 }));
        assert_eq!(out, b"before"[..]);
    }
}
