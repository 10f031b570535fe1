//! What all messages and their parts can do: be read and be written.

use bytes::{Bytes, BytesMut};
use headwater_codec::TopicName;

use crate::{DecodeError, EncodeError, Opcode, PartitionId, reader::Reader, writer::Writer};

/// What can be sent under one opcode.
pub trait Payload {
    /// The opcode whose payload this is.
    const OPCODE: Opcode;

    /// Appends the payload to `out`.
    ///
    /// # Errors
    /// [`EncodeError`] when the wire cannot carry the message; `out` then ends with a part of it.
    fn encode(&self, out: &mut BytesMut) -> Result<(), EncodeError>;
}

/// A payload that can be read without knowing more than its opcode.
///
/// Decoding ignores bytes after the last field that it knows: that is how this protocol grows.
pub trait Message: Payload + Sized {
    /// Reads a payload; strings and byte fields share its memory.
    ///
    /// # Errors
    /// [`DecodeError`] when the payload is not such a message.
    fn decode(payload: Bytes) -> Result<Self, DecodeError>;
}

/// A message or a part of one.
pub(crate) trait Wire: Sized {
    /// The fewest bytes that it takes, by which counts of it are bounded.
    const SIZE_MIN: usize;

    fn read(r: &mut Reader) -> Result<Self, DecodeError>;
    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError>;
}

impl Wire for TopicName {
    const SIZE_MIN: usize = 4;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        r.topic("topic")
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        w.topic("topic", self)
    }
}

impl Wire for PartitionId {
    const SIZE_MIN: usize = 4;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        r.partition("partition")
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        w.partition("partition", self)
    }
}

/// A part of messages whose fields stand one after the other. After each field stands the method of [`Reader`] and
/// [`Writer`] that moves it; after the name, the fewest bytes that the part takes.
macro_rules! part {
    ($(#[$doc:meta])* $name:ident, $size_min:literal {
        $($(#[$field_doc:meta])* $field:ident: $type:ty => $kind:ident $(($bound:expr))?),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::wire::Wire for $name {
            const SIZE_MIN: usize = $size_min;

            #[allow(unused_variables, reason = "some messages have no fields")]
            fn read(r: &mut $crate::reader::Reader) -> Result<Self, $crate::DecodeError> {
                Ok(Self { $($field: r.$kind(stringify!($field) $(, $bound)?)?,)* })
            }

            #[allow(unused_variables, reason = "some messages have no fields")]
            fn write(&self, w: &mut $crate::writer::Writer<'_>) -> Result<(), $crate::EncodeError> {
                $(w.$kind(stringify!($field), $($bound,)? &self.$field)?;)*
                Ok(())
            }
        }
    };
}

/// A message whose fields stand one after the other, like [`part`]; after the name, its opcode.
macro_rules! message {
    ($(#[$doc:meta])* $name:ident, $opcode:ident { $($fields:tt)* }) => {
        $crate::wire::part! { $(#[$doc])* $name, 0 { $($fields)* } }
        $crate::wire::payload! { $name, $opcode }
    };
}

/// Makes a message of what can be read and written.
macro_rules! payload {
    ($name:ident, $opcode:ident) => {
        impl $crate::Message for $name {
            fn decode(payload: bytes::Bytes) -> Result<Self, $crate::DecodeError> {
                $crate::wire::Wire::read(&mut $crate::reader::Reader::new(payload))
            }
        }

        impl $crate::Payload for $name {
            const OPCODE: $crate::Opcode = $crate::Opcode::$opcode;

            fn encode(&self, out: &mut bytes::BytesMut) -> Result<(), $crate::EncodeError> {
                $crate::wire::Wire::write(self, &mut $crate::writer::Writer(out))
            }
        }
    };
}

pub(crate) use {message, part, payload};
