//! Small numbers with a meaning: codecs, isolation, flags.

use std::ops::BitOr;

use headwater_records::native::ValueCodec;

use crate::{DecodeError, EncodeError, reader::Reader, writer::Writer};

/// Whether records of transactions that are open or were aborted are delivered.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Isolation {
    /// They are.
    #[default]
    ReadUncommitted,
    /// They are not.
    ReadCommitted,
}

/// The flags byte of FETCH and SUBSCRIBE. Bits without a name are kept.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct FetchFlags(u8);

impl FetchFlags {
    /// Nothing special: one RECORD frame for each record, in the original layout.
    pub const NONE: Self = Self(0);
    /// All records in one RECORD_BATCH. Says nothing in SUBSCRIBE.
    pub const BATCHED: Self = Self(0x01);
    /// A header block follows each record.
    pub const HEADERS: Self = Self(0x02);

    /// Wraps the wire's byte, whatever it is.
    pub const fn new(raw: u8) -> Self {
        Self(raw)
    }

    /// The byte as it stands on the wire.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Whether all bits of `flags` are set.
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl BitOr for FetchFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Reader {
    pub(super) fn codec(&mut self, field: &'static str) -> Result<ValueCodec, DecodeError> {
        let value = self.u8(field)?;
        ValueCodec::from_id(value).ok_or(DecodeError::Unknown { field, value })
    }

    /// Any other number than 1 behaves as 0.
    pub(super) fn isolation(&mut self, field: &'static str) -> Result<Isolation, DecodeError> {
        Ok(if self.u8(field)? == READ_COMMITTED { Isolation::ReadCommitted } else { Isolation::default() })
    }
}

impl Writer<'_> {
    pub(super) fn codec(&mut self, field: &'static str, codec: &ValueCodec) -> Result<(), EncodeError> {
        self.u8(field, &codec.id())
    }

    pub(super) fn isolation(
        &mut self,
        field: &'static str,
        isolation: &Isolation,
    ) -> Result<(), EncodeError> {
        let value = if *isolation == Isolation::ReadCommitted { READ_COMMITTED } else { 0 };
        self.u8(field, &value)
    }
}

const READ_COMMITTED: u8 = 1;
