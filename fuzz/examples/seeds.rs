//! Writes a seed corpus for the fuzz targets under `fuzz/corpus`: bodies of every message at every version, made from
//! the schemas, and sample bodies from the facts about the protocol if they are there (`HEADWATER_PROTOCOL_FACTS`, or
//! a directory beside the repository).
//!
//! `cargo run --manifest-path fuzz/Cargo.toml --example seeds`

#[path = "../../crates/headwater-oracle/tests/differential/pairs.rs"]
#[allow(dead_code, reason = "only the order is needed")]
mod pairs;
#[path = "../../crates/headwater-codec/tests/messages/random_body.rs"]
mod random_body;
#[path = "../../crates/headwater-codec/tests/messages/subject.rs"]
#[allow(dead_code, reason = "only the order is needed")]
mod subject;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use headwater_codec::records::MetadataLogRecord;
use headwater_codec::records::{
    ConsumerProtocolAssignment, ConsumerProtocolSubscription, GroupMetadataKey, GroupMetadataValue,
    OffsetCommitKey, OffsetCommitValue,
};
use headwater_codec::{Message, MessageKind, MessageSchema, ProducerEpoch, ProducerId, registry};
use headwater_fuzz::message::Case;
use headwater_iggy::{Record, SendWindow, to_iggy};
use headwater_records::native::{HeaderBlockBuilder, NativeFields, ValueCodec};
use headwater_records::{BatchBuilder, Compression, HeaderRef};
use random_body::{Random, random_body};

/// Random bodies of each message at each version.
const BODIES: u64 = 3;

/// Before a block: all of its tags are known, and no fields to put together.
const NO_FIELDS: [u8; 2] = [0, 0];

/// Choices for one body, a byte each.
const CHOICES: usize = 200;

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = root.join("corpus");
    let mut count = 0;
    let mut write = |target: &str, name: String, bytes: &[u8]| -> io::Result<()> {
        let directory = corpus.join(target);
        fs::create_dir_all(&directory)?;
        count += 1;
        fs::write(directory.join(name), bytes)
    };
    messages(&mut write)?;
    choices(&mut write)?;
    tagged(&mut write)?;
    samples(root, &mut write)?;
    log_records(&mut write)?;
    batches(&mut write)?;
    native_records(&mut write)?;
    iggy_messages(&mut write)?;
    for (name, prefix) in [("short", [0, 0, 0, 9]), ("tls", [0x16, 3, 1, 2]), ("http", *b"GET ")] {
        write("frame", name.to_owned(), &[prefix, [0, 0x10, 0, 0]].concat())?;
    }
    eprintln!("{count} seeds under {}", corpus.display());
    Ok(())
}

type Write<'a> = dyn FnMut(&str, String, &[u8]) -> io::Result<()> + 'a;

fn messages(write: &mut Write<'_>) -> io::Result<()> {
    let mut random = Random::new(1);
    for api in registry::apis() {
        for version in api.versions().iter() {
            for number in 0..BODIES {
                for schema in [api.request(), api.response()] {
                    let body = random_body(schema, version, number == 0, &mut random);
                    message(schema.name, &format!("v{version}-{number}"), version, &body, write)?;
                }
            }
        }
    }
    Ok(())
}

fn samples(root: &Path, write: &mut Write<'_>) -> io::Result<()> {
    let facts = env::var_os("HEADWATER_PROTOCOL_FACTS")
        .map_or_else(|| root.join("../../shared/protocol"), PathBuf::from);
    let Ok(vectors) = fs::read_to_string(facts.join("vectors.tsv")) else {
        eprintln!("SKIPPED: no sample bodies in {}", facts.display());
        return Ok(());
    };
    for line in vectors.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, _, version, variant, name, _, hex] = columns[..] else { continue };
        let digits: Vec<u8> =
            hex.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
        let body: Vec<u8> =
            digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
        let version: i16 = version.parse().map_err(io::Error::other)?;
        message(name, &format!("v{version}-{variant}"), version, &body, write)?;
        for (target, schemas) in structured() {
            let Some(index) = schemas.iter().position(|schema| schema.name == name) else { continue };
            let first = schemas[index].versions.first().unwrap_or(0);
            let input = Case::given(index, (version - first) as u8, &body);
            write(target, format!("{name}-v{version}-{variant}"), &input)?;
        }
    }
    Ok(())
}

/// The targets that build messages, each with those messages in its order.
fn structured() -> [(&'static str, Vec<&'static MessageSchema>); 2] {
    let subjects = subject::all().iter().map(|subject| subject.schema).collect();
    let pairs = pairs::messages().iter().chain(&pairs::bodies()).map(|pair| pair.schema).collect();
    [("message", subjects), ("differential", pairs)]
}

/// Choices for the targets that build messages.
fn choices(write: &mut Write<'_>) -> io::Result<()> {
    let mut random = Random::new(3);
    for (target, schemas) in structured() {
        for (index, schema) in schemas.iter().enumerate() {
            for version in 0..schema.versions.iter().count() as u8 {
                let choices: Vec<u8> = (0..CHOICES).map(|_| random.below(0x100) as u8).collect();
                let name = format!("{}-{version}", schema.name);
                write(target, name, &Case::chosen(index, version, &choices))?;
            }
        }
    }
    Ok(())
}

