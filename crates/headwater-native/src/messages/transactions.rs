//! Transactions of a connection with a named producer.

use headwater_codec::{GroupId, Offset, TopicName};

use crate::{
    PartitionId, limits,
    wire::{message, part},
};

message! {
    /// BEGIN_TXN: begins a transaction. Answered with OK.
    BeginTxn, BeginTxn {}
}

message! {
    /// END_TXN: ends the transaction. Answered with OK.
    EndTxn, EndTxn {
        /// Whether it is committed, not aborted.
        commit: bool => flag,
    }
}

part! {
    /// An offset to commit with the transaction.
    TxnOffset, 16 {
        /// The topic.
        topic: TopicName => topic,
        /// The partition.
        partition: PartitionId => partition,
        /// The next offset to read.
        offset: Offset => offset,
    }
}

message! {
    /// TXN_OFFSET_COMMIT: commits a group's offsets when the transaction commits. Answered with OK.
    TxnOffsetCommit, TxnOffsetCommit {
        /// The group.
        group: GroupId => group,
        /// The offsets.
        offsets: Vec<TxnOffset> => list(limits::TXN_OFFSETS_MAX),
    }
}
