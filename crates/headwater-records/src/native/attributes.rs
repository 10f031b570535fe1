//! The attribute bits of a native record.

use crate::native::{NativeError, ValueCodec};

/// The attributes of a native record; only bits that have a meaning.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct NativeAttributes(u8);

impl NativeAttributes {
    /// Wraps the byte as it stands in the record.
    ///
    /// # Errors
    /// [`NativeError::UnknownAttributes`] when a bit has no meaning here: then even the length of the record's header
    /// is unknown.
    pub const fn from_bits(bits: u8) -> Result<Self, NativeError> {
        if bits & !KNOWN == 0 { Ok(Self(bits)) } else { Err(NativeError::UnknownAttributes { bits }) }
    }

    /// The attributes of a record that is to be written. Whether there are headers is told by the headers alone.
    pub(super) const fn new(codec: ValueCodec, control: bool, transactional: bool, headers: bool) -> Self {
        Self(
            codec.id()
                | if control { CONTROL } else { 0 }
                | if transactional { TRANSACTIONAL } else { 0 }
                | if headers { HEADERS } else { 0 },
        )
    }

    /// The byte as it stands in the record.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// How the value is compressed.
    pub const fn codec(self) -> ValueCodec {
        ValueCodec::from_bits(self.0)
    }

    /// Whether it is a control record, such as a transaction marker; consumers never see those.
    pub const fn is_control(self) -> bool {
        self.0 & CONTROL != 0
    }

    /// Whether it belongs to a transaction, and says whose.
    pub const fn is_transactional(self) -> bool {
        self.0 & TRANSACTIONAL != 0
    }

    /// Whether it has headers.
    pub const fn has_headers(self) -> bool {
        self.0 & HEADERS != 0
    }

    /// Bytes of the record's header, from the attributes up to its checksum.
    pub(super) const fn header_len(self) -> usize {
        PLAIN_HEADER_LEN
            + if self.is_transactional() { PRODUCER_LEN } else { 0 }
            + if self.has_headers() { HEADERS_LEN_LEN } else { 0 }
    }
}

/// Attributes, key length and timestamp.
pub(super) const PLAIN_HEADER_LEN: usize = 1 + 4 + 8;
/// Producer id and epoch.
pub(super) const PRODUCER_LEN: usize = 8 + 2;
/// The length of the header block.
pub(super) const HEADERS_LEN_LEN: usize = 4;

const CODEC: u8 = 0b0000_0011;
const CONTROL: u8 = 1 << 2;
const TRANSACTIONAL: u8 = 1 << 3;
const HEADERS: u8 = 1 << 4;
const KNOWN: u8 = CODEC | CONTROL | TRANSACTIONAL | HEADERS;
