//! Frames: a signed big-endian length, then as many bytes.

/// Bytes before each frame: its length, which does not count itself.
pub const PREFIX_SIZE: usize = 4;

/// Why no frame can begin with those four bytes. The connection cannot be read on.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// The length is below zero.
    #[error("a frame of {0} bytes: lengths are not negative")]
    Negative(i32),
    /// The length is above the limit.
    #[error("a frame of {length} bytes exceeds the limit of {max}")]
    TooLarge {
        /// Bytes announced.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// A TLS handshake: the client expects TLS on this listener.
    #[error("the client speaks TLS on a plaintext listener")]
    TlsClientHello,
    /// An HTTP request.
    #[error("the client speaks HTTP, not Kafka")]
    Http,
}

/// The length of the frame that begins with `prefix`, at most `max` bytes.
///
/// # Errors
/// [`FrameError`], with what the peer speaks instead when that can be told.
///
/// ```
/// use headwater_codec::frame;
///
/// assert_eq!(frame::length([0, 0, 0, 23], 1024), Ok(23));
/// assert_eq!(frame::length(*b"GET ", 1024), Err(frame::FrameError::Http));
/// ```
pub fn length(prefix: [u8; PREFIX_SIZE], max: usize) -> Result<usize, FrameError> {
    let signed = i32::from_be_bytes(prefix);
    let length = usize::try_from(signed).map_err(|_| FrameError::Negative(signed))?;
    if length <= max {
        return Ok(length);
    }
    Err(match &prefix {
        [TLS_HANDSHAKE, TLS_MAJOR_VERSION, 0..=4, _] => FrameError::TlsClientHello,
        prefix if HTTP_METHODS.contains(&prefix) => FrameError::Http,
        _ => FrameError::TooLarge { length, max },
    })
}

/// The type of a TLS record with a handshake, in which a ClientHello comes.
const TLS_HANDSHAKE: u8 = 0x16;
const TLS_MAJOR_VERSION: u8 = 3;

/// How HTTP requests begin, HTTP/2's preface included.
const HTTP_METHODS: [&[u8; PREFIX_SIZE]; 9] =
    [b"GET ", b"HEAD", b"POST", b"PUT ", b"PATC", b"DELE", b"OPTI", b"CONN", b"PRI "];

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 100 << 20;

    #[test]
    fn lengths_up_to_the_limit_pass() {
        assert_eq!(length(0_i32.to_be_bytes(), MAX), Ok(0));
        assert_eq!(length((100_i32 << 20).to_be_bytes(), MAX), Ok(MAX));
        let over = (100_i32 << 20) + 1;
        assert_eq!(length(over.to_be_bytes(), MAX), Err(FrameError::TooLarge { length: MAX + 1, max: MAX }));
    }

    #[test]
    fn a_negative_length_is_told_apart() {
        assert_eq!(length([0xff; 4], MAX), Err(FrameError::Negative(-1)));
    }

    #[test]
    fn other_protocols_are_recognised() {
        assert_eq!(length([0x16, 0x03, 0x01, 0x02], MAX), Err(FrameError::TlsClientHello));
        for method in HTTP_METHODS {
            assert_eq!(length(*method, MAX), Err(FrameError::Http));
        }
        assert!(matches!(length(*b"SSH-", MAX), Err(FrameError::TooLarge { .. })));
    }
}
