//! Which partition a key belongs to.

use headwater_codec::PartitionIndex;

/// FNV-1a with 32 bits, the hash of this protocol's partitioner.
///
/// ```
/// assert_eq!(headwater_native::fnv1a(b"k1"), 0x983D_80C1);
/// ```
pub const fn fnv1a(bytes: &[u8]) -> u32 {
    let mut hash = OFFSET_BASIS;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(PRIME);
        at += 1;
    }
    hash
}

/// The index of the partition, of `count`, that records with this key go to; `None` without a key or a partition.
///
/// An empty key is no key here: such records are spread.
pub const fn partition_for_key(key: &[u8], count: u32) -> Option<PartitionIndex> {
    if key.is_empty() || count == 0 || count > i32::MAX.unsigned_abs() {
        return None;
    }
    Some(PartitionIndex::new((fnv1a(key) % count).cast_signed()))
}

const OFFSET_BASIS: u32 = 0x811C_9DC5;
const PRIME: u32 = 0x0100_0193;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PartitionId;

    /// Computed from the definition of FNV-1a; a console session of the original shows `k1` in partition 2 of 4.
    #[test]
    fn keys_go_where_the_original_puts_them() {
        for (key, hash, partition) in
            [("k1", 0x983D_80C1, 2), ("same-key", 0x6F13_D309, 2), ("key-1", 0x57E0_3446, 3)]
        {
            assert_eq!(fnv1a(key.as_bytes()), hash, "{key}");
            let index = partition_for_key(key.as_bytes(), 4).unwrap();
            assert_eq!(PartitionId::from_index(index), Some(PartitionId::new(partition)), "{key}");
        }
    }

    #[test]
    fn no_key_and_no_partition_choose_none() {
        assert_eq!(partition_for_key(b"", 4), None);
        assert_eq!(partition_for_key(b"k", 0), None);
        assert_eq!(partition_for_key(b"k", u32::MAX), None);
    }
}
