//! Why a native connection is over.

use headwater_native::FrameError;

use super::{frames::ReadError, outbound::Overflow};

/// Why a connection is over.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ended {
    /// The client said goodbye.
    #[error("the client said goodbye")]
    Goodbye,
    /// The client closed its side.
    #[error("the client closed the connection")]
    Closed,
    /// No frame can come any more.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The client does not read.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The socket takes nothing any more.
    #[error("the client takes nothing any more")]
    Broken,
    /// The client was silent for too long, in the phase that it was in.
    #[error("the client was silent for too long")]
    Silent,
    /// What opens a connection makes no sense.
    #[error("the client's opening makes no sense")]
    BadOpening,
    /// The client speaks another version.
    #[error("the client speaks version {0} of the protocol")]
    Version(u32),
    /// Name and password, or proof, are wrong.
    #[error("authentication failed")]
    AuthFailed,
    /// The broker stops.
    #[error("the broker stops")]
    Stopping,
    /// A handler panicked: a fault of ours.
    #[error("a handler panicked")]
    Panicked,
}

impl Ended {
    /// Whether it is nothing to worry about.
    pub(super) fn is_ordinary(&self) -> bool {
        match self {
            Self::Goodbye | Self::Closed | Self::Broken | Self::Silent | Self::Stopping => true,
            Self::Read(error) => matches!(error, ReadError::Io(_) | ReadError::Truncated),
            _ => false,
        }
    }

    /// The word under which it is counted.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Self::Goodbye => "goodbye",
            Self::Closed => "closed",
            Self::Read(ReadError::Frame(FrameError::TooLarge { .. })) => "frame_too_large",
            Self::Read(ReadError::Frame(_)) | Self::BadOpening => "bad_frame",
            Self::Read(_) | Self::Broken => "socket",
            Self::Overflow(_) => "overflow",
            Self::Silent => "silent",
            Self::Version(_) => "version",
            Self::AuthFailed => "auth_failed",
            Self::Stopping => "stopping",
            Self::Panicked => "panicked",
        }
    }
}
