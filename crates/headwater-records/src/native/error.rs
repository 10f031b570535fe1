//! What can be wrong with a native record and with its headers.

use headwater_codec::Offset;

/// A native record that cannot be read, or cannot be written.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NativeError {
    /// The bytes end before the record does. At the end of a log it is a torn tail.
    #[error("the record needs {need} bytes and {have} are there")]
    Truncated {
        /// Bytes that are there.
        have: usize,
        /// Bytes that are needed at least.
        need: usize,
    },
    /// The length cannot hold a record with these attributes, or is more than any record has.
    #[error("a record cannot be {total_size} bytes long")]
    BadLength {
        /// The length as it stands in the record, without its own 8 bytes.
        total_size: u64,
    },
    /// An attribute bit without a meaning. A later version wrote the record, or it is damaged: which, its checksums
    /// cannot tell, since the bit may move them.
    #[error("attributes {bits:#04x} have a bit that is not known here")]
    UnknownAttributes {
        /// The attributes as they stand in the record.
        bits: u8,
    },
    /// The checksum of the record's header does not fit.
    #[error("the record's header says checksum {stored:#010x} and has {computed:#010x}")]
    BadHeaderCrc {
        /// The checksum in the record.
        stored: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// The checksum of headers, key and value does not fit.
    #[error("the record's payload says checksum {stored:#010x} and has {computed:#010x}")]
    BadPayloadCrc {
        /// The checksum in the record.
        stored: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// The timestamp is 2^63 or more, or to be written below 0.
    #[error("timestamp {raw:#x} is beyond 63 bits")]
    Timestamp {
        /// Its 64 bits.
        raw: u64,
    },
    /// The producer id is 2^63 or more.
    #[error("producer id {raw:#x} is beyond 63 bits")]
    ProducerId {
        /// Its 64 bits.
        raw: u64,
    },
    /// Headers and key are longer than what the record has for them.
    #[error("headers of {headers_len} and a key of {key_len} bytes do not fit a payload of {payload_len}")]
    Payload {
        /// Bytes of the header block.
        headers_len: u32,
        /// Bytes of the key.
        key_len: u32,
        /// Bytes of headers, key and value together.
        payload_len: usize,
    },
    /// The header block makes no sense.
    #[error("the header block: {0}")]
    Headers(#[from] HeaderFault),
    /// A record to be written would not fit the format.
    #[error("a record of {bytes} bytes does not fit the format")]
    TooLong {
        /// Bytes it would have.
        bytes: usize,
    },
    /// A control record is no transaction marker; the format has no others.
    #[error("the control record is no transaction marker")]
    Marker,
    /// A header that Headwater reserves for itself says nonsense.
    #[error("reserved header {index} says nonsense")]
    Reserved {
        /// Which header, counted from 0.
        index: usize,
    },
    /// A record says an offset before the one that follows the record before.
    #[error("a record says offset {offset} where {expected} is the least")]
    Offset {
        /// What it says.
        offset: Offset,
        /// The least it can be.
        expected: Offset,
    },
}

/// How a header block makes no sense, or breaks a limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum HeaderFault {
    /// The block ends within a header, or before its count.
    #[error("it ends early")]
    Truncated,
    /// Bytes follow the last header.
    #[error("{0} bytes follow the last header")]
    BytesLeft(usize),
    /// A name is longer than its 16-bit length can say, or than is allowed.
    #[error("the name of header {index} has {bytes} bytes and {max} are allowed")]
    NameTooLong {
        /// Which header, counted from 0.
        index: usize,
        /// Bytes of the name.
        bytes: usize,
        /// `headwater.header.name.bytes.max`.
        max: usize,
    },
    /// A value is longer than its 32-bit length can say.
    #[error("the value of header {index} has {bytes} bytes")]
    ValueTooLong {
        /// Which header, counted from 0.
        index: usize,
        /// Bytes of the value.
        bytes: usize,
    },
    /// There are more headers than allowed.
    #[error("{count} headers are there and {max} are allowed")]
    TooMany {
        /// How many.
        count: usize,
        /// `headwater.headers.count.max`.
        max: usize,
    },
    /// The block is longer than allowed.
    #[error("the headers have {bytes} bytes and {max} are allowed")]
    TooLong {
        /// Bytes of the block.
        bytes: usize,
        /// `headwater.headers.bytes.max`.
        max: usize,
    },
    /// A name is empty.
    #[error("the name of header {index} is empty")]
    EmptyName {
        /// Which header, counted from 0.
        index: usize,
    },
    /// A name is not UTF-8.
    #[error("the name of header {index} is not UTF-8")]
    NameNotUtf8 {
        /// Which header, counted from 0.
        index: usize,
    },
}
