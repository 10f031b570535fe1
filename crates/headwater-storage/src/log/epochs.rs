//! Which leader epoch wrote from which offset on (KIP-320): `leader-epoch-checkpoint`, in Kafka's text form.

use std::{path::Path, sync::Arc};

use headwater_codec::{LeaderEpoch, Offset};

use crate::{EpochEnd, checkpoint::Lines, disk::Disk};

/// The epochs of one log, each with the offset of its first record, both ascending.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Epochs {
    entries: Arc<Vec<(i32, i64)>>,
    dirty: bool,
}

impl Epochs {
    /// Reads the file; `None` when it is missing or damaged.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Option<Self> {
        let lines = Lines::parse(&disk.read(&dir.join(FILE_NAME)).ok()?)?;
        let entry = |line: &str| {
            let (epoch, start) = line.split_once(' ')?;
            Some((epoch.parse().ok()?, start.parse().ok()?))
        };
        let entries: Vec<(i32, i64)> = lines.iter().map(entry).collect::<Option<_>>()?;
        entries
            .is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1)
            .then(|| Self { entries: Arc::new(entries), dirty: false })
    }

    /// Takes note that `epoch` writes the record at `offset`.
    pub(crate) fn note(&mut self, epoch: i32, offset: i64) {
        if epoch < 0 || self.entries.last().is_some_and(|(last, _)| *last >= epoch) {
            return;
        }
        // An epoch that wrote nothing leaves no trace.
        let entries = Arc::make_mut(&mut self.entries);
        while entries.last().is_some_and(|(_, start)| *start >= offset) {
            entries.pop();
        }
        entries.push((epoch, offset));
        self.dirty = true;
    }

    /// Adds the epochs that were found in the log.
    pub(crate) fn absorb(&mut self, found: &Self) {
        for &(epoch, start) in &*found.entries {
            self.note(epoch, start);
        }
    }

    /// Forgets epochs that start at or beyond the log's end.
    pub(crate) fn cut_end(&mut self, end: i64) {
        let len = self.entries.partition_point(|(_, start)| *start < end);
        if len < self.entries.len() {
            self.dirty = true;
            Arc::make_mut(&mut self.entries).truncate(len);
        }
    }

    /// Lets the first epoch begin at the log's start.
    pub(crate) fn cut_start(&mut self, log_start: i64) {
        let first = self.entries.partition_point(|(_, start)| *start <= log_start).saturating_sub(1);
        if first > 0 {
            Arc::make_mut(&mut self.entries).drain(..first);
            self.dirty = true;
        }
        if self.entries.first().is_some_and(|(_, start)| *start < log_start) {
            Arc::make_mut(&mut self.entries)[0].1 = log_start;
            self.dirty = true;
        }
    }

    /// What there is, each epoch with its first offset, to be looked at from anywhere.
    pub(crate) fn entries(&self) -> &Arc<Vec<(i32, i64)>> {
        &self.entries
    }

    /// The newest epoch that wrote something.
    pub(crate) fn last(&self) -> Option<i32> {
        self.entries.last().map(|(epoch, _)| *epoch)
    }

    /// The end of the largest epoch at or below `epoch`, in a log that ends at `log_end` and is led in `current`.
    pub(crate) fn end_of(&self, epoch: i32, current: LeaderEpoch, log_end: Offset) -> Option<EpochEnd> {
        if epoch == current.get() {
            return Some(EpochEnd { leader_epoch: current, end_offset: log_end });
        }
        if epoch > current.get() {
            return None;
        }
        let next = self.entries.partition_point(|(known, _)| *known <= epoch);
        let end_offset = self.entries.get(next).map_or(log_end, |(_, start)| Offset::ZERO.plus(*start));
        match next.checked_sub(1).and_then(|at| self.entries.get(at)) {
            Some((found, _)) => Some(EpochEnd { leader_epoch: LeaderEpoch::new(*found), end_offset }),
            // Older than anything that is left: it ends where the first known one starts.
            None => Some(EpochEnd { leader_epoch: LeaderEpoch::new(epoch), end_offset }),
        }
    }

    /// The file's name and content, if the file lacks something. Counts as written from then on.
    pub(crate) fn take_unwritten(&mut self) -> Option<(&'static str, Vec<u8>)> {
        if !std::mem::take(&mut self.dirty) {
            return None;
        }
        let lines = self.entries.iter().map(|(epoch, start)| format!("{epoch} {start}"));
        Some((FILE_NAME, Lines::encode(lines)))
    }

    /// Takes nothing in the file for granted any more.
    pub(crate) const fn forget_written(&mut self) {
        self.dirty = true;
    }
}

const FILE_NAME: &str = "leader-epoch-checkpoint";

#[cfg(test)]
mod tests;
