//! The codec registry: which APIs and versions can be read and written.
//!
//! It is made of the message structs' own schemas; the only thing written here is which requests there are. What a
//! broker *serves* is another question, which its handlers answer.
//!
//! All of Kafka 4.3 is here. What Kafka 4.4 adds can be read and written too, but counts as unstable and is not
//! advertised.

use crate::header::{RequestHeaderVersion, ResponseHeaderVersion};
use crate::message::{Message, Request};
use crate::schema::MessageSchema;
use crate::{ApiKey, Versions};

/// What the codec knows of one API.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    key: ApiKey,
    request: &'static MessageSchema,
    response: &'static MessageSchema,
}

/// Every API that there are messages for, by ascending key.
pub fn apis() -> &'static [Api] {
    APIS
}

/// The entry of one API; `None` when there are no messages for it.
pub fn api(key: ApiKey) -> Option<&'static Api> {
    let index = APIS.binary_search_by_key(&key, |api| api.key).ok()?;
    APIS.get(index)
}

impl Api {
    const fn of<R: Request>() -> Self {
        Self { key: R::KEY, request: R::SCHEMA, response: <R::Response as Message>::SCHEMA }
    }

    /// The API's key.
    pub const fn key(&self) -> ApiKey {
        self.key
    }

    /// Kafka's name of the API.
    pub const fn name(&self) -> &'static str {
        self.key.name()
    }

    /// The request's schema.
    pub const fn request(&self) -> &'static MessageSchema {
        self.request
    }

    /// The response's schema.
    pub const fn response(&self) -> &'static MessageSchema {
        self.response
    }

    /// The versions in which both request and response can be read and written.
    pub const fn versions(&self) -> Versions {
        self.request.versions.intersection(self.response.versions)
    }

    /// The versions without an unstable last one.
    pub const fn stable(&self) -> Versions {
        self.request.stable
    }

    /// What an `ApiVersions` response says, once all of it is served. Produce begins at 0, which librdkafka wants to
    /// see before it compresses, although versions 0 to 2 are gone.
    pub const fn advertised(&self) -> Versions {
        self.request.advertised
    }

    /// The first flexible version (KIP-482); `None` when there is none.
    pub const fn min_flexible(&self) -> Option<i16> {
        self.request.flexible.first()
    }

    /// Whether `version` has compact lengths and tagged fields.
    pub const fn is_flexible(&self, version: i16) -> bool {
        self.request.flexible.contains(version)
    }

    /// The header before a request of `version`.
    pub const fn request_header_version(&self, version: i16) -> RequestHeaderVersion {
        RequestHeaderVersion::of(self.is_flexible(version))
    }

    /// The header before a response of `version`.
    pub const fn response_header_version(&self, version: i16) -> ResponseHeaderVersion {
        ResponseHeaderVersion::of(self.key, self.response.flexible.contains(version))
    }
}

