//! The headers that Headwater keeps for itself: what Kafka says of a record and the native format cannot.
//!
//! They stand in front of the record's own headers, in this order, and never reach a client. A header of a record
//! that has such a name itself, or none, is stored under [`ESCAPE`] and that name.

use headwater_codec::{Offset, ProducerEpoch, ProducerId};

use crate::{
    BatchProducer, increment_sequence,
    native::{HeaderBlock, NativeError, NativeHeaders},
};

/// What reserved headers say of a record.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ReservedHeaders<'a> {
    /// The record's offset, when it is not the one after the record before: compaction removed something in between.
    pub offset: Option<Offset>,
    /// Who produced this record and those that follow; on the first record of a batch.
    pub producer: Option<RunProducer>,
    /// The record's time when it is below 0, milliseconds since the epoch.
    pub timestamp: Option<i64>,
    /// Whether the record's time is the broker's (KIP-32).
    pub log_append_time: bool,
    /// When the record may go, which is a tombstone that compaction came upon: milliseconds since the epoch (KIP-534).
    pub delete_horizon: Option<i64>,
    /// Which empty fields are not null.
    pub(super) empty: EmptyFields<'a>,
    /// How many reserved headers there are.
    pub(super) count: usize,
}

/// The producer of a batch whose records begin here (KIP-98).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RunProducer {
    /// Who.
    pub id: ProducerId,
    /// Which incarnation.
    pub epoch: ProducerEpoch,
    /// The first record's sequence number.
    pub base_sequence: i32,
    /// How many records the batch had when it was produced; at least 1.
    pub count: i32,
}

impl RunProducer {
    const LEN: usize = 8 + 2 + 4 + 4;

    /// The same, with the last record's sequence number.
    pub const fn batch_producer(self) -> BatchProducer {
        let last_sequence = if self.base_sequence < 0 {
            self.base_sequence
        } else {
            increment_sequence(self.base_sequence, self.count - 1)
        };
        BatchProducer { id: self.id, epoch: self.epoch, base_sequence: self.base_sequence, last_sequence }
    }

    pub(super) fn encode(self) -> [u8; Self::LEN] {
        let mut value = [0; Self::LEN];
        value[..8].copy_from_slice(&self.id.get().to_be_bytes());
        value[8..10].copy_from_slice(&self.epoch.get().to_be_bytes());
        value[10..14].copy_from_slice(&self.base_sequence.to_be_bytes());
        value[14..].copy_from_slice(&self.count.to_be_bytes());
        value
    }

    fn parse(value: &[u8]) -> Option<Self> {
        let (id, rest) = value.split_first_chunk()?;
        let (epoch, rest) = rest.split_first_chunk()?;
        let (base_sequence, count) = rest.split_first_chunk()?;
        let producer = Self {
            id: ProducerId::new(i64::from_be_bytes(*id)),
            epoch: ProducerEpoch::new(i16::from_be_bytes(*epoch)),
            base_sequence: i32::from_be_bytes(*base_sequence),
            count: i32::from_be_bytes(count.try_into().ok()?),
        };
        (producer.id.get() >= 0 && producer.count > 0).then_some(producer)
    }
}

/// Which empty fields are not null: a bit each for key and value, and the places of the headers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct EmptyFields<'a> {
    flags: u8,
    headers: &'a [u8],
}

impl<'a> EmptyFields<'a> {
    fn parse(value: &'a [u8]) -> Option<Self> {
        let (&flags, headers) = value.split_first()?;
        (headers.len().is_multiple_of(PLACE_LEN)).then_some(Self { flags, headers })
    }

    pub(super) const fn key(self) -> bool {
        self.flags & EMPTY_KEY != 0
    }

    pub(super) const fn value(self) -> bool {
        self.flags & EMPTY_VALUE != 0
    }

    /// Tells of each header whether it is marked; asked in their order.
    pub(super) fn headers(self) -> impl FnMut(usize) -> bool + Clone + use<'a> {
        let mut places = self.headers;
        move |index| {
            let marked =
                matches!(places, [high, low, ..] if usize::from(u16::from_be_bytes([*high, *low])) == index);
            if marked {
                places = &places[PLACE_LEN..];
            }
            marked
        }
    }
}

