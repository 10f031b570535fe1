//! Bodies that follow their own version, an `int16`.

use bytes::Bytes;

use crate::error::{DecodeError, EncodeError, EncodeErrorKind};
use crate::message::{read_body, write_body};
use crate::{Message, Reader, Writer};

/// Reads a version and then the rest of `bytes`, all of it, as that version of `M`.
///
/// # Errors
/// [`DecodeError`] for bytes that are no such body, bytes left over, and versions that `M` does not have.
pub fn decode_versioned<M: Message>(bytes: Bytes) -> Result<(i16, M), DecodeError> {
    let (version, mut reader) = version_of::<M>(bytes)?;
    Ok((version, read_body(&mut reader)?))
}

/// As [`decode_versioned`], for bodies that newer peers extend at their end: a version above the known ones is
/// read as the highest known one, and bytes left over are ignored. The version is the one in the bytes.
///
/// # Errors
/// [`DecodeError`] for bytes that do not begin with such a body.
pub fn decode_versioned_leniently<M: Message>(bytes: Bytes) -> Result<(i16, M), DecodeError> {
    let (version, reader) = version_of::<M>(bytes)?;
    let known = M::SCHEMA.versions.last().map_or(version, |last| version.min(last));
    let mut reader = reader.switch_to(known, M::SCHEMA.flexible.contains(known));
    let message = M::decode(&mut reader).map_err(|error| error.within(M::SCHEMA.name))?;
    Ok((version, message))
}

/// Writes `version`, then that version of `message`.
///
/// # Errors
/// [`EncodeError`] when the message cannot be said in that version.
pub fn encode_versioned<M: Message>(message: &M, version: i16) -> Result<Bytes, EncodeError> {
    let mut writer = Writer::new(version, M::SCHEMA.flexible.contains(version));
    writer.int16(version);
    write_body(message, &mut writer)?;
    let (encoded, _) = writer.finish()?;
    encoded
        .to_bytes()
        .ok_or_else(|| EncodeError::new(EncodeErrorKind::ExternalNotAllowed).within(M::SCHEMA.name))
}

fn version_of<M: Message>(bytes: Bytes) -> Result<(i16, Reader), DecodeError> {
    let mut reader = Reader::new(bytes, 0, false);
    let version = reader.int16().map_err(|error| error.within(M::SCHEMA.name))?;
    Ok((version, reader.switch_to(version, M::SCHEMA.flexible.contains(version))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{ConsumerProtocolSubscription, OffsetCommitKey};
    use crate::{DecodeErrorKind, GroupId, TopicName};

    #[test]
    fn a_version_stands_before_its_body() {
        let key = OffsetCommitKey { group: GroupId::from("g"), topic: TopicName::from("t"), partition: 7 };
        let bytes = encode_versioned(&key, 1).unwrap();
        assert_eq!(&bytes[..], b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x07");
        assert_eq!(decode_versioned(bytes), Ok((1, key)));
    }

    #[test]
    fn a_version_that_does_not_exist_is_refused() {
        let failure = decode_versioned::<OffsetCommitKey>(Bytes::from_static(b"\x00\x09")).unwrap_err();
        assert_eq!(failure.kind(), DecodeErrorKind::UnsupportedVersion(9));
        assert_eq!(failure.field(), "OffsetCommitKey");
    }

    #[test]
    fn a_later_version_is_read_as_the_last_known_one_where_that_is_meant() {
        let subscription =
            ConsumerProtocolSubscription { topics: vec!["t".into()], generation_id: 4, ..Default::default() };
        let mut bytes = encode_versioned(&subscription, 3).unwrap().to_vec();
        bytes[1] = 9;
        bytes.extend_from_slice(b"what version 9 adds");
        let read = decode_versioned_leniently::<ConsumerProtocolSubscription>(bytes.into());
        assert_eq!(read, Ok((9, subscription)));
    }
}
