//! GroupMetadataValue (`__consumer_offsets`, versions 0-4): KIP-62, KIP-211, KIP-345.

use bytes::Bytes;

use crate::{Message, Str, UnknownTags};

/// The state of a classic group once its assignments are made. Stands after its version; a null value in
/// its place deletes the group.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "0..=4", flexible = "4..")]
pub struct GroupMetadataValue {
    /// Kind of protocol that the group follows, such as `consumer` or `connect`.
    pub protocol_type: Str,
    /// The group's generation.
    pub generation: i32,
    /// The assignment strategy in use; null when the group has no members.
    #[message(nullable = "0..")]
    pub protocol: Option<Str>,
    /// Member id of the leader; null when the group has no members.
    #[message(nullable = "0..")]
    pub leader: Option<Str>,
    /// When the group came into its state, in milliseconds since 1970; -1 when not known.
    #[message(versions = "2..", default = -1, ignorable)]
    pub current_state_timestamp: i64,
    /// The members.
    pub members: Vec<MemberMetadata>,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}

/// A member of the group.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct MemberMetadata {
    /// The member's id, given by the coordinator.
    pub member_id: Str,
    /// A static member's own, stable name; null for a dynamic member (KIP-345).
    #[message(versions = "3..", nullable = "3..", default = null, ignorable)]
    pub group_instance_id: Option<Str>,
    /// The client id of the member's requests.
    pub client_id: Str,
    /// The address that the member connects from, after a slash.
    pub client_host: Str,
    /// Milliseconds that a rebalance waits for the member; -1 when not known.
    #[message(versions = "1..", default = -1, ignorable)]
    pub rebalance_timeout: i32,
    /// Milliseconds without a heartbeat after which the member is dropped.
    pub session_timeout: i32,
    /// What the member said about the strategy when it joined.
    pub subscription: Bytes,
    /// The member's assignment. Opaque to the broker.
    pub assignment: Bytes,
    /// Tagged fields of other versions.
    pub unknown_tags: UnknownTags,
}
