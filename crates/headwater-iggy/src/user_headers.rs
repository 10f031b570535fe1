//! Iggy's user headers: pairs of a key and a value, each with its kind and 1 to 255 bytes.
//!
//! A block is a sequence of `kind u8, length u32 little-endian, bytes` for the key and again for the value. A reader
//! sees the pairs sorted by the key's kind and bytes; of two pairs with the same key the later one counts.

use crate::FIELD_LEN_MAX;

/// What a key or value says its bytes are.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Kind(u8);

impl Kind {
    /// Any bytes.
    pub const RAW: Self = Self(1);
    /// Text; nobody checks that it is.
    pub const STRING: Self = Self(2);
    /// A 64-bit integer, little-endian.
    pub const INT64: Self = Self(7);

    /// The kind with that number, 1 to 15.
    pub const fn from_code(code: u8) -> Option<Self> {
        if matches!(code, 1..=15) { Some(Self(code)) } else { None }
    }

    /// Its number.
    pub const fn code(self) -> u8 {
        self.0
    }

    /// Whether so many bytes can be of this kind.
    const fn holds(self, length: usize) -> bool {
        match self.0 {
            1 | 2 => length >= 1 && length <= FIELD_LEN_MAX,
            3 | 4 | 9 => length == 1,
            5 | 10 => length == 2,
            6 | 11 | 14 => length == 4,
            7 | 12 | 15 => length == 8,
            8 | 13 => length == 16,
            _ => false,
        }
    }
}

/// One pair, borrowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UserHeader<'a> {
    /// The key's kind.
    pub key_kind: Kind,
    /// The key's bytes.
    pub key: &'a [u8],
    /// The value's kind.
    pub value_kind: Kind,
    /// The value's bytes.
    pub value: &'a [u8],
}

/// The user headers of one message, in the order of their keys.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct UserHeaders<'a> {
    headers: Vec<UserHeader<'a>>,
}

impl<'a> UserHeaders<'a> {
    /// Reads a whole block. `None` when Iggy's own reader would refuse it: a kind that does not exist, a length that is
    /// 0, over 255 or not the kind's, a key without a value, a pair that is cut off.
    pub fn parse(mut block: &'a [u8]) -> Option<Self> {
        let mut headers = Vec::with_capacity((block.len() / PAIR_LEN_MIN).min(RESERVED_MAX));
        while !block.is_empty() {
            let (key_kind, key) = take_field(&mut block)?;
            let (value_kind, value) = take_field(&mut block)?;
            headers.push(UserHeader { key_kind, key, value_kind, value });
        }
        // Reversed and stable, so that the last of those with the same key comes first and is kept.
        headers.reverse();
        headers.sort_by_key(|header| (header.key_kind, header.key));
        headers.dedup_by_key(|header| (header.key_kind, header.key));
        Some(Self { headers })
    }

    /// The pair whose key is this text, of kind String.
    pub fn named(&self, key: &[u8]) -> Option<&UserHeader<'a>> {
        let wanted = (Kind::STRING, key);
        let found = self.headers.binary_search_by_key(&wanted, |header| (header.key_kind, header.key));
        found.ok().and_then(|index| self.headers.get(index))
    }

    /// Every pair, in the order of their keys' kinds and bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &UserHeader<'a>> {
        self.headers.iter()
    }
}

fn take_field<'a>(block: &mut &'a [u8]) -> Option<(Kind, &'a [u8])> {
    let (&kind, rest) = block.split_first()?;
    let (&length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
    let kind = Kind::from_code(kind)?;
    if !kind.holds(length) {
        return None;
    }
    let (bytes, rest) = rest.split_at_checked(length)?;
    *block = rest;
    Some((kind, bytes))
}

/// Writes a block, pair by pair, whose keys are text and ascend.
#[derive(Clone, Debug, Default)]
pub struct UserHeadersWriter {
    block: Vec<u8>,
}

impl UserHeadersWriter {
    /// An empty block with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { block: Vec::with_capacity(capacity) }
    }

    /// Adds a pair. The key comes in two parts.
    ///
    /// # Panics
    /// When key or value have no byte or more than 255; who writes has checked it.
    pub fn push(&mut self, key: (&[u8], &[u8]), value_kind: Kind, value: &[u8]) {
        self.put_field(Kind::STRING, key.0, key.1);
        self.put_field(value_kind, value, &[]);
    }

    fn put_field(&mut self, kind: Kind, head: &[u8], tail: &[u8]) {
        let length = head.len() + tail.len();
        assert!((1..=FIELD_LEN_MAX).contains(&length), "a user header's field has 1 to 255 bytes");
        self.block.push(kind.0);
        self.block.extend_from_slice(&(length as u32).to_le_bytes());
        self.block.extend_from_slice(head);
        self.block.extend_from_slice(tail);
    }

    /// The block.
    pub fn into_bytes(self) -> Vec<u8> {
        self.block
    }
}

/// Bytes of a pair with a key and a value of these lengths.
pub(crate) const fn pair_len(key_len: usize, value_len: usize) -> usize {
    2 * FIELD_OVERHEAD + key_len + value_len
}

/// Kind and length.
const FIELD_OVERHEAD: usize = 1 + size_of::<u32>();
const PAIR_LEN_MIN: usize = pair_len(1, 1);
/// How many pairs get room before they are read.
const RESERVED_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{INT32, field, pair};

    #[test]
    fn sorts_by_kind_and_bytes_and_keeps_the_last_of_equals() {
        let block = [
            pair(2, b"b", 1, b"1"),
            pair(2, b"a", 1, b"2"),
            pair(1, b"z", 1, b"3"),
            pair(2, b"b", INT32, &[4, 0, 0, 0]),
        ]
        .concat();
        let headers = UserHeaders::parse(&block).unwrap();
        let found: Vec<_> = headers.iter().map(|h| (h.key_kind.code(), h.key, h.value)).collect();
        assert_eq!(found, [(1, &b"z"[..], &b"3"[..]), (2, b"a", b"2"), (2, b"b", &[4, 0, 0, 0])]);
        assert_eq!(headers.named(b"a").unwrap().value, b"2");
        assert_eq!(headers.named(b"z"), None, "z is Raw");
    }

    #[test]
    fn refuses_what_iggy_refuses() {
        let good = pair(2, b"k", 1, b"v");
        assert!(UserHeaders::parse(&good).is_some());
        assert!(UserHeaders::parse(&[]).is_some());
        for cut in 1..good.len() {
            assert_eq!(UserHeaders::parse(&good[..cut]), None, "cut at {cut}");
        }
        let long = vec![7; 256];
        for (what, block) in [
            ("kind 0", pair(0, b"k", 1, b"v")),
            ("value kind 16", pair(2, b"k", 16, b"v")),
            ("key kind 255", pair(255, b"k", 1, b"v")),
            ("an empty key", pair(2, b"", 1, b"v")),
            ("an empty value", pair(2, b"k", 1, b"")),
            ("a long value", pair(2, b"k", 1, &long)),
            ("a key without a value", field(2, b"k")),
            ("an integer of the wrong size", pair(2, b"k", INT32, b"abc")),
            ("a length of 4 GiB", [&[2, 255, 255, 255, 255][..], b"k"].concat()),
            ("bytes left", [&good[..], &[2]].concat()),
        ] {
            assert_eq!(UserHeaders::parse(&block), None, "{what}");
        }
    }
}
