//! The records of `__consumer_offsets`: a version of two bytes, then the message in that version.
//!
//! The key's version tells what the record is about: 0 and 1 an offset, 2 a group. Values are written in the versions
//! that Kafka 4 writes: offsets in 4 (1 when the client set their expiry), groups in 3.

use bytes::Bytes;
use headwater_codec::{
    EncodeError, GroupId, Message, TopicName,
    records::{
        ConsumerOffsetsKey, GroupMetadataKey, GroupMetadataValue, OffsetCommitKey, OffsetCommitValue,
        decode_versioned, encode_versioned,
    },
};

use crate::{CommittedOffset, CoordinatorError, GroupRecord};

/// A record, taken apart. Without a value it removes what it names.
#[derive(Debug)]
pub(crate) enum Decoded {
    Offset {
        group: GroupId,
        topic: TopicName,
        partition: i32,
        value: Option<CommittedOffset>,
    },
    Group {
        group: GroupId,
        value: Option<GroupMetadataValue>,
    },
    /// A kind that this crate does not keep, such as those of KIP-848 groups.
    Other,
}

/// Takes a record apart.
///
/// # Errors
/// [`CoordinatorError`] when key or value do not decode.
pub(crate) fn decode(key: Bytes, value: Option<Bytes>) -> Result<Decoded, CoordinatorError> {
    match ConsumerOffsetsKey::decode(key).map_err(CoordinatorError::Key)? {
        ConsumerOffsetsKey::LegacyOffsetCommit(key) | ConsumerOffsetsKey::OffsetCommit(key) => {
            let value = decode_value::<OffsetCommitValue>(value)?.map(committed_offset);
            Ok(Decoded::Offset { group: key.group, topic: key.topic, partition: key.partition, value })
        }
        ConsumerOffsetsKey::GroupMetadata(key) => {
            Ok(Decoded::Group { group: key.group, value: decode_value(value)? })
        }
        ConsumerOffsetsKey::Other { .. } => Ok(Decoded::Other),
    }
}

/// A committed offset, to be kept.
pub(crate) fn offset_commit(
    group: &GroupId,
    topic: &TopicName,
    partition: i32,
    offset: &CommittedOffset,
) -> Result<GroupRecord, EncodeError> {
    let value = OffsetCommitValue {
        offset: offset.offset,
        leader_epoch: offset.leader_epoch,
        metadata: offset.metadata.clone(),
        commit_timestamp: offset.commit_timestamp_ms,
        expire_timestamp: offset.expire_timestamp_ms.unwrap_or(-1),
        topic_id: offset.topic_id,
        ..OffsetCommitValue::default()
    };
    let version = if offset.expire_timestamp_ms.is_some() { 1 } else { 4 };
    Ok(GroupRecord {
        key: offset_key(group, topic, partition)?,
        value: Some(encode_versioned(&value, version)?),
    })
}

/// A committed offset, to be forgotten.
pub(crate) fn offset_tombstone(
    group: &GroupId,
    topic: &TopicName,
    partition: i32,
) -> Result<GroupRecord, EncodeError> {
    Ok(GroupRecord { key: offset_key(group, topic, partition)?, value: None })
}

/// A group, to be kept.
pub(crate) fn group_metadata(
    group: &GroupId,
    value: &GroupMetadataValue,
) -> Result<GroupRecord, EncodeError> {
    Ok(GroupRecord { key: group_key(group)?, value: Some(encode_versioned(value, 3)?) })
}

/// A group, to be forgotten.
pub(crate) fn group_tombstone(group: &GroupId) -> Result<GroupRecord, EncodeError> {
    Ok(GroupRecord { key: group_key(group)?, value: None })
}

fn offset_key(group: &GroupId, topic: &TopicName, partition: i32) -> Result<Bytes, EncodeError> {
    let key = OffsetCommitKey { group: group.clone(), topic: topic.clone(), partition };
    ConsumerOffsetsKey::OffsetCommit(key).encode()
}

fn group_key(group: &GroupId) -> Result<Bytes, EncodeError> {
    ConsumerOffsetsKey::GroupMetadata(GroupMetadataKey { group: group.clone() }).encode()
}

fn decode_value<M: Message>(value: Option<Bytes>) -> Result<Option<M>, CoordinatorError> {
    let decoded = value.map(decode_versioned::<M>).transpose().map_err(CoordinatorError::Value)?;
    Ok(decoded.map(|(_, value)| value))
}

fn committed_offset(value: OffsetCommitValue) -> CommittedOffset {
    CommittedOffset {
        offset: value.offset,
        leader_epoch: value.leader_epoch,
        metadata: value.metadata.detached(),
        commit_timestamp_ms: value.commit_timestamp,
        expire_timestamp_ms: (value.expire_timestamp >= 0).then_some(value.expire_timestamp),
        topic_id: value.topic_id,
    }
}
