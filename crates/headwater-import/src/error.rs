//! What stops an import.

use std::{io, path::PathBuf};

use headwater_codec::{DecodeError, EncodeError, ErrorCode};
use headwater_records::RecordError;

/// Why an import did not go on. What it had copied is there, and the next run goes on behind it.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or directory of the source cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing in the directory looks like a topic.
    #[error("{}: no topic is there; a topic is a directory with directories named partition-1, partition-2 and so on", path.display())]
    NoTopics {
        /// The directory.
        path: PathBuf,
    },
    /// A topic was asked for by name and is not there.
    #[error("topic {name} is not in the directory")]
    NoSuchTopic {
        /// Its name.
        name: String,
    },
    /// A topic's partitions are not numbered from 1 without gaps.
    #[error("{}: partition {missing} is missing below partition {last}", path.display())]
    MissingPartition {
        /// The topic's directory.
        path: PathBuf,
        /// The first number that is missing.
        missing: u32,
        /// The highest number there is.
        last: u32,
    },
    /// A line of `topic.config` is no setting.
    #[error("{}: line {line} is no setting", path.display())]
    BadSettings {
        /// The file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: usize,
    },
    /// `txn-aborts.json` says something else than it should.
    #[error("{}: it does not list aborted transactions", path.display())]
    BadAborts {
        /// The file.
        path: PathBuf,
    },
    /// The broker cannot be reached, or ended the connection.
    #[error("broker {address}: {source}")]
    Connection {
        /// Where it should be.
        address: String,
        /// What the system says.
        source: io::Error,
    },
    /// A request that the protocol cannot say.
    #[error("a request cannot be written")]
    Request(#[from] EncodeError),
    /// An answer that makes no sense.
    #[error("the broker's answer cannot be read")]
    Answer(#[from] DecodeError),
    /// An answer without what was asked for.
    #[error("the broker's answer to {request} does not have what was asked for")]
    Incomplete {
        /// The request's name.
        request: &'static str,
    },
    /// The broker refused something.
    #[error("{what}: the broker answered {code:?}{}", message.as_deref().map(|m| format!(": {m}")).unwrap_or_default())]
    Refused {
        /// What was asked of it.
        what: String,
        /// Its error code.
        code: ErrorCode,
        /// What it says.
        message: Option<String>,
    },
    /// The topic is there already and has fewer partitions.
    #[error("topic {topic} has {present} partitions on the broker and {needed} in the directory")]
    FewerPartitions {
        /// Its name.
        topic: String,
        /// How many the broker's has.
        present: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The partition on the broker holds something else than what would be imported.
    #[error(
        "topic {topic} partition {partition} on the broker has {end} records that are not those of the directory; import into an empty topic"
    )]
    OtherRecords {
        /// The topic.
        topic: String,
        /// The partition as the broker counts, from 0.
        partition: usize,
        /// Where the broker's log ends.
        end: u64,
    },
    /// A record cannot be made into one of the broker's.
    #[error("{}: the record at byte {at}: {source}", path.display())]
    Record {
        /// The segment.
        path: PathBuf,
        /// Where in it the record stands.
        at: u64,
        /// Why.
        source: RecordError,
    },
    /// A batch to be sent cannot be made.
    #[error("a batch cannot be made")]
    Batch(#[source] RecordError),
}
