//! What goes wrong between a program and its server.

use std::{io, sync::Arc};

use headwater_native::{DecodeError, EncodeError, ErrorCode, FrameError, Opcode, messages::Failure};
use headwater_records::native::HeaderFault;
use headwater_security::ScramError;

/// A server's refusal.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ServerError {
    /// Why.
    pub code: ErrorCode,
    /// The same in words.
    pub message: String,
}

impl From<Failure> for ServerError {
    fn from(failure: Failure) -> Self {
        Self { code: failure.code, message: failure.message.as_str().to_owned() }
    }
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no server to try.
    #[error("there is no host to connect to")]
    NoHosts,
    /// A server cannot be reached.
    #[error("cannot connect to {host}")]
    Connect {
        /// Which.
        host: String,
        /// Why.
        source: io::Error,
    },
    /// The server refused the request; the connection goes on.
    #[error(transparent)]
    Refused(#[from] ServerError),
    /// The connection has ended. A request that was under way may have been carried out.
    #[error("the connection has ended: {0}")]
    Ended(#[from] Ended),
    /// The answer did not come in time. The request may have been carried out.
    #[error("no answer within the time allowed")]
    Timeout,
    /// The server answered with something else than the request's answers.
    #[error("{} is no answer to this request", .0.name())]
    Unexpected(Opcode),
    /// The request is over a bound of the protocol; nothing was sent.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The headers cannot be encoded; nothing was sent.
    #[error("the headers: {0}")]
    Headers(#[from] HeaderFault),
    /// The server does not keep headers; nothing was sent.
    #[error("this server would drop the record's headers")]
    HeadersNotKept,
    /// The SCRAM exchange failed here: the server's messages are wrong, or it does not know the user.
    #[error("{0}")]
    Scram(#[from] ScramError),
    /// The connection is no idempotent producer.
    #[error("this connection is no idempotent producer")]
    NotIdempotent,
}

impl ClientError {
    /// The server's code, when it was the server that refused.
    pub const fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused(error) | Self::Ended(Ended::Refused(error)) => Some(error.code),
            _ => None,
        }
    }
}

/// Why a connection has ended.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Ended {
    /// It was closed here.
    #[error("it was closed")]
    Closed,
    /// The server closed it.
    #[error("the server closed it")]
    ByServer,
    /// The server said why, and closed it.
    #[error("{0}")]
    Refused(ServerError),
    /// The socket failed.
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// What came is no frame.
    #[error("{0}")]
    Frame(#[from] FrameError),
    /// What came is no reply.
    #[error("{0}")]
    Decode(#[from] DecodeError),
    /// More records came than were asked for.
    #[error("the server sent more records than were asked for")]
    TooManyRecords,
    /// Pushed records came faster than they were taken, while the server owed an answer.
    #[error("{0} bytes of pushed records wait to be taken")]
    Overrun(usize),
}
