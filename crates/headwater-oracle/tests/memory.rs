//! What decoding takes, counted for every decoder: frames that claim as many of the smallest elements as they can
//! hold, blocks of tagged fields that nobody knows, and counts with nothing behind them.

#[path = "../../headwater-codec/tests/messages/random_body.rs"]
mod random_body;
#[path = "../../headwater-codec/tests/messages/subject.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod subject;

use std::alloc::System;

use bytes::Bytes;
use headwater_codec::{DecodeErrorKind, FieldType, MessageSchema, Reader};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use random_body::{Random, random_body};
use subject::Subject;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Elements of the one long array of each frame: enough to go beyond the budget's fixed part.
const ELEMENTS: usize = 20_000;

/// Bytes that are no array: an error with its path, the bookkeeping of a shared buffer.
const SLACK: usize = 4096;

/// The most that a decoder was seen to take.
#[derive(Default)]
struct Worst {
    /// Bytes taken for each byte of the frame.
    factor: f64,
    what: String,
}

impl Worst {
    fn note(&mut self, factor: f64, what: impl FnOnce() -> String) {
        if factor > self.factor {
            (self.factor, self.what) = (factor, what());
        }
    }
}

/// One test, because all threads of a process share the count.
#[test]
fn no_decode_takes_more_memory_than_its_budget() {
    let (mut worst, mut worst_beyond_base) = (Worst::default(), Worst::default());
    let (mut long, mut refused) = (0, 0);
    let mut random = Random::new(1);
    let mut measure = |subject: &Subject, version: i16, body: Bytes, attack: &str| {
        let length = body.len();
        let region = Region::new(ALLOCATOR);
        let outcome = subject.decode(body, version);
        let taken = region.change().bytes_allocated;
        let allowed = length * Reader::BUDGET_PER_BYTE + Reader::BUDGET_BASE + SLACK;
        assert!(
            taken <= allowed,
            "{}, {attack}: {length} bytes took {taken}, not {allowed}",
            subject.at(version)
        );
        let what = || format!("{}, {attack}: {taken} bytes of memory for {length}", subject.at(version));
        if length >= ELEMENTS {
            worst.note(taken as f64 / length as f64, what);
            worst_beyond_base.note(taken.saturating_sub(Reader::BUDGET_BASE) as f64 / length as f64, what);
        }
        outcome.map_err(|error| error.kind())
    };
    for subject in subject::all() {
        let schema = subject.schema;
        for version in schema.versions.iter() {
            for array in 0.. {
                let Some(body) = body_with_long_array(schema, version, array) else { break };
                match measure(&subject, version, body, &format!("array {array} long")) {
                    Ok(()) => {}
                    Err(DecodeErrorKind::BudgetExceeded { .. }) => refused += 1,
                    Err(kind) => panic!("{}, array {array}: {kind}", subject.at(version)),
                }
                long += 1;
            }
            if schema.flexible.contains(version) {
                let outcome =
                    measure(&subject, version, body_with_unknown_tags(&subject, version), "unknown tags");
                // Every one is worth far more memory than its bytes justify.
                assert!(
                    matches!(outcome, Err(DecodeErrorKind::BudgetExceeded { .. })),
                    "{}: {outcome:?}",
                    subject.at(version)
                );
            }
            for _ in 0..32 {
                let mut body = random_body(schema, version, true, &mut random);
                if !body.is_empty() {
                    let index = random.below(body.len() as u64) as usize;
                    // What may have been a length becomes a huge one, with little behind it.
                    for byte in body.iter_mut().skip(index).take(4) {
                        *byte = 0x7f | (random.next() as u8);
                    }
                }
                let _ = measure(&subject, version, body.into(), "a damaged length");
            }
        }
    }
    assert!(long > 500, "{long} frames are too few to be all arrays");
    assert!(refused > 0, "some frames must be worth more memory than they justify");
    eprintln!("worst decoder: {:.1} bytes a byte: {}", worst.factor, worst.what);
    eprintln!(
        "worst beyond the first MiB: {:.2} a byte: {}",
        worst_beyond_base.factor, worst_beyond_base.what
    );
}

