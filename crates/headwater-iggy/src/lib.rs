//! Kafka records as Apache Iggy messages and back.
//!
//! The mapping is pure: no I/O, no clock, no SDK. One record is one message, the value is the payload, key and headers
//! are Iggy user headers; offsets are Iggy's own.
//!
//! - [`to_iggy`] and [`from_iggy`] are the mapping of one record; [`from_iggy_lenient`] is for a reader that must not
//!   stop at a message which only imitates the mapping.
//! - [`batch_to_messages`] turns a produced batch into the messages of one send, within bounds; [`BatchRebuild`] makes
//!   a batch of polled messages again.
//! - [`UserHeaders`] and [`UserHeadersWriter`] read and write Iggy's user headers.
//!
//! ```
//! use headwater_iggy::{Form, Message, Record, SendWindow, from_iggy, to_iggy};
//!
//! let record = Record { timestamp: 1_700_000_000_000, key: Some(b"k"), value: None, ..Record::default() };
//! let mapped = to_iggy(&record, SendWindow::of([record.timestamp]))?;
//! assert_eq!((mapped.form, &*mapped.payload), (Form::Plain, &b"\0"[..]));
//! let message = Message {
//!     origin_timestamp: mapped.origin_timestamp,
//!     user_headers: &mapped.user_headers,
//!     payload: &mapped.payload,
//!     ..Message::default()
//! };
//! assert_eq!(from_iggy(&message)?, record);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod envelope;
mod error;
mod from_iggy;
mod limits;
mod names;
mod rebuild;
mod record;
#[cfg(feature = "store")]
mod store;
mod timestamps;
mod to_iggy;
mod user_headers;

#[cfg(test)]
mod testing;

pub use batch::{OutgoingMessage, batch_to_messages};
pub use error::{EnvelopeFault, MapError, Unmappable};
pub use from_iggy::{Message, from_iggy, from_iggy_lenient};
pub use limits::{
    BatchLimits, FIELD_LEN_MAX, PAYLOAD_LEN_MAX, SEND_BYTES_MAX, SEND_SPAN_US_MAX, USER_HEADERS_LEN_MAX,
};
pub use rebuild::BatchRebuild;
pub use record::{Record, RecordHeaders};
#[cfg(feature = "store")]
pub use store::{
    IggyLogStore, IggyMetadataStore, IggyOptions, IggyServer, IggyStores, MappingError, TopicMapping,
    topic_id,
};
pub use timestamps::SendWindow;
pub use to_iggy::{Form, Mapped, to_iggy};
pub use user_headers::{Kind, UserHeader, UserHeaders, UserHeadersWriter};
