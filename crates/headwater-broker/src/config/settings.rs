//! The keys that do something, stated once: field, type, name, default and range; the sentences are the reference.

use headwater_storage::{FlushPolicy, RecordFormat};

use super::{
    ConfigError, ConfigType as T,
    key::{Check, ConfigKey, Effect},
    setting::read,
    values::Values,
};

macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        $field:ident: $type:ty = $name:literal, $kind:expr, $default:expr, $check:expr;
    )*) => {
        /// Every setting that has one value of its own, typed. Names are Kafka's with underscores for dots.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl Settings {
            /// Reads every setting, or its default.
            pub(super) fn read(values: &Values) -> Result<Self, ConfigError> {
                Ok(Self { $($field: read::<$type>(values, $name)?,)* })
            }
        }

        /// The keys behind [`Settings`].
        pub(crate) const SETTINGS: &[ConfigKey] = &[$(ConfigKey {
            name: $name,
            kind: $kind,
            default: $default,
            check: $check,
            effect: Effect::Works { doc: concat!($($doc),+), dynamic: false },
        }),*];

        #[cfg(test)]
        #[test]
        fn every_setting_is_readable_from_its_default() {
            $(assert!(<$type as super::setting::Setting>::from_default($default), $name);)*
        }
    };
}

settings! {
    /// How durable `acks=all` is: `group-commit` waits for the `fdatasync` that covers the batch, `os` for the page cache as Kafka does.
    flush_policy: FlushPolicy = "flush.policy", T::String, Some("group-commit"), Check::OneOf(&["group-commit", "os"]);
    /// Where `/live`, `/ready` and `/metrics` are served over HTTP, as `host:port`; empty turns them off.
    /// The default address is skipped with a warning when it is taken; a configured one that is taken is an error.
    admin_listener: Option<String> = "admin.listener", T::String, Some("127.0.0.1:9644"), Check::Any;
    /// Where clients of the native protocol connect, `host:port` or `NAME://host:port`, separated by commas; empty turns it off.
    /// The default address is skipped with a warning when it is taken; a configured one that is taken is an error.
    native_listeners_text: Option<String> = "native.listeners", T::String, Some("127.0.0.1:9094"), Check::Any;
    /// How the records of a topic are stored that is created through the native protocol: `kafka` or `native`.
    native_topic_format: RecordFormat = "headwater.native.topic.format", T::String, Some("native"), Check::OneOf(&["kafka", "native"]);
    /// How long a member of a group on the native protocol may be silent. Milliseconds.
    native_group_session_timeout_ms: u64 = "native.group.session.timeout.ms", T::Long, Some("30000"), Check::AtLeast(100);
    /// What is appended to a topic's name for the topic of its dead letters.
    headwater_dlq_suffix: String = "headwater.dlq.suffix", T::String, Some(".dlq"), Check::Any;
    /// With which refusal (NACK) a record becomes a dead letter.
    headwater_dlq_attempts_max: u16 = "headwater.dlq.attempts.max", T::Int, Some("3"), Check::Between(1, 65_535);
    /// For how many records failed attempts are counted at a time; beyond that the one that failed longest ago is forgotten.
    headwater_dlq_tracked_max: usize = "headwater.dlq.tracked.max", T::Int, Some("4096"), Check::AtLeast(1);
    /// How many bytes the records of one compressed batch may unfold to; larger ones are refused.
    max_decompressed_message_bytes: usize = "max.decompressed.message.bytes", T::Int, Some("104857600"), Check::AtLeast(1);
    /// The cluster's id, 22 characters of base64url. By default the one in `meta.properties`, or a new one in an empty directory.
    cluster_id: Option<String> = "cluster.id", T::String, None, Check::Any;
    /// This broker's id. By default the one in `meta.properties`, or 1 in an empty directory.
    node_id: Option<i32> = "node.id", T::Int, None, Check::AtLeast(0);
    /// The rack that clients are told, for consumers that read from the nearest replica.
    broker_rack: Option<String> = "broker.rack", T::String, None, Check::Any;
    /// Where the metadata log lives. By default in the first directory of `log.dirs`.
    metadata_log_dir: Option<String> = "metadata.log.dir", T::String, None, Check::Any;

    /// How many bytes of metadata records are written between two snapshots of the metadata log.
    metadata_log_max_record_bytes_between_snapshots: u64 = "metadata.log.max.record.bytes.between.snapshots", T::Long, Some("20971520"), Check::AtLeast(1);
    /// How long after a change a snapshot of the metadata log is written at the latest; 0 turns this off. Milliseconds.
    metadata_log_max_snapshot_interval_ms: u64 = "metadata.log.max.snapshot.interval.ms", T::Long, Some("3600000"), Check::AtLeast(0);

    /// How many partitions a topic gets that is created without a count.
    num_partitions: i32 = "num.partitions", T::Int, Some("1"), Check::Between(1, MAX_PARTITIONS);
    /// Whether a Metadata request of a client that allows it creates the topics that it names.
    auto_create_topics_enable: bool = "auto.create.topics.enable", T::Boolean, Some("true"), Check::Any;
    /// Whether topics can be deleted at all.
    delete_topic_enable: bool = "delete.topic.enable", T::Boolean, Some("true"), Check::Any;
    /// How the records of a topic are stored that is created without `headwater.record.format`: `kafka` or `native`.
    headwater_record_format: RecordFormat = "headwater.record.format", T::String, Some("kafka"), Check::OneOf(&["kafka", "native"]);
    /// How many partitions one answer to DescribeTopicPartitions holds at most.
    max_request_partition_size_limit: usize = "max.request.partition.size.limit", T::Int, Some("2000"), Check::AtLeast(1);

    /// How often segments are looked at for retention. Milliseconds.
    log_retention_check_interval_ms: u64 = "log.retention.check.interval.ms", T::Long, Some("300000"), Check::AtLeast(1);
    /// Whether logs with `cleanup.policy=compact` are compacted.
    log_cleaner_enable: bool = "log.cleaner.enable", T::Boolean, Some("true"), Check::Any;
    /// How many logs are compacted at a time.
    log_cleaner_threads: usize = "log.cleaner.threads", T::Int, Some("1"), Check::AtLeast(0);
    /// How long a cleaner thread waits when there is no log that is worth compacting. Milliseconds.
    log_cleaner_backoff_ms: u64 = "log.cleaner.backoff.ms", T::Long, Some("15000"), Check::AtLeast(0);
    /// The memory for the newest offset of each key while a log is compacted, 24 bytes a key, all threads together. It is taken as it is used; what does not fit is compacted in another round. Bytes.
    log_cleaner_dedupe_buffer_size: u64 = "log.cleaner.dedupe.buffer.size", T::Long, Some("134217728"), Check::AtLeast(1);
    /// How full of keys that memory gets before a round ends. A fraction.
    log_cleaner_io_buffer_load_factor: f64 = "log.cleaner.io.buffer.load.factor", T::Double, Some("0.9"), Check::Any;
    /// The memory for reading and writing while logs are compacted, all threads together; a larger batch takes what it needs. Bytes.
    log_cleaner_io_buffer_size: usize = "log.cleaner.io.buffer.size", T::Int, Some("524288"), Check::AtLeast(0);
    /// How much compaction reads and writes in a second, all threads together. Bytes.
    log_cleaner_io_max_bytes_per_second: f64 = "log.cleaner.io.max.bytes.per.second", T::Double, Some("1.7976931348623157E308"), Check::Any;
    /// How long a partition remembers an idempotent producer that writes nothing. Milliseconds.
    producer_id_expiration_ms: u64 = "producer.id.expiration.ms", T::Int, Some("86400000"), Check::AtLeast(1);
    /// How often producers that expired are looked for. Milliseconds.
    producer_id_expiration_check_interval_ms: u64 = "producer.id.expiration.check.interval.ms", T::Int, Some("600000"), Check::AtLeast(1);

    /// How many partitions `__consumer_offsets` is created with. Fixed once it exists.
    offsets_topic_num_partitions: i32 = "offsets.topic.num.partitions", T::Int, Some("50"), Check::Between(1, MAX_PARTITIONS);
    /// `segment.bytes` of `__consumer_offsets`.
    offsets_topic_segment_bytes: i32 = "offsets.topic.segment.bytes", T::Int, Some("104857600"), Check::AtLeast(1);
    /// How long the committed offsets of an empty group are kept. Minutes.
    offsets_retention_minutes: u64 = "offsets.retention.minutes", T::Int, Some("10080"), Check::AtLeast(1);
    /// How often expired offsets are looked for. Milliseconds.
    offsets_retention_check_interval_ms: u64 = "offsets.retention.check.interval.ms", T::Long, Some("600000"), Check::AtLeast(1);
    /// How many bytes of metadata a committed offset may carry.
    offset_metadata_max_bytes: usize = "offset.metadata.max.bytes", T::Int, Some("4096"), Check::AtLeast(0);

    /// How long the first rebalance of an empty group waits for more members. Milliseconds.
    group_initial_rebalance_delay_ms: u64 = "group.initial.rebalance.delay.ms", T::Int, Some("3000"), Check::AtLeast(0);
    /// The shortest session timeout that a member may ask for. Milliseconds.
    group_min_session_timeout_ms: i32 = "group.min.session.timeout.ms", T::Int, Some("6000"), Check::AtLeast(0);
    /// The longest session timeout that a member may ask for. Milliseconds.
    group_max_session_timeout_ms: i32 = "group.max.session.timeout.ms", T::Int, Some("1800000"), Check::AtLeast(0);
    /// How many members a group may have.
    group_max_size: usize = "group.max.size", T::Int, Some("2147483647"), Check::AtLeast(1);

    /// The largest request that is read; a connection that announces a larger one is closed. Bytes.
    socket_request_max_bytes: usize = "socket.request.max.bytes", T::Int, Some("104857600"), Check::AtLeast(1);
    /// The socket's send buffer, -1 for the system's choice. Bytes.
    socket_send_buffer_bytes: Option<usize> = "socket.send.buffer.bytes", T::Int, Some("102400"), Check::AtLeast(-1);
    /// The socket's receive buffer, -1 for the system's choice. Bytes.
    socket_receive_buffer_bytes: Option<usize> = "socket.receive.buffer.bytes", T::Int, Some("102400"), Check::AtLeast(-1);
    /// How many connections may wait to be accepted.
    socket_listen_backlog_size: i32 = "socket.listen.backlog.size", T::Int, Some("50"), Check::AtLeast(1);
    /// A connection that is silent for this long is closed; negative means never. Milliseconds.
    connections_max_idle_ms: Option<u64> = "connections.max.idle.ms", T::Long, Some("600000"), Check::Any;
    /// How many connections are served at a time.
    max_connections: usize = "max.connections", T::Int, Some("2147483647"), Check::AtLeast(0);
    /// How many connections are served at a time from one address.
    max_connections_per_ip: usize = "max.connections.per.ip", T::Int, Some("2147483647"), Check::AtLeast(0);
    /// How many bytes of requests may be in memory before no more are read; -1 means no bound, which is Kafka's default.
    queued_max_request_bytes: Option<u64> = "queued.max.request.bytes", T::Long, Some("536870912"), Check::AtLeast(-1);

    /// How long after a failed login the answer and the end of the connection come. Milliseconds.
    connection_failed_authentication_delay_ms: u64 = "connection.failed.authentication.delay.ms", T::Int, Some("100"), Check::AtLeast(0);
    /// The largest request that is read before a client of a SASL listener has logged in. Bytes.
    sasl_server_max_receive_size: usize = "sasl.server.max.receive.size", T::Int, Some("524288"), Check::AtLeast(1);

    /// Over how many windows the rate of a client with a quota is measured; the window that is under way does not count.
    quota_window_num: u32 = "quota.window.num", T::Int, Some("11"), Check::Between(1, 1_000_000);
    /// How long such a window is. Seconds.
    quota_window_size_seconds: u64 = "quota.window.size.seconds", T::Int, Some("1"), Check::Between(1, 1_000_000);

    /// How many incremental fetch sessions are kept (KIP-227).
    max_incremental_fetch_session_cache_slots: usize = "max.incremental.fetch.session.cache.slots", T::Int, Some("1000"), Check::AtLeast(0);
    /// `headwater-iggy-gateway` only: where the Iggy server is, `host:port` of its TCP transport.
    headwater_iggy_address: String = "headwater.iggy.address", T::String, Some("127.0.0.1:8090"), Check::Any;
    /// `headwater-iggy-gateway` only: the user at the Iggy server.
    headwater_iggy_username: String = "headwater.iggy.username", T::String, Some("iggy"), Check::Any;
    /// `headwater-iggy-gateway` only: that user's password.
    headwater_iggy_password: String = "headwater.iggy.password", T::Password, Some("iggy"), Check::Any;
    /// `headwater-iggy-gateway` only: the stream whose topics are Kafka's, under the same names.
    headwater_iggy_stream: String = "headwater.iggy.stream", T::String, Some("kafka"), Check::Any;
    /// `headwater-iggy-gateway` only: topics under other names or in other streams, `kafka=stream/topic` with commas between.
    headwater_iggy_topics: Option<String> = "headwater.iggy.topics", T::String, None, Check::Any;
    /// `headwater-iggy-gateway` only: how many connections send, and as many poll.
    headwater_iggy_connections: usize = "headwater.iggy.connections", T::Int, Some("4"), Check::Between(1, 256);
    /// `headwater-iggy-gateway` only: bytes that one partition's batch may unfold to; all of one request 8 times as many.
    headwater_iggy_partition_bytes_max: usize = "headwater.iggy.partition.bytes.max", T::Int, Some("67104768"), Check::Between(1, 67_104_768);
    /// `headwater-iggy-gateway` only: where groups keep their offsets: `local` in `log.dirs`, `iggy` in a topic of the stream.
    headwater_iggy_offsets: String = "headwater.iggy.offsets", T::String, Some("local"), Check::OneOf(&["local", "iggy"]);

    /// The most bytes that one fetch is answered with, whatever it asks for; a first batch larger than this is still given whole.
    fetch_max_bytes: usize = "fetch.max.bytes", T::Int, Some("57671680"), Check::AtLeast(1024);
}

