//! A partition gone through once, before anything is copied: what is there, and what of it can be imported.

use std::{collections::HashMap, iter::Peekable, path::Path};

use headwater_records::native::{ControlMarker, NativeRecord};

use crate::{
    Damage, ImportError, SourceDirectory, SourcePartition,
    source::{AbortRanges, PartitionReader, Step},
};

/// How many records of which kind.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Found {
    /// To be imported.
    pub importable: u64,
    /// Control records, which only have a meaning where they stand.
    pub control: u64,
    /// Of transactions that were aborted.
    pub aborted: u64,
    /// Of transactions that have no end: the first broker would abort them at its next start, unless it had decided
    /// to commit them.
    pub unfinished: u64,
}

/// What a partition holds.
#[derive(Debug)]
pub struct Scan {
    /// How many records of which kind.
    pub found: Found,
    /// What is damaged, in order; only the first [`Scan::DAMAGES_KEPT`] are kept.
    pub damages: Vec<Damage>,
    /// How many are damaged, kept or not.
    pub damage_count: u64,
    /// The largest timestamp of an importable record, milliseconds since the epoch.
    pub max_timestamp_ms: i64,
    /// The most headers that a record has, whatever its kind.
    pub headers_count_max: usize,
    /// The longest header block of a record, in bytes, whatever its kind.
    pub headers_bytes_max: usize,
    /// The longest name of a header, in bytes, whatever the record's kind.
    pub header_name_bytes_max: usize,
    left_out: AbortRanges,
}

impl Scan {
    /// How many damages are told one by one.
    pub const DAMAGES_KEPT: usize = 100;

    /// Goes through a partition of a topic.
    ///
    /// # Errors
    /// [`ImportError`] when a file cannot be read. Damaged records are no error.
    pub fn of(
        directory: &SourceDirectory,
        topic: &str,
        partition: &SourcePartition,
    ) -> Result<Self, ImportError> {
        let mut scan = Self {
            found: Found::default(),
            damages: Vec::new(),
            damage_count: 0,
            max_timestamp_ms: 0,
            headers_count_max: 0,
            headers_bytes_max: 0,
            header_name_bytes_max: 0,
            left_out: directory.aborts_of(topic, partition),
        };
        let mut open = HashMap::new();
        let mut reader = partition.read();
        while let Some(step) = reader.next_step()? {
            match step {
                Step::Record { offset, record, .. } => {
                    scan.measure_headers(&record);
                    scan.note(&mut open, offset, &record);
                }
                Step::Damage(damage) => {
                    scan.damage_count += 1;
                    if scan.damages.len() < Self::DAMAGES_KEPT {
                        scan.damages.push(damage);
                    }
                }
            }
        }
        for ((pid, epoch), transaction) in open {
            scan.found.unfinished += transaction.records;
            scan.left_out.add(pid, epoch, transaction.first, u64::MAX);
        }
        Ok(scan)
    }

    fn measure_headers(&mut self, record: &NativeRecord<'_>) {
        let headers = record.headers();
        self.headers_bytes_max = self.headers_bytes_max.max(headers.bytes().len());
        self.headers_count_max = self.headers_count_max.max(headers.iter().count());
        let name = headers.iter().map(|(name, _)| name.len()).max();
        self.header_name_bytes_max = self.header_name_bytes_max.max(name.unwrap_or_default());
    }

    fn note(
        &mut self,
        open: &mut HashMap<(i64, i16), OpenTransaction>,
        offset: u64,
        record: &NativeRecord<'_>,
    ) {
        if record.head().attributes().is_control() {
            self.found.control += 1;
            if let Some(marker) = marker_of(record) {
                self.end(open, offset, marker);
            }
            return;
        }
        match record.head().producer() {
            Some((id, epoch)) if self.left_out.holds(id.get(), epoch.get(), offset) => {
                self.found.aborted += 1
            }
            Some((id, epoch)) => {
                let first = OpenTransaction { first: offset, records: 0, max_timestamp_ms: 0 };
                let transaction = open.entry((id.get(), epoch.get())).or_insert(first);
                transaction.records += 1;
                transaction.max_timestamp_ms = transaction.max_timestamp_ms.max(record.head().timestamp_ms());
            }
            None => {
                self.found.importable += 1;
                self.max_timestamp_ms = self.max_timestamp_ms.max(record.head().timestamp_ms());
            }
        }
    }

    fn end(&mut self, open: &mut HashMap<(i64, i16), OpenTransaction>, offset: u64, marker: ControlMarker) {
        let (pid, epoch) = (marker.producer_id.get(), marker.producer_epoch.get());
        let Some(transaction) = open.remove(&(pid, epoch)) else { return };
        if marker.committed {
            self.found.importable += transaction.records;
            self.max_timestamp_ms = self.max_timestamp_ms.max(transaction.max_timestamp_ms);
        } else {
            self.found.aborted += transaction.records;
            self.left_out.add(pid, epoch, transaction.first, offset);
        }
    }

    /// Reads the partition again, importable records only, and finds on the way which of them `groups` read next, by the
    /// offsets that they have in the directory, ascending.
    pub(crate) fn importable<'s>(
        &'s self,
        partition: &'s SourcePartition,
        groups: Vec<(u64, String)>,
    ) -> Importable<'s> {
        let groups = groups.into_iter().peekable();
        Importable { scan: self, reader: partition.read(), next_index: 0, groups, positions: Vec::new() }
    }

    fn takes(&self, offset: u64, record: &NativeRecord<'_>) -> bool {
        if record.head().attributes().is_control() {
            return false;
        }
        let producer = record.head().producer();
        producer.is_none_or(|(id, epoch)| !self.left_out.holds(id.get(), epoch.get(), offset))
    }
}

/// A transaction whose end did not come yet.
#[derive(Debug)]
struct OpenTransaction {
    first: u64,
    records: u64,
    max_timestamp_ms: i64,
}

/// Goes through the importable records of a partition.
#[derive(Debug)]
pub(crate) struct Importable<'s> {
    scan: &'s Scan,
    reader: PartitionReader<'s>,
    /// The index of the next record among the importable ones.
    next_index: u64,
    /// Groups whose record did not come yet.
    groups: Peekable<std::vec::IntoIter<(u64, String)>>,
    positions: Vec<(String, u64)>,
}

impl Importable<'_> {
    /// Shows the next record to `visit`, with its segment and its place there; `None` at the end.
    pub(crate) fn next_with<T>(
        &mut self,
        visit: impl FnOnce(&Path, u64, &NativeRecord<'_>) -> Result<T, ImportError>,
    ) -> Result<Option<T>, ImportError> {
        loop {
            match self.reader.next_step()? {
                None => {
                    let behind = self.groups.by_ref().map(|(_, group)| (group, self.next_index));
                    self.positions.extend(behind);
                    return Ok(None);
                }
                Some(Step::Record { offset, path, at, record }) if self.scan.takes(offset, &record) => {
                    while let Some((_, group)) = self.groups.next_if(|(next, _)| *next <= offset) {
                        self.positions.push((group, self.next_index));
                    }
                    self.next_index += 1;
                    return visit(path, at, &record).map(Some);
                }
                Some(_) => {}
            }
        }
    }

    /// Groups with the index of the record that they read next: all of them once the end was seen.
    pub(crate) fn positions(&self) -> &[(String, u64)] {
        &self.positions
    }
}

/// What a control record says, if it is a transaction marker.
fn marker_of(record: &NativeRecord<'_>) -> Option<ControlMarker> {
    ControlMarker::parse(&record.value(ControlMarker::LEN).ok()?).ok()
}
