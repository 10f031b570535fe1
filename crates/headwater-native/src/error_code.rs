//! The codes of ERROR and of a batch that was appended in part.

use std::fmt;

/// Why a request was refused. Codes that are not listed here are kept as they are.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ErrorCode(u16);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $name: Self = Self($code);)*

            /// Those that have a name, by number.
            pub const NAMED: &'static [Self] = &[$(Self::$name),*];

            /// The protocol's name of it; `None` for a code that this version does not know.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($code => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    /// No error. Only in PRODUCE_BATCH_ACK, where all records were appended.
    NONE = 0;
    /// The frame's payload makes no sense, or its opcode is not allowed at this point.
    BAD_FRAME = 1;
    /// There is no such opcode.
    UNKNOWN_OP = 2;
    /// The connection must authenticate first.
    NOT_AUTHED = 3;
    /// Name and password, or the SCRAM proof, are wrong.
    AUTH_FAILED = 4;
    /// There is no such topic.
    TOPIC_MISSING = 5;
    /// A quota or a limit of topics, groups or capacity is reached.
    RATE_LIMITED = 6;
    /// The server failed; it is not the request's fault.
    INTERNAL = 7;
    /// The protocol version is not spoken, or fetching and being pushed to were mixed.
    BAD_PROTOCOL = 8;
    /// The frame is over the limit. The connection closes.
    FRAME_TOO_LARGE = 9;
    /// INIT_PRODUCER_ID must come first.
    NO_PRODUCER_ID = 10;
    /// The sequence number is not the one that follows.
    OUT_OF_ORDER_SEQUENCE = 11;
    /// The member does not belong to the group, or no longer.
    GROUP_MEMBER_UNKNOWN = 12;
    /// The connection belongs to another group, or the group is of another kind.
    GROUP_CONFLICT = 13;
    /// A batch has more records than it may.
    BATCH_TOO_LARGE = 14;
    /// There is no such group.
    GROUP_MISSING = 15;
    /// The group has members.
    GROUP_NOT_EMPTY = 16;
    /// A config's name or value is wrong.
    INVALID_CONFIG = 17;
    /// The topic is internal.
    TOPIC_FORBIDDEN = 18;
    /// The user may not do that.
    NOT_AUTHORIZED = 19;
    /// Another broker leads the partition; the message says `leader=host:port` when it is known.
    NOT_LEADER = 20;
    /// The number of partitions is wrong.
    INVALID_PARTITIONS = 21;
    /// A newer incarnation of the producer exists.
    PRODUCER_FENCED = 50;
    /// The transaction is not in a state for that.
    INVALID_TXN_STATE = 51;
    /// The transaction took too long.
    TRANSACTION_TIMED_OUT = 52;
    /// An offset to commit with a transaction is out of range.
    OFFSETS_OUT_OF_RANGE_FOR_TXN = 53;
}

impl ErrorCode {
    /// Wraps the wire's integer, whatever it is.
    pub const fn new(code: u16) -> Self {
        Self(code)
    }

    /// The integer as it stands on the wire.
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "error {}", self.0),
        }
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
