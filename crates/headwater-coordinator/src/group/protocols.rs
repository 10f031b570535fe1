//! Which protocol a generation speaks, and what that tells of the topics its members read.

use std::collections::{BTreeSet, HashMap, HashSet};

use bytes::Bytes;
use headwater_codec::{Message, Reader, Str, TopicName, records::ConsumerProtocolSubscription};

use super::Group;
use crate::{GroupState, Protocol, member::Member};

/// How many protocols a member may list; clients list a handful.
pub(super) const PROTOCOLS_MAX: usize = 1000;

/// The protocol type of Kafka's own consumers.
const CONSUMER: &str = "consumer";

impl Group {
    /// Whether a member of that type that speaks these protocols fits in.
    pub(super) fn supports(&self, protocol_type: &Str, protocols: &[Protocol]) -> bool {
        if self.state == GroupState::Empty {
            return !protocol_type.is_empty() && !protocols.is_empty();
        }
        let spoken_by_all = |protocol: &Protocol| self.members.values().all(|m| m.speaks(&protocol.name));
        self.protocol_type.as_ref() == Some(protocol_type) && protocols.iter().any(spoken_by_all)
    }

    pub(super) fn is_consumer_group(&self) -> bool {
        self.protocol_type.as_deref() == Some(CONSUMER)
    }

    /// Whether a member reads the topic, as far as can be told.
    pub(super) fn reads_topic(&self, topic: &str) -> bool {
        self.is_consumer_group() && self.subscribed.as_ref().is_some_and(|topics| topics.contains(topic))
    }

    /// The topics that the members of a consumer group subscribe to; `None` when it cannot be told.
    pub(super) fn subscribed_topics(&self) -> Option<BTreeSet<TopicName>> {
        if !self.is_consumer_group() {
            return None;
        }
        if self.members.is_empty() {
            return Some(BTreeSet::new());
        }
        let protocol = self.protocol.as_ref()?;
        let mut topics = BTreeSet::new();
        for member in self.members.values() {
            topics.extend(subscription(&member.metadata(protocol))?);
        }
        Some(topics)
    }
}

/// The topics of a consumer's subscription; `None` when it is no subscription.
///
/// They come first in every version, so the first version is enough to read them.
fn subscription(metadata: &[u8]) -> Option<Vec<TopicName>> {
    let (version, body) = metadata.split_first_chunk::<2>()?;
    if i16::from_be_bytes(*version) < 0 {
        return None;
    }
    let mut reader = Reader::new(Bytes::copy_from_slice(body), 0, false);
    let decoded = ConsumerProtocolSubscription::decode(&mut reader).ok()?;
    Some(decoded.topics)
}

/// The protocol that all members speak and most like best, by the first common entry of each one's list.
///
/// A tie goes to the protocol that the earliest member likes better. `None` when there is no common one.
pub(super) fn choose<'a>(members: impl Iterator<Item = &'a Member>) -> Option<Str> {
    let mut members: Vec<&Member> = members.collect();
    members.sort_by_key(|member| member.arrival);
    let (first, others) = members.split_first()?;
    let mut common: HashSet<&str> = first.protocols.iter().map(|protocol| protocol.name.as_str()).collect();
    for member in others {
        let spoken: HashSet<&str> = member.protocols.iter().map(|protocol| protocol.name.as_str()).collect();
        common.retain(|name| spoken.contains(name));
    }
    let mut votes: HashMap<&str, usize> = HashMap::new();
    for member in &members {
        if let Some(vote) = member.protocols.iter().find(|protocol| common.contains(protocol.name.as_str())) {
            *votes.entry(&vote.name).or_default() += 1;
        }
    }
    let most = votes.values().max().copied()?;
    let winner = first.protocols.iter().find(|protocol| votes.get(protocol.name.as_str()) == Some(&most))?;
    Some(winner.name.clone())
}
