//! What goes wrong between bytes and messages.

use std::fmt;

use crate::varint::VarintError;

/// Bytes that are not the message they should be: what, at which byte, in which field.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodeError(Box<DecodeFailure>);

#[derive(Clone, Debug, PartialEq)]
struct DecodeFailure {
    kind: DecodeErrorKind,
    position: usize,
    path: Path,
}

/// What is wrong with the bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The input ends inside a value.
    #[error("the input ends inside a value")]
    Truncated,
    /// A variable-length integer has more bits than its type.
    #[error("a variable-length integer is too long")]
    VarintTooLong,
    /// A length or count below -1.
    #[error("the length {0} is negative")]
    NegativeLength(i32),
    /// A string, byte field, records field or tagged field is longer than the rest of the input.
    #[error("the length {length} exceeds the {left} bytes left")]
    LengthPastEnd {
        /// Bytes announced.
        length: usize,
        /// Bytes there are.
        left: usize,
    },
    /// An array has more elements than the rest of the input can hold.
    #[error("{count} elements cannot stand in the {left} bytes left")]
    CountPastEnd {
        /// Elements announced.
        count: usize,
        /// Bytes there are.
        left: usize,
    },
    /// Decoding would take more memory than the frame justifies.
    #[error("decoding needs {needed} bytes of memory, {left} of the budget are left")]
    BudgetExceeded {
        /// Bytes that the next array would take.
        needed: usize,
        /// Bytes that the decode may still take.
        left: usize,
    },
    /// A string is not UTF-8.
    #[error("a string is not UTF-8")]
    InvalidUtf8,
    /// Null in a version that has no null there.
    #[error("null is not allowed in this version")]
    NullNotAllowed,
    /// Tags do not strictly ascend.
    #[error("tag {tag} follows tag {previous}: tags must ascend")]
    TagOrder {
        /// The tag before.
        previous: u32,
        /// The tag that is not above it.
        tag: u32,
    },
    /// Bytes are left over, after a message or inside a known tagged field.
    #[error("{0} bytes are left over")]
    TrailingBytes(usize),
    /// The message has no such version.
    #[error("there is no version {0}")]
    UnsupportedVersion(i16),
    /// The metadata log has no such type of record.
    #[error("there is no type {0} of metadata records")]
    UnknownRecordType(u32),
    /// The header names another API than the one asked for.
    #[error("the request is for API key {found}, not {expected}")]
    WrongApiKey {
        /// The key that was asked for.
        expected: i16,
        /// The key in the header.
        found: i16,
    },
}

impl DecodeError {
    /// An error at byte `position` of the input, in no field yet.
    #[cold]
    pub fn new(kind: DecodeErrorKind, position: usize) -> Self {
        Self(Box::new(DecodeFailure { kind, position, path: Path::default() }))
    }

    /// The same error, one level further out: in the field or message `name`.
    #[cold]
    #[must_use]
    pub fn within(mut self, name: &'static str) -> Self {
        self.0.path.0.push(name);
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> DecodeErrorKind {
        self.0.kind
    }

    /// The byte of the input at which the value that failed begins, counted from 0.
    pub fn position(&self) -> usize {
        self.0.position
    }

    /// Message and field, outermost first, such as `MetadataRequest.Topics.Name`. Empty when unknown.
    pub fn field(&self) -> String {
        self.0.path.to_string()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeFailure { kind, position, path } = &*self.0;
        if path.0.is_empty() {
            write!(f, "byte {position}: {kind}")
        } else {
            write!(f, "{path}, byte {position}: {kind}")
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<VarintError> for DecodeErrorKind {
    fn from(error: VarintError) -> Self {
        match error {
            VarintError::Truncated => Self::Truncated,
            VarintError::TooLong => Self::VarintTooLong,
        }
    }
}

/// A message that cannot be written in the version asked for: why, and in which field.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodeError(Box<EncodeFailure>);

#[derive(Clone, Debug, PartialEq)]
struct EncodeFailure {
    kind: EncodeErrorKind,
    path: Path,
}

/// Why a message cannot be written.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EncodeErrorKind {
    /// The message has no such version.
    #[error("there is no version {0}")]
    UnsupportedVersion(i16),
    /// A field has a value, but the version has no such field and it must not be dropped.
    #[error("the field does not exist in version {version}, yet is not its default")]
    FieldAbsent {
        /// The version asked for.
        version: i16,
    },
    /// Null in a version that has no null there.
    #[error("null is not allowed in version {version}")]
    NullNotAllowed {
        /// The version asked for.
        version: i16,
    },
    /// A string, byte field or array is longer than its length field can say.
    #[error("the length {0} does not fit its length field")]
    TooLong(usize),
    /// The version has no tagged fields, yet the message carries some.
    #[error("version {version} has no tagged fields")]
    TagsNotAllowed {
        /// The version asked for.
        version: i16,
    },
    /// A kept unknown tag has the number of another tag.
    #[error("tag {0} stands twice")]
    TagTwice(u32),
    /// External records where only bytes can stand.
    #[error("external records cannot stand here")]
    ExternalNotAllowed,
}

impl EncodeError {
    /// An error in no field yet.
    #[cold]
    pub fn new(kind: EncodeErrorKind) -> Self {
        Self(Box::new(EncodeFailure { kind, path: Path::default() }))
    }

    /// The same error, one level further out: in the field or message `name`.
    #[cold]
    #[must_use]
    pub fn within(mut self, name: &'static str) -> Self {
        self.0.path.0.push(name);
        self
    }

    /// Why the message cannot be written.
    pub fn kind(&self) -> EncodeErrorKind {
        self.0.kind
    }

    /// Message and field, outermost first, such as `MetadataRequest.Topics.Name`. Empty when unknown.
    pub fn field(&self) -> String {
        self.0.path.to_string()
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EncodeFailure { kind, path } = &*self.0;
        if path.0.is_empty() { kind.fmt(f) } else { write!(f, "{path}: {kind}") }
    }
}

impl std::error::Error for EncodeError {}

/// Names from a field outwards to its message.
#[derive(Clone, Debug, Default, PartialEq)]
struct Path(Vec<&'static str>);

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().rev().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}
