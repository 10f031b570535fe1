//! Kafka's record batches, without I/O: their header, their records, their four compression codecs, and the rules
//! that a produced batch must keep.
//!
//! - [`validate()`] is the door of a produce request: bytes in, a [`ValidatedBatch`] or a [`RecordError`] out.
//! - [`Batches`], [`Batch`] and [`check`] read batches from a log or a fetch; [`Records`] and [`RecordView`] read
//!   what is in them, borrowed.
//! - [`BatchBuilder`] makes batches; [`Batch::retain`] makes one without some of its records, for compaction.
//! - [`Compression`] and [`Unpacker`] unpack within a bound.
//! - [`native`] has the records of native topics.
//!
//! Message sets of versions 0 and 1 are recognised and refused (KIP-724). No other crate knows where a field stands in
//! a batch.

mod attributes;
mod batch_mut;
mod batches;
mod builder;
mod compression;
mod error;
mod find;
mod header;
pub mod native;
mod record;
mod retain;
mod validate;
mod validated;
mod walk;

#[cfg(test)]
mod testing;

pub use attributes::{Attributes, TimestampType};
pub use batch_mut::BatchMut;
pub use batches::{Batch, Batches, check};
pub use builder::{BatchBuilder, HeaderRef};
pub use compression::{Compression, Unpacker};
pub use error::{BatchError, Malformed, RecordError, RecordFault, RecordFaultKind, RecordFaults};
pub use header::{BatchHeader, NO_SEQUENCE, NO_TIMESTAMP, increment_sequence};
pub use record::{Headers, RecordIter, RecordView, Records};
pub use retain::{KeyedRecord, RetainRules, Retained};
pub use validate::{ProduceRules, validate};
pub use validated::{BatchProducer, ValidatedBatch};
