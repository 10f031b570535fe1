//! Helpers for this crate's own tests: batches that no builder makes.

use bytes::Bytes;
use headwater_codec::varint;

use crate::{BatchBuilder, BatchHeader, Compression, ProduceRules, header};

/// Milliseconds since the epoch at which the tests take place.
pub(crate) const NOW_MS: i64 = 1_700_000_000_000;

pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

pub(crate) fn rules() -> ProduceRules {
    ProduceRules::new(NOW_MS)
}

/// A batch of records with these timestamps, keys `k` and values `v`.
pub(crate) fn batch_at(codec: Compression, timestamps: &[i64]) -> Vec<u8> {
    let mut builder = BatchBuilder::new().compression(codec);
    for &timestamp in timestamps {
        builder.push(timestamp, Some(b"k"), Some(b"v"), &[]).unwrap();
    }
    builder.build().unwrap().to_bytes().to_vec()
}

/// A batch with this header but for its length and checksum, which are made to fit `records`.
pub(crate) fn sealed(edit: impl FnOnce(&mut BatchHeader), records: &[u8]) -> Bytes {
    let mut header = BatchHeader::new(records.len()).unwrap();
    header.record_count = 1;
    header.base_timestamp = NOW_MS;
    header.max_timestamp = NOW_MS;
    edit(&mut header);
    header.crc = header.computed_crc(records);
    [&header.encode()[..], records].concat().into()
}

/// The batch with its checksum made anew after its bytes were changed.
pub(crate) fn resealed(mut batch: Vec<u8>) -> Bytes {
    let crc = header::crc_of(&batch);
    batch[17..21].copy_from_slice(&crc.to_be_bytes());
    batch.into()
}

/// A record's bytes: its length and `body`.
pub(crate) fn record(body: &[u8]) -> Vec<u8> {
    let mut record = Vec::new();
    varint::write_i32(&mut record, body.len() as i32);
    record.extend_from_slice(body);
    record
}
