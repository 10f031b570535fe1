//! The fast path for records as nearly all are: no headers, and numbers of one or two bytes.

use crate::walk::RecordFacts;

/// A sound record without headers, by the positions of its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainRecord {
    pub(crate) facts: RecordFacts,
    /// Where the key starts; it ends where the value's length starts.
    key_start: usize,
    key_len: usize,
    value_start: usize,
    value_len: Option<usize>,
    /// Where the next record starts.
    pub(crate) end: usize,
}

impl PlainRecord {
    /// Reads the record at the front of `bytes`, its length included. `None` when it has headers or long numbers, or
    /// is unsound: then it is read the other way, which tells what is wrong.
    ///
    /// All numbers before the key are taken from one 64-bit word, so that none waits for the one before it.
    // Called out of line, its result goes through memory and costs more than the reading.
    #[inline(always)]
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers { word: u64::from_le_bytes(*bytes.first_chunk()?), used: 0 };
        let length = numbers.next()?;
        let end = numbers.used as usize + unzigzag_len(length)??;
        numbers.skip_byte();
        let timestamp_delta = unzigzag(numbers.next()?);
        let offset_delta = unzigzag(numbers.next()?);
        let key_len = unzigzag_len(numbers.next()?)?;
        // More than the word has may have been used; its bytes were 0 then and mean nothing.
        if numbers.used > 8 {
            return None;
        }
        let key_start = numbers.used as usize;
        let value_at = key_start + key_len.unwrap_or(0);
        let (value_len, value_start) = match *bytes.get(value_at..)? {
            [low, ..] if low < 0x80 => (u32::from(low), value_at + 1),
            [low, high, ..] if high < 0x80 => (two_bytes(u32::from(low), u32::from(high)), value_at + 2),
            _ => return None,
        };
        let value_len = unzigzag_len(value_len)?;
        // The one byte that is left is the header count, 0.
        let sound = value_start + value_len.unwrap_or(0) + 1 == end && bytes.get(end - 1) == Some(&0);
        let facts = RecordFacts {
            timestamp_delta: i64::from(timestamp_delta),
            offset_delta,
            has_key: key_len.is_some(),
        };
        sound.then_some(Self { facts, key_start, key_len: key_len.unwrap_or(0), value_start, value_len, end })
    }

    /// The key in the bytes that the record was read from.
    #[inline]
    pub(crate) fn key<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        if self.facts.has_key { bytes.get(self.key_start..self.key_start + self.key_len) } else { None }
    }

    /// The value in the bytes that the record was read from.
    #[inline]
    pub(crate) fn value<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.value_start..self.value_start + self.value_len?)
    }
}

/// Takes numbers of one or two bytes from a word.
struct Numbers {
    word: u64,
    used: u32,
}

impl Numbers {
    #[inline]
    fn next(&mut self) -> Option<u32> {
        let low = self.word as u32 & 0xff;
        if low < 0x80 {
            self.skip_byte();
            return Some(low);
        }
        let high = (self.word >> 8) as u32 & 0xff;
        if high >= 0x80 {
            return None;
        }
        self.word >>= 16;
        self.used += 2;
        Some(two_bytes(low, high))
    }

    #[inline]
    const fn skip_byte(&mut self) {
        self.word >>= 8;
        self.used += 1;
    }
}

#[inline]
const fn two_bytes(low: u32, high: u32) -> u32 {
    (low & 0x7f) | high << 7
}

#[inline]
const fn unzigzag(raw: u32) -> i32 {
    (raw >> 1).cast_signed() ^ -((raw & 1).cast_signed())
}

/// A length, with `Some(None)` for -1 and `None` for what is below.
#[inline]
const fn unzigzag_len(raw: u32) -> Option<Option<usize>> {
    if raw & 1 == 0 {
        Some(Some(raw as usize >> 1))
    } else if raw == 1 {
        Some(None)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{
        testing::record,
        walk::{RecordInput, SliceInput, next_body, read_record},
    };

    /// Where the fast path says anything, the other one says the same.
    fn check(bytes: &[u8]) {
        let Some(plain) = PlainRecord::read(bytes) else { return };
        let mut input = SliceInput::new(bytes);
        let body = next_body(&mut input).unwrap();
        assert_eq!(read_record(&mut SliceInput::new(body)), Ok(plain.facts));
        assert_eq!(bytes.len() - input.left(), plain.end);
    }

    #[test]
    fn reads_key_and_value() {
        let bytes = [record(&[0, 0x81, 1, 4, 2, b'k', 4, b'v', b'w', 0]), vec![0; 9]].concat();
        let plain = PlainRecord::read(&bytes).unwrap();
        assert_eq!(plain.facts, RecordFacts { timestamp_delta: -65, offset_delta: 2, has_key: true });
        assert_eq!((plain.key(&bytes), plain.value(&bytes)), (Some(&b"k"[..]), Some(&b"vw"[..])));
        let bytes = record(&[0, 0, 0, 1, 1, 0, 0]);
        assert!(PlainRecord::read(&bytes).is_none(), "bytes are left in it");
        let bytes = [record(&[0, 0, 0, 1, 1, 0]), record(&[0, 0, 0, 0, 0, 0])].concat();
        let plain = PlainRecord::read(&bytes).unwrap();
        assert_eq!((plain.key(&bytes), plain.value(&bytes)), (None, None));
        let plain = PlainRecord::read(&[&bytes[plain.end..], &[0; 3]].concat()).unwrap();
        assert!(plain.facts.has_key);
    }

    proptest! {
        #[test]
        fn agrees_with_the_other_path(
            numbers in vec(prop_oneof![vec(0..0x80_u8, 1), vec(any::<u8>(), 1..4)], 2),
            key in vec(any::<u8>(), 0..70),
            value in vec(any::<u8>(), 0..200),
            after in vec(any::<u8>(), 0..12),
            change in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        ) {
            let mut body = vec![0];
            body.extend(numbers.concat());
            headwater_codec::varint::write_i32(&mut body, key.len() as i32);
            body.extend(key);
            headwater_codec::varint::write_i32(&mut body, value.len() as i32);
            body.extend(value);
            body.push(0);
            let mut bytes = [record(&body), after].concat();
            if let Some((at, byte)) = change {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            check(&bytes);
        }

        #[test]
        fn agrees_on_random_bytes(bytes in vec(prop_oneof![0..32_u8, any::<u8>()], 0..40)) {
            check(&bytes);
        }
    }
}
