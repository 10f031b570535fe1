//! A partition's number on this wire, where the first one is 1.

use std::fmt;

use headwater_codec::PartitionIndex;

/// A partition's number, counted from 1. Every bit pattern decodes and re-encodes.
///
/// ```
/// use headwater_codec::PartitionIndex;
/// use headwater_native::PartitionId;
///
/// assert_eq!(PartitionId::from_index(PartitionIndex::new(0)), Some(PartitionId::new(1)));
/// assert_eq!(PartitionId::new(3).index(), Some(PartitionIndex::new(2)));
/// assert_eq!(PartitionId::new(0).index(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PartitionId(u32);

impl PartitionId {
    /// Wraps the wire's integer, whatever it is.
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// The integer as it stands on the wire.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number of the partition with this index, one above it; `None` for a negative index.
    pub const fn from_index(index: PartitionIndex) -> Option<Self> {
        if index.get() < 0 { None } else { Some(Self(index.get().unsigned_abs() + 1)) }
    }

    /// Kafka's index of the partition, one below; `None` when no partition can have this number.
    pub const fn index(self) -> Option<PartitionIndex> {
        match self.0 {
            0 => None,
            raw if raw - 1 > i32::MAX.unsigned_abs() => None,
            raw => Some(PartitionIndex::new((raw - 1).cast_signed())),
        }
    }
}

impl fmt::Display for PartitionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_index_goes_both_ways() {
        let largest = PartitionIndex::new(i32::MAX);
        let id = PartitionId::from_index(largest).unwrap();
        assert_eq!(id.get(), 0x8000_0000);
        assert_eq!(id.index(), Some(largest));
        assert_eq!(PartitionId::new(0x8000_0001).index(), None);
        assert_eq!(PartitionId::from_index(PartitionIndex::new(-1)), None);
    }
}
