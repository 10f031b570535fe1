//! A topic's offsets, and the commits of a group.

use headwater_codec::{Offset, TopicName};

use crate::{
    DecodeError, EncodeError, PartitionId, limits,
    reader::Reader,
    wire::{Wire, message, part, payload},
    writer::Writer,
};

message! {
    /// COMMIT: sets the next offset that the connection's group reads. Answered with OK.
    Commit, Commit {
        /// The topic.
        topic: TopicName => topic,
        /// The partition.
        partition: PartitionId => partition,
        /// The next offset to read.
        offset: Offset => offset,
    }
}

/// What LIST_OFFSETS asks beside the bounds of each partition.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ListOffsetsMode {
    /// Nothing.
    #[default]
    Bounds,
    /// The first record at or after a time, milliseconds since the epoch.
    Timestamp(i64),
}

/// LIST_OFFSETS: asks for the offsets of a topic's partitions.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ListOffsets {
    /// The topic.
    pub topic: TopicName,
    /// What is asked beside the bounds.
    pub mode: ListOffsetsMode,
}

impl Wire for ListOffsets {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        let topic = r.topic("topic")?;
        let mode = match if r.is_empty() { MODE_BOUNDS } else { r.u8("mode")? } {
            MODE_BOUNDS => ListOffsetsMode::Bounds,
            MODE_TIMESTAMP => ListOffsetsMode::Timestamp(r.timestamp("timestamp")?),
            value => return Err(DecodeError::Unknown { field: "mode", value }),
        };
        Ok(Self { topic, mode })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        w.topic("topic", &self.topic)?;
        match self.mode {
            ListOffsetsMode::Bounds => Ok(()),
            ListOffsetsMode::Timestamp(timestamp) => {
                w.u8("mode", &MODE_TIMESTAMP)?;
                w.timestamp("timestamp", &timestamp)
            }
        }
    }
}

payload! { ListOffsets, ListOffsets }

/// What is known of a partition's offsets. Bits without a name are kept.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct PartitionOffsetsFlags(u8);

impl PartitionOffsetsFlags {
    /// The high watermark is known. Without it stands `latest` in its place.
    pub const HIGH_WATERMARK_EXACT: Self = Self(0x01);
    /// The last stable offset is known. Without it stands `latest` in its place.
    pub const LAST_STABLE_OFFSET_KNOWN: Self = Self(0x02);
    /// This broker leads the partition.
    pub const SERVED_HERE: Self = Self(0x04);

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

impl std::ops::BitOr for PartitionOffsetsFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

part! {
    /// The bounds of one partition.
    PartitionOffsets, 37 {
        /// The partition.
        partition: PartitionId => partition,
        /// The first offset that can be read.
        earliest: Offset => offset,
        /// The offset of the next record.
        latest: Offset => offset,
        /// Where readers of uncommitted records end.
        high_watermark: Offset => offset,
        /// Where readers of committed records end.
        last_stable_offset: Offset => offset,
        /// Which of these are known.
        flags: PartitionOffsetsFlags => partition_offsets_flags,
    }
}

part! {
    /// The first record of one partition at or after a time.
    OffsetForTime, 13 {
        /// The partition.
        partition: PartitionId => partition,
        /// Its offset; the latest one when there is none.
        offset: Offset => offset,
        /// Whether there is one.
        found: bool => found,
    }
}

/// OFFSETS: the offsets of a topic's partitions.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Offsets {
    /// The bounds of each partition.
    pub partitions: Vec<PartitionOffsets>,
    /// By time, when that was asked.
    pub for_time: Option<Vec<OffsetForTime>>,
}

impl Wire for Offsets {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        let partitions = r.list("partitions", limits::LIST_MAX)?;
        let for_time = if r.is_empty() { None } else { Some(r.list("for_time", limits::LIST_MAX)?) };
        Ok(Self { partitions, for_time })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        w.list("partitions", limits::LIST_MAX, &self.partitions)?;
        self.for_time.as_ref().map_or(Ok(()), |offsets| w.list("for_time", limits::LIST_MAX, offsets))
    }
}

payload! { Offsets, Offsets }

impl Reader {
    fn partition_offsets_flags(&mut self, field: &'static str) -> Result<PartitionOffsetsFlags, DecodeError> {
        self.u8(field).map(PartitionOffsetsFlags)
    }

    fn found(&mut self, field: &'static str) -> Result<bool, DecodeError> {
        Ok(self.u8(field)? & FLAG_FOUND != 0)
    }
}

impl Writer<'_> {
    fn partition_offsets_flags(
        &mut self,
        field: &'static str,
        flags: &PartitionOffsetsFlags,
    ) -> Result<(), EncodeError> {
        self.u8(field, &flags.0)
    }

    fn found(&mut self, field: &'static str, found: &bool) -> Result<(), EncodeError> {
        self.flag(field, found)
    }
}

const MODE_BOUNDS: u8 = 0;
const MODE_TIMESTAMP: u8 = 1;
const FLAG_FOUND: u8 = 0x01;
