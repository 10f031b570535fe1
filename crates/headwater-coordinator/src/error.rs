//! What can be wrong with a record of `__consumer_offsets`.

use headwater_codec::DecodeError;

/// A record that cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The key does not decode.
    #[error("the record's key does not decode")]
    Key(#[source] DecodeError),
    /// The value does not decode.
    #[error("the record's value does not decode")]
    Value(#[source] DecodeError),
}
