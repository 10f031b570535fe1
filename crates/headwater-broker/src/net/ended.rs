//! Why a connection is over.

use std::io;

use headwater_codec::{ApiKey, DecodeError, EncodeError, FrameError};

/// Why a connection is over before the peer closed it in good order.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Ended {
    /// No frame begins like this.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The frame cannot hold a header.
    #[error("a frame of {length} bytes holds no request header")]
    TooShort {
        /// Bytes announced.
        length: usize,
    },
    /// The frame is too large for its API.
    #[error("a request of {length} bytes with API key {key} exceeds the limit of {max}")]
    TooLarge {
        /// The API key.
        key: i16,
        /// Bytes announced.
        length: usize,
        /// Bytes allowed.
        max: usize,
    },
    /// The peer closed in the middle of a frame.
    #[error("the peer closed the connection within a request")]
    Truncated,
    /// The header makes no sense.
    #[error("a request header cannot be read: {0}")]
    Header(#[source] DecodeError),
    /// Nobody serves that key.
    #[error("API key {key} is not served")]
    UnknownApi {
        /// The API key.
        key: i16,
    },
    /// That version is not served.
    #[error("{api} version {version} is not served")]
    UnsupportedVersion {
        /// The API.
        api: ApiKey,
        /// The version asked for.
        version: i16,
    },
    /// The body makes no sense.
    #[error("a {api} request of version {version} cannot be read: {source}")]
    Malformed {
        /// The API.
        api: ApiKey,
        /// The version.
        version: i16,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// An answer cannot be said in the version asked for: a fault of ours.
    #[error("an answer to {api} version {version} cannot be written: {source}")]
    Unwritable {
        /// The API.
        api: ApiKey,
        /// The version.
        version: i16,
        /// Why not.
        source: EncodeError,
    },
    /// A handler panicked: a fault of ours.
    #[error("the handler of {api} version {version} panicked")]
    Panicked {
        /// The API.
        api: ApiKey,
        /// The version.
        version: i16,
    },
    /// A request without an answer failed, and closing is the only way to say so.
    #[error("{0}")]
    Refused(&'static str),
    /// A client could not log in. It was logged when that happened.
    #[error("{0}")]
    LoginFailed(&'static str),
    /// A log yielded fewer bytes than were promised to the peer.
    #[error("a log slice was cut short while it was sent")]
    SliceCut,
    /// Nothing came or went for too long.
    #[error("the connection was idle for too long")]
    Idle,
    /// The broker stops.
    #[error("the broker stops")]
    Stopping,
    /// The network failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Ended {
    /// Whether it is the way of the world rather than anybody's fault.
    pub(crate) fn is_ordinary(&self) -> bool {
        matches!(self, Self::Io(_) | Self::Idle | Self::Stopping | Self::Truncated | Self::LoginFailed(_))
    }

    /// The key of the request that the connection ended over, when it was one.
    pub(crate) fn api_key(&self) -> Option<i16> {
        match self {
            Self::UnknownApi { key } | Self::TooLarge { key, .. } => Some(*key),
            Self::UnsupportedVersion { api, .. }
            | Self::Malformed { api, .. }
            | Self::Unwritable { api, .. }
            | Self::Panicked { api, .. } => Some(api.code()),
            _ => None,
        }
    }

    /// Whether it is a fault of this program.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self, Self::Unwritable { .. } | Self::Panicked { .. } | Self::SliceCut)
    }
}
