//! The messages of one partition, in the batches in which they came.

use bytes::{BufMut, Bytes, BytesMut};
use iggy_binary_protocol::{
    batch::{BATCH_HEADER_SIZE, BatchHeader, BatchMessageHeader, decode_batch_slice},
    validate_user_headers,
};

use crate::errors::{Failure, INVALID_PAYLOAD_LENGTH, TOO_BIG_PAYLOAD, TOO_BIG_USER_HEADERS};

/// One partition.
#[derive(Default)]
pub(crate) struct Partition {
    batches: Vec<Batch>,
    /// The offset of the next message.
    end: u64,
    /// The first offset there is.
    start: u64,
}

/// Messages that came at once.
struct Batch {
    header: BatchHeader,
    /// Each with its own header.
    frames: Vec<Bytes>,
}

impl Partition {
    /// Takes a batch as a producer sends it, judged as the server does, and gives the offset of its first message.
    pub(crate) fn send(&mut self, number: u32, now_us: u64, sent: &Bytes) -> Result<u64, Failure> {
        let batch = decode_batch_slice(sent)?;
        let mut frames = Vec::new();
        for message in batch.iter_with_offsets() {
            let view = message.message;
            match view.payload.len() {
                0 => return Err(INVALID_PAYLOAD_LENGTH),
                1..=PAYLOAD_LEN_MAX => {}
                _ => return Err(TOO_BIG_PAYLOAD),
            }
            if view.user_headers.len() > USER_HEADERS_LEN_MAX {
                return Err(TOO_BIG_USER_HEADERS);
            }
            validate_user_headers(view.user_headers)?;
            frames.push(sent.slice(BATCH_HEADER_SIZE + message.start..BATCH_HEADER_SIZE + message.end));
        }
        let base = self.end;
        let header = BatchHeader {
            partition_id: number.into(),
            base_offset: base,
            base_timestamp: now_us,
            ..batch.header
        };
        self.end += frames.len() as u64;
        self.batches.push(Batch { header, frames });
        Ok(base)
    }

    /// Gives `count` messages from `from` on, in batches whose bases are those of the batches they are in.
    pub(crate) fn poll(&self, from: u64, count: u32) -> (u32, BytesMut) {
        let mut out = BytesMut::new();
        let mut left = count as usize;
        let first = self.batches.partition_point(|batch| batch.end() <= from);
        for batch in self.batches.iter().skip(first) {
            let skipped =
                usize::try_from(from.saturating_sub(batch.header.base_offset)).unwrap_or(usize::MAX);
            let frames: Vec<&Bytes> = batch.frames.iter().skip(skipped).take(left).collect();
            if frames.is_empty() {
                break;
            }
            left -= frames.len();
            batch.write(&frames, &mut out);
        }
        (count - left as u32, out)
    }

    /// The offset of the first message that was appended at or after a time, microseconds.
    pub(crate) fn at(&self, micros: u64) -> u64 {
        let found = self.batches.iter().find(|batch| batch.header.base_timestamp >= micros);
        found.map_or(self.end, |batch| batch.header.base_offset)
    }

    pub(crate) fn expire(&mut self, offset: u64) {
        self.batches.retain(|batch| batch.end() > offset);
        self.start = self.batches.first().map_or(self.end, |batch| batch.header.base_offset);
    }

    pub(crate) const fn start(&self) -> u64 {
        self.start
    }

    /// The offset of the last message; 0 when there never was one.
    pub(crate) const fn current_offset(&self) -> u64 {
        self.end.saturating_sub(1)
    }

    pub(crate) const fn message_count(&self) -> u64 {
        self.end - self.start
    }
}

impl Batch {
    fn end(&self) -> u64 {
        self.header.base_offset + self.frames.len() as u64
    }

    fn write(&self, frames: &[&Bytes], out: &mut BytesMut) {
        let blob: Vec<u8> = frames.iter().flat_map(|frame| frame.iter().copied()).collect();
        // The deltas of messages in the middle count from the batch's own base.
        debug_assert!(BatchMessageHeader::decode(&blob).is_ok());
        let mut header = BatchHeader {
            batch_length: (BATCH_HEADER_SIZE + blob.len()) as u64,
            message_count: frames.len() as u32,
            ..self.header
        };
        header.batch_checksum = header.checksum_for_blob(&blob);
        let mut bytes = [0; BATCH_HEADER_SIZE];
        header.encode_into(&mut bytes);
        out.put_slice(&bytes);
        out.put_slice(&blob);
    }
}

/// Iggy's limits.
const PAYLOAD_LEN_MAX: usize = 64_000_000;
const USER_HEADERS_LEN_MAX: usize = 100_000;
