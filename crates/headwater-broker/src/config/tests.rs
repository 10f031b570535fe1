use headwater_storage::FlushPolicy;

use super::*;

fn file(text: &str) -> Config {
    Config::builder().properties(text).build().expect("a good configuration")
}

#[track_caller]
fn refused(builder: ConfigBuilder, message: &str) {
    assert_eq!(builder.build().expect_err("refused").to_string(), message);
}

fn env(name: &str, value: &str) -> [(String, String); 1] {
    [(name.to_owned(), value.to_owned())]
}

fn warnings(config: &Config) -> Vec<&str> {
    let warnings = config.notices().iter().filter(|notice| notice.level == NoticeLevel::Warn);
    warnings.map(|notice| notice.text.as_str()).collect()
}

#[test]
fn needs_no_configuration() {
    let config = Config::builder().build().expect("defaults");
    assert_eq!(config.listeners.len(), 1);
    assert_eq!(config.listeners[0].name, "PLAINTEXT");
    assert_eq!(config.listeners[0].bind.to_string(), "127.0.0.1:9092");
    assert_eq!(config.log_dirs, [PathBuf::from("./data")]);
    assert_eq!((config.num_partitions, config.flush_policy), (1, FlushPolicy::GroupCommit));
    assert_eq!(config.admin_listener.as_deref(), Some("127.0.0.1:9644"));
    assert_eq!(config.node_id, None);
    assert_eq!(config.notices(), []);
}

#[test]
fn arguments_win_over_the_environment_and_that_over_the_file() {
    let builder = || Config::builder().set("num.partitions=4");
    let text = "num.partitions=2\nlog.dirs=/a\nflush.policy=os";
    let config = builder().env(env("KAFKA_NUM_PARTITIONS", "3")).properties(text).build().expect("good");
    assert_eq!(config.num_partitions, 4);
    let config =
        Config::builder().env(env("KAFKA_NUM_PARTITIONS", "3")).properties(text).build().expect("good");
    assert_eq!(config.num_partitions, 3);
    assert_eq!(file(text).num_partitions, 2);
    assert_eq!(file(text).flush_policy, FlushPolicy::Os);
    assert_eq!(file("num.partitions=2\nnum.partitions=5").num_partitions, 5, "the last of a file wins");
}

#[test]
fn reads_a_file_and_names_one_that_is_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("server.properties");
    std::fs::write(&path, "num.partitions=7").expect("written");
    assert_eq!(Config::builder().file(&path).build().expect("good").num_partitions, 7);
    std::fs::write(&path, b"# f\xfcr alle\nbroker.rack=s\xfcd").expect("written");
    assert_eq!(Config::builder().file(&path).build().expect("good").broker_rack.as_deref(), Some("s\u{fc}d"));
    std::fs::write(&path, "\u{feff}broker.rack=s\u{fc}d").expect("written");
    assert_eq!(Config::builder().file(&path).build().expect("good").broker_rack.as_deref(), Some("s\u{fc}d"));
    let missing = dir.path().join("none");
    let message = Config::builder().file(&missing).build().expect_err("missing").to_string();
    assert!(message.contains(&missing.display().to_string()), "{message}");
}

#[test]
fn unknown_keys_warn_in_a_file_and_fail_elsewhere() {
    let config = file("num.partition=3\nxyzzy=1");
    assert_eq!(
        warnings(&config),
        [
            "configuration file: unknown key num.partition; did you mean num.partitions?",
            "configuration file: unknown key xyzzy",
        ]
    );
    refused(
        Config::builder().set("log.retention.m=3"),
        "--set: unknown key log.retention.m; did you mean log.retention.ms?",
    );
    refused(
        Config::builder().env(env("KAFKA_NUM_PARTITION", "3")),
        "environment: unknown key num.partition; did you mean num.partitions?",
    );
    refused(Config::builder().set("num.partitions"), "--set num.partitions: expected KEY=VALUE");
}

