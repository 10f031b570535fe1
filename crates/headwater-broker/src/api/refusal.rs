//! What a client is told when something is refused: a code and a sentence.

use headwater_codec::{ErrorCode, Str};
use headwater_storage::MetadataError;

use crate::{
    error_code,
    topic_config::{AlterError, TopicNameError},
};

/// A code and, where there is more to say than the code does, a sentence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Refusal {
    /// The code.
    pub(super) code: ErrorCode,
    /// The sentence.
    pub(super) message: Str,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: impl Into<Str>) -> Self {
        Self { code, message: message.into() }
    }

    /// INVALID_REQUEST (42) with a sentence.
    pub(super) fn invalid_request(message: impl Into<Str>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }
}

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self::new(code, code.text())
    }
}

impl From<TopicNameError> for Refusal {
    fn from(error: TopicNameError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<AlterError> for Refusal {
    fn from(error: AlterError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<MetadataError> for Refusal {
    fn from(error: MetadataError) -> Self {
        Self::new(error_code::metadata(&error), error.to_string())
    }
}
