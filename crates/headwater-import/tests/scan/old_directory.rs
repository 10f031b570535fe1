//! A writer of data directories made from the layout's description alone.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A record as the first broker writes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OldRecord {
    pub(crate) attributes: u8,
    pub(crate) timestamp_ms: u64,
    pub(crate) producer: Option<(u64, u16)>,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) key: Vec<u8>,
    pub(crate) stored_value: Vec<u8>,
}

/// CRC-32 (IEEE) bit by bit.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

impl OldRecord {
    pub(crate) fn new(key: &str, value: &str) -> Self {
        Self { timestamp_ms: 7, key: key.into(), stored_value: value.into(), ..Self::default() }
    }

    /// A record of a transaction.
    pub(crate) fn of(mut self, pid: u64, epoch: u16) -> Self {
        self.producer = Some((pid, epoch));
        self
    }

    /// A transaction's end.
    pub(crate) fn marker(committed: bool, pid: u64, epoch: u16) -> Self {
        let mut value = vec![u8::from(committed)];
        value.extend(pid.to_be_bytes());
        value.extend(epoch.to_be_bytes());
        Self { attributes: 4, stored_value: value, ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let has_headers = !self.headers.is_empty();
        let flags = self.attributes
            | if self.producer.is_some() { 8 } else { 0 }
            | if has_headers { 0x10 } else { 0 };
        let mut header = vec![flags];
        header.extend((self.key.len() as u32).to_be_bytes());
        header.extend(self.timestamp_ms.to_be_bytes());
        if let Some((pid, epoch)) = self.producer {
            header.extend(pid.to_be_bytes());
            header.extend(epoch.to_be_bytes());
        }
        let mut payload = Vec::new();
        if has_headers {
            payload.extend((self.headers.len() as u16).to_be_bytes());
            for (name, value) in &self.headers {
                payload.extend((name.len() as u16).to_be_bytes());
                payload.extend(name.bytes());
                payload.extend((value.len() as u32).to_be_bytes());
                payload.extend(value.bytes());
            }
            header.extend((payload.len() as u32).to_be_bytes());
        }
        payload.extend(&self.key);
        payload.extend(&self.stored_value);
        let size = (header.len() + payload.len() + 8) as u64;
        let crcs = (crc32(&header).to_be_bytes(), crc32(&payload).to_be_bytes());
        [&size.to_be_bytes()[..], &header, &crcs.0, &payload, &crcs.1].concat()
    }
}

/// The directory of one partition.
pub(crate) struct OldPartition {
    path: PathBuf,
}

impl OldPartition {
    /// The partition with that number, counted from 1.
    pub(crate) fn new(data: &Path, topic: &str, number: u32) -> Self {
        let path = data.join(topic).join(format!("partition-{number}"));
        fs::create_dir_all(&path).expect("a directory");
        Self { path }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes segments whose names count bytes, with what stands beside them.
    pub(crate) fn segmented(&self, segments: &[&[OldRecord]]) {
        let mut base = 0;
        for records in segments {
            let bytes: Vec<u8> = records.iter().flat_map(OldRecord::bytes).collect();
            fs::write(self.path(&format!("{base:020}.log")), &bytes).expect("written");
            fs::write(self.path(&format!("{base:020}.meta")), "1700000000.25").expect("written");
            let first = records.first().map_or(0, |record| record.timestamp_ms);
            let time_index = [&first.to_be_bytes()[..], &0_u32.to_be_bytes()].concat();
            fs::write(self.path(&format!("{base:020}.timeindex")), time_index).expect("written");
            base += bytes.len();
        }
        fs::write(self.path("recovery-checkpoint"), base.to_string()).expect("written");
        fs::write(self.path(".clean-shutdown"), "1").expect("written");
    }

    /// Writes a segment whose name counts records, with its index. Records have these offsets.
    pub(crate) fn commit_log(&self, base: u64, records: &[(u64, OldRecord)]) {
        let (mut log, mut index) = (Vec::new(), Vec::new());
        for (offset, record) in records {
            index.extend(((offset - base) as u32).to_be_bytes());
            index.extend((log.len() as u32).to_be_bytes());
            log.extend(record.bytes());
        }
        fs::write(self.path(&format!("{base:020}.log")), log).expect("written");
        fs::write(self.path(&format!("{base:020}.index")), index).expect("written");
    }
}
