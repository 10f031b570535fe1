//! Keys of `__consumer_offsets`: the version that they begin with says what they are about.

use bytes::{BufMut, Bytes, BytesMut};

use super::versioned::encode_versioned;
use super::{GroupMetadataKey, OffsetCommitKey};
use crate::error::{DecodeError, EncodeError};
use crate::message::read_body;
use crate::{Message, Reader};

/// The key of a record in `__consumer_offsets`.
#[derive(Clone, Debug, PartialEq)]
pub enum ConsumerOffsetsKey {
    /// A committed offset, as Kafka before 0.9 wrote it (version 0). Its value is an `OffsetCommitValue`.
    LegacyOffsetCommit(OffsetCommitKey),
    /// A committed offset (version 1). Its value is an `OffsetCommitValue`.
    OffsetCommit(OffsetCommitKey),
    /// A classic group (version 2). Its value is a `GroupMetadataValue`.
    GroupMetadata(GroupMetadataKey),
    /// Anything else. Kafka keeps its newer kinds of groups under versions 3 and up: [`decode_versioned`] reads the
    /// whole key as the struct that has that version, such as [`ConsumerGroupMetadataKey`] for 3.
    ///
    /// [`decode_versioned`]: crate::records::decode_versioned
    /// [`ConsumerGroupMetadataKey`]: crate::records::ConsumerGroupMetadataKey
    Other {
        /// The version, which is the kind.
        version: i16,
        /// What follows it.
        body: Bytes,
    },
}

impl ConsumerOffsetsKey {
    /// Reads a key, all of it.
    ///
    /// # Errors
    /// [`DecodeError`] for a key of a known kind that does not decode, and for one without a version.
    pub fn decode(bytes: Bytes) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes.clone(), 0, false);
        let version = reader.int16()?;
        Ok(match version {
            0 => Self::LegacyOffsetCommit(body(reader, version)?),
            1 => Self::OffsetCommit(body(reader, version)?),
            2 => Self::GroupMetadata(body(reader, version)?),
            _ => Self::Other { version, body: bytes.slice(reader.position()..) },
        })
    }

    /// Writes the key.
    ///
    /// # Errors
    /// [`EncodeError`] for a name that is longer than its length field can say.
    pub fn encode(&self) -> Result<Bytes, EncodeError> {
        match self {
            Self::LegacyOffsetCommit(key) => encode_versioned(key, 0),
            Self::OffsetCommit(key) => encode_versioned(key, 1),
            Self::GroupMetadata(key) => encode_versioned(key, 2),
            Self::Other { version, body } => {
                let mut bytes = BytesMut::with_capacity(size_of::<i16>() + body.len());
                bytes.put_i16(*version);
                bytes.extend_from_slice(body);
                Ok(bytes.freeze())
            }
        }
    }
}

fn body<M: Message>(reader: Reader, version: i16) -> Result<M, DecodeError> {
    read_body(&mut reader.switch_to(version, M::SCHEMA.flexible.contains(version)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GroupId, TopicName};

    #[track_caller]
    fn check(bytes: &'static [u8], expected: ConsumerOffsetsKey) {
        let key = ConsumerOffsetsKey::decode(Bytes::from_static(bytes)).unwrap();
        assert_eq!(key, expected);
        assert_eq!(key.encode().unwrap(), bytes);
    }

    fn offset_of_partition_7() -> OffsetCommitKey {
        OffsetCommitKey { group: GroupId::from("g"), topic: TopicName::from("t"), partition: 7 }
    }

    #[test]
    fn the_version_says_what_a_key_is_about() {
        check(
            b"\0\0\0\x01g\0\x01t\0\0\0\x07",
            ConsumerOffsetsKey::LegacyOffsetCommit(offset_of_partition_7()),
        );
        check(b"\0\x01\0\x01g\0\x01t\0\0\0\x07", ConsumerOffsetsKey::OffsetCommit(offset_of_partition_7()));
        check(
            b"\0\x02\0\x01g",
            ConsumerOffsetsKey::GroupMetadata(GroupMetadataKey { group: GroupId::from("g") }),
        );
    }

    #[test]
    fn keys_of_other_kinds_are_kept_as_they_are() {
        check(
            b"\0\x03\0\x01g",
            ConsumerOffsetsKey::Other { version: 3, body: Bytes::from_static(b"\0\x01g") },
        );
    }

    #[test]
    fn a_torn_key_is_an_error() {
        for torn in [&b""[..], b"\0", b"\0\x01\0\x05g", b"\0\x02\0\x01gg"] {
            assert!(ConsumerOffsetsKey::decode(Bytes::from_static(torn)).is_err(), "{torn:?}");
        }
    }
}
