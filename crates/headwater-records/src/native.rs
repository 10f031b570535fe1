//! The native record: one record, one entry, one offset, with named headers beside its key and value.
//!
//! - [`NativeHead`] reads what stands in front of a record, cheaply; [`NativeRecord`] reads all of it, borrowed, and
//!   [`NativeFields`] writes one.
//! - [`HeaderBlock`] is the one encoding of headers, on disk and on the native wire; [`HeaderLimits`] is what a
//!   produced one must keep.
//!
//! `docs/src/storage-format.md` gives the layout. A record without headers is byte for byte what it was before headers
//! existed: whether there are any is told by the headers that are written, never by what was read.

mod attributes;
mod control;
mod error;
mod fields;
mod head;
mod header_block;
mod limits;
mod record;
mod value_codec;

pub use attributes::NativeAttributes;
pub use control::ControlMarker;
pub use error::{HeaderFault, NativeError};
pub use fields::NativeFields;
pub use head::NativeHead;
pub use header_block::{HeaderBlock, HeaderBlockBuilder, NativeHeaders};
pub use limits::HeaderLimits;
pub use record::{NativeRecord, check};
pub use value_codec::ValueCodec;
