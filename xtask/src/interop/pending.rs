//! What is not built yet: scenarios that must fail until the day they pass, and then this list must be mended.
//!
//! Only transactions and exactly-once, `group.protocol=consumer`, share groups, and APIs that ApiVersions does not list
//! may stand here. Nothing is pending against Apache Kafka.

/// Client (`*` for all), scenario, reason.
const PENDING: &[(&str, &str, &str)] = &[
    ("*", "transactions", "transactions are not served yet"),
    ("java", "streams exactly-once", "transactions are not served yet"),
    ("*", "group.protocol=consumer", "ConsumerGroupHeartbeat is not served yet"),
    ("java", "share group", "share groups are not served yet"),
    ("console", "kafka-console-share-consumer", "share groups are not served yet"),
    ("console", "kafka-share-consumer-perf-test", "share groups are not served yet"),
    ("console", "kafka-share-groups", "share groups are not served yet"),
    ("console", "kafka-verifiable-share-consumer", "share groups are not served yet"),
    ("console", "kafka-streams-groups", "StreamsGroupDescribe is not served yet"),
    ("console", "kafka-acls", "DescribeAcls is not served yet"),
    ("console", "kafka-client-metrics", "ListConfigResources is not served yet"),
    ("console", "kafka-delegation-tokens", "DescribeDelegationToken is not served yet"),
    ("console", "kafka-features", "UpdateFeatures is not served yet"),
    ("console", "kafka-leader-election", "ElectLeaders is not served yet"),
    ("console", "kafka-metadata-quorum", "DescribeQuorum is not served yet"),
    ("console", "kafka-reassign-partitions", "ListPartitionReassignments is not served yet"),
    ("console", "kafka-transactions", "ListTransactions is not served yet"),
];

/// Why this scenario may fail, if it may.
pub(crate) fn reason(client: &str, scenario: &str) -> Option<&'static str> {
    PENDING
        .iter()
        .find(|(who, what, _)| (*who == "*" || *who == client) && *what == scenario)
        .map(|(_, _, reason)| *reason)
}