/// Calls a macro with every request that there is: `callback! { Key module Request Response; ... }`, by ascending
/// key. The modules are those of [`messages`](crate::messages).
///
/// ```
/// macro_rules! count {
///     ($($key:ident $module:ident $request:ident $response:ident;)*) => { [$(stringify!($key)),*].len() };
/// }
/// assert_eq!(headwater_codec::for_each_api!(count), headwater_codec::registry::apis().len());
/// ```
#[macro_export]
macro_rules! for_each_api {
    ($callback:ident) => {
        $callback! {
            Produce produce ProduceRequest ProduceResponse;
            Fetch fetch FetchRequest FetchResponse;
            ListOffsets list_offsets ListOffsetsRequest ListOffsetsResponse;
            Metadata metadata MetadataRequest MetadataResponse;
            OffsetCommit offset_commit OffsetCommitRequest OffsetCommitResponse;
            OffsetFetch offset_fetch OffsetFetchRequest OffsetFetchResponse;
            FindCoordinator find_coordinator FindCoordinatorRequest FindCoordinatorResponse;
            JoinGroup join_group JoinGroupRequest JoinGroupResponse;
            Heartbeat heartbeat HeartbeatRequest HeartbeatResponse;
            LeaveGroup leave_group LeaveGroupRequest LeaveGroupResponse;
            SyncGroup sync_group SyncGroupRequest SyncGroupResponse;
            DescribeGroups describe_groups DescribeGroupsRequest DescribeGroupsResponse;
            ListGroups list_groups ListGroupsRequest ListGroupsResponse;
            SaslHandshake sasl_handshake SaslHandshakeRequest SaslHandshakeResponse;
            ApiVersions api_versions ApiVersionsRequest ApiVersionsResponse;
            CreateTopics create_topics CreateTopicsRequest CreateTopicsResponse;
            DeleteTopics delete_topics DeleteTopicsRequest DeleteTopicsResponse;
            DeleteRecords delete_records DeleteRecordsRequest DeleteRecordsResponse;
            InitProducerId init_producer_id InitProducerIdRequest InitProducerIdResponse;
            OffsetForLeaderEpoch offset_for_leader_epoch OffsetForLeaderEpochRequest OffsetForLeaderEpochResponse;
            AddPartitionsToTxn add_partitions_to_txn AddPartitionsToTxnRequest AddPartitionsToTxnResponse;
            AddOffsetsToTxn add_offsets_to_txn AddOffsetsToTxnRequest AddOffsetsToTxnResponse;
            EndTxn end_txn EndTxnRequest EndTxnResponse;
            WriteTxnMarkers write_txn_markers WriteTxnMarkersRequest WriteTxnMarkersResponse;
            TxnOffsetCommit txn_offset_commit TxnOffsetCommitRequest TxnOffsetCommitResponse;
            DescribeAcls describe_acls DescribeAclsRequest DescribeAclsResponse;
            CreateAcls create_acls CreateAclsRequest CreateAclsResponse;
            DeleteAcls delete_acls DeleteAclsRequest DeleteAclsResponse;
            DescribeConfigs describe_configs DescribeConfigsRequest DescribeConfigsResponse;
            AlterConfigs alter_configs AlterConfigsRequest AlterConfigsResponse;
            AlterReplicaLogDirs alter_replica_log_dirs AlterReplicaLogDirsRequest AlterReplicaLogDirsResponse;
            DescribeLogDirs describe_log_dirs DescribeLogDirsRequest DescribeLogDirsResponse;
            SaslAuthenticate sasl_authenticate SaslAuthenticateRequest SaslAuthenticateResponse;
            CreatePartitions create_partitions CreatePartitionsRequest CreatePartitionsResponse;
            CreateDelegationToken create_delegation_token CreateDelegationTokenRequest CreateDelegationTokenResponse;
            RenewDelegationToken renew_delegation_token RenewDelegationTokenRequest RenewDelegationTokenResponse;
            ExpireDelegationToken expire_delegation_token ExpireDelegationTokenRequest ExpireDelegationTokenResponse;
            DescribeDelegationToken describe_delegation_token DescribeDelegationTokenRequest DescribeDelegationTokenResponse;
            DeleteGroups delete_groups DeleteGroupsRequest DeleteGroupsResponse;
            ElectLeaders elect_leaders ElectLeadersRequest ElectLeadersResponse;
            IncrementalAlterConfigs incremental_alter_configs IncrementalAlterConfigsRequest IncrementalAlterConfigsResponse;
            AlterPartitionReassignments alter_partition_reassignments AlterPartitionReassignmentsRequest AlterPartitionReassignmentsResponse;
            ListPartitionReassignments list_partition_reassignments ListPartitionReassignmentsRequest ListPartitionReassignmentsResponse;
            OffsetDelete offset_delete OffsetDeleteRequest OffsetDeleteResponse;
            DescribeClientQuotas describe_client_quotas DescribeClientQuotasRequest DescribeClientQuotasResponse;
            AlterClientQuotas alter_client_quotas AlterClientQuotasRequest AlterClientQuotasResponse;
            DescribeUserScramCredentials describe_user_scram_credentials DescribeUserScramCredentialsRequest DescribeUserScramCredentialsResponse;
            AlterUserScramCredentials alter_user_scram_credentials AlterUserScramCredentialsRequest AlterUserScramCredentialsResponse;
            Vote vote VoteRequest VoteResponse;
            BeginQuorumEpoch begin_quorum_epoch BeginQuorumEpochRequest BeginQuorumEpochResponse;
            EndQuorumEpoch end_quorum_epoch EndQuorumEpochRequest EndQuorumEpochResponse;
            DescribeQuorum describe_quorum DescribeQuorumRequest DescribeQuorumResponse;
            AlterPartition alter_partition AlterPartitionRequest AlterPartitionResponse;
            UpdateFeatures update_features UpdateFeaturesRequest UpdateFeaturesResponse;
            Envelope envelope EnvelopeRequest EnvelopeResponse;
            FetchSnapshot fetch_snapshot FetchSnapshotRequest FetchSnapshotResponse;
            DescribeCluster describe_cluster DescribeClusterRequest DescribeClusterResponse;
            DescribeProducers describe_producers DescribeProducersRequest DescribeProducersResponse;
            BrokerRegistration broker_registration BrokerRegistrationRequest BrokerRegistrationResponse;
            BrokerHeartbeat broker_heartbeat BrokerHeartbeatRequest BrokerHeartbeatResponse;
            UnregisterBroker unregister_broker UnregisterBrokerRequest UnregisterBrokerResponse;
            DescribeTransactions describe_transactions DescribeTransactionsRequest DescribeTransactionsResponse;
            ListTransactions list_transactions ListTransactionsRequest ListTransactionsResponse;
            AllocateProducerIds allocate_producer_ids AllocateProducerIdsRequest AllocateProducerIdsResponse;
            ConsumerGroupHeartbeat consumer_group_heartbeat ConsumerGroupHeartbeatRequest ConsumerGroupHeartbeatResponse;
            ConsumerGroupDescribe consumer_group_describe ConsumerGroupDescribeRequest ConsumerGroupDescribeResponse;
            ControllerRegistration controller_registration ControllerRegistrationRequest ControllerRegistrationResponse;
            GetTelemetrySubscriptions get_telemetry_subscriptions GetTelemetrySubscriptionsRequest GetTelemetrySubscriptionsResponse;
            PushTelemetry push_telemetry PushTelemetryRequest PushTelemetryResponse;
            AssignReplicasToDirs assign_replicas_to_dirs AssignReplicasToDirsRequest AssignReplicasToDirsResponse;
            ListConfigResources list_config_resources ListConfigResourcesRequest ListConfigResourcesResponse;
            DescribeTopicPartitions describe_topic_partitions DescribeTopicPartitionsRequest DescribeTopicPartitionsResponse;
            ShareGroupHeartbeat share_group_heartbeat ShareGroupHeartbeatRequest ShareGroupHeartbeatResponse;
            ShareGroupDescribe share_group_describe ShareGroupDescribeRequest ShareGroupDescribeResponse;
            ShareFetch share_fetch ShareFetchRequest ShareFetchResponse;
            ShareAcknowledge share_acknowledge ShareAcknowledgeRequest ShareAcknowledgeResponse;
            AddRaftVoter add_raft_voter AddRaftVoterRequest AddRaftVoterResponse;
            RemoveRaftVoter remove_raft_voter RemoveRaftVoterRequest RemoveRaftVoterResponse;
            UpdateRaftVoter update_raft_voter UpdateRaftVoterRequest UpdateRaftVoterResponse;
            InitializeShareGroupState initialize_share_group_state InitializeShareGroupStateRequest InitializeShareGroupStateResponse;
            ReadShareGroupState read_share_group_state ReadShareGroupStateRequest ReadShareGroupStateResponse;
            WriteShareGroupState write_share_group_state WriteShareGroupStateRequest WriteShareGroupStateResponse;
            DeleteShareGroupState delete_share_group_state DeleteShareGroupStateRequest DeleteShareGroupStateResponse;
            ReadShareGroupStateSummary read_share_group_state_summary ReadShareGroupStateSummaryRequest ReadShareGroupStateSummaryResponse;
            StreamsGroupHeartbeat streams_group_heartbeat StreamsGroupHeartbeatRequest StreamsGroupHeartbeatResponse;
            StreamsGroupDescribe streams_group_describe StreamsGroupDescribeRequest StreamsGroupDescribeResponse;
            DescribeShareGroupOffsets describe_share_group_offsets DescribeShareGroupOffsetsRequest DescribeShareGroupOffsetsResponse;
            AlterShareGroupOffsets alter_share_group_offsets AlterShareGroupOffsetsRequest AlterShareGroupOffsetsResponse;
            DeleteShareGroupOffsets delete_share_group_offsets DeleteShareGroupOffsetsRequest DeleteShareGroupOffsetsResponse;
            StreamsGroupTopologyDescriptionUpdate streams_group_topology_description_update StreamsGroupTopologyDescriptionUpdateRequest StreamsGroupTopologyDescriptionUpdateResponse;
            UnregisterController unregister_controller UnregisterControllerRequest UnregisterControllerResponse;
        }
    };
}

