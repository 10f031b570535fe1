//! The derive behind `headwater-codec`'s messages.
//!
//! `#[derive(Message)]` turns a struct with attributes into its encoder, decoder, `Default` and reflected schema.
//! The attributes are the only place where a version is written down:
//!
//! | on the struct | meaning |
//! |---|---|
//! | `api = Metadata, request` (or `response`) | an RPC of that key; a request `XRequest` is answered by `XResponse` beside it |
//! | `data`, optionally `type_id = 2` | a body that is no RPC; the id is that of a record of the metadata log |
//! | `versions = "0..=13"` | the versions there are |
//! | `flexible = "9.."` or `"none"` | those with compact lengths and tagged fields |
//! | `stable = "..=5"` | the versions without an unstable last one |
//! | `advertise = "0..=13"` | what `ApiVersions` says when it is not the stable versions |
//!
//! Structs without `api` or `data` are parts of messages and go with the version of theirs.
//!
//! | on a field | meaning |
//! |---|---|
//! | `versions = "4.."` | the versions that have it; all when not said |
//! | `nullable = "1.."` | those in which it may be null; goes with an `Option` |
//! | `tag = 0, tagged = "12.."` | its number, and the versions in which it is a tagged field |
//! | `default = -1` | an integer, a bool, a string or `null`; the type's own when not said |
//! | `ignorable` | may be dropped in versions that lack it |
//! | `map_key` | tells the array's elements apart |
//! | `name = "ISR"` | Kafka's name when it is not the field's in PascalCase |
//!
//! A field `unknown_tags: UnknownTags` keeps tagged fields that the struct does not define.

mod attributes;
mod expand;
mod field;
mod range;
mod run;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives the `Message` trait of `headwater-codec`, and `Default`, `Request` or `MetadataRecord` with it.
#[proc_macro_derive(Message, attributes(message))]
pub fn message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::message(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
