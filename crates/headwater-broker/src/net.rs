//! The wire: accept, read frames, start requests in order, write answers in order.
//!
//! One task per connection does all of it, so that a request passes from socket to log and back without changing
//! threads. Nothing here knows what a request means.

mod accept;
mod answers;
mod bound;
mod buffers;
mod connection;
mod dispatch;
mod ended;
mod file_slices;
mod frames;

pub(crate) use accept::{Acceptor, Connections, Door, accept};
pub use bound::BindError;
pub(crate) use bound::Bound;
pub(crate) use buffers::BufferPool;
pub(crate) use connection::Shared;
