//! Kafka's error codes, one enum for all of them.

use std::fmt;

macro_rules! error_codes {
    ($($(#[$default:meta])? $variant:ident = $code:literal, $name:literal, $retriable:literal, $text:literal;)*) => {
        /// What a response says about one request, topic, partition or member.
        ///
        /// Open: a code that Kafka 4.3 does not have decodes to [`ErrorCode::Unknown`] and re-encodes as it was.
        #[derive(Clone, Copy, Debug, Default)]
        pub enum ErrorCode {
            $(
                #[doc = concat!("`", $name, "`: ", $text, ".")]
                $(#[$default])?
                $variant,
            )*
            /// A code that is not in the table. Compares equal to a named one with the same number.
            Unknown(i16),
        }

        impl ErrorCode {
            /// Every named code, lowest first.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The number on the wire.
            #[inline]
            pub const fn code(self) -> i16 {
                match self {
                    // By far the most frequent one, without a look at a table.
                    Self::None => 0,
                    other => other.code_of_any(),
                }
            }

            const fn code_of_any(self) -> i16 {
                match self {
                    $(Self::$variant => $code,)*
                    Self::Unknown(code) => code,
                }
            }

            /// The code with that number.
            #[inline]
            pub const fn from_code(code: i16) -> Self {
                match code {
                    0 => Self::None,
                    other => Self::from_any_code(other),
                }
            }

            const fn from_any_code(code: i16) -> Self {
                match code {
                    $($code => Self::$variant,)*
                    code => Self::Unknown(code),
                }
            }

            /// Kafka's name, such as `NOT_LEADER_OR_FOLLOWER`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown(_) => "UNKNOWN",
                }
            }

            /// One line on what it means.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(_) => "a code that Kafka 4.3 does not have",
                }
            }

            /// Whether Kafka's clients try again on their own after this error.
            pub const fn is_retriable(self) -> bool {
                match self {
                    $(Self::$variant => $retriable,)*
                    Self::Unknown(_) => false,
                }
            }
        }
    };
}

