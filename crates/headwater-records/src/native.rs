//! The native record: one record, one entry, one offset, with named headers beside its key and value.
//!
//! - [`NativeHead`] reads what stands in front of a record, cheaply; [`NativeRecord`] reads all of it, borrowed, and
//!   [`NativeFields`] writes one.
//! - [`HeaderBlock`] is the one encoding of headers, on disk and on the native wire; [`HeaderLimits`] is what a
//!   produced one must keep.
//! - [`NativeRun`] makes native records of a batch and [`NativeBatches`] makes batches of native records; what the
//!   native format cannot say stands in [`ReservedHeaders`], and a record that went through both is equal to what it
//!   was.
//! - [`NativeEntry`] is what a log must know of a record.
//!
//! `docs/src/storage-format.md` gives the layout. A record without headers is byte for byte what it was before headers
//! existed: whether there are any is told by the headers that are written, never by what was read.

mod attributes;
mod batches;
mod control;
mod entry;
mod error;
mod fields;
mod head;
mod header_block;
mod limits;
mod record;
mod reserved;
mod retain;
mod run;
mod value_codec;

pub use attributes::NativeAttributes;
pub use batches::NativeBatches;
pub use control::ControlMarker;
pub use entry::NativeEntry;
pub use error::{HeaderFault, NativeError};
pub use fields::NativeFields;
pub use head::NativeHead;
pub use header_block::{HeaderBlock, HeaderBlockBuilder, NativeHeaders};
pub use limits::HeaderLimits;
pub use record::{NativeRecord, check};
pub use reserved::{ReservedHeaders, RunProducer};
pub use run::NativeRun;
pub use value_codec::ValueCodec;