#[test]
fn launcher_variables_are_left_alone() {
    let variables =
        [("KAFKA_HEAP_OPTS", "-Xmx1g"), ("KAFKA_JMX_PORT", "1"), ("HOME", "/"), ("KAFKA_PORT", "tcp://x")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(Config::builder().env(variables).build().expect("good").notices(), []);
}

#[test]
fn bad_values_name_key_and_range() {
    refused(
        Config::builder().set("num.partitions=0"),
        "num.partitions=0: expected an integer from 1 to 10000",
    );
    refused(
        Config::builder().set("auto.create.topics.enable=yes"),
        "auto.create.topics.enable=yes: expected true or false",
    );
    refused(
        Config::builder().set("flush.policy=never"),
        "flush.policy=never: expected one of group-commit, os",
    );
    refused(
        Config::builder().properties("log.retention.ms=soon"),
        "log.retention.ms=soon: expected a 64-bit integer",
    );
    refused(
        Config::builder().set("socket.request.max.bytes=3000000000"),
        "socket.request.max.bytes=3000000000: expected an integer from -2147483648 to 2147483647",
    );
    refused(
        Config::builder().set("log.cleanup.policy=shred"),
        "log.cleanup.policy=shred: expected a list of compact, delete",
    );
}

#[test]
fn a_stock_server_properties_starts_without_a_warning() {
    let config = file(STOCK);
    assert_eq!(warnings(&config), Vec::<&str>::new());
    assert_eq!(config.node_id, Some(1));
    assert_eq!(config.listeners.len(), 1, "the controller's listener is left out");
    assert_eq!(config.listeners[0].bind, HostPort { host: String::new(), port: 9092 });
    let advertised = HostPort { host: "localhost".to_owned(), port: 9092 };
    assert_eq!(config.listeners[0].advertised, Some(advertised));
    assert_eq!(config.log_dirs, [PathBuf::from("/tmp/kraft-combined-logs")]);
    let noted = |key: &str| config.notices().iter().any(|notice| notice.text.starts_with(key));
    assert!(
        noted("process.roles has no effect: ")
            && noted("controller.quorum.bootstrap.servers has no effect: ")
    );
}

#[test]
fn replication_factors_above_one_are_one_with_one_warning() {
    let config =
        file("default.replication.factor=3\noffsets.topic.replication.factor=3\nmin.insync.replicas=2");
    assert_eq!(
        warnings(&config),
        ["replication factors above 1 mean 1 on a single node: \
        default.replication.factor=3, min.insync.replicas=2, offsets.topic.replication.factor=3"]
    );
    assert_eq!(warnings(&file("default.replication.factor=1")), Vec::<&str>::new());
}

#[test]
fn settings_that_would_protect_warn_when_they_have_no_effect() {
    let config = file("authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    assert_eq!(warnings(&config).len(), 1);
    assert!(warnings(&config)[0].starts_with("authorizer.class.name has no effect: "));
    assert!(warnings(&file("listener.name.internal.ssl.keystore.location=/k"))[0].contains("has no effect"));
}

#[test]
fn protected_listeners_are_refused_rather_than_served_plainly() {
    refused(
        Config::builder().set("listeners=SSL://:9093"),
        "listener SSL: security protocol SSL is not served; only PLAINTEXT and SASL_PLAINTEXT are",
    );
    refused(
        Config::builder().set("listeners=IN://:1").set("listener.security.protocol.map=IN:SASL_SSL"),
        "listener IN: security protocol SASL_SSL is not served; only PLAINTEXT and SASL_PLAINTEXT are",
    );
    refused(
        Config::builder().set("listeners=IN://:9093"),
        "listener.security.protocol.map has no protocol for listener IN",
    );
}

#[test]
fn listeners_are_read_and_cross_checked() {
    let config = Config::builder()
        .set("listeners=in://[::1]:0, OUT://0.0.0.0:9094")
        .set("advertised.listeners=OUT://kafka.example:19094")
        .set("listener.security.protocol.map=IN:PLAINTEXT,OUT:PLAINTEXT")
        .build()
        .expect("good");
    let names: Vec<_> = config.listeners.iter().map(|listener| listener.name.as_str()).collect();
    assert_eq!(names, ["IN", "OUT"]);
    assert_eq!(config.listeners[0].bind.to_string(), "[::1]:0");
    assert_eq!(config.listeners[0].advertised, None);
    assert_eq!(
        config.listeners[1].advertised.as_ref().map(HostPort::to_string).as_deref(),
        Some("kafka.example:19094")
    );

    let with = |listeners: &str| Config::builder().set(listeners);
    refused(
        with("listeners=PLAINTEXT:9092"),
        "listeners: PLAINTEXT:9092 is not of the form NAME://host:port",
    );
    refused(
        with("listeners=PLAINTEXT://a:99999"),
        "listeners: PLAINTEXT://a:99999 is not of the form NAME://host:port",
    );
    refused(with("listeners=PLAINTEXT://:1,PLAINTEXT://:2"), "listeners: PLAINTEXT is there twice");
    refused(with("listeners="), "listeners: no listener for clients");
    refused(
        with("listeners=A://:1,B://:1").set("listener.security.protocol.map=A:PLAINTEXT,B:PLAINTEXT"),
        "listeners: :1 is there twice",
    );
    refused(with("advertised.listeners=X://a:1"), "advertised.listeners: X is not among listeners");
    refused(
        with("advertised.listeners=PLAINTEXT://0.0.0.0:1"),
        "advertised.listeners: PLAINTEXT://0.0.0.0:1 has an address that clients cannot reach",
    );
    refused(
        with("listeners=C://:1").set("controller.listener.names=C"),
        "listeners: no listener for clients",
    );
}

#[test]
fn directories_and_ids_have_older_names() {
    assert_eq!(file("log.dir=/a").log_dirs, [PathBuf::from("/a")]);
    assert_eq!(file("log.dir=/a\nlog.dirs=/b, /c").log_dirs, [PathBuf::from("/b"), PathBuf::from("/c")]);
    refused(Config::builder().set("log.dirs=,"), "log.dirs=,: expected at least one directory");
    assert_eq!(file("broker.id=4").node_id, Some(4));
    assert_eq!(file("broker.id=-1\nnode.id=2").node_id, Some(2));
    refused(Config::builder().properties("broker.id=4\nnode.id=2"), "broker.id=4 contradicts node.id=2");
}

#[test]
fn cluster_ids_have_kafkas_form() {
    let id = "vHh-FU78T3yq-s5u9XC9PQ";
    let config = Config::builder().env(env("KAFKA_CLUSTER_ID", id)).build().expect("good");
    assert_eq!(config.cluster_id.as_deref(), Some(id));
    refused(Config::builder().set("cluster.id=mine"), "cluster.id=mine: expected 22 characters of base64url");
}

#[test]
fn queued_bytes_leave_room_for_one_request() {
    let config = file("socket.request.max.bytes=1073741824");
    assert_eq!(config.queued_max_request_bytes, Some(1 << 30), "the default gives way");
    assert_eq!(file("queued.max.request.bytes=-1").queued_max_request_bytes, None);
    refused(
        Config::builder().set("queued.max.request.bytes=5"),
        "queued.max.request.bytes=5 contradicts socket.request.max.bytes=104857600",
    );
}

#[test]
fn admin_listener_is_off_when_empty() {
    assert_eq!(file("admin.listener=").admin_listener, None);
}

#[test]
fn every_key_of_kafka_is_known() {
    // Names of `KafkaConfig.configDef()` of Apache Kafka 4.3.0.
    for name in include_str!("kafka_keys.txt").lines() {
        assert!(known::key(name).is_some(), "{name}");
    }
}

#[test]
fn every_default_passes_its_own_check() {
    for key in known::keys().values().filter(|key| matches!(key.effect, key::Effect::Works { .. })) {
        if let Some(default) = key.default {
            assert!(key.parse(default).is_ok(), "{}={default}", key.name);
        }
    }
}

/// The keys that Apache Kafka 4's `config/server.properties` sets.
const STOCK: &str = "\
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=localhost:9093
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
log.dirs=/tmp/kraft-combined-logs
num.partitions=1
num.recovery.threads.per.data.dir=1
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
";

#[test]
fn sasl_listeners_have_mechanisms_users_and_lifetimes_of_their_own() {
    let config = Config::builder()
        .set("listeners=IN://:1,OUT://:2,PLAIN://:3")
        .set("listener.security.protocol.map=IN:SASL_PLAINTEXT,OUT:SASL_PLAINTEXT,PLAIN:PLAINTEXT")
        .set("connections.max.reauth.ms=5000")
        .set("listener.name.in.sasl.enabled.mechanisms=PLAIN, SCRAM-SHA-512")
        .set("listener.name.in.plain.connections.max.reauth.ms=7000")
        .set("listener.name.in.plain.sasl.jaas.config=x.PlainLoginModule required user_a=\"b\";")
        .set("listener.name.out.scram-sha-256.sasl.jaas.config=x.ScramLoginModule required;")
        .build()
        .unwrap();
    let offered = |at: usize| {
        let sasl = config.listeners[at].sasl.as_ref().unwrap();
        let mechanisms = sasl.rules.mechanisms.iter();
        mechanisms.map(|(name, life)| (name.name(), life.unwrap().as_millis())).collect::<Vec<_>>()
    };
    assert_eq!(offered(0), [("PLAIN", 7000), ("SCRAM-SHA-512", 5000)]);
    assert_eq!(offered(1), [("SCRAM-SHA-256", 5000), ("SCRAM-SHA-512", 5000)]);
    assert!(config.listeners[2].sasl.is_none());
    let users = &config.listeners[0].sasl.as_ref().unwrap().plain_users;
    assert!(users.accept("a", "b") && !users.accept("a", "c"));
    assert_eq!(config.notices(), [], "every key is read");
}

#[test]
fn sasl_listeners_that_cannot_be_served_are_refused() {
    let build = |key: &str| Config::builder().set("listeners=SASL_PLAINTEXT://:1").set(key).build();
    for (key, expected) in [
        ("sasl.enabled.mechanisms=GSSAPI", "a list of PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512"),
        ("sasl.enabled.mechanisms=", "at least one mechanism"),
        ("sasl.enabled.mechanisms=PLAIN", "because PLAIN is offered"),
        ("connections.max.reauth.ms=-1", "milliseconds, or 0 for no limit"),
        (
            "listener.name.sasl_plaintext.plain.sasl.jaas.config=x.PlainLoginModule required user_a=\"pw",
            "a closing quote",
        ),
        ("headwater.client.quotas=user:1", "headwater.client.quotas=user:1: expected user=NAME"),
    ] {
        let error = build(key).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains("pw"), "{error}");
    }
    // Without such a listener Kafka's own default is as good as any.
    Config::builder().set("sasl.enabled.mechanisms=GSSAPI").build().unwrap();
}
