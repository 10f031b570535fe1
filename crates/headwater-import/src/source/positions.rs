//! How far groups have read: the newest record of each key in `__consumer_offsets`.
//!
//! A key is group, topic (a 16-bit length before each) and partition (32 bits); a value is the offset of the next record
//! (64 bits), or nothing once it was deleted.

use std::{collections::HashMap, path::Path};

use headwater_records::native::NativeRecord;

use crate::{
    ImportError,
    source::{Backend, SourcePartition, Step, directory},
};

/// The positions of all groups, in the offsets of the directory.
#[derive(Debug, Default)]
pub(crate) struct GroupPositions {
    positions: HashMap<Place, u64>,
}

#[derive(Debug, Eq, Hash, PartialEq)]
struct Place {
    group: String,
    topic: String,
    partition: u32,
}

impl GroupPositions {
    /// Reads the topic in that directory. What is damaged or no position is passed over.
    pub(super) fn read(topic: &Path) -> Result<Self, ImportError> {
        let mut positions = Self::default();
        for (number, path) in directory::numbered_partitions(topic)? {
            let partition = SourcePartition::open(number, &path, Some(Backend::CommitLog))?;
            let mut reader = partition.read();
            while let Some(step) = reader.next_step()? {
                if let Step::Record { record, .. } = step {
                    positions.note(&record);
                }
            }
        }
        Ok(positions)
    }

    fn note(&mut self, record: &NativeRecord<'_>) -> Option<()> {
        let (group, rest) = take_text(record.key())?;
        let (topic, partition) = take_text(rest)?;
        let partition = u32::from_be_bytes(partition.try_into().ok()?);
        let place = Place { group, topic, partition };
        let value = record.value(OFFSET_LEN).ok()?;
        if value.is_empty() {
            self.positions.remove(&place);
        } else {
            self.positions.insert(place, u64::from_be_bytes((*value).try_into().ok()?));
        }
        Some(())
    }

    /// The groups that read a partition, its number counted from 1, with their positions in ascending order.
    pub(super) fn of(&self, topic: &str, partition: u32) -> Vec<(u64, String)> {
        let here =
            self.positions.iter().filter(|(place, _)| place.topic == topic && place.partition == partition);
        let mut groups: Vec<_> = here.map(|(place, offset)| (*offset, place.group.clone())).collect();
        groups.sort();
        groups
    }
}

fn take_text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
    Some((str::from_utf8(text).ok()?.to_owned(), rest))
}

const OFFSET_LEN: usize = 8;
