//! Copying topics, and going on where an earlier run ended.
//!
//! Every importable record of a partition becomes one record of the broker's, in order, so the broker's end offset tells
//! how many are there already. Before it goes on behind them, the last one is compared.

mod copy;

use std::path::Path;

use crate::{
    Damage, Found, ImportError, Scan, SourceDirectory, SourcePartition, SourceTopic, TopicSettings,
    scan::Importable,
    target::{Ends, Target},
};
use copy::Copier;

/// What to import, and where to.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The broker's Kafka listener, a host and a port. `None` only scans.
    pub bootstrap_server: Option<String>,
    /// The topics; all of them when there is none.
    pub topics: Vec<String>,
    /// `headwater.record.format` of topics that are created; the broker's default if it is not said.
    pub record_format: Option<String>,
    /// The time now, milliseconds since the epoch: a topic with later records is created so that it takes them.
    pub now_ms: i64,
}

/// What an import tells while it works.
pub trait Progress {
    /// A partition is gone through, so many bytes of it.
    fn scanning(&mut self, topic: &str, partition: usize, bytes: u64);
    /// A partition is copied: so many records, of which the first are there already.
    fn copying(&mut self, topic: &str, partition: usize, records: u64, present: u64);
    /// So many more records are there.
    fn copied(&mut self, records: u64);
}

/// What was imported.
#[derive(Debug, Default)]
pub struct Summary {
    /// Each topic, by name.
    pub topics: Vec<TopicSummary>,
    /// The first broker's own topics; only how far groups have read was taken from them.
    pub internal: Vec<String>,
}

/// What was imported of a topic.
#[derive(Debug)]
pub struct TopicSummary {
    /// Its name.
    pub name: String,
    /// How many partitions it has.
    pub partitions: usize,
    /// Its records by kind, of all partitions.
    pub found: Found,
    /// How many were copied by this run.
    pub copied: u64,
    /// How many were there already.
    pub present: u64,
    /// How many positions of groups were set: one for each group and partition that had none on the broker.
    pub positions: u64,
    /// What is damaged, of each partition what [`Scan`] keeps.
    pub damages: Vec<Damage>,
    /// How many are damaged, kept or not.
    pub damage_count: u64,
    /// Its settings, which were not taken over: they might delete at once what was just imported.
    pub settings: TopicSettings,
}

/// Copies the topics of the directory at `source` into a broker, or only says what would be copied.
///
/// # Errors
/// [`ImportError`]; nothing that was copied before is undone, and the next run goes on behind it.
pub fn import(
    source: &Path,
    options: &ImportOptions,
    progress: &mut dyn Progress,
) -> Result<Summary, ImportError> {
    let directory = SourceDirectory::open(source)?;
    if let Some(name) = options.topics.iter().find(|name| !directory.topics.iter().any(|t| t.name == **name))
    {
        return Err(ImportError::NoSuchTopic { name: name.clone() });
    }
    let mut target = options.bootstrap_server.as_deref().map(Target::connect).transpose()?;
    let mut summary = Summary { topics: Vec::new(), internal: directory.internal.clone() };
    let wanted = |topic: &&SourceTopic| options.topics.is_empty() || options.topics.contains(&topic.name);
    for topic in directory.topics.iter().filter(wanted) {
        let scans = scan(&directory, topic, progress)?;
        let mut topic_summary = TopicSummary::of(topic, &scans);
        if let Some(target) = &mut target {
            prepare(target, topic, &scans, options)?;
            for (index, (partition, scan)) in topic.partitions.iter().zip(&scans).enumerate() {
                let groups = directory.positions_of(&topic.name, partition);
                let mut records = scan.importable(partition, groups);
                let present = copy(target, topic, index, scan, &mut records, progress)?;
                topic_summary.present += present;
                topic_summary.copied += scan.found.importable - present;
                for (group, position) in records.positions() {
                    // A group that read on since is not set back.
                    if !target.has_position(group, &topic.name, index)? {
                        target.set_position(group, &topic.name, index, *position)?;
                        topic_summary.positions += 1;
                    }
                }
            }
        }
        summary.topics.push(topic_summary);
    }
    Ok(summary)
}

