//! What goes wrong between bytes and messages.

use headwater_records::native::HeaderFault;

use crate::ErrorCode;

/// A payload that is not the message its opcode says.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// There is no such opcode, or none that this side may receive.
    #[error("there is no opcode {code:#04x} here")]
    UnknownOpcode {
        /// The opcode's number.
        code: u8,
    },
    /// The payload ends within a field.
    #[error("the payload ends within {field}")]
    Truncated {
        /// Which field.
        field: &'static str,
    },
    /// A string is longer than it may be.
    #[error("{field} has {length} bytes, at most {max} are allowed")]
    TooLong {
        /// Which field.
        field: &'static str,
        /// Bytes announced.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// A list has more elements than it may, or than the payload can hold.
    #[error("{field} cannot have {count} elements")]
    Count {
        /// Which list.
        field: &'static str,
        /// Elements announced.
        count: usize,
    },
    /// Text is not UTF-8.
    #[error("{field} is not UTF-8")]
    NotUtf8 {
        /// Which field.
        field: &'static str,
    },
    /// An offset, timestamp or producer id is 2^63 or more.
    #[error("{field} is {value}, which no 63 bits hold")]
    OutOfRange {
        /// Which field.
        field: &'static str,
        /// What it is.
        value: u64,
    },
    /// A number stands for nothing.
    #[error("{field} cannot be {value}")]
    Unknown {
        /// Which field.
        field: &'static str,
        /// What it is.
        value: u8,
    },
    /// A record's header block is unsound.
    #[error("the header block: {0}")]
    Headers(#[from] HeaderFault),
}

impl DecodeError {
    /// What a server answers to it.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownOpcode { .. } => ErrorCode::UNKNOWN_OP,
            _ => ErrorCode::BAD_FRAME,
        }
    }
}

/// A message that the wire cannot carry.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EncodeError {
    /// A string is longer than it may be.
    #[error("{field} has {length} bytes, at most {max} are allowed")]
    TooLong {
        /// Which field.
        field: &'static str,
        /// Bytes it has.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// A list has too many elements, or none where one is needed.
    #[error("{field} cannot have {count} elements")]
    Count {
        /// Which list.
        field: &'static str,
        /// Elements it has.
        count: usize,
    },
    /// A time or an id is negative.
    #[error("{field} is {value}, and negative numbers cannot be sent")]
    Negative {
        /// Which field.
        field: &'static str,
        /// What it is.
        value: i64,
    },
    /// The frame would be larger than the peer takes.
    #[error("a frame of {length} bytes is over the peer's limit of {max}")]
    FrameTooLarge {
        /// Bytes after the length prefix.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
}