/// A body of defaults whose block of tagged fields has as many unknown ones as a long array has elements.
fn body_with_unknown_tags(subject: &Subject, version: i16) -> Bytes {
    let default = subject.encode_default(version).expect("defaults can be written");
    let (tags, fields) = default.split_last().expect("a flexible body ends in its tagged fields");
    assert_eq!(*tags, 0, "{}: no field is tagged", subject.at(version));
    let mut body = Body { version, flexible: true, long: 0, seen: 0, out: fields.to_vec() };
    body.uvarint(ELEMENTS);
    for tag in 0..ELEMENTS {
        body.uvarint(1000 + tag);
        body.uvarint(0);
    }
    body.out.into()
}

/// A body whose arrays have one element each, but for number `long`, which has many small ones. `None` when there
/// are no so many arrays.
fn body_with_long_array(schema: &MessageSchema, version: i16, long: usize) -> Option<Bytes> {
    let mut body =
        Body { version, flexible: schema.flexible.contains(version), long, seen: 0, out: Vec::new() };
    body.structure(schema, true);
    (body.seen > long).then(|| body.out.into())
}

struct Body {
    version: i16,
    flexible: bool,
    long: usize,
    seen: usize,
    out: Vec<u8>,
}

impl Body {
    /// With `arrays`, arrays have elements; without, they are empty and tagged fields are left out.
    fn structure(&mut self, schema: &MessageSchema, arrays: bool) {
        let mut tagged: Vec<(u32, Vec<u8>)> = Vec::new();
        let version = self.version;
        for field in schema.fields.iter().filter(|field| field.versions.contains(version)) {
            let nullable = field.nullable.contains(version);
            match field.tag {
                Some(tag) if field.tagged.contains(version) => {
                    if arrays {
                        let start = self.out.len();
                        self.value(&field.field_type, nullable, arrays);
                        tagged.push((tag, self.out.split_off(start)));
                    }
                }
                _ => self.value(&field.field_type, nullable, arrays),
            }
        }
        if self.flexible {
            tagged.sort();
            self.uvarint(tagged.len());
            for (tag, value) in tagged {
                self.uvarint(tag as usize);
                self.uvarint(value.len());
                self.out.extend(value);
            }
        }
    }

    fn value(&mut self, field_type: &FieldType, nullable: bool, arrays: bool) {
        let zeros = match field_type {
            FieldType::Bool | FieldType::Int8 => 1,
            FieldType::Int16 | FieldType::Uint16 => 2,
            FieldType::Int32 | FieldType::Uint32 => 4,
            FieldType::Int64 | FieldType::Float64 => 8,
            FieldType::Uuid => 16,
            FieldType::String if self.flexible => return self.uvarint(1),
            FieldType::String => 2,
            FieldType::Bytes | FieldType::Records => return self.length(0),
            FieldType::Struct(schema) => {
                if nullable {
                    self.out.push(1);
                }
                return self.structure(schema, arrays);
            }
            FieldType::Array(element) => return self.array(element, arrays),
        };
        self.out.resize(self.out.len() + zeros, 0);
    }

    fn array(&mut self, element: &FieldType, arrays: bool) {
        if !arrays {
            return self.length(0);
        }
        let number = self.seen;
        self.seen += 1;
        if number == self.long {
            self.length(ELEMENTS);
            (0..ELEMENTS).for_each(|_| self.value(element, false, false));
        } else {
            self.length(1);
            self.value(element, false, true);
        }
    }

    fn length(&mut self, length: usize) {
        if self.flexible {
            self.uvarint(length + 1);
        } else {
            self.out.extend((length as u32).to_be_bytes());
        }
    }

    fn uvarint(&mut self, mut value: usize) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }
}
