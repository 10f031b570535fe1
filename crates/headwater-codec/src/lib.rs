//! Kafka's wire protocol: primitives, tagged fields, headers, every message. No I/O, no clock, no `unsafe`.
//!
//! A message is a struct in [`messages`] (or, when it is no RPC, in [`records`]) with a derive. Versions, nullability,
//! tags and defaults stand on its fields; decoder, encoder, [`Default`], [`registry`] entry and reflected
//! [`schema`] come from them. Strings and byte fields are slices of the frame that they came in.
//!
//! A broker reads a frame, looks at its header and answers:
//!
//! ```
//! use bytes::{Bytes, BytesMut};
//! use headwater_codec::messages::metadata::{MetadataRequest, MetadataResponse, MetadataResponseBroker};
//! use headwater_codec::{ApiKey, BrokerId, RequestHeader, decode_request, encode_response, frame};
//!
//! // What a client sends: four bytes of length, then the frame.
//! let prefix = [0, 0, 0, 26];
//! let frame = Bytes::from_static(b"\x00\x03\x00\x09\x00\x00\x00\x07\x00\x02me\x00\x02\x07orders\x00\x01\x00\x00\x00");
//! assert_eq!(frame::length(prefix, 1 << 20)?, frame.len());
//!
//! // Which API and which version? That much is readable even when the version is not known.
//! let header = RequestHeader::peek(&frame)?;
//! assert_eq!(ApiKey::from_code(header.api_key), Some(ApiKey::Metadata));
//!
//! let (header, request) = decode_request::<MetadataRequest>(frame)?;
//! let topics = request.topics.unwrap_or_default();
//! assert_eq!(topics[0].name.as_ref().map(|name| name.as_str()), Some("orders"));
//! assert!(request.allow_auto_topic_creation);
//!
//! // The answer, with its length and header, in chunks to send one after the other.
//! let broker = MetadataResponseBroker { node_id: BrokerId::new(1), host: "localhost".into(), port: 9092, ..Default::default() };
//! let response = MetadataResponse { brokers: vec![broker], ..Default::default() };
//! let mut buf = BytesMut::new();
//! let answer = encode_response(header.correlation_id, ApiKey::Metadata, header.api_version, &response, &mut buf)?;
//! let bytes = answer.to_bytes().expect("no records from elsewhere");
//! assert_eq!(bytes[..9], [0, 0, 0, bytes.len() as u8 - 4, 0, 0, 0, 7, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A client goes the other way, with [`encode_request`] and [`decode_response`]:
//!
//! ```
//! use bytes::BytesMut;
//! use headwater_codec::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
//! use headwater_codec::{ApiKey, CorrelationId, decode_response, encode_request, registry};
//!
//! // The highest version that both sides know; the registry has ours.
//! let key = ApiKey::ApiVersions;
//! let version = registry::api(key).and_then(|api| api.advertised().last()).unwrap_or(0).min(3);
//!
//! let request = ApiVersionsRequest {
//!     client_software_name: "example".into(),
//!     client_software_version: "1.0".into(),
//!     ..Default::default()
//! };
//! let mut buf = BytesMut::new();
//! let _to_send = encode_request(CorrelationId::new(1), Some("me".into()), version, &request, &mut buf)?;
//!
//! # let sent = headwater_codec::encode_response(CorrelationId::new(1), key, version, &ApiVersionsResponse::default(), &mut buf)?;
//! # let frame = sent.to_bytes().expect("no records from elsewhere").slice(4..);
//! let (correlation_id, response) = decode_response::<ApiVersionsResponse>(key, version, frame)?;
//! assert_eq!(correlation_id, CorrelationId::new(1));
//! assert!(response.api_keys.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Tagged fields that a version does not define are kept and written again, so that a proxy loses nothing of what
//! newer peers say:
//!
//! ```
//! use bytes::Bytes;
//! use headwater_codec::Message;
//! use headwater_codec::messages::heartbeat::HeartbeatResponse;
//!
//! // No throttling, no error, and one tagged field: number 9, two bytes.
//! let body = Bytes::from_static(&[0, 0, 0, 0, 0, 0, 1, 9, 2, 0xca, 0xfe]);
//! let response = HeartbeatResponse::decode_body(body.clone(), 4)?;
//! for field in response.unknown_tags.as_slice() {
//!     assert_eq!((field.tag, &field.value[..]), (9, &[0xca, 0xfe][..]));
//! }
//! assert_eq!(response.encode_body(4)?, body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A message of one's own is a struct with the derive; nothing else says in which versions what is there:
//!
//! ```
//! use headwater_codec::{GroupId, Message, Str, UnknownTags};
//!
//! /// What a plugin keeps of a group.
//! #[derive(Clone, Debug, PartialEq, Message)]
//! #[message(data, versions = "0..=2", flexible = "1..")]
//! struct Note {
//!     group_id: GroupId,
//!     #[message(versions = "1..", nullable = "1..", default = null)]
//!     text: Option<Str>,
//!     #[message(versions = "2..", tag = 0, tagged = "2..", default = -1)]
//!     priority: i32,
//!     unknown_tags: UnknownTags,
//! }
//!
//! let note = Note { group_id: "orders".into(), priority: 3, ..Default::default() };
//! let bytes = note.encode_body(2)?;
//! assert_eq!(bytes, &b"\x07orders\x00\x01\x00\x04\x00\x00\x00\x03"[..]);
//! assert_eq!(Note::decode_body(bytes, 2)?, note);
//! // Version 1 has no priority, and this one is not to be lost.
//! let refusal = note.encode_body(1).expect_err("it cannot be said");
//! assert_eq!(refusal.to_string(), "Note.Priority: the field does not exist in version 1, yet is not its default");
//! assert_eq!(Note::SCHEMA.fields[1].name, "Text");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whatever a peer sends, decoding neither panics nor takes more memory than the frame's length justifies: see
//! [`Reader`].
//!
//! # Weight
//!
//! At run time the crate needs `bytes`, `bytestring`, `nom`, `uuid` without its features and `thiserror`; at build time
//! also the derive with `syn`. There are no features: no part of it brings a dependency of its own, and an application
//! that uses a few messages links those alone.
//!
//! It needs the standard library, although of that it uses no more than `core` and `alloc` have: without it, each of the
//! hundred and twenty files with an array in them would have to import `Vec`, which says nothing about a message.

