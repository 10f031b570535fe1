//! Kafka's wire protocol: primitives, tagged fields, headers, every message. No I/O, no clock, no `unsafe`.

#[allow(unused_extern_crates, reason = "the derive names the crate, also within it")]
extern crate self as headwater_codec;

mod api_key;
mod error;
mod error_code;
mod exchange;
pub mod frame;
mod header;
mod ids;
mod message;
mod primitives;
mod reader;
mod record_set;
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
pub use exchange::{decode_request, decode_response, encode_request, encode_response};
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