fn scan(
    directory: &SourceDirectory,
    topic: &SourceTopic,
    progress: &mut dyn Progress,
) -> Result<Vec<Scan>, ImportError> {
    let scan = |(index, partition): (usize, &SourcePartition)| {
        progress.scanning(&topic.name, index, partition.bytes);
        Scan::of(directory, &topic.name, partition)
    };
    topic.partitions.iter().enumerate().map(scan).collect()
}

/// Creates the topic, or checks that the one that is there has room for every partition.
fn prepare(
    target: &mut Target,
    topic: &SourceTopic,
    scans: &[Scan],
    options: &ImportOptions,
) -> Result<(), ImportError> {
    let needed = topic.partitions.len();
    if let Some(present) = target.partition_count(&topic.name)? {
        if present < needed {
            return Err(ImportError::FewerPartitions { topic: topic.name.clone(), present, needed });
        }
        return Ok(());
    }
    // Nothing that was imported goes by itself; whoever wants it to says so later.
    let unlimited = |name| (name, "-1".to_owned());
    let mut configs = vec![unlimited("retention.ms"), unlimited("retention.bytes")];
    let latest = scans.iter().map(|scan| scan.max_timestamp_ms).max().unwrap_or_default();
    if latest > options.now_ms {
        configs.push(("message.timestamp.after.max.ms", i64::MAX.to_string()));
    }
    if let Some(format) = &options.record_format {
        configs.push(("headwater.record.format", format.clone()));
    }
    configs.extend(header_limits(scans));
    target.create_topic(&topic.name, needed, &configs)
}

/// The limits on headers that a native topic has to be created with, because some record is beyond their defaults: its
/// first broker had other ones.
fn header_limits(scans: &[Scan]) -> impl Iterator<Item = (&'static str, String)> {
    let most = |of: fn(&Scan) -> usize| scans.iter().map(of).max().unwrap_or_default();
    let limits = [
        ("headwater.headers.count.max", most(|scan| scan.headers_count_max), 256, 65_000),
        ("headwater.headers.bytes.max", most(|scan| scan.headers_bytes_max), 65_536, i32::MAX as usize),
        ("headwater.header.name.bytes.max", most(|scan| scan.header_name_bytes_max), 255, 65_535),
    ];
    let beyond = limits.into_iter().filter(|(_, needed, default, _)| needed > default);
    beyond.map(|(name, needed, _, allowed)| (name, needed.min(allowed).to_string()))
}

/// Copies what is not there yet, and tells how many were.
fn copy(
    target: &mut Target,
    topic: &SourceTopic,
    index: usize,
    scan: &Scan,
    records: &mut Importable<'_>,
    progress: &mut dyn Progress,
) -> Result<u64, ImportError> {
    let Ends { start, end: present } = target.ends(&topic.name, index)?;
    let total = scan.found.importable;
    let others = || ImportError::OtherRecords { topic: topic.name.clone(), partition: index, end: present };
    if present > total {
        return Err(others());
    }
    progress.copying(&topic.name, index, total, present);
    let mut copier = Copier::new(target, &topic.name, index);
    // What was deleted since cannot be compared.
    if present > start && !copier.is_last(records, present)? {
        return Err(others());
    }
    if present <= start {
        copy::skip(records, present)?;
    }
    while copier.copy_some(records, progress)? {}
    Ok(present)
}

impl TopicSummary {
    fn of(topic: &SourceTopic, scans: &[Scan]) -> Self {
        let mut summary = Self {
            name: topic.name.clone(),
            partitions: scans.len(),
            found: Found::default(),
            copied: 0,
            present: 0,
            positions: 0,
            damages: Vec::new(),
            damage_count: 0,
            settings: topic.settings.clone(),
        };
        for scan in scans {
            summary.found.importable += scan.found.importable;
            summary.found.control += scan.found.control;
            summary.found.aborted += scan.found.aborted;
            summary.found.unfinished += scan.found.unfinished;
            summary.damages.extend(scan.damages.iter().cloned());
            summary.damage_count += scan.damage_count;
        }
        summary
    }
}
