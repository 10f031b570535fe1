//! The newest offset of each key, in bounded memory.
//!
//! A key is known by a hash of 128 bits, as in Kafka's own cleaner: two keys that share one would lose a record. The hash is
//! keyed with a secret of the process, so that nobody who chooses keys can look for such a pair.

use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

/// Offsets by key: a table of fixed size, 24 bytes a slot, whose memory is taken as it is used.
#[derive(Debug)]
pub(crate) struct KeyOffsets {
    /// Both halves of the hash, and the offset plus 1; 0 there is a free slot.
    slots: Vec<[u64; 3]>,
    len: usize,
    len_max: usize,
    secret: [u8; 16],
}

impl KeyOffsets {
    /// A table of at most `bytes_max` bytes for at most `keys_max` keys, filled up to `load_factor` (0 to 1) of its slots.
    pub(crate) fn new(bytes_max: u64, load_factor: f64, keys_max: u64, secret: [u8; 16]) -> Self {
        let load_factor = load_factor.clamp(0.01, 0.95);
        let wanted = (keys_max as f64 / load_factor).ceil() as u64;
        let slots = wanted.saturating_add(1).min(bytes_max / SLOT_LEN).max(SLOTS_MIN);
        let slots = usize::try_from(slots).unwrap_or(usize::MAX / size_of::<[u64; 3]>());
        let len_max = ((slots as f64 * load_factor) as usize).clamp(1, slots - 1);
        Self { slots: vec![[0; 3]; slots], len: 0, len_max, secret }
    }

    /// Notes that `key` has a record at `offset`, which is above those noted before. Whether there was room.
    pub(crate) fn insert(&mut self, key: &[u8], offset: i64) -> bool {
        let (hash, mut at) = self.hash(key);
        loop {
            let [first, second, value] = self.slots[at];
            if value == 0 {
                if self.len >= self.len_max {
                    return false;
                }
                self.len += 1;
                break;
            }
            if [first, second] == hash {
                break;
            }
            at = (at + 1) % self.slots.len();
        }
        self.slots[at] = [hash[0], hash[1], offset.max(0).cast_unsigned() + 1];
        true
    }

    /// The newest offset that was noted for `key`.
    pub(crate) fn get(&self, key: &[u8]) -> Option<i64> {
        let (hash, mut at) = self.hash(key);
        loop {
            let [first, second, value] = self.slots[at];
            if value == 0 {
                return None;
            }
            if [first, second] == hash {
                return Some((value - 1).cast_signed());
            }
            at = (at + 1) % self.slots.len();
        }
    }

    /// How many keys are in it.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    fn hash(&self, key: &[u8]) -> ([u64; 2], usize) {
        let mut hasher = SipHasher24::new_with_key(&self.secret);
        hasher.write(key);
        let hash = hasher.finish128();
        ([hash.h1, hash.h2], (hash.h1 % self.slots.len() as u64) as usize)
    }
}

/// Bytes of a slot.
const SLOT_LEN: u64 = 24;
/// A table has a free slot always, so that every search ends.
const SLOTS_MIN: u64 = 2;

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::{collection::vec, prelude::*};

    use super::*;

    #[test]
    fn memory_bounds_the_keys_and_known_ones_go_on() {
        let mut keys = KeyOffsets::new(240, 0.9, 1000, [1; 16]);
        let taken = (0..20_i64).take_while(|at| keys.insert(&at.to_be_bytes(), *at)).count();
        assert_eq!((taken, keys.len()), (9, 9));
        assert!(keys.insert(&0_i64.to_be_bytes(), 30), "it needs no slot of its own");
        assert!(!keys.insert(b"new", 31));
        assert_eq!(keys.get(&0_i64.to_be_bytes()), Some(30));
        assert_eq!(keys.get(b"new"), None);
    }

    #[test]
    fn the_smallest_table_takes_a_key() {
        for (bytes, keys_max) in [(0, 0), (24, 1), (1 << 30, 0), (1 << 30, 1)] {
            let mut keys = KeyOffsets::new(bytes, 0.9, keys_max, [0; 16]);
            assert!(keys.slots.len() <= 3, "no more than is needed");
            assert!(keys.insert(b"", 0));
            assert_eq!((keys.get(b""), keys.get(b"k")), (Some(0), None));
        }
    }

    proptest! {
        #[test]
        fn is_a_map(entries in vec(vec(0..4_u8, 0..4), 0..200), secret in any::<[u8; 16]>()) {
            let mut keys = KeyOffsets::new(1 << 20, 0.9, entries.len() as u64, secret);
            let mut expected = HashMap::new();
            for (offset, key) in entries.iter().enumerate() {
                prop_assert!(keys.insert(key, offset as i64));
                expected.insert(key.clone(), offset as i64);
            }
            prop_assert_eq!(keys.len(), expected.len());
            for (key, offset) in expected {
                prop_assert_eq!(keys.get(&key), Some(offset));
            }
            prop_assert_eq!(keys.get(&[9; 9]), None);
        }
    }
}
