//! Which Rust types can be a field, and how each reads and writes itself.

use bytes::Bytes;

use crate::error::{DecodeError, EncodeError};
use crate::ids::{
    BrokerId, CorrelationId, GroupId, LeaderEpoch, PartitionIndex, ProducerEpoch, ProducerId, TopicName,
    TransactionalId,
};
use crate::schema::FieldType;
use crate::{ErrorCode, Message, Reader, Records, Str, Uuid, Writer};

/// A type that a field can have. The derive of [`Message`] relies on it; every message is one.
pub trait Wire: Clone + PartialEq + Sized {
    /// Kafka's type.
    const TYPE: FieldType;

    /// The fewest bytes that any value takes in that version.
    fn least_size(version: i16, flexible: bool) -> usize;

    /// Reads a value that is not null.
    ///
    /// # Errors
    /// [`DecodeError`], among others for null.
    fn read(reader: &mut Reader) -> Result<Self, DecodeError>;

    /// Writes the value.
    ///
    /// # Errors
    /// [`EncodeError`] when the version or the length fields do not allow it.
    fn write(&self, writer: &mut Writer) -> Result<(), EncodeError>;

    /// Writes values one after the other, as an array has them after its count.
    ///
    /// # Errors
    /// As [`Wire::write`].
    #[inline]
    fn write_all(values: &[Self], writer: &mut Writer) -> Result<(), EncodeError> {
        values.iter().try_for_each(|value| value.write(writer))
    }
}

/// A type whose field can be null, as an `Option`.
pub trait Nullable: Wire + Default {
    /// The fewest bytes that null or any value takes in that version.
    fn least_nullable_size(version: i16, flexible: bool) -> usize {
        Self::least_size(version, flexible)
    }

    /// Reads a value or null.
    ///
    /// # Errors
    /// [`DecodeError`] for anything but a value and null.
    fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError>;

    /// Writes a value or null.
    ///
    /// # Errors
    /// [`EncodeError`] when the version or the length fields do not allow it.
    fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError>;

    /// Reads a value or null that is a tagged field: only structures say null differently there.
    ///
    /// # Errors
    /// As [`Nullable::read_nullable`].
    #[inline]
    fn read_nullable_tagged(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        Self::read_nullable(reader)
    }

    /// Writes a value or null as a tagged field.
    ///
    /// # Errors
    /// As [`Nullable::write_nullable`].
    #[inline]
    fn write_nullable_tagged(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        Self::write_nullable(value, writer)
    }

    /// What the field holds when nothing is said: not null, but empty. Kafka has it so.
    fn default_nullable() -> Option<Self> {
        Some(Self::default())
    }
}

macro_rules! fixed {
    ($($rust:ty, $kafka:ident, $size:literal, $method:ident;)*) => {
        $(impl Wire for $rust {
            const TYPE: FieldType = FieldType::$kafka;

            #[inline]
            fn least_size(_: i16, _: bool) -> usize {
                $size
            }

            #[inline]
            fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
                reader.$method()
            }

            #[inline]
            fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
                writer.$method(*self);
                Ok(())
            }
        })*
    };
}

fixed! {
    bool, Bool, 1, boolean;
    i8, Int8, 1, int8;
    i16, Int16, 2, int16;
    u16, Uint16, 2, uint16;
    i32, Int32, 4, int32;
    u32, Uint32, 4, uint32;
    i64, Int64, 8, int64;
    f64, Float64, 8, float64;
    Uuid, Uuid, 16, uuid;
}

macro_rules! integer_newtypes {
    ($($name:ty, $raw:ty, $get:ident;)*) => {
        $(impl Wire for $name {
            const TYPE: FieldType = <$raw as Wire>::TYPE;

            #[inline]
            fn least_size(_: i16, _: bool) -> usize {
                size_of::<$raw>()
            }

            #[inline]
            fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
                <$raw>::read(reader).map(Self::from)
            }

            #[inline]
            fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
                self.$get().write(writer)
            }

            #[inline]
            fn write_all(values: &[Self], writer: &mut Writer) -> Result<(), EncodeError> {
                writer.each(values.iter().map(|value| value.$get().to_be_bytes()));
                Ok(())
            }
        })*
    };
}

integer_newtypes! {
    BrokerId, i32, get;
    PartitionIndex, i32, get;
    LeaderEpoch, i32, get;
    CorrelationId, i32, get;
    ProducerId, i64, get;
    ProducerEpoch, i16, get;
    ErrorCode, i16, code;
}

impl Wire for Str {
    const TYPE: FieldType = FieldType::String;

