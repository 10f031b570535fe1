//! ConsumerGroupRegularExpressionKey (`__consumer_offsets`, version 16): KIP-848.

use crate::{GroupId, Message, Str};

/// Which regular expression of which consumer group. Stands after its version, which is its kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(data, versions = "16..=16", flexible = "none")]
pub struct ConsumerGroupRegularExpressionKey {
    /// The group's id.
    #[message(versions = "16..=16")]
    pub group_id: GroupId,
    /// The regular expression (RE2).
    #[message(versions = "16..=16")]
    pub regular_expression: Str,
}
