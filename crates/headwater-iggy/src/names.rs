//! The names of the mapping's own user headers. All are keys of kind String.

/// Says that the message was written by the mapping, and in which version: Raw, one byte.
pub(crate) const VERSION: &[u8] = b"kafka.v";
/// The only version there is.
pub(crate) const VERSION_1: &[u8] = &[1];
/// The record's key: Raw.
pub(crate) const KEY: &[u8] = b"kafka.key";
/// Says that the value is null or empty, which no payload can be: Raw, [`NULL`] or [`EMPTY`].
pub(crate) const VALUE: &[u8] = b"kafka.value";
/// A null value.
pub(crate) const NULL: &[u8] = b"null";
/// An empty value.
pub(crate) const EMPTY: &[u8] = b"empty";
/// What stands in the payload for a null or empty value.
pub(crate) const PLACEHOLDER: &[u8] = &[0];
/// The record's own timestamp where the origin timestamp cannot say it: Int64, milliseconds.
pub(crate) const TIMESTAMP: &[u8] = b"kafka.ts";
/// The order of the record's headers where it is not the sorted one: Raw, one byte each, the index in sorted order.
pub(crate) const ORDER: &[u8] = b"kafka.o";
/// Says that the payload is an envelope: Raw, [`VERSION_1`].
pub(crate) const ENVELOPE: &[u8] = b"kafka.envelope";
/// What stands before the name of a record's header.
pub(crate) const HEADER_PREFIX: &[u8] = b"kafka.h.";