    #[inline]
    fn least_size(_: i16, flexible: bool) -> usize {
        if flexible { 1 } else { 2 }
    }

    #[inline]
    fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
        reader.string()
    }

    #[inline]
    fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_string(Some(self))
    }
}

impl Nullable for Str {
    #[inline]
    fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        reader.nullable_string()
    }

    #[inline]
    fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_string(value.map(Self::as_str))
    }
}

macro_rules! string_newtypes {
    ($($name:ty;)*) => {
        $(impl Wire for $name {
            const TYPE: FieldType = FieldType::String;

            #[inline]
            fn least_size(version: i16, flexible: bool) -> usize {
                Str::least_size(version, flexible)
            }

            #[inline]
            fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
                reader.string().map(Self::new)
            }

            #[inline]
            fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
                writer.nullable_string(Some(self.as_str()))
            }
        }

        impl Nullable for $name {
            #[inline]
            fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
                Ok(reader.nullable_string()?.map(Self::new))
            }

            #[inline]
            fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
                writer.nullable_string(value.map(Self::as_str))
            }
        })*
    };
}

string_newtypes! {
    TopicName;
    GroupId;
    TransactionalId;
}

impl Wire for Bytes {
    const TYPE: FieldType = FieldType::Bytes;

    #[inline]
    fn least_size(_: i16, flexible: bool) -> usize {
        if flexible { 1 } else { 4 }
    }

    #[inline]
    fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
        reader.bytes()
    }

    #[inline]
    fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_bytes(Some(self))
    }
}

impl Nullable for Bytes {
    #[inline]
    fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        reader.nullable_bytes()
    }

    #[inline]
    fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_bytes(value.map(|bytes| &bytes[..]))
    }
}

impl Wire for Records {
    const TYPE: FieldType = FieldType::Records;

    #[inline]
    fn least_size(_: i16, flexible: bool) -> usize {
        if flexible { 1 } else { 4 }
    }

    #[inline]
    fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
        reader.bytes().map(Self::Bytes)
    }

    #[inline]
    fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_records(Some(self))
    }
}

impl Nullable for Records {
    #[inline]
    fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        Ok(reader.nullable_bytes()?.map(Self::Bytes))
    }

    #[inline]
    fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_records(value)
    }

    /// Null: of all types, records alone default to it in Kafka.
    fn default_nullable() -> Option<Self> {
        None
    }
}

impl<T: Wire> Wire for Vec<T> {
    const TYPE: FieldType = FieldType::Array(&T::TYPE);

    #[inline]
    fn least_size(_: i16, flexible: bool) -> usize {
        if flexible { 1 } else { 4 }
    }

    #[inline]
    fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
        reader.array()
    }

    #[inline]
    fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_array(Some(self))
    }
}

impl<T: Wire> Nullable for Vec<T> {
    #[inline]
    fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        reader.nullable_array()
    }

    #[inline]
    fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.nullable_array(value.map(|elements| &elements[..]))
    }
}

impl<T: Message> Wire for T {
    const TYPE: FieldType = FieldType::Struct(T::SCHEMA);

    #[inline]
    fn least_size(version: i16, flexible: bool) -> usize {
        <T as Message>::least_size(version, flexible)
    }

    #[inline]
    fn read(reader: &mut Reader) -> Result<Self, DecodeError> {
        T::decode(reader)
    }

    #[inline]
    fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
        self.encode(writer)
    }
}

/// A structure that can be null has a byte before it: negative for null, else 1 (KIP-893). As a tagged field it has an
/// unsigned varint before it instead: 0 for null, else 1. Kafka's generator has it so.
impl<T: Message> Nullable for T {
    #[inline]
    fn least_nullable_size(_: i16, _: bool) -> usize {
        1
    }

    #[inline]
    fn read_nullable(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        if reader.int8()? < 0 { Ok(None) } else { T::decode(reader).map(Some) }
    }

    #[inline]
    fn write_nullable(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.int8(if value.is_some() { 1 } else { -1 });
        value.map_or(Ok(()), |value| value.encode(writer))
    }

    #[inline]
    fn read_nullable_tagged(reader: &mut Reader) -> Result<Option<Self>, DecodeError> {
        if reader.uvarint()? == 0 { Ok(None) } else { T::decode(reader).map(Some) }
    }

    #[inline]
    fn write_nullable_tagged(value: Option<&Self>, writer: &mut Writer) -> Result<(), EncodeError> {
        writer.uvarint(u32::from(value.is_some()));
        value.map_or(Ok(()), |value| value.encode(writer))
    }
}
