//! The producer snapshot, `<offset>.snapshot`, in Kafka's form: version int16 (1), CRC-32C uint32 over what follows it,
//! count int32, and 46 bytes per producer: id int64, epoch int16, last sequence int32, last offset int64, offset delta
//! int32, timestamp int64, coordinator epoch int32, first offset of the open transaction int64 (-1: none). Big-endian.

use std::collections::VecDeque;

use bytes::{Buf, BufMut};

use super::{Producer, Producers, Written};

impl Producers {
    /// The file's content.
    pub(crate) fn to_snapshot(&self) -> Vec<u8> {
        let mut entries = Vec::with_capacity(COUNT_LEN + self.by_id.len() * ENTRY_LEN);
        entries.put_i32(i32::try_from(self.by_id.len()).unwrap_or(i32::MAX));
        let mut ids: Vec<_> = self.by_id.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some(producer) = self.by_id.get(&id) else { continue };
            let last = producer.batches.back();
            entries.put_i64(id);
            entries.put_i16(producer.epoch);
            entries.put_i32(last.map_or(-1, |written| written.last_sequence));
            entries.put_i64(last.map_or(-1, |written| written.last_offset));
            entries.put_i32(last.map_or(0, |written| written.offset_delta));
            entries.put_i64(producer.last_seen_ms);
            entries.put_i32(producer.coordinator_epoch);
            entries.put_i64(producer.transaction_start.unwrap_or(-1));
        }
        let mut snapshot = Vec::with_capacity(HEAD_LEN + entries.len());
        snapshot.put_i16(VERSION);
        snapshot.put_u32(crc32c::crc32c(&entries));
        snapshot.extend_from_slice(&entries);
        snapshot
    }

    /// Reads a file's content; `None` when it is not whole and sound.
    pub(crate) fn from_snapshot(mut bytes: &[u8]) -> Option<Self> {
        if bytes.try_get_i16().ok()? != VERSION {
            return None;
        }
        if bytes.try_get_u32().ok()? != crc32c::crc32c(bytes) {
            return None;
        }
        let count = usize::try_from(bytes.try_get_i32().ok()?).ok()?;
        if bytes.len() != count.checked_mul(ENTRY_LEN)? {
            return None;
        }
        let mut producers = Self::default();
        for mut entry in bytes.chunks_exact(ENTRY_LEN) {
            let id = entry.get_i64();
            let epoch = entry.get_i16();
            let (last_sequence, last_offset, offset_delta) =
                (entry.get_i32(), entry.get_i64(), entry.get_i32());
            let (last_seen_ms, coordinator_epoch) = (entry.get_i64(), entry.get_i32());
            let transaction_start = Some(entry.get_i64()).filter(|offset| *offset >= 0);
            let mut batches = VecDeque::new();
            if last_sequence >= 0 {
                batches.push_back(Written { last_sequence, last_offset, offset_delta });
            }
            producers.open_transactions += usize::from(transaction_start.is_some());
            let producer = Producer { epoch, coordinator_epoch, last_seen_ms, transaction_start, batches };
            producers.by_id.insert(id, producer);
        }
        Some(producers)
    }
}

const VERSION: i16 = 1;
/// Version and checksum.
const HEAD_LEN: usize = 6;
const COUNT_LEN: usize = 4;
const ENTRY_LEN: usize = 46;
