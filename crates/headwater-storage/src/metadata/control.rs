//! The control records of the metadata log and its checkpoints: leader changes, voters, header and footer.

use bytes::Bytes;
use headwater_codec::{
    BrokerId, Message, Str, Uuid,
    records::{
        ControlRecordType, KRaftVersionRecord, LeaderChangeMessage, SnapshotFooterRecord,
        SnapshotHeaderRecord, VotersRecord, leader_change_message, voters_record,
    },
};

use super::{error::MetadataError, node::Endpoint};

/// A control record: its type and its body.
#[derive(Clone, Debug)]
pub(crate) struct ControlRecord {
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
}

impl ControlRecord {
    fn new(kind: ControlRecordType, value: &impl Message) -> Result<Self, MetadataError> {
        let value = value.encode_body(0).map_err(MetadataError::unwritable)?;
        Ok(Self { key: kind.to_key(), value })
    }

    /// Says that `node` leads from here on, elected by itself.
    pub(crate) fn leader_change(node: BrokerId) -> Result<Self, MetadataError> {
        let voter = leader_change_message::Voter { voter_id: node.get(), ..Default::default() };
        let message = LeaderChangeMessage {
            version: 0,
            leader_id: node,
            voters: vec![voter.clone()],
            granting_voters: vec![voter],
            ..Default::default()
        };
        Self::new(ControlRecordType::LeaderChange, &message)
    }

    /// Says that the voters stand in the log (KIP-853).
    pub(crate) fn kraft_version() -> Result<Self, MetadataError> {
        let record = KRaftVersionRecord { version: 0, k_raft_version: 1, ..Default::default() };
        Self::new(ControlRecordType::KRaftVersion, &record)
    }

    /// Says that `node` alone votes.
    pub(crate) fn voters(
        node: BrokerId,
        directory: Uuid,
        endpoint: &Endpoint,
    ) -> Result<Self, MetadataError> {
        let voter = voters_record::Voter {
            voter_id: node,
            voter_directory_id: directory,
            endpoints: vec![voters_record::Endpoint {
                name: Str::from(endpoint.name.as_str()),
                host: Str::from(endpoint.host.as_str()),
                port: endpoint.port,
                ..Default::default()
            }],
            k_raft_version_feature: voters_record::KRaftVersionFeature {
                min_supported_version: 0,
                max_supported_version: 1,
                ..Default::default()
            },
            ..Default::default()
        };
        Self::new(
            ControlRecordType::KRaftVoters,
            &VotersRecord { version: 0, voters: vec![voter], ..Default::default() },
        )
    }

    /// Starts a checkpoint. `last_timestamp_ms` is that of the last record it holds.
    pub(crate) fn snapshot_header(last_timestamp_ms: i64) -> Result<Self, MetadataError> {
        let record = SnapshotHeaderRecord {
            version: 0,
            last_contained_log_timestamp: last_timestamp_ms,
            ..Default::default()
        };
        Self::new(ControlRecordType::SnapshotHeader, &record)
    }

    /// Ends a checkpoint.
    pub(crate) fn snapshot_footer() -> Result<Self, MetadataError> {
        Self::new(
            ControlRecordType::SnapshotFooter,
            &SnapshotFooterRecord { version: 0, ..Default::default() },
        )
    }
}
