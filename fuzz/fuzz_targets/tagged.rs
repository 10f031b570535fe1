//! Blocks of tagged fields: as they come from a peer, some of them known, and as they are put together.
#![no_main]

use bytes::Bytes;
use headwater_codec::tagged::{self, UnknownTag};
use headwater_codec::{DecodeError, Reader, UnknownTags, Writer};
use headwater_fuzz::within_budget;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, Vec<(u32, u8)>, &[u8])| {
    let (mask, fields, block) = input;
    read(block, mask);
    put_together(&fields, block);
});

/// Reads a block in all three ways. A tag is known if it has none of the bits of `mask`.
fn read(block: &[u8], mask: u8) {
    let frame = Bytes::copy_from_slice(block);
    let reader = || Reader::new(frame.clone(), 0, true);
    let budget = Reader::BUDGET_PER_BYTE;

    let mut kept = UnknownTags::NONE;
    let mut keeping = reader();
    let outcome = within_budget(block.len(), budget, || tagged::read_into(&mut keeping, &mut kept));
    let mut passing = reader();
    let passed = within_budget(block.len(), budget, || tagged::read(&mut passing));
    if outcome.is_ok() {
        assert_eq!((passed, passing.position()), (Ok(()), keeping.position()));
        assert!(kept.as_slice().is_sorted_by(|left, right| left.tag < right.tag));
        let written = write(&kept);
        assert!(written.len() <= keeping.position(), "nothing is written longer than it came");
        assert_eq!(read_back(written), kept);
    }

    let (mut known, mut unknown) = (Vec::new(), UnknownTags::NONE);
    let mut telling = reader();
    let told = tagged::read_known(&mut telling, &mut unknown, &mut |reader, tag| {
        if tag & u32::from(mask) != 0 {
            return Ok(false);
        }
        known.push(UnknownTag { tag, value: reader.take(reader.remaining())? });
        Ok(true)
    });
    if outcome.is_ok() {
        assert_eq!((told, telling.position()), (Ok(()), keeping.position()));
        for UnknownTag { tag, value } in known {
            assert_eq!(tag & u32::from(mask), 0);
            unknown.insert(tag, value);
        }
        assert_eq!(unknown, kept);
    }
}

/// Puts fields in, in any order and some of them twice: they come out in order, the last value of each.
fn put_together(fields: &[(u32, u8)], bytes: &[u8]) {
    let mut tags = UnknownTags::NONE;
    for &(tag, length) in fields {
        let value = bytes.get(..usize::from(length)).unwrap_or(bytes);
        tags.insert(tag, Bytes::copy_from_slice(value));
    }
    assert_eq!(read_back(write(&tags)), tags);
    for &UnknownTag { tag, ref value } in tags.as_slice() {
        let length = fields.iter().rev().find(|field| field.0 == tag).map(|field| usize::from(field.1));
        assert_eq!(length.map(|length| length.min(bytes.len())), Some(value.len()));
    }
}

fn write(tags: &UnknownTags) -> Bytes {
    let mut writer = Writer::new(0, true);
    tagged::write(&mut writer, tags).expect("the version has tagged fields");
    let (written, _) = writer.finish().expect("it is short");
    written.to_bytes().expect("all of it is at hand")
}

fn read_back(block: Bytes) -> UnknownTags {
    let mut reader = Reader::new(block, 0, true);
    let mut tags = UnknownTags::NONE;
    let outcome: Result<(), DecodeError> = tagged::read_into(&mut reader, &mut tags);
    outcome.and_then(|()| reader.finish()).expect("what was written can be read");
    tags
}
