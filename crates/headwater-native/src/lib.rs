//! The native wire protocol: everything that a client, a server or a proxy needs but the socket.
//!
//! - [`Frame`] cuts a stream of bytes into frames and makes frames of messages, within bounds.
//! - [`messages`] has one struct per request and reply; [`Request`] and [`Reply`] are any of them.
//! - [`Session`] tells a server which request is legal at which point of a connection.
//! - [`Headers`] holds a record's headers, [`DeadLetter`] is what the value of a dead letter says, and
//!   [`Capabilities`] is how a server tells that it keeps headers.
//! - [`limits`] names every bound.
//!
//! A server reads a frame and answers:
//!
//! ```
//! use bytes::BytesMut;
//! use headwater_codec::Offset;
//! use headwater_native::{CorrelationId, Frame, PartitionId, Reply, Request, limits, messages};
//! use headwater_records::native::ValueCodec;
//!
//! // What a client sends to append `v` under the key `k`, with one header.
//! let headers = headwater_native::Headers::encode([("trace-id", "abc123")])?;
//! let produce = messages::Produce {
//!     codec: ValueCodec::None,
//!     topic: "orders".into(),
//!     key: "k".into(),
//!     value: "v".into(),
//!     headers,
//! };
//! let (id, mut stream) = (CorrelationId::new([7; 16]), BytesMut::new());
//! Frame::encode(id, &produce, limits::SERVER_FRAME_BYTES_MAX, &mut stream)?;
//!
//! let frame = Frame::take(&mut stream, limits::SERVER_FRAME_BYTES_MAX)?.expect("the frame is whole");
//! let id = frame.correlation_id;
//! let Request::Produce(produce) = Request::decode(frame)? else { panic!("another request") };
//! assert_eq!(produce.headers.iter().next(), Some((&b"trace-id"[..], &b"abc123"[..])));
//!
//! let ack = messages::ProduceAck { partition: PartitionId::new(1), offset: Offset::ZERO };
//! Frame::encode(id, &ack, limits::CLIENT_FRAME_BYTES_MAX, &mut stream)?;
//! let frame = Frame::take(&mut stream, limits::CLIENT_FRAME_BYTES_MAX)?.expect("the frame is whole");
//! assert_eq!(Reply::decode(frame, messages::RecordLayout::Plain)?, Reply::ProduceAck(ack));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Decoders ignore bytes after the last field that they know, share the frame's memory and reserve nothing that the
//! frame's bytes do not justify.

mod any_of;
mod capabilities;
mod correlation_id;
mod envelope;
mod error;
mod error_code;
mod frame;
mod headers;
pub mod limits;
pub mod messages;
mod opcode;
mod partition;
mod partitioner;
mod reader;
mod reply;
mod request;
mod session;
mod wire;
mod writer;

pub use capabilities::Capabilities;
pub use correlation_id::CorrelationId;
pub use envelope::DeadLetter;
pub use error::{DecodeError, EncodeError};
pub use error_code::ErrorCode;
pub use frame::{Frame, FrameError};
pub use headers::Headers;
pub use opcode::Opcode;
pub use partition::PartitionId;
pub use partitioner::{fnv1a, partition_for_key};
pub use reply::Reply;
pub use request::Request;
pub use session::{Delivery, Phase, Session};
pub use wire::{Message, Payload};