/// Keys that several typed values come from: read by name where those are put together.
pub(crate) const COMPOSED: &[ConfigKey] = &[
    composed(
        "listeners",
        T::List,
        Some("PLAINTEXT://127.0.0.1:9092"),
        "The addresses to listen on, `NAME://host:port`; an empty host is every interface, port 0 a free port.",
    ),
    composed(
        "advertised.listeners",
        T::List,
        None,
        "The addresses that clients are told, per listener. By default the listener's own; for a listener on every interface the address that the client reached.",
    ),
    composed(
        "listener.security.protocol.map",
        T::String,
        Some("PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL"),
        "The protocol of each listener by its name. PLAINTEXT and SASL_PLAINTEXT are served; a listener of another protocol is refused at start.",
    ),
    composed(
        "controller.listener.names",
        T::List,
        None,
        "Names of listeners that Kafka's controllers use; they are left out here, because no controller listens.",
    ),
    composed(
        "headwater.client.quotas",
        T::String,
        Some(""),
        "Quotas that hold unless `AlterClientQuotas` has set others for the same entity: `user=alice,client-id=c1:producer_byte_rate=1048576,consumer_byte_rate=2097152; user=:...`; an empty name stands for everybody without a quota of their own. Bytes a second.",
    ),
    composed(
        "sasl.enabled.mechanisms",
        T::List,
        Some("SCRAM-SHA-256,SCRAM-SHA-512"),
        "The mechanisms that listeners of protocol SASL_PLAINTEXT offer: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512. With `listener.name.<listener>.` before it for one listener. Kafka's default, GSSAPI, is not served. The users of PLAIN stand in `listener.name.<listener>.plain.sasl.jaas.config`.",
    ),
    composed(
        "connections.max.reauth.ms",
        T::Long,
        Some("0"),
        "How long a SASL login lasts; the client logs in again on the same connection before it is over (KIP-368), or the connection is closed at its next request. 0 for no limit. With `listener.name.<listener>.` or `listener.name.<listener>.<mechanism>.` before it for one listener or mechanism. Milliseconds.",
    ),
    composed("log.dirs", T::List, None, "The directories that hold the partitions; wins over `log.dir`."),
    composed(
        "log.dir",
        T::List,
        Some("./data"),
        "The directories that hold the partitions, when `log.dirs` is not set.",
    ),
    composed(
        "headwater.native.dirs",
        T::List,
        None,
        "The directories that hold native topics and their metadata log, outside of `log.dirs`; made with the first native topic. By default the first of `log.dirs` with `-native` at its end.",
    ),
    composed("broker.id", T::Int, None, "Another name for `node.id`."),
];

/// A key without a field of its own.
const fn composed(
    name: &'static str,
    kind: T,
    default: Option<&'static str>,
    doc: &'static str,
) -> ConfigKey {
    ConfigKey { name, kind, default, check: Check::Any, effect: Effect::Works { doc, dynamic: false } }
}

/// As many partitions as Kafka lets one request create.
const MAX_PARTITIONS: i64 = 10_000;