error_codes! {
    UnknownServerError = -1, "UNKNOWN_SERVER_ERROR", false, "the broker met an error it has no code for";
    #[default]
    None = 0, "NONE", false, "no error";
    OffsetOutOfRange = 1, "OFFSET_OUT_OF_RANGE", false, "the offset lies outside the partition's log";
    CorruptMessage = 2, "CORRUPT_MESSAGE", true, "the record data is damaged";
    UnknownTopicOrPartition = 3, "UNKNOWN_TOPIC_OR_PARTITION", true, "no such topic or partition on this broker";
    InvalidFetchSize = 4, "INVALID_FETCH_SIZE", false, "the fetch size is invalid";
    LeaderNotAvailable = 5, "LEADER_NOT_AVAILABLE", true, "the partition has no leader at the moment";
    NotLeaderOrFollower = 6, "NOT_LEADER_OR_FOLLOWER", true, "this broker does not lead, or does not hold, the partition";
    RequestTimedOut = 7, "REQUEST_TIMED_OUT", true, "the request took longer than its time limit";
    BrokerNotAvailable = 8, "BROKER_NOT_AVAILABLE", false, "the broker is not available";
    ReplicaNotAvailable = 9, "REPLICA_NOT_AVAILABLE", true, "the replica is not available";
    MessageTooLarge = 10, "MESSAGE_TOO_LARGE", false, "the batch is larger than the topic allows";
    StaleControllerEpoch = 11, "STALE_CONTROLLER_EPOCH", false, "the controller has moved to another broker";
    OffsetMetadataTooLarge = 12, "OFFSET_METADATA_TOO_LARGE", false, "the offset's metadata string is too long";
    NetworkException = 13, "NETWORK_EXCEPTION", true, "the connection broke before a response came";
    CoordinatorLoadInProgress = 14, "COORDINATOR_LOAD_IN_PROGRESS", true, "the coordinator is still loading its state";
    CoordinatorNotAvailable = 15, "COORDINATOR_NOT_AVAILABLE", true, "the coordinator is not available";
    NotCoordinator = 16, "NOT_COORDINATOR", true, "this broker is not the coordinator asked for";
    InvalidTopicException = 17, "INVALID_TOPIC_EXCEPTION", false, "the topic's name is not valid for this";
    RecordListTooLarge = 18, "RECORD_LIST_TOO_LARGE", false, "the request's records exceed the segment size";
    NotEnoughReplicas = 19, "NOT_ENOUGH_REPLICAS", true, "fewer replicas in sync than required";
    NotEnoughReplicasAfterAppend = 20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", true, "written, but to fewer replicas than required";
    InvalidRequiredAcks = 21, "INVALID_REQUIRED_ACKS", false, "acks must be -1, 0 or 1";
    IllegalGeneration = 22, "ILLEGAL_GENERATION", false, "the generation is not the group's current one";
    InconsistentGroupProtocol = 23, "INCONSISTENT_GROUP_PROTOCOL", false, "no protocol in common with the group's members";
    InvalidGroupId = 24, "INVALID_GROUP_ID", false, "the group id is not valid";
    UnknownMemberId = 25, "UNKNOWN_MEMBER_ID", false, "the group knows no such member";
    InvalidSessionTimeout = 26, "INVALID_SESSION_TIMEOUT", false, "the session timeout is outside the allowed range";
    RebalanceInProgress = 27, "REBALANCE_IN_PROGRESS", false, "the group is rebalancing: join again";
    InvalidCommitOffsetSize = 28, "INVALID_COMMIT_OFFSET_SIZE", false, "the offset's data is too large to commit";
    TopicAuthorizationFailed = 29, "TOPIC_AUTHORIZATION_FAILED", false, "not authorized for the topic";
    GroupAuthorizationFailed = 30, "GROUP_AUTHORIZATION_FAILED", false, "not authorized for the group";
    ClusterAuthorizationFailed = 31, "CLUSTER_AUTHORIZATION_FAILED", false, "not authorized for the cluster";
    InvalidTimestamp = 32, "INVALID_TIMESTAMP", false, "the record's timestamp is outside the allowed range";
    UnsupportedSaslMechanism = 33, "UNSUPPORTED_SASL_MECHANISM", false, "the SASL mechanism is not enabled";
    IllegalSaslState = 34, "ILLEGAL_SASL_STATE", false, "the request does not fit the state of the SASL exchange";
    UnsupportedVersion = 35, "UNSUPPORTED_VERSION", false, "the version is not supported";
    TopicAlreadyExists = 36, "TOPIC_ALREADY_EXISTS", false, "a topic of that name exists";
    InvalidPartitions = 37, "INVALID_PARTITIONS", false, "the number of partitions is not valid";
    InvalidReplicationFactor = 38, "INVALID_REPLICATION_FACTOR", false, "the replication factor cannot be met";
    InvalidReplicaAssignment = 39, "INVALID_REPLICA_ASSIGNMENT", false, "the replica assignment is not valid";
    InvalidConfig = 40, "INVALID_CONFIG", false, "the configuration is not valid";
    NotController = 41, "NOT_CONTROLLER", true, "this broker is not the controller";
    InvalidRequest = 42, "INVALID_REQUEST", false, "the request contradicts itself or the protocol";
    UnsupportedForMessageFormat = 43, "UNSUPPORTED_FOR_MESSAGE_FORMAT", false, "the topic's message format does not support this";
    PolicyViolation = 44, "POLICY_VIOLATION", false, "a policy forbids this";
    OutOfOrderSequenceNumber = 45, "OUT_OF_ORDER_SEQUENCE_NUMBER", false, "a producer's sequence number came out of order";
    DuplicateSequenceNumber = 46, "DUPLICATE_SEQUENCE_NUMBER", false, "a producer's sequence number came twice";
    InvalidProducerEpoch = 47, "INVALID_PRODUCER_EPOCH", false, "a producer's epoch is older than the current one";
    InvalidTxnState = 48, "INVALID_TXN_STATE", false, "the transaction's state does not allow this";
    InvalidProducerIdMapping = 49, "INVALID_PRODUCER_ID_MAPPING", false, "the producer id does not belong to the transactional id";
    InvalidTransactionTimeout = 50, "INVALID_TRANSACTION_TIMEOUT", false, "the transaction timeout exceeds the allowed one";
    ConcurrentTransactions = 51, "CONCURRENT_TRANSACTIONS", true, "another operation on the transaction is still under way";
    TransactionCoordinatorFenced = 52, "TRANSACTION_COORDINATOR_FENCED", false, "the transaction coordinator has been replaced";
    TransactionalIdAuthorizationFailed = 53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", false, "not authorized for the transactional id";
    SecurityDisabled = 54, "SECURITY_DISABLED", false, "security is not enabled here";
    OperationNotAttempted = 55, "OPERATION_NOT_ATTEMPTED", false, "not attempted, because another part of the request failed";
    KafkaStorageError = 56, "KAFKA_STORAGE_ERROR", true, "the log could not be read or written";
    LogDirNotFound = 57, "LOG_DIR_NOT_FOUND", false, "no such log directory";
    SaslAuthenticationFailed = 58, "SASL_AUTHENTICATION_FAILED", false, "SASL authentication failed";
    UnknownProducerId = 59, "UNKNOWN_PRODUCER_ID", false, "the producer id is not known here";
    ReassignmentInProgress = 60, "REASSIGNMENT_IN_PROGRESS", false, "the partition is being reassigned";
    DelegationTokenAuthDisabled = 61, "DELEGATION_TOKEN_AUTH_DISABLED", false, "delegation tokens are not enabled";
    DelegationTokenNotFound = 62, "DELEGATION_TOKEN_NOT_FOUND", false, "no such delegation token";
    DelegationTokenOwnerMismatch = 63, "DELEGATION_TOKEN_OWNER_MISMATCH", false, "the principal does not own the delegation token";
    DelegationTokenRequestNotAllowed = 64, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", false, "delegation tokens cannot be asked for over this connection";
    DelegationTokenAuthorizationFailed = 65, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", false, "not authorized for the delegation token";
    DelegationTokenExpired = 66, "DELEGATION_TOKEN_EXPIRED", false, "the delegation token has expired";
    InvalidPrincipalType = 67, "INVALID_PRINCIPAL_TYPE", false, "the principal's type is not supported";
    NonEmptyGroup = 68, "NON_EMPTY_GROUP", false, "the group still has members";
    GroupIdNotFound = 69, "GROUP_ID_NOT_FOUND", false, "no such group";
    FetchSessionIdNotFound = 70, "FETCH_SESSION_ID_NOT_FOUND", true, "no such fetch session";
    InvalidFetchSessionEpoch = 71, "INVALID_FETCH_SESSION_EPOCH", true, "the fetch session's epoch is not the expected one";
    ListenerNotFound = 72, "LISTENER_NOT_FOUND", true, "the leader has no listener of the name in use";
    TopicDeletionDisabled = 73, "TOPIC_DELETION_DISABLED", false, "deleting topics is not enabled";
    FencedLeaderEpoch = 74, "FENCED_LEADER_EPOCH", true, "the request's leader epoch is older than the current one";
    UnknownLeaderEpoch = 75, "UNKNOWN_LEADER_EPOCH", true, "the request's leader epoch is newer than the current one";
    UnsupportedCompressionType = 76, "UNSUPPORTED_COMPRESSION_TYPE", false, "the compression is not supported by this version";
    StaleBrokerEpoch = 77, "STALE_BROKER_EPOCH", false, "the broker's epoch is outdated";
    OffsetNotAvailable = 78, "OFFSET_NOT_AVAILABLE", true, "the leader's high watermark has not caught up with its epoch";
    MemberIdRequired = 79, "MEMBER_ID_REQUIRED", false, "join again with the member id of this response";
    PreferredLeaderNotAvailable = 80, "PREFERRED_LEADER_NOT_AVAILABLE", true, "the preferred leader is not available";
    GroupMaxSizeReached = 81, "GROUP_MAX_SIZE_REACHED", false, "the group is full";
    FencedInstanceId = 82, "FENCED_INSTANCE_ID", false, "another member has taken over the instance id";
    EligibleLeadersNotAvailable = 83, "ELIGIBLE_LEADERS_NOT_AVAILABLE", true, "no replica is eligible to lead";
    ElectionNotNeeded = 84, "ELECTION_NOT_NEEDED", true, "the partition already has that leader";
    NoReassignmentInProgress = 85, "NO_REASSIGNMENT_IN_PROGRESS", false, "no reassignment is under way";
    GroupSubscribedToTopic = 86, "GROUP_SUBSCRIBED_TO_TOPIC", false, "a member of the group subscribes to the topic";
    InvalidRecord = 87, "INVALID_RECORD", false, "a record was refused";
    UnstableOffsetCommit = 88, "UNSTABLE_OFFSET_COMMIT", true, "some offsets belong to transactions that have not ended";
    ThrottlingQuotaExceeded = 89, "THROTTLING_QUOTA_EXCEEDED", true, "a quota has been exceeded";
    ProducerFenced = 90, "PRODUCER_FENCED", false, "a newer producer uses the transactional id";
    ResourceNotFound = 91, "RESOURCE_NOT_FOUND", false, "no such resource";
    DuplicateResource = 92, "DUPLICATE_RESOURCE", false, "the resource exists already";
    UnacceptableCredential = 93, "UNACCEPTABLE_CREDENTIAL", false, "the credential does not meet the requirements";
    InconsistentVoterSet = 94, "INCONSISTENT_VOTER_SET", false, "the set of voters differs";
    InvalidUpdateVersion = 95, "INVALID_UPDATE_VERSION", false, "the update's version is not valid";
    FeatureUpdateFailed = 96, "FEATURE_UPDATE_FAILED", false, "the feature could not be updated";
    PrincipalDeserializationFailure = 97, "PRINCIPAL_DESERIALIZATION_FAILURE", false, "the forwarded principal could not be read";
    SnapshotNotFound = 98, "SNAPSHOT_NOT_FOUND", false, "no such snapshot";
    PositionOutOfRange = 99, "POSITION_OUT_OF_RANGE", false, "the position lies outside the snapshot";
    UnknownTopicId = 100, "UNKNOWN_TOPIC_ID", true, "no such topic id on this broker";
    DuplicateBrokerRegistration = 101, "DUPLICATE_BROKER_REGISTRATION", false, "a broker of that id is registered";
    BrokerIdNotRegistered = 102, "BROKER_ID_NOT_REGISTERED", false, "the broker is not registered";
    InconsistentTopicId = 103, "INCONSISTENT_TOPIC_ID", true, "the topic's id differs from the one in the log";
    InconsistentClusterId = 104, "INCONSISTENT_CLUSTER_ID", false, "the cluster's id differs";
    TransactionalIdNotFound = 105, "TRANSACTIONAL_ID_NOT_FOUND", false, "no such transactional id";
    FetchSessionTopicIdError = 106, "FETCH_SESSION_TOPIC_ID_ERROR", true, "the fetch session mixes topic names and ids";
    IneligibleReplica = 107, "INELIGIBLE_REPLICA", false, "the replica may not join the in-sync replicas";
    NewLeaderElected = 108, "NEW_LEADER_ELECTED", false, "the request was carried out and a new leader elected";
    OffsetMovedToTieredStorage = 109, "OFFSET_MOVED_TO_TIERED_STORAGE", false, "the offset now lies in tiered storage";
    FencedMemberEpoch = 110, "FENCED_MEMBER_EPOCH", false, "the member's epoch is outdated: join again";
    UnreleasedInstanceId = 111, "UNRELEASED_INSTANCE_ID", false, "another member still holds the instance id";
    UnsupportedAssignor = 112, "UNSUPPORTED_ASSIGNOR", false, "the assignor is not supported by the group";
    StaleMemberEpoch = 113, "STALE_MEMBER_EPOCH", false, "the member's epoch is older than the current one";
    MismatchedEndpointType = 114, "MISMATCHED_ENDPOINT_TYPE", false, "the endpoint is of another kind than asked for";
    UnsupportedEndpointType = 115, "UNSUPPORTED_ENDPOINT_TYPE", false, "the kind of endpoint is not supported";
    UnknownControllerId = 116, "UNKNOWN_CONTROLLER_ID", false, "no such controller";
    UnknownSubscriptionId = 117, "UNKNOWN_SUBSCRIPTION_ID", false, "the telemetry subscription is not the current one";
    TelemetryTooLarge = 118, "TELEMETRY_TOO_LARGE", false, "the telemetry is too large";
    InvalidRegistration = 119, "INVALID_REGISTRATION", false, "the broker's registration is not valid";
    TransactionAbortable = 120, "TRANSACTION_ABORTABLE", false, "the transaction can only be aborted";
    InvalidRecordState = 121, "INVALID_RECORD_STATE", false, "the record's state does not allow this";
    ShareSessionNotFound = 122, "SHARE_SESSION_NOT_FOUND", true, "no such share session";
    InvalidShareSessionEpoch = 123, "INVALID_SHARE_SESSION_EPOCH", true, "the share session's epoch is not the expected one";
    FencedStateEpoch = 124, "FENCED_STATE_EPOCH", false, "the share state's epoch is outdated";
    InvalidVoterKey = 125, "INVALID_VOTER_KEY", false, "the voter's key is not the expected one";
    DuplicateVoter = 126, "DUPLICATE_VOTER", false, "the voter is already in the set";
    VoterNotFound = 127, "VOTER_NOT_FOUND", false, "no such voter in the set";
    InvalidRegularExpression = 128, "INVALID_REGULAR_EXPRESSION", false, "the regular expression is not valid";
    RebootstrapRequired = 129, "REBOOTSTRAP_REQUIRED", false, "the client should bootstrap again";
    StreamsInvalidTopology = 130, "STREAMS_INVALID_TOPOLOGY", false, "the streams topology is not valid";
    StreamsInvalidTopologyEpoch = 131, "STREAMS_INVALID_TOPOLOGY_EPOCH", false, "the streams topology's epoch is not valid";
    StreamsTopologyFenced = 132, "STREAMS_TOPOLOGY_FENCED", false, "the streams topology's epoch is outdated";
    ShareSessionLimitReached = 133, "SHARE_SESSION_LIMIT_REACHED", true, "there are too many share sessions";
}

