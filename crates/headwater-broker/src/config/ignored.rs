//! Keys that Kafka 4.3 knows, or older ones knew, and that do nothing here: each with the reason.
//!
//! They are accepted so that a `server.properties` can be used as it is. Their values are not judged.

mod cluster;
mod groups;
mod removed;
mod security;

use super::key::{Check, ConfigKey, ConfigType, Effect, NoticeLevel, Reason};

/// Every such key.
pub(crate) const IGNORED: &[&[ConfigKey]] = &[cluster::KEYS, groups::KEYS, removed::KEYS, security::KEYS];

/// Families of keys, by what their names begin with.
pub(crate) const FAMILIES: &[(&str, Reason)] = &[
    ("listener.name.", LISTENER),
    ("config.providers.", PLUGINS),
    ("rsm.config.", TIERED),
    ("rlmm.config.", TIERED),
    ("zookeeper.", REMOVED),
];

/// Keys whose values above 1 mean 1.
pub(crate) const REPLICATION_FACTORS: &[&str] = &[
    "default.replication.factor",
    "min.insync.replicas",
    "offsets.topic.replication.factor",
    "share.coordinator.state.topic.min.isr",
    "share.coordinator.state.topic.replication.factor",
    "transaction.state.log.min.isr",
    "transaction.state.log.replication.factor",
];

/// Whether Kafka 4 does not know the key any more.
pub(crate) fn is_removed(name: &str) -> bool {
    removed::KEYS.iter().any(|key| key.name == name)
}

const fn key(
    name: &'static str,
    kind: ConfigType,
    default: Option<&'static str>,
    reason: Reason,
) -> ConfigKey {
    ConfigKey { name, kind, default, check: Check::Any, effect: Effect::Ignored(reason) }
}

const fn debug(text: &'static str) -> Reason {
    Reason { text, level: NoticeLevel::Debug }
}

const fn info(text: &'static str) -> Reason {
    Reason { text, level: NoticeLevel::Info }
}

const fn warn(text: &'static str) -> Reason {
    Reason { text, level: NoticeLevel::Warn }
}

const TLS: Reason = warn("TLS is not served; a listener that asks for it is refused at start.");
const AUTHORIZATION: Reason = warn("There is no authorizer; every client that is let in may do everything.");
const TOKENS: Reason = debug("Delegation tokens are not served.");
const LISTENER: Reason = warn("Of the keys for one listener only those of SASL are read.");
const SASL: Reason = debug("PLAIN and SCRAM are served, and need none of this.");
const JAAS: Reason =
    warn("Users of PLAIN are listed for a listener: `listener.name.<listener>.plain.sasl.jaas.config`.");
const QUORUM: Reason =
    debug("There is one node and its metadata log has one writer, so no controllers, votes or heartbeats.");
const REPLICATION: Reason =
    debug("There is one node, so nothing is replicated and no other broker is connected to.");
const SINGLE: Reason = debug("There is one node; values above 1 mean 1.");
const THREADS: Reason = debug("Threads follow from the number of cores.");
const TIERED: Reason = info("Tiered storage is not part of Headwater.");
const SHARE: Reason = debug("Share groups are not served.");
const NEW_GROUPS: Reason = debug("Only the classic group protocol is served.");
const TRANSACTIONS: Reason = debug("Transactions are not served.");
const CONNECTIONS: Reason =
    info("Connections are counted, not rated: `max.connections` and `max.connections.per.ip` bound them.");
const JVM_METRICS: Reason =
    debug("There is no Java machine; metrics are served at `/metrics` of `admin.listener`.");
const PLUGINS: Reason = warn("Java classes cannot be loaded.");
const PURGATORY: Reason =
    debug("Waiting requests are dropped when they are answered; nothing has to be purged.");
const QUEUE: Reason = debug(
    "There is no queue of requests; their memory is bounded by `queued.max.request.bytes`, and 64 of a connection are under way at most.",
);
const CHECKPOINTS: Reason = debug("Checkpoints are written at least every second under load.");
const OFFSETS: Reason =
    debug("Commits are answered when they are durable, and offsets are read in bounded pieces at start.");
const CORDON: Reason = info("Log directories cannot be cordoned.");
const REMOVED: Reason = debug("Kafka 4 does not know it any more.");
