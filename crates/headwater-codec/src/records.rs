//! What Kafka keeps in records of its own: the metadata log, control batches, `__consumer_offsets`, and the
//! subscriptions and assignments that consumers exchange through their group.
//!
//! Three framings are in use. Values of the metadata log name their type and version ([`MetadataLogRecord`]).
//! Keys and values of the internal topics, control record keys and the consumer protocol begin with their
//! version ([`decode_versioned`], [`encode_versioned`]; [`ConsumerOffsetsKey`] chooses by it). Values of the
//! other control records and `quorum-state` are bare bodies.

mod abort_transaction_record;
mod access_control_entry_record;
mod begin_transaction_record;
mod broker_registration_change_record;
mod clear_elr_record;
pub mod client_quota_record;
mod config_record;
mod consumer_offsets_key;
pub mod consumer_protocol_assignment;
pub mod consumer_protocol_subscription;
mod control_record_type;
mod delegation_token_record;
mod end_transaction_record;
mod end_txn_marker;
mod feature_level_record;
mod fence_broker_record;
mod group_metadata_key;
pub mod group_metadata_value;
mod kraft_version_record;
pub mod leader_change_message;
mod metadata_log_record;
mod no_op_record;
mod offset_commit_key;
mod offset_commit_value;
mod partition_change_record;
mod partition_record;
mod producer_ids_record;
pub mod quorum_state_data;
pub mod register_broker_record;
pub mod register_controller_record;
mod remove_access_control_entry_record;
mod remove_delegation_token_record;
mod remove_topic_record;
mod remove_user_scram_credential_record;
mod snapshot_footer_record;
mod snapshot_header_record;
mod topic_record;
mod unfence_broker_record;
mod unregister_broker_record;
mod user_scram_credential_record;
mod versioned;
pub mod voters_record;
mod zk_migration_state_record;

pub use abort_transaction_record::AbortTransactionRecord;
pub use access_control_entry_record::AccessControlEntryRecord;
pub use begin_transaction_record::BeginTransactionRecord;
pub use broker_registration_change_record::BrokerRegistrationChangeRecord;
pub use clear_elr_record::ClearElrRecord;
pub use client_quota_record::ClientQuotaRecord;
pub use config_record::ConfigRecord;
pub use consumer_offsets_key::ConsumerOffsetsKey;
pub use consumer_protocol_assignment::ConsumerProtocolAssignment;
pub use consumer_protocol_subscription::ConsumerProtocolSubscription;
pub use control_record_type::ControlRecordType;
pub use delegation_token_record::DelegationTokenRecord;
pub use end_transaction_record::EndTransactionRecord;
pub use end_txn_marker::EndTxnMarker;
pub use feature_level_record::FeatureLevelRecord;
pub use fence_broker_record::FenceBrokerRecord;
pub use group_metadata_key::GroupMetadataKey;
pub use group_metadata_value::GroupMetadataValue;
pub use kraft_version_record::KRaftVersionRecord;
pub use leader_change_message::LeaderChangeMessage;
pub use metadata_log_record::MetadataLogRecord;
pub use no_op_record::NoOpRecord;
pub use offset_commit_key::OffsetCommitKey;
pub use offset_commit_value::OffsetCommitValue;
pub use partition_change_record::PartitionChangeRecord;
pub use partition_record::PartitionRecord;
pub use producer_ids_record::ProducerIdsRecord;
pub use quorum_state_data::QuorumStateData;
pub use register_broker_record::RegisterBrokerRecord;
pub use register_controller_record::RegisterControllerRecord;
pub use remove_access_control_entry_record::RemoveAccessControlEntryRecord;
pub use remove_delegation_token_record::RemoveDelegationTokenRecord;
pub use remove_topic_record::RemoveTopicRecord;
pub use remove_user_scram_credential_record::RemoveUserScramCredentialRecord;
pub use snapshot_footer_record::SnapshotFooterRecord;
pub use snapshot_header_record::SnapshotHeaderRecord;
pub use topic_record::TopicRecord;
pub use unfence_broker_record::UnfenceBrokerRecord;
pub use unregister_broker_record::UnregisterBrokerRecord;
pub use user_scram_credential_record::UserScramCredentialRecord;
pub use versioned::{decode_versioned, decode_versioned_leniently, encode_versioned};
pub use voters_record::VotersRecord;
pub use zk_migration_state_record::ZkMigrationStateRecord;
