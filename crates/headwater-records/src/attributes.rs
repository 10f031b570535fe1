//! The attribute bits of a batch: codec, timestamp type and what kind of batch it is.

use std::fmt;

use crate::Compression;

/// Which clock a batch's timestamps come from (KIP-32).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum TimestampType {
    /// The producer's: each record has its own.
    #[default]
    CreateTime,
    /// The broker's: every record has the batch's max timestamp.
    LogAppendTime,
}

impl fmt::Display for TimestampType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CreateTime => "CreateTime",
            Self::LogAppendTime => "LogAppendTime",
        })
    }
}

/// The attributes of a batch. Bits without a meaning are kept as they came.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Attributes(i16);

impl Attributes {
    /// Wraps the bits as they stand in the batch.
    pub const fn from_bits(bits: i16) -> Self {
        Self(bits)
    }

    /// The bits as they stand in the batch.
    pub const fn bits(self) -> i16 {
        self.0
    }

    /// How the records are compressed; `None` for a codec that does not exist.
    pub const fn codec(self) -> Option<Compression> {
        Compression::from_id(self.codec_id())
    }

    /// The codec's number, 0 to 7.
    pub const fn codec_id(self) -> u8 {
        (self.0 & CODEC) as u8
    }

    /// Where the timestamps come from.
    pub const fn timestamp_type(self) -> TimestampType {
        if self.0 & LOG_APPEND_TIME == 0 { TimestampType::CreateTime } else { TimestampType::LogAppendTime }
    }

    /// Whether the batch belongs to a transaction.
    pub const fn is_transactional(self) -> bool {
        self.0 & TRANSACTIONAL != 0
    }

    /// Whether the batch holds a control record, such as a transaction marker; consumers never show those.
    pub const fn is_control(self) -> bool {
        self.0 & CONTROL != 0
    }

    /// Whether the base timestamp is the time at which tombstones and markers may go (KIP-534).
    pub const fn has_delete_horizon(self) -> bool {
        self.0 & DELETE_HORIZON != 0
    }

    /// The same with another codec.
    #[must_use]
    pub const fn with_codec(self, codec: Compression) -> Self {
        Self((self.0 & !CODEC) | codec.id() as i16)
    }

    /// The same with another timestamp type.
    #[must_use]
    pub const fn with_timestamp_type(self, timestamp_type: TimestampType) -> Self {
        self.with(LOG_APPEND_TIME, matches!(timestamp_type, TimestampType::LogAppendTime))
    }

    /// The same, within a transaction or not.
    #[must_use]
    pub const fn with_transactional(self, transactional: bool) -> Self {
        self.with(TRANSACTIONAL, transactional)
    }

    /// The same, as a control batch or not.
    #[must_use]
    pub const fn with_control(self, control: bool) -> Self {
        self.with(CONTROL, control)
    }

    /// The same, with a delete horizon or not.
    #[must_use]
    pub const fn with_delete_horizon(self, delete_horizon: bool) -> Self {
        self.with(DELETE_HORIZON, delete_horizon)
    }

    const fn with(self, bit: i16, on: bool) -> Self {
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }
}

const CODEC: i16 = 0b0000_0111;
const LOG_APPEND_TIME: i16 = 1 << 3;
const TRANSACTIONAL: i16 = 1 << 4;
const CONTROL: i16 = 1 << 5;
const DELETE_HORIZON: i16 = 1 << 6;
