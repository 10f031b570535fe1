//! The directories that the first broker of this format left: topics, partitions, segments.
//!
//! ```text
//! <topic>/topic.config                   settings, if any were made
//! <topic>/partition-<n>/<base>.log       segments; n counts from 1
//! __consumer_offsets/                    how far groups have read
//! txn-aborts.json                        aborted transactions
//! ```

mod aborts;
mod directory;
mod index;
mod partition;
mod positions;
mod segment;
mod settings;

pub use directory::{SourceDirectory, SourceTopic};
pub use partition::SourcePartition;
pub(crate) use {
    aborts::AbortRanges,
    partition::{PartitionReader, Step},
};
pub use {
    segment::Damage,
    settings::{Backend, TopicSettings},
};

use std::{fs, io, path::Path};

use crate::ImportError;

/// Reads a small text file whole; `None` when it is not there.
fn read_if_there(path: &Path) -> Result<Option<String>, ImportError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_read(path)(error)),
    }
}

fn cannot_read(path: &Path) -> impl Fn(io::Error) -> ImportError {
    move |source| ImportError::Read { path: path.to_owned(), source }
}