impl<'a> ReservedHeaders<'a> {
    /// Reads the reserved headers in front of a record's own.
    ///
    /// # Errors
    /// [`NativeError::Reserved`] when one that is known says nonsense. One that is not known counts as the record's own,
    /// so that nothing is lost.
    pub fn read(headers: HeaderBlock<'a>) -> Result<Self, NativeError> {
        Self::read_front(headers.iter())
    }

    /// Reads as many reserved headers as lie there whole.
    pub(super) fn read_front(headers: NativeHeaders<'a>) -> Result<Self, NativeError> {
        let mut reserved = Self::default();
        for (index, (name, value)) in headers.enumerate() {
            match reserved.take(name, value) {
                Some(true) => reserved.count += 1,
                Some(false) => return Err(NativeError::Reserved { index }),
                None => break,
            }
        }
        Ok(reserved)
    }

    /// What of it counts in a control record: its offset, and that it may go. Nothing else is ever written there, and
    /// others' control records are read without what they have beside their value.
    pub(super) fn for_control(self) -> Self {
        Self {
            offset: self.offset,
            delete_horizon: self.delete_horizon,
            count: self.count,
            ..Self::default()
        }
    }

    /// Takes one header: whether it made sense, or `None` when it is not a reserved one.
    fn take(&mut self, name: &[u8], value: &'a [u8]) -> Option<bool> {
        match name {
            OFFSET => self.offset = value.try_into().ok().map(i64::from_be_bytes).and_then(Offset::new),
            PRODUCER => self.producer = RunProducer::parse(value),
            TIMESTAMP => {
                let timestamp = value.try_into().ok().map(i64::from_be_bytes);
                self.timestamp = timestamp.filter(|timestamp| *timestamp < 0);
            }
            LOG_APPEND_TIME => self.log_append_time = value.is_empty(),
            DELETE_HORIZON => self.delete_horizon = value.try_into().ok().map(i64::from_be_bytes),
            EMPTY => match EmptyFields::parse(value) {
                Some(empty) => self.empty = empty,
                None => return Some(false),
            },
            _ => return None,
        }
        Some(match name {
            OFFSET => self.offset.is_some(),
            PRODUCER => self.producer.is_some(),
            TIMESTAMP => self.timestamp.is_some(),
            LOG_APPEND_TIME => self.log_append_time,
            DELETE_HORIZON => self.delete_horizon.is_some(),
            _ => true,
        })
    }
}

/// Whether a record's own header with this name has to be stored under another.
pub(super) fn is_escaped(name: &[u8]) -> bool {
    name.is_empty() || name.starts_with(RESERVED)
}

/// The name that a stored header has for a client.
pub(super) fn unescaped(stored: &[u8]) -> &[u8] {
    stored.strip_prefix(ESCAPE).unwrap_or(stored)
}

/// What the names of all of them start with.
const RESERVED: &[u8] = b"headwater.";
/// In front of a record's own header name that is empty or starts like a reserved one.
pub(super) const ESCAPE: &[u8] = b"headwater.h.";
/// The record's offset, 64 bits.
pub(super) const OFFSET: &[u8] = b"headwater.offset";
/// Producer id (64 bits), epoch (16), base sequence (32) and count (32).
pub(super) const PRODUCER: &[u8] = b"headwater.producer";
/// The record's time when it is below 0, 64 bits.
pub(super) const TIMESTAMP: &[u8] = b"headwater.time";
/// The record's time is the broker's; no value.
pub(super) const LOG_APPEND_TIME: &[u8] = b"headwater.append";
/// Which empty fields are not null: a byte of flags, and 16 bits for the place of each such header among the record's
/// own, ascending.
pub(super) const EMPTY: &[u8] = b"headwater.empty";
/// When a tombstone may go, 64 bits; compaction writes it.
pub(super) const DELETE_HORIZON: &[u8] = b"headwater.horizon";
/// The flag of an empty key in [`EMPTY`].
pub(super) const EMPTY_KEY: u8 = 1;
/// The flag of an empty value in [`EMPTY`].
pub(super) const EMPTY_VALUE: u8 = 2;
const PLACE_LEN: usize = 2;

#[cfg(test)]
mod tests;