impl ErrorCode {
    /// Whether this is `NONE`.
    pub const fn is_none(self) -> bool {
        self.code() == 0
    }

    /// Whether this is anything but `NONE`.
    pub const fn is_error(self) -> bool {
        !self.is_none()
    }
}

impl PartialEq for ErrorCode {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Eq for ErrorCode {}

impl std::hash::Hash for ErrorCode {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.code().hash(state);
    }
}

impl From<i16> for ErrorCode {
    fn from(code: i16) -> Self {
        Self::from_code(code)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(code) => write!(f, "UNKNOWN ({code}): {}", self.text()),
            code => write!(f, "{}: {}", code.name(), code.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_the_wire() {
        for code in i16::MIN..=i16::MAX {
            assert_eq!(ErrorCode::from(code).code(), code);
        }
    }

    #[test]
    fn the_table_runs_from_minus_one_to_133_without_a_gap() {
        let codes: Vec<i16> = ErrorCode::ALL.iter().map(|code| code.code()).collect();
        assert_eq!(codes, (-1..=133).collect::<Vec<_>>());
    }

    #[test]
    fn clients_retry_what_passes() {
        assert!(ErrorCode::NotLeaderOrFollower.is_retriable());
        assert!(!ErrorCode::MessageTooLarge.is_retriable());
        assert!(!ErrorCode::Unknown(9999).is_retriable());
    }

    #[test]
    fn a_code_shows_kafkas_name() {
        assert!(ErrorCode::UnknownTopicId.to_string().starts_with("UNKNOWN_TOPIC_ID: "));
        assert_eq!(ErrorCode::default(), ErrorCode::None);
    }
}