#[allow(unused_extern_crates, reason = "the derive names the crate, also within it")]
extern crate self as headwater_codec;

mod api_key;
mod error;
mod error_code;
mod exchange;
pub mod fixed;
pub mod frame;
mod header;
mod ids;
mod message;
pub mod messages;
mod primitives;
mod reader;
mod record_set;
pub mod records;
pub mod registry;
pub mod schema;
mod string;
pub mod tagged;
pub mod varint;
mod versions;
mod wire;
mod writer;

pub use api_key::ApiKey;
pub use error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
pub use error_code::ErrorCode;
pub use exchange::{decode_request, decode_request_prefix, decode_response, encode_request, encode_response};
pub use frame::FrameError;
pub use header::{RequestHeader, RequestHeaderVersion, ResponseHeader, ResponseHeaderVersion};
pub use headwater_codec_derive::Message;
pub use ids::{
    BrokerId, CorrelationId, GroupId, LeaderEpoch, Offset, PartitionIndex, ProducerEpoch, ProducerId,
    TopicIdPartition, TopicName, TransactionalId,
};
pub use message::{Message, MetadataRecord, Request};
pub use reader::Reader;
pub use record_set::Records;
pub use schema::{FieldSchema, FieldType, MessageKind, MessageSchema};
pub use string::Str;
pub use tagged::UnknownTags;
pub use uuid::Uuid;
pub use versions::Versions;
pub use wire::{Nullable, Wire};
pub use writer::{Chunk, EncodedFrame, Writer};
