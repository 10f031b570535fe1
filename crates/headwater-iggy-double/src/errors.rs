//! The numbers of Iggy's errors that the double answers with.

/// A failed command, by Iggy's number for why.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Failure(pub(crate) u32);

pub(crate) const INVALID_COMMAND: Failure = Failure(3);
pub(crate) const FEATURE_UNAVAILABLE: Failure = Failure(5);
pub(crate) const UNAUTHENTICATED: Failure = Failure(40);
pub(crate) const INVALID_CREDENTIALS: Failure = Failure(42);
pub(crate) const STREAM_NOT_FOUND: Failure = Failure(1009);
pub(crate) const STREAM_EXISTS: Failure = Failure(1012);
pub(crate) const TOPIC_NOT_FOUND: Failure = Failure(2010);
pub(crate) const TOPIC_EXISTS: Failure = Failure(2013);
pub(crate) const PARTITION_NOT_FOUND: Failure = Failure(3007);
pub(crate) const TOO_BIG_USER_HEADERS: Failure = Failure(4017);
pub(crate) const TOO_BIG_PAYLOAD: Failure = Failure(4022);
pub(crate) const INVALID_PAYLOAD_LENGTH: Failure = Failure(4025);

impl From<iggy_binary_protocol::WireError> for Failure {
    fn from(_: iggy_binary_protocol::WireError) -> Self {
        INVALID_COMMAND
    }
}
