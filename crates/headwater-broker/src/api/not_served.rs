//! Why APIs that the codec knows are not served: one line per reason. An API that is served needs none.

use headwater_codec::ApiKey::{self, *};

/// Why `key` is not served; `None` when nothing is said of it.
pub(crate) fn reason(key: ApiKey) -> Option<&'static str> {
    REASONS.iter().find(|(_, keys)| keys.contains(&key)).map(|(reason, _)| *reason)
}

/// Each reason with the APIs that it holds for.
static REASONS: &[(&str, &[ApiKey])] = &[
    (
        "there are no delegation tokens (KIP-48)",
        &[CreateDelegationToken, RenewDelegationToken, ExpireDelegationToken, DescribeDelegationToken],
    ),
    (
        "there is no authorizer: whoever can connect may do everything",
        &[DescribeAcls, CreateAcls, DeleteAcls],
    ),
    (
        "part of transactions, which are yet to come",
        &[
            AddPartitionsToTxn,
            AddOffsetsToTxn,
            EndTxn,
            TxnOffsetCommit,
            DescribeProducers,
            DescribeTransactions,
            ListTransactions,
        ],
    ),
    ("between brokers, for transactions", &[WriteTxnMarkers]),
    (
        "needs the consumer group protocol of KIP-848, which is yet to come",
        &[ConsumerGroupHeartbeat, ConsumerGroupDescribe],
    ),
    (
        "needs share groups (KIP-932), which are yet to come",
        &[
            ShareGroupHeartbeat,
            ShareGroupDescribe,
            ShareFetch,
            ShareAcknowledge,
            DescribeShareGroupOffsets,
            AlterShareGroupOffsets,
            DeleteShareGroupOffsets,
        ],
    ),
    (
        "between brokers, for the state of share groups (KIP-932)",
        &[
            InitializeShareGroupState,
            ReadShareGroupState,
            WriteShareGroupState,
            DeleteShareGroupState,
            ReadShareGroupStateSummary,
        ],
    ),
    (
        "needs streams groups (KIP-1071), which are yet to come",
        &[StreamsGroupHeartbeat, StreamsGroupDescribe],
    ),
    (
        "new in Kafka 4.4, whose messages the codec knows; what is served is Kafka 4.3's",
        &[StreamsGroupTopologyDescriptionUpdate, UnregisterController],
    ),
    ("a replica stays in the log directory that it was created in", &[AlterReplicaLogDirs]),
    (
        "a partition has one replica: there is nothing to elect or to move",
        &[ElectLeaders, AlterPartitionReassignments, ListPartitionReassignments],
    ),
    (
        "metrics of clients are not collected (KIP-714); Kafka serves it only with a plugin that takes them",
        &[GetTelemetrySubscriptions, PushTelemetry],
    ),
    ("yet to come; `DescribeConfigs` answers for brokers and topics", &[ListConfigResources]),
    ("feature levels are set when a directory is formatted, and stay", &[UpdateFeatures]),
    ("there is one broker, and it stays", &[UnregisterBroker]),
    (
        "about a KRaft quorum, whose only voter is this process",
        &[DescribeQuorum, AddRaftVoter, RemoveRaftVoter],
    ),
    (
        "between the controllers of a KRaft quorum, whose only voter is this process",
        &[Vote, BeginQuorumEpoch, EndQuorumEpoch, FetchSnapshot, UpdateRaftVoter],
    ),
    (
        "between broker and controller, which are one process here",
        &[
            AlterPartition,
            Envelope,
            BrokerRegistration,
            BrokerHeartbeat,
            AllocateProducerIds,
            ControllerRegistration,
            AssignReplicasToDirs,
        ],
    ),
];

#[cfg(test)]
mod tests {
    use headwater_codec::registry;

    use super::*;
    use crate::api;

    #[test]
    fn every_api_that_is_not_served_says_why() {
        let silent: Vec<_> = registry::apis()
            .iter()
            .map(registry::Api::key)
            .filter(|key| api::find(key.code()).is_none() && reason(*key).is_none())
            .collect();
        assert!(silent.is_empty(), "neither served nor with a reason: {silent:?}");
    }

    #[test]
    fn no_api_has_two_reasons() {
        let mut keys: Vec<_> = REASONS.iter().flat_map(|(_, keys)| *keys).collect();
        keys.sort();
        assert!(keys.is_sorted_by(|left, right| left < right));
    }
}
