//! Kafka's checkpoint files: text, a version line, a count, and one line per entry.

use std::{collections::BTreeMap, io, path::Path};

use crate::{StorageError, disk::Disk};

/// The lines of a checkpoint file, version 0.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Lines(Vec<String>);

impl Lines {
    /// Reads a file's content; `None` when it is not whole.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        // Without its last newline the last line may be cut.
        let mut lines = text.strip_suffix('\n')?.lines();
        if lines.next()?.trim() != "0" {
            return None;
        }
        let count: usize = lines.next()?.trim().parse().ok()?;
        let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
        (lines.len() == count).then_some(Self(lines))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// A file's content.
    pub(crate) fn encode(lines: impl IntoIterator<Item = String>) -> Vec<u8> {
        let lines: Vec<String> = lines.into_iter().collect();
        let mut text = format!("0\n{}\n", lines.len());
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        text.into_bytes()
    }
}

/// Offsets by topic name and partition, as a log directory's checkpoints hold them.
pub(crate) type Offsets = BTreeMap<(String, i32), i64>;

/// A checkpoint file of a log directory: `topic partition offset` on each line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Checkpoint {
    /// Below it everything is on disk.
    RecoveryPoint,
    /// The high watermarks.
    Replication,
    /// Where logs start, when that is not their first segment.
    LogStart,
    /// How far logs are compacted.
    Cleaner,
}

impl Checkpoint {
    /// The file's name.
    pub(crate) const fn file_name(self) -> &'static str {
        match self {
            Self::RecoveryPoint => "recovery-point-offset-checkpoint",
            Self::Replication => "replication-offset-checkpoint",
            Self::LogStart => "log-start-offset-checkpoint",
            Self::Cleaner => "cleaner-offset-checkpoint",
        }
    }

    /// Reads the file. One that is missing is empty; so is one that is damaged: a power cut may leave that, since it is
    /// rewritten without a sync, and nothing in it is needed (an absent recovery point is the log's start).
    pub(crate) fn read(self, disk: &dyn Disk, dir: &Path) -> Result<Offsets, StorageError> {
        let path = dir.join(self.file_name());
        let bytes = match disk.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Offsets::new()),
            Err(error) => return Err(StorageError::io("read the checkpoint", path, error)),
        };
        let offsets =
            Lines::parse(&bytes).and_then(|lines| lines.iter().map(parse_line).collect::<Option<Offsets>>());
        Ok(offsets.unwrap_or_else(|| {
            tracing::warn!(path = %path.display(), "the checkpoint is damaged and counts as empty");
            Offsets::new()
        }))
    }

    /// Puts the file in place in one step.
    pub(crate) fn write(
        self,
        disk: &dyn Disk,
        dir: &Path,
        offsets: &Offsets,
        durable: bool,
    ) -> Result<(), StorageError> {
        let path = dir.join(self.file_name());
        let lines =
            offsets.iter().map(|((topic, partition), offset)| format!("{topic} {partition} {offset}"));
        disk.replace(&path, &Lines::encode(lines), durable)
            .map_err(|error| StorageError::io("write the checkpoint", path, error))
    }
}

fn parse_line(line: &str) -> Option<((String, i32), i64)> {
    let mut parts = line.split_ascii_whitespace();
    let (topic, partition, offset) =
        (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    (parts.next().is_none() && offset >= 0).then(|| ((topic.to_owned(), partition), offset))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::SimDisk;

    #[test]
    fn is_kafkas_text_byte_for_byte() {
        let disk = SimDisk::new();
        let offsets = Offsets::from([(("alpha".into(), 1), 3), (("__consumer_offsets".into(), 0), 6)]);
        Checkpoint::RecoveryPoint.write(&disk, Path::new("/"), &offsets, true).unwrap();
        let bytes = disk.read(Path::new("/recovery-point-offset-checkpoint")).unwrap();
        assert_eq!(bytes, b"0\n2\n__consumer_offsets 0 6\nalpha 1 3\n");
        assert_eq!(Checkpoint::RecoveryPoint.read(&disk, Path::new("/")).unwrap(), offsets);
    }

    #[test]
    fn a_torn_file_counts_as_empty() {
        for torn in [
            "",
            "0\n",
            "0\n2\na 0 5\n",
            "0\n1\na 0 5",
            "0\n1\na 0\n",
            "1\n0\n",
            "\0\0\0\0\n",
            "0\n1\na 0 -5\n",
        ] {
            let disk = SimDisk::new();
            disk.replace(Path::new("/log-start-offset-checkpoint"), torn.as_bytes(), true).unwrap();
            assert_eq!(Checkpoint::LogStart.read(&disk, Path::new("/")).unwrap(), Offsets::new(), "{torn:?}");
        }
    }
}
