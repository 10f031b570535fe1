//! Values of the metadata log, `__cluster_metadata`: any record, with the type and version that it names.

use bytes::Bytes;

use super::{
    AbortTransactionRecord, AccessControlEntryRecord, BeginTransactionRecord, BrokerRegistrationChangeRecord,
    ClearElrRecord, ClientQuotaRecord, ConfigRecord, DelegationTokenRecord, EndTransactionRecord,
    FeatureLevelRecord, FenceBrokerRecord, NoOpRecord, PartitionChangeRecord, PartitionRecord,
    ProducerIdsRecord, RegisterBrokerRecord, RegisterControllerRecord, RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord, RemoveTopicRecord, RemoveUserScramCredentialRecord, TopicRecord,
    UnfenceBrokerRecord, UnregisterBrokerRecord, UserScramCredentialRecord, ZkMigrationStateRecord,
};
use crate::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::message::{read_body, write_body};
use crate::{Message, MessageSchema, MetadataRecord, Reader, Writer};

macro_rules! metadata_log_records {
    ($($(#[$doc:meta])* $variant:ident($record:ident),)*) => {
        /// A record of the metadata log (KIP-631). Its value is `uvarint` frame version (1), `uvarint` type id,
        /// `uvarint` version, then the body; its key is null.
        #[derive(Clone, Debug, PartialEq)]
        pub enum MetadataLogRecord {
            $($(#[$doc])* $variant($record),)*
        }

        impl MetadataLogRecord {
            /// Every kind there is, by its schema.
            pub const SCHEMAS: &'static [&'static MessageSchema] = &[$($record::SCHEMA,)*];

            /// The number of the record's kind.
            pub fn type_id(&self) -> u32 {
                match self {
                    $(Self::$variant(_) => $record::TYPE_ID,)*
                }
            }

            /// The schema of the record's kind: its name, and the versions that it can be written in.
            pub fn schema(&self) -> &'static MessageSchema {
                match self {
                    $(Self::$variant(_) => $record::SCHEMA,)*
                }
            }

            fn read(type_id: u32, version: i16, reader: Reader) -> Result<Self, DecodeError> {
                match type_id {
                    $(<$record as MetadataRecord>::TYPE_ID => body(version, reader).map(Self::$variant),)*
                    _ => Err(reader.error(DecodeErrorKind::UnknownRecordType(type_id)).within(NAME)),
                }
            }

            fn write(&self, writer: &mut Writer) -> Result<(), EncodeError> {
                match self {
                    $(Self::$variant(record) => write_body(record, writer),)*
                }
            }
        }

        $(impl From<$record> for MetadataLogRecord {
            fn from(record: $record) -> Self {
                Self::$variant(record)
            }
        })*
    };
}

metadata_log_records! {
    /// A broker has started: its endpoints, features and directories.
    RegisterBroker(RegisterBrokerRecord),
    /// A broker is gone for good.
    UnregisterBroker(UnregisterBrokerRecord),
    /// A topic was created.
    Topic(TopicRecord),
    /// A partition was created, or its whole state in a snapshot.
    Partition(PartitionRecord),
    /// A config was set or removed.
    Config(ConfigRecord),
    /// Some of a partition's state has changed.
    PartitionChange(PartitionChangeRecord),
    /// A broker was fenced, as old versions say it.
    FenceBroker(FenceBrokerRecord),
    /// A broker was unfenced, as old versions say it.
    UnfenceBroker(UnfenceBrokerRecord),
    /// A topic was deleted.
    RemoveTopic(RemoveTopicRecord),
    /// A delegation token was created or renewed.
    DelegationToken(DelegationTokenRecord),
    /// A SCRAM credential was set.
    UserScramCredential(UserScramCredentialRecord),
    /// A feature was finalized at a level.
    FeatureLevel(FeatureLevelRecord),
    /// A quota was set or removed.
    ClientQuota(ClientQuotaRecord),
    /// A block of producer ids was given out.
    ProducerIds(ProducerIdsRecord),
    /// A broker was fenced, unfenced, is shutting down, or has other directories.
    BrokerRegistrationChange(BrokerRegistrationChangeRecord),
    /// An access rule was added.
    AccessControlEntry(AccessControlEntryRecord),
    /// An access rule was removed.
    RemoveAccessControlEntry(RemoveAccessControlEntryRecord),
    /// Nothing: keeps the log moving.
    NoOp(NoOpRecord),
    /// How far a migration from ZooKeeper has come.
    ZkMigrationState(ZkMigrationStateRecord),
    /// A SCRAM credential was removed.
    RemoveUserScramCredential(RemoveUserScramCredentialRecord),
    /// The records up to the transaction's end take effect together.
    BeginTransaction(BeginTransactionRecord),
    /// The records since the transaction's begin take effect.
    EndTransaction(EndTransactionRecord),
    /// The records since the transaction's begin are void.
    AbortTransaction(AbortTransactionRecord),
    /// A delegation token was removed.
    RemoveDelegationToken(RemoveDelegationTokenRecord),
    /// A controller has started: its endpoints and features.
    RegisterController(RegisterControllerRecord),
    /// The eligible leader replicas of a topic, or of all topics, are void.
    ClearElr(ClearElrRecord),
}

impl MetadataLogRecord {
    /// The version of the framing.
    pub const FRAME_VERSION: u32 = 1;

    /// Reads the value of a record, all of it.
    ///
    /// # Errors
    /// As [`MetadataLogRecord::decode_with_version`].
    pub fn decode(value: Bytes) -> Result<Self, DecodeError> {
        Self::decode_with_version(value).map(|(_, record)| record)
    }

    /// Reads the value of a record, all of it, and the version that it names.
    ///
    /// # Errors
    /// [`DecodeError`] for another frame version, an unknown type ([`DecodeErrorKind::UnknownRecordType`]) or
    /// version, and a body that is not what the frame says.
    pub fn decode_with_version(value: Bytes) -> Result<(i16, Self), DecodeError> {
        let mut reader = Reader::new(value, 0, true);
        let frame_version = uvarint(&mut reader)?;
        if frame_version != Self::FRAME_VERSION {
            return Err(unsupported(&reader, frame_version));
        }
        let type_id = uvarint(&mut reader)?;
        let version = uvarint(&mut reader)?;
        let version = i16::try_from(version).map_err(|_| unsupported(&reader, version))?;
        Ok((version, Self::read(type_id, version, reader)?))
    }

    /// Writes the record in that version, framed as the log has it.
    ///
    /// # Errors
    /// [`EncodeError`] when the record has no such version, or that version no room for a field that is set.
    pub fn encode(&self, version: i16) -> Result<Bytes, EncodeError> {
        let unsupported = || EncodeError::new(EncodeErrorKind::UnsupportedVersion(version)).within(NAME);
        let mut writer = Writer::new(version, true);
        writer.uvarint(Self::FRAME_VERSION);
        writer.uvarint(self.type_id());
        writer.uvarint(u32::try_from(version).map_err(|_| unsupported())?);
        self.write(&mut writer)?;
        let (encoded, _) = writer.finish()?;
        encoded.to_bytes().ok_or_else(|| EncodeError::new(EncodeErrorKind::ExternalNotAllowed).within(NAME))
    }
}

fn body<M: Message>(version: i16, reader: Reader) -> Result<M, DecodeError> {
    read_body(&mut reader.switch_to(version, M::SCHEMA.flexible.contains(version)))
}

fn uvarint(reader: &mut Reader) -> Result<u32, DecodeError> {
    reader.uvarint().map_err(|error| error.within(NAME))
}

fn unsupported(reader: &Reader, version: u32) -> DecodeError {
    let version = i16::try_from(version).unwrap_or(i16::MAX);
    reader.error(DecodeErrorKind::UnsupportedVersion(version)).within(NAME)
}

const NAME: &str = "MetadataLogRecord";

#[cfg(test)]
mod tests;