/// Blocks of tagged fields: none, one, two, a value that ends early, tags that descend.
fn tagged(write: &mut Write<'_>) -> io::Result<()> {
    let blocks: [&[u8]; 5] =
        [&[0], &[1, 9, 2, 1, 2], &[2, 0, 0, 0x85, 1, 1, 7], &[1, 0, 9, 1], &[2, 2, 0, 1, 0]];
    for (index, block) in blocks.into_iter().enumerate() {
        write("tagged", index.to_string(), &[&NO_FIELDS, block].concat())?;
    }
    Ok(())
}

/// One body, with what stands before it: a request's header, or a response's with its key and version.
fn message(name: &str, suffix: &str, version: i16, body: &[u8], write: &mut Write<'_>) -> io::Result<()> {
    for api in registry::apis() {
        let (key, version_bytes) = (api.key().code().to_be_bytes(), version.to_be_bytes());
        let flexible = api.is_flexible(version);
        if api.request().name == name {
            let mut frame = [&key[..], &version_bytes, &7u32.to_be_bytes(), b"\0\x04fuzz"].concat();
            frame.extend(flexible.then_some(0));
            write("request_header", format!("{name}-{suffix}"), &frame)?;
            frame.extend(body);
            write("request", format!("{name}-{suffix}"), &frame)?;
        } else if api.response().name == name {
            let mut frame = [&key[..], &version_bytes, &7u32.to_be_bytes()].concat();
            let tagged = api.response_header_version(version) == headwater_codec::ResponseHeaderVersion::V1;
            frame.extend(tagged.then_some(0));
            frame.extend(body);
            write("response", format!("{name}-{suffix}"), &frame)?;
        }
    }
    Ok(())
}

fn log_records(write: &mut Write<'_>) -> io::Result<()> {
    let mut random = Random::new(2);
    for schema in MetadataLogRecord::SCHEMAS {
        let MessageKind::Data { type_id: Some(id) } = schema.kind else { continue };
        for version in schema.versions.iter() {
            let mut value = vec![0, 1, id as u8, version as u8];
            value.extend(random_body(schema, version, true, &mut random));
            write("log_record", format!("{}-v{version}", schema.name), &value)?;
        }
    }
    let kinds = [
        (1, OffsetCommitKey::SCHEMA),
        (2, OffsetCommitValue::SCHEMA),
        (3, GroupMetadataValue::SCHEMA),
        (4, ConsumerProtocolSubscription::SCHEMA),
        (5, ConsumerProtocolAssignment::SCHEMA),
        (1, GroupMetadataKey::SCHEMA),
    ];
    for (kind, schema) in kinds {
        for version in schema.versions.iter() {
            let mut value = vec![kind];
            value.extend(version.to_be_bytes());
            value.extend(random_body(schema, version, true, &mut random));
            write("log_record", format!("{}-v{version}", schema.name), &value)?;
        }
    }
    Ok(())
}

fn batches(write: &mut Write<'_>) -> io::Result<()> {
    let codecs =
        [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    for codec in codecs {
        let mut builder = BatchBuilder::new().compression(codec);
        for index in 0..4i64 {
            let headers: [HeaderRef<'_>; 2] = [(b"h", None), (b"i", Some(b"v"))];
            builder.push(index, Some(b"key"), Some(&[b'v'; 40]), &headers).map_err(io::Error::other)?;
        }
        let batch = builder.build().map_err(io::Error::other)?.to_bytes();
        for choice in [0, 1] {
            write("record_batch", format!("{}-{choice}", codec.name()), &[&[choice], &batch[..]].concat())?;
        }
    }
    Ok(())
}

fn native_records(write: &mut Write<'_>) -> io::Result<()> {
    let producers = [None, Some((ProducerId::new(7), ProducerEpoch::new(3)))];
    for (codec, producer) in ValueCodec::ALL.into_iter().flat_map(|codec| producers.map(|who| (codec, who))) {
        for count in [0, 2] {
            let mut headers = HeaderBlockBuilder::new();
            (0..count).try_for_each(|_| headers.push(b"name", b"value")).map_err(io::Error::other)?;
            let stored_value = codec.pack(&[b'v'; 40]).map_err(io::Error::other)?;
            let (key, stored_value) = (&b"key"[..], &stored_value[..]);
            let fields =
                NativeFields { timestamp_ms: 7, producer, key, codec, stored_value, ..Default::default() };
            let mut record = vec![0];
            fields.write(headers.block(), &mut record).map_err(io::Error::other)?;
            let name = format!("{}-{}-{count}", codec.compression().name(), producer.is_some());
            write("native_record", name, &record)?;
        }
    }
    Ok(())
}

/// Messages of both forms, as the target reads them: length of the user headers, user headers, payload.
fn iggy_messages(write: &mut Write<'_>) -> io::Result<()> {
    let headers: [&[HeaderRef<'_>]; 3] = [&[], &[(b"b", Some(b"1")), (b"a", Some(b"2"))], &[(b"a", None)]];
    let parts = [None, Some(&b""[..]), Some(b"part")];
    for (index, headers) in headers.iter().enumerate() {
        for (key, value) in parts.into_iter().flat_map(|key| parts.map(|value| (key, value))) {
            let record = Record { timestamp: 0, key, value, headers: headers.to_vec().into() };
            let mapped = to_iggy(&record, SendWindow::default()).map_err(io::Error::other)?;
            let length = (mapped.user_headers.len() as u16).to_le_bytes();
            let input = [&length[..], &mapped.user_headers, &mapped.payload].concat();
            let shape = |part: Option<&[u8]>| part.map_or("null".to_owned(), |part| part.len().to_string());
            write("iggy_message", format!("{index}-{}-{}", shape(key), shape(value)), &input)?;
        }
    }
    Ok(())
}
