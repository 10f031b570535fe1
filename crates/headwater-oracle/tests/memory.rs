//! What decoding takes, counted: frames that claim as many of the smallest elements as they can hold.

use std::alloc::System;

use bytes::Bytes;
use headwater_codec::{DecodeErrorKind, FieldType, Message, MessageSchema, Reader, for_each_api, messages};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Elements of the one long array of each frame.
const ELEMENTS: usize = 60_000;

/// Bytes that are no array: an error with its path, the bookkeeping of a shared buffer.
const SLACK: usize = 4096;

#[test]
fn no_decode_takes_more_memory_than_its_budget() {
    let (mut frames, mut refused) = (0, 0);
    for (schema, decode) in subjects() {
        for version in schema.versions.iter() {
            for array in 0.. {
                let Some(body) = body_with_long_array(schema, version, array) else { break };
                let allowed = body.len() * Reader::BUDGET_PER_BYTE + Reader::BUDGET_BASE + SLACK;
                let length = body.len();
                let region = Region::new(ALLOCATOR);
                let outcome = decode(body, version);
                let taken = region.change().bytes_allocated;
                assert!(
                    taken <= allowed,
                    "{} v{version}: {length} bytes took {taken}, not {allowed}",
                    schema.name
                );
                match outcome {
                    Ok(()) => {}
                    Err(DecodeErrorKind::BudgetExceeded { .. }) => refused += 1,
                    Err(kind) => panic!("{} v{version}, array {array}: {kind}", schema.name),
                }
                frames += 1;
            }
        }
    }
    assert!(frames > 500, "{frames} frames are too few to be all arrays");
    assert!(refused > 0, "some frames must be worth more memory than they justify");
}

type Subject = (&'static MessageSchema, fn(Bytes, i16) -> Result<(), DecodeErrorKind>);

fn decode<M: Message>(body: Bytes, version: i16) -> Result<(), DecodeErrorKind> {
    M::decode_body(body, version).map(drop).map_err(|error| error.kind())
}

fn subjects() -> Vec<Subject> {
    macro_rules! subjects {
        ($($key:ident $module:ident $request:ident $response:ident;)*) => {
            vec![$(
                (messages::$module::$request::SCHEMA, decode::<messages::$module::$request> as _),
                (messages::$module::$response::SCHEMA, decode::<messages::$module::$response> as _),
            )*]
        };
    }
    for_each_api!(subjects)
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
