//! Kafka's wire protocol: primitives, tagged fields, headers, every message. No I/O, no clock, no `unsafe`.

extern crate self as headwater_codec;

mod api_key;
mod error_code;
mod ids;
mod string;
pub mod varint;
mod versions;

pub use api_key::ApiKey;
pub use error_code::ErrorCode;
pub use ids::{
    BrokerId, CorrelationId, GroupId, LeaderEpoch, Offset, PartitionIndex, ProducerEpoch, ProducerId,
    TopicIdPartition, TopicName, TransactionalId,
};
pub use string::Str;
pub use uuid::Uuid;
pub use versions::Versions;