macro_rules! entries {
    ($($key:ident $module:ident $request:ident $response:ident;)*) => {
        &[$(Api::of::<crate::messages::$module::$request>(),)*]
    };
}

static APIS: &[Api] = for_each_api!(entries);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MessageKind;

    #[test]
    fn the_list_ascends_and_each_entry_is_what_it_is_listed_as() {
        assert!(apis().is_sorted_by(|left, right| left.key < right.key));
        macro_rules! check {
            ($($key:ident $module:ident $request:ident $response:ident;)*) => { [$({
                let api = api(ApiKey::$key).expect("listed");
                (api, ApiKey::$key, stringify!($request), stringify!($response))
            }),*] };
        }
        for (api, key, request, response) in for_each_api!(check) {
            assert_eq!(api.request().name, request);
            assert_eq!(api.response().name, response);
            assert_eq!(api.request().kind, MessageKind::Request(key));
            assert_eq!(api.response().kind, MessageKind::Response(key));
            assert_eq!(api.request().versions, api.response().versions);
            assert_eq!(api.request().flexible, api.response().flexible);
        }
    }

    #[test]
    fn headers_go_with_flexible_versions() {
        for api in apis() {
            for version in api.versions().iter() {
                let flexible = api.min_flexible().is_some_and(|first| version >= first);
                assert_eq!(api.is_flexible(version), flexible);
                let header = if flexible { RequestHeaderVersion::V2 } else { RequestHeaderVersion::V1 };
                assert_eq!(api.request_header_version(version), header);
            }
        }
    }

    #[test]
    fn api_versions_is_pinned_to_response_header_v0() {
        let api = api(ApiKey::ApiVersions).expect("listed");
        assert!(api.is_flexible(3));
        for version in api.versions().iter() {
            assert_eq!(api.response_header_version(version), ResponseHeaderVersion::V0);
        }
    }

    #[test]
    fn produce_is_advertised_from_0_but_read_from_3() {
        let api = api(ApiKey::Produce).expect("listed");
        assert_eq!(api.advertised(), Versions::new(0, 13));
        assert_eq!(api.versions(), Versions::new(3, 13));
    }

    #[test]
    fn an_unstable_last_version_is_not_advertised() {
        let api = api(ApiKey::InitProducerId).expect("listed");
        assert_eq!(api.versions(), Versions::new(0, 6));
        assert_eq!(api.stable(), Versions::new(0, 5));
        assert_eq!(api.advertised(), Versions::new(0, 5));
    }

    #[test]
    fn what_only_kafka_4_4_has_is_not_advertised() {
        let delete_groups = api(ApiKey::DeleteGroups).expect("listed");
        assert_eq!(delete_groups.versions(), Versions::new(0, 3));
        assert_eq!(delete_groups.advertised(), Versions::new(0, 2));
        let unregister_controller = api(ApiKey::UnregisterController).expect("listed");
        assert!(unregister_controller.advertised().is_empty());
    }

    #[test]
    fn every_key_has_its_messages() {
        assert!(ApiKey::ALL.iter().copied().eq(apis().iter().map(Api::key)));
    }
}
