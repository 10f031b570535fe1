//! One struct per request and reply.

mod authentication;
mod failure;
mod fetch;
mod flags;
mod groups;
mod offsets;
mod produce;
mod records;
mod session;
mod topics;
mod transactions;

pub use authentication::{Auth, AuthChallenge, AuthOk, AuthScram, AuthScramFinal};
pub use failure::{Done, Failure, Nack, NackAck};
pub use fetch::{Fetch, Subscribe};
pub use flags::{FetchFlags, Isolation};
pub use groups::{
    DeleteGroup, DescribeGroup, GroupAssignment, GroupDescription, GroupHeartbeat, GroupList, GroupMember,
    GroupOffset, GroupSummary, JoinGroup, LeaveGroup, ListGroups, TopicAssignment,
};
pub use offsets::{
    Commit, ListOffsets, ListOffsetsMode, OffsetForTime, Offsets, PartitionOffsets, PartitionOffsetsFlags,
};
pub use produce::{
    BatchProducer, InitProducerId, Produce, ProduceAck, ProduceBatch, ProduceBatchAck, ProduceIdempotent,
    ProducerIdentity, RecordToProduce,
};
pub use records::{LaidOut, Record, RecordBatch, RecordLayout};
pub use session::{
    Goodbye, HeartbeatRequest, HeartbeatResponse, Hello, IdentifyAck, IdentifyClient, Welcome,
};
pub use topics::{
    AlterTopicConfig, ConfigEntry, CreatePartitions, CreateTopic, DeleteTopic, DescribeTopic, ListTopics,
    TopicDescription, TopicList,
};
pub use transactions::{BeginTxn, EndTxn, TxnOffset, TxnOffsetCommit};
