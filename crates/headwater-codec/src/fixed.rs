//! Runs of fields whose size is fixed: the position is kept at hand from the first of them to the last. A reader's and
//! a writer's own position lies in memory, and going there and back for each field was half of what a partition cost.
//!
//! Only what the derive of [`Message`](crate::Message) expands to needs these.

use crate::ids::{BrokerId, CorrelationId, LeaderEpoch, PartitionIndex, ProducerEpoch, ProducerId};
use crate::{ErrorCode, Uuid, Wire};

/// A type whose values all take the same number of bytes. The derive counts on it for the types of this crate that have
/// one, and knows them by name.
pub trait Fixed: Wire {
    /// Bytes of a value.
    const SIZE: usize;

    /// Reads the next value of a run; `None` when the input ends inside it.
    fn take(run: &mut ReadRun<'_>) -> Option<Self>;

    /// Writes the value.
    fn put(&self, run: &mut WriteRun<'_>);
}

/// The rest of an input. [`Reader::run`](crate::Reader::run) begins one.
#[derive(Debug)]
pub struct ReadRun<'a> {
    rest: &'a [u8],
}

impl<'a> ReadRun<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// Bytes left.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*bytes)
    }
}

/// Room for what is written. [`Writer::run`](crate::Writer::run) makes it, and has to be told the end.
#[derive(Debug)]
#[must_use = "what is written counts from the end of the run"]
pub struct WriteRun<'a> {
    room: &'a mut [u8],
    room_length: usize,
    length: &'a mut usize,
}

impl<'a> WriteRun<'a> {
    /// A run into `room`; what is written is added to `length` in the end.
    pub(crate) fn new(room: &'a mut [u8], length: &'a mut usize) -> Self {
        Self { room_length: room.len(), room, length }
    }

    /// Ends the run.
    #[inline]
    pub fn end(self) {
        *self.length += self.room_length - self.room.len();
    }

    /// # Panics
    /// When more is written than there was room made for.
    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        let room = std::mem::take(&mut self.room);
        let (spot, rest) = room.split_first_chunk_mut().expect("the run was declared too short");
        *spot = bytes;
        self.room = rest;
    }
}

macro_rules! fixed {
    ($($type:ty: $size:literal, $from:expr, $to:expr;)*) => {
        $(impl Fixed for $type {
            const SIZE: usize = $size;

            #[inline]
            fn take(run: &mut ReadRun<'_>) -> Option<Self> {
                run.take::<$size>().map($from)
            }

            #[inline]
            fn put(&self, run: &mut WriteRun<'_>) {
                run.put::<$size>($to(self));
            }
        })*
    };
}

fixed! {
    bool: 1, |[byte]| byte != 0, |value: &Self| [u8::from(*value)];
    i8: 1, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    i16: 2, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    u16: 2, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    i32: 4, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    u32: 4, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    i64: 8, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    f64: 8, Self::from_be_bytes, |value: &Self| value.to_be_bytes();
    Uuid: 16, Self::from_bytes, |value: &Self| value.into_bytes();
    BrokerId: 4, |bytes| Self::from(i32::from_be_bytes(bytes)), |value: &Self| value.get().to_be_bytes();
    PartitionIndex: 4, |bytes| Self::from(i32::from_be_bytes(bytes)), |value: &Self| value.get().to_be_bytes();
    LeaderEpoch: 4, |bytes| Self::from(i32::from_be_bytes(bytes)), |value: &Self| value.get().to_be_bytes();
    CorrelationId: 4, |bytes| Self::from(i32::from_be_bytes(bytes)), |value: &Self| value.get().to_be_bytes();
    ProducerId: 8, |bytes| Self::from(i64::from_be_bytes(bytes)), |value: &Self| value.get().to_be_bytes();
    ProducerEpoch: 2, |bytes| Self::from(i16::from_be_bytes(bytes)), |value: &Self| value.get().to_be_bytes();
    ErrorCode: 2, |bytes| Self::from(i16::from_be_bytes(bytes)), |value: &Self| value.code().to_be_bytes();
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use crate::error::DecodeErrorKind;
    use crate::{ErrorCode, Message, ProducerId};

    /// A run of four fields, the third of them not in every version.
    #[derive(Clone, Debug, PartialEq, Message)]
    #[message(data, versions = "0..=2", flexible = "2..")]
    struct Row {
        error_code: ErrorCode,
        producer_id: ProducerId,
        #[message(versions = "1..", default = -1, ignorable)]
        epoch: i32,
        last: bool,
    }

    fn row() -> Row {
        Row {
            error_code: ErrorCode::NotLeaderOrFollower,
            producer_id: ProducerId::from(7),
            epoch: 3,
            last: true,
        }
    }

    #[test]
    fn a_run_holds_what_the_version_has() {
        let body = |version| row().encode_body(version).expect("it has that version");
        assert_eq!(body(0), &b"\x00\x06\0\0\0\0\0\0\0\x07\x01"[..]);
        assert_eq!(body(1), &b"\x00\x06\0\0\0\0\0\0\0\x07\0\0\0\x03\x01"[..]);
        assert_eq!(body(2), &b"\x00\x06\0\0\0\0\0\0\0\x07\0\0\0\x03\x01\x00"[..]);
        assert_eq!(Row::decode_body(body(0), 0), Ok(Row { epoch: -1, ..row() }));
        for version in [1, 2] {
            assert_eq!(Row::decode_body(body(version), version), Ok(row()));
        }
    }

    #[test]
    fn a_run_that_ends_inside_a_field_names_it_and_its_place() {
        let body = row().encode_body(1).expect("it has that version");
        let starts = [(0, "ErrorCode"), (2, "ProducerId"), (10, "Epoch"), (14, "Last")];
        for length in 0..body.len() {
            let error = Row::decode_body(body.slice(..length), 1).expect_err("it is cut short");
            let &(start, name) = starts.iter().rev().find(|(start, _)| *start <= length).expect("a field");
            assert_eq!((error.kind(), error.position()), (DecodeErrorKind::Truncated, start));
            assert!(error.to_string().starts_with(&format!("Row.{name}")), "{error}");
        }
    }

    #[test]
    fn rows_one_after_the_other_grow_the_buffer() {
        #[derive(Clone, Debug, PartialEq, Message)]
        #[message(data, versions = "0..=0", flexible = "none")]
        struct Rows {
            rows: Vec<Pair>,
        }
        #[derive(Clone, Debug, PartialEq, Message)]
        struct Pair {
            first: i64,
            second: i16,
        }
        let rows: Vec<_> = (0..1000).map(|first| Pair { first, second: 5 }).collect();
        let body: Bytes = Rows { rows: rows.clone() }.encode_body(0).expect("it has that version");
        assert_eq!(body.len(), 4 + 1000 * 10);
        assert_eq!(Rows::decode_body(body, 0), Ok(Rows { rows }));
    }
}
