//! Which transactions were aborted, and where.

use std::{collections::HashMap, path::Path};

use serde_json::Value;

use crate::{ImportError, source::read_if_there};

/// Aborted ranges of every partition, as `txn-aborts.json` lists them.
#[derive(Debug, Default)]
pub(super) struct Aborts {
    partitions: HashMap<(String, u32), AbortRanges>,
}

/// Aborted ranges of one partition, in the offsets of the directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct AbortRanges {
    ranges: HashMap<(i64, i16), Vec<(u64, u64)>>,
}

impl Aborts {
    pub(super) fn read(path: &Path) -> Result<Self, ImportError> {
        let Some(text) = read_if_there(path)? else { return Ok(Self::default()) };
        Self::parse(&text).ok_or_else(|| ImportError::BadAborts { path: path.to_owned() })
    }

    fn parse(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let mut aborts = Self::default();
        let entries = match json.get("entries")? {
            // What wrote the file does not tell an empty list from an empty object.
            Value::Object(none) if none.is_empty() => &Vec::new(),
            entries => entries.as_array()?,
        };
        for entry in entries {
            let number = |key: &str| entry.get(key)?.as_u64();
            let topic = entry.get("topic")?.as_str()?.to_owned();
            let partition = u32::try_from(number("partition")?).ok()?;
            let pid = i64::try_from(number("pid")?).ok()?;
            let epoch = u16::try_from(number("epoch")?).ok()?.cast_signed();
            let ranges = aborts.partitions.entry((topic, partition)).or_default();
            ranges.add(pid, epoch, number("first")?, number("upto")?);
        }
        Some(aborts)
    }

    /// The ranges of a partition, its number counted from 1.
    pub(super) fn of(&self, topic: &str, partition: u32) -> AbortRanges {
        self.partitions.get(&(topic.to_owned(), partition)).cloned().unwrap_or_default()
    }
}

impl AbortRanges {
    /// Adds the range from `first` up to, but not with, `upto`.
    pub(crate) fn add(&mut self, pid: i64, epoch: i16, first: u64, upto: u64) {
        self.ranges.entry((pid, epoch)).or_default().push((first, upto));
    }

    /// Whether a record of this producer at `offset` was aborted.
    pub(crate) fn holds(&self, pid: i64, epoch: i16, offset: u64) -> bool {
        let ranges = self.ranges.get(&(pid, epoch));
        ranges.is_some_and(|ranges| ranges.iter().any(|(first, upto)| (*first..*upto).contains(&offset)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_before_their_end_and_belong_to_one_producer() {
        let text = r#"{"entries":[{"topic":"t","partition":2,"pid":7,"epoch":65535,"first":10,"upto":20}]}"#;
        let aborts = Aborts::parse(text).expect("a list").of("t", 2);
        let found = [9, 10, 19, 20].map(|offset| aborts.holds(7, -1, offset));
        assert_eq!(found, [false, true, true, false]);
        assert!(!aborts.holds(8, -1, 10) && !aborts.holds(7, 0, 10));
        let other = Aborts::parse(text).expect("a list").of("t", 1);
        assert!(!other.holds(7, -1, 10));
    }

    #[test]
    fn none_may_be_written_two_ways_and_nonsense_is_refused() {
        assert!(Aborts::parse(r#"{"entries":[]}"#).is_some());
        assert!(Aborts::parse(r#"{"entries":{}}"#).is_some());
        for text in ["", "[]", r#"{"entries":[{}]}"#, r#"{"entries":{"a":1}}"#] {
            assert!(Aborts::parse(text).is_none(), "{text}");
        }
    }
}
