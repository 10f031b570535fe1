//! Keys of control records: what the one record of a control batch says.

use bytes::{BufMut, Bytes, BytesMut};

use crate::Reader;
use crate::error::DecodeError;

/// What a control record says. Open: later kinds are kept as [`ControlRecordType::Unknown`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ControlRecordType {
    /// A transaction was aborted; the value is an `EndTxnMarker` (KIP-98).
    Abort,
    /// A transaction was committed; the value is an `EndTxnMarker` (KIP-98).
    Commit,
    /// A quorum has a new leader; the value is a `LeaderChangeMessage` (KIP-595).
    LeaderChange,
    /// A snapshot begins; the value is a `SnapshotHeaderRecord` (KIP-630).
    SnapshotHeader,
    /// A snapshot ends; the value is a `SnapshotFooterRecord` (KIP-630).
    SnapshotFooter,
    /// The level of `kraft.version`; the value is a `KRaftVersionRecord` (KIP-853).
    KRaftVersion,
    /// Who votes in the quorum; the value is a `VotersRecord` (KIP-853).
    KRaftVoters,
    /// A kind that Kafka 4.3 does not have.
    Unknown(i16),
}

impl ControlRecordType {
    /// The version of the keys that [`ControlRecordType::to_key`] writes.
    pub const KEY_VERSION: i16 = 0;

    /// The kind with that number.
    pub const fn from_code(code: i16) -> Self {
        match code {
            0 => Self::Abort,
            1 => Self::Commit,
            2 => Self::LeaderChange,
            3 => Self::SnapshotHeader,
            4 => Self::SnapshotFooter,
            5 => Self::KRaftVersion,
            6 => Self::KRaftVoters,
            code => Self::Unknown(code),
        }
    }

    /// The kind's number.
    pub const fn code(self) -> i16 {
        match self {
            Self::Abort => 0,
            Self::Commit => 1,
            Self::LeaderChange => 2,
            Self::SnapshotHeader => 3,
            Self::SnapshotFooter => 4,
            Self::KRaftVersion => 5,
            Self::KRaftVoters => 6,
            Self::Unknown(code) => code,
        }
    }

    /// Reads the key of a control record. What a later version puts after the kind is ignored.
    ///
    /// # Errors
    /// [`DecodeError`] when the key is shorter than its version and kind.
    pub fn from_key(key: Bytes) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(key, Self::KEY_VERSION, false);
        let _version = reader.int16()?;
        Ok(Self::from_code(reader.int16()?))
    }

    /// The key of a control record of this kind.
    pub fn to_key(self) -> Bytes {
        let mut key = BytesMut::with_capacity(2 * size_of::<i16>());
        key.put_i16(Self::KEY_VERSION);
        key.put_i16(self.code());
        key.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_hold_version_and_kind() {
        assert_eq!(ControlRecordType::Commit.to_key(), &[0, 0, 0, 1][..]);
        assert_eq!(
            ControlRecordType::from_key(Bytes::from_static(&[0, 0, 0, 2])),
            Ok(ControlRecordType::LeaderChange)
        );
    }

    #[test]
    fn every_code_stands_for_itself() {
        for code in -1..=9 {
            assert_eq!(ControlRecordType::from_code(code).code(), code);
        }
    }

    #[test]
    fn a_short_key_is_an_error() {
        assert!(ControlRecordType::from_key(Bytes::from_static(&[0, 0, 0])).is_err());
    }
}
