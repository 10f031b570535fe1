//! An asynchronous client of the native protocol: records with headers, consumer groups, dead letters.
//!
//! ```no_run
//! use headwater_client::{Client, ConnectOptions, FetchOptions, RecordToProduce};
//!
//! # async fn example() -> Result<(), headwater_client::ClientError> {
//! let client = Client::connect(ConnectOptions::to("127.0.0.1:9094")).await?;
//! client.create_topic("orders", 4).await?;
//!
//! let record = RecordToProduce::new("key-1", "payload")
//!     .with_headers([("trace-id", "abc123"), ("content-type", "json")])?;
//! client.produce("orders", record).await?;
//!
//! for record in client.fetch("orders", "billing", FetchOptions::default()).await? {
//!     let names: Vec<_> = record.headers.iter().map(|(name, _)| String::from_utf8_lossy(name)).collect();
//!     println!("{}: {names:?}", record.offset);
//! }
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! What distinguishes it from the protocol's original client:
//!
//! - a server's heartbeats are answered in the background, so that an idle connection stays open;
//! - a refusal keeps its number, [`ClientError::code`];
//! - an error that a closing server sends during the handshake is the handshake's answer;
//! - headers that the server would drop are refused here, [`ClientError::HeadersNotKept`];
//! - an idempotent producer sends again what has no answer, before it sends what follows.
//!
//! It does not reconnect, and speaks no TLS.

mod calls;
mod client;
mod connection;
mod error;
mod options;
mod pushed;

pub use client::{BatchOutcome, Client, FetchOptions, Membership, Produced, ServerIdentity};
pub use error::{ClientError, Ended, ServerError};
pub use headwater_codec::{GroupId, Offset, ProducerId, Str, TopicName};
pub use headwater_native::{
    Capabilities, DeadLetter, DecodeError, EncodeError, ErrorCode, FrameError, Headers, Opcode, PartitionId,
    messages::{
        GroupDescription, GroupMember, GroupOffset, GroupSummary, Isolation, NackAck, OffsetForTime,
        PartitionOffsets, PartitionOffsetsFlags, Record, RecordToProduce, TopicAssignment, TopicDescription,
        TxnOffset,
    },
};
pub use headwater_records::native::{HeaderFault, ValueCodec};
pub use headwater_security::ScramError;
pub use options::{ConnectOptions, Login, Mechanism, ProducerKind};
