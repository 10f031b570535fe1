//! The data directory: which topics are there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    ImportError,
    source::{SourcePartition, TopicSettings, aborts::Aborts, cannot_read, positions::GroupPositions},
};

/// A data directory of the first broker. It is only read.
#[derive(Debug)]
pub struct SourceDirectory {
    /// Its topics, by name.
    pub topics: Vec<SourceTopic>,
    /// The broker's own topics. Only how far groups have read is taken from them.
    pub internal: Vec<String>,
    aborts: Aborts,
    positions: GroupPositions,
}

/// One topic of a data directory.
#[derive(Debug)]
pub struct SourceTopic {
    /// Its name.
    pub name: String,
    /// Its own settings.
    pub settings: TopicSettings,
    /// Its partitions; the first one is number 1 there and 0 with Kafka.
    pub partitions: Vec<SourcePartition>,
}

impl SourceDirectory {
    /// Looks for topics and their segments. No record is read yet.
    ///
    /// # Errors
    /// [`ImportError`] when something cannot be read, when there is no topic, or when a partition is missing.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let (mut topics, mut internal) = (Vec::new(), Vec::new());
        for topic in directories(path)? {
            let partitions = numbered_partitions(&topic)?;
            let Some(name) = topic.file_name().and_then(|name| name.to_str()) else { continue };
            if partitions.is_empty() {
                continue;
            }
            if name.starts_with(INTERNAL) {
                internal.push(name.to_owned());
                continue;
            }
            topics.push(open_topic(&topic, name, partitions)?);
        }
        if topics.is_empty() {
            return Err(ImportError::NoTopics { path: path.to_owned() });
        }
        topics.sort_by(|a, b| a.name.cmp(&b.name));
        internal.sort();
        let has_positions = internal.iter().any(|name| name == CONSUMER_OFFSETS);
        let positions = if has_positions {
            GroupPositions::read(&path.join(CONSUMER_OFFSETS))?
        } else {
            GroupPositions::default()
        };
        Ok(Self { topics, internal, aborts: Aborts::read(&path.join("txn-aborts.json"))?, positions })
    }

    pub(crate) fn aborts_of(&self, topic: &str, partition: &SourcePartition) -> super::AbortRanges {
        self.aborts.of(topic, partition.number)
    }

    /// Groups that read a partition, with the offset of the next record for each, ascending.
    pub(crate) fn positions_of(&self, topic: &str, partition: &SourcePartition) -> Vec<(u64, String)> {
        self.positions.of(topic, partition.number)
    }
}

fn open_topic(
    path: &Path,
    name: &str,
    mut numbered: Vec<(u32, PathBuf)>,
) -> Result<SourceTopic, ImportError> {
    numbered.sort();
    let last = numbered.last().map_or(0, |(number, _)| *number);
    let missing = (1..=last).zip(&numbered).find(|(expected, (number, _))| expected != number);
    if let Some((missing, _)) = missing {
        return Err(ImportError::MissingPartition { path: path.to_owned(), missing, last });
    }
    let settings = TopicSettings::read(&path.join("topic.config"))?;
    let partitions =
        numbered.into_iter().map(|(number, path)| SourcePartition::open(number, &path, settings.backend));
    Ok(SourceTopic { name: name.to_owned(), partitions: partitions.collect::<Result<_, _>>()?, settings })
}

/// The directories named `partition-<n>` with an `n` of at least 1.
pub(super) fn numbered_partitions(topic: &Path) -> Result<Vec<(u32, PathBuf)>, ImportError> {
    let number = |path: &Path| path.file_name()?.to_str()?.strip_prefix("partition-")?.parse().ok();
    let numbered = directories(topic)?.into_iter().filter_map(|path| Some((number(&path)?, path)));
    Ok(numbered.filter(|(number, _)| *number > 0).collect())
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?.path();
            if entry.is_dir() {
                found.push(entry);
            }
        }
        Ok(found)
    };
    read().map_err(cannot_read(path))
}

/// What the names of the broker's own topics start with.
const INTERNAL: &str = "__";
const CONSUMER_OFFSETS: &str = "__consumer_offsets";
