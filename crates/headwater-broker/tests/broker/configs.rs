//! Configs of topics and brokers: shown, changed, and in force (C15, C19, C40).

use headwater_codec::{
    ErrorCode, Str,
    messages::{
        alter_configs::{self, AlterConfigsRequest},
        describe_configs::{
            DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
            DescribeConfigsResult,
        },
        incremental_alter_configs::{AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest},
    },
};
use headwater_records::Compression;

use crate::{
    harness::{Client, Place, TestBroker, batch, batch_with},
    topics::{create, topic, with_config},
};

const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const LOGGER: i8 = 8;
const SET: i8 = 0;
const DELETE: i8 = 1;
const APPEND: i8 = 2;
const SUBTRACT: i8 = 3;

fn op(name: &str, config_operation: i8, value: &str) -> AlterableConfig {
    let value = (config_operation != DELETE).then(|| Str::from(value));
    AlterableConfig { name: name.into(), config_operation, value, ..Default::default() }
}

fn resource(resource_type: i8, name: &str, configs: Vec<AlterableConfig>) -> AlterConfigsResource {
    AlterConfigsResource { resource_type, resource_name: name.into(), configs, ..Default::default() }
}

async fn alter_all(client: &mut Client, resources: Vec<AlterConfigsResource>) -> Vec<ErrorCode> {
    let request = IncrementalAlterConfigsRequest { resources, ..Default::default() };
    let answer = client.call(1, &request).await.responses;
    assert!(answer.iter().all(|one| one.error_message.is_some() == (one.error_code != ErrorCode::None)));
    answer.iter().map(|one| one.error_code).collect()
}

async fn alter(client: &mut Client, name: &str, configs: Vec<AlterableConfig>) -> ErrorCode {
    alter_all(client, vec![resource(TOPIC, name, configs)]).await.remove(0)
}

async fn alter_broker(client: &mut Client, name: &str, configs: Vec<AlterableConfig>) -> ErrorCode {
    alter_all(client, vec![resource(BROKER, name, configs)]).await.remove(0)
}

async fn describe(
    client: &mut Client,
    resource_type: i8,
    name: &str,
    keys: Option<&[&str]>,
) -> DescribeConfigsResult {
    let resource = DescribeConfigsResource {
        resource_type,
        resource_name: name.into(),
        configuration_keys: keys.map(|keys| keys.iter().map(|key| Str::from(*key)).collect()),
        ..Default::default()
    };
    let request = DescribeConfigsRequest {
        resources: vec![resource],
        include_synonyms: true,
        include_documentation: true,
        ..Default::default()
    };
    client.call(4, &request).await.results.remove(0)
}

async fn config(client: &mut Client, name: &str, key: &str) -> DescribeConfigsResourceResult {
    describe(client, TOPIC, name, Some(&[key])).await.configs.remove(0)
}

/// The value of a topic's config and the number of its source.
async fn value(client: &mut Client, name: &str, key: &str) -> (String, i8) {
    let config = config(client, name, key).await;
    (config.value.expect("a value").as_str().to_owned(), config.config_source)
}

/// C40, in the order of its reproduction.
#[tokio::test]
async fn lists_are_appended_to_and_subtracted_from() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("t", 1, 1)]).await;
    for (operation, words, expected) in [
        (APPEND, "compact", ("delete,compact", 1)),
        (APPEND, "compact", ("delete,compact", 1)),
        (SUBTRACT, "delete", ("compact", 1)),
        (SUBTRACT, "delete", ("compact", 1)),
        (DELETE, "", ("delete", 5)),
        (APPEND, "delete,compact", ("delete,compact", 1)),
    ] {
        let code = alter(&mut client, "t", vec![op("cleanup.policy", operation, words)]).await;
        assert_eq!(code, ErrorCode::None);
        let (value, source) = value(&mut client, "t", "cleanup.policy").await;
        assert_eq!((value.as_str(), source), expected, "after {operation} {words}");
    }
}

/// C40.
#[tokio::test]
async fn one_bad_operation_refuses_its_resource_and_no_other() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("t", 1, 1), topic("u", 1, 1)]).await;
    let good = || op("retention.ms", SET, "5");
    let null = AlterableConfig { value: None, ..op("segment.ms", SET, "") };
    for (bad, expected) in [
        (op("retention.bytes", APPEND, "5"), ErrorCode::InvalidConfig),
        (op("retention.msx", SET, "5"), ErrorCode::InvalidConfig),
        (op("max.message.bytes", SET, "x"), ErrorCode::InvalidConfig),
        (op("cleanup.policy", APPEND, "shred"), ErrorCode::InvalidConfig),
        (null, ErrorCode::InvalidRequest),
        (good(), ErrorCode::InvalidRequest),
        (op("segment.ms", 9, "5"), ErrorCode::InvalidRequest),
    ] {
        let name = bad.name.clone();
        let resources = vec![
            resource(TOPIC, "t", vec![good(), bad]),
            resource(TOPIC, "u", vec![op("segment.ms", SET, "99")]),
        ];
        assert_eq!(alter_all(&mut client, resources).await, [expected, ErrorCode::None], "{name}");
        assert_eq!(value(&mut client, "t", "retention.ms").await, ("604800000".to_owned(), 5), "{name}");
        assert_eq!(value(&mut client, "u", "segment.ms").await, ("99".to_owned(), 1));
    }
    let twice = vec![resource(TOPIC, "t", vec![good()]), resource(TOPIC, "t", vec![good()])];
    assert_eq!(alter_all(&mut client, twice).await, [ErrorCode::InvalidRequest; 2]);
    assert_eq!(alter(&mut client, "none", vec![good()]).await, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(alter(&mut client, "a/b", vec![good()]).await, ErrorCode::InvalidTopicException);
    assert_eq!(alter(&mut client, "", vec![good()]).await, ErrorCode::InvalidRequest);
}

#[tokio::test]
async fn validation_alone_changes_nothing() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("t", 1, 1)]).await;
    let resources = vec![resource(TOPIC, "t", vec![op("retention.ms", SET, "5")])];
    let request = IncrementalAlterConfigsRequest { resources, validate_only: true, ..Default::default() };
    assert_eq!(client.call(0, &request).await.responses[0].error_code, ErrorCode::None);
    assert_eq!(value(&mut client, "t", "retention.ms").await.1, 5);
}

#[tokio::test]
async fn configs_survive_a_restart() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![with_config("t", "retention.ms", "5")]).await;
    assert_eq!(alter(&mut client, "t", vec![op("segment.ms", SET, "99")]).await, ErrorCode::None);
    assert_eq!(
        alter_broker(&mut client, "", vec![op("log.retention.bytes", SET, "77")]).await,
        ErrorCode::None
    );
    broker.restart().await;
    let mut client = broker.client().await;
    assert_eq!(value(&mut client, "t", "retention.ms").await, ("5".to_owned(), 1));
    assert_eq!(value(&mut client, "t", "segment.ms").await, ("99".to_owned(), 1));
    assert_eq!(value(&mut client, "t", "retention.bytes").await, ("77".to_owned(), 3));
}

#[tokio::test]
async fn replacing_all_configs_returns_the_others_to_their_defaults() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![with_config("t", "retention.ms", "5")]).await;
    let replace = |name: &str, value: Option<&str>| AlterConfigsRequest {
        resources: vec![alter_configs::AlterConfigsResource {
            resource_type: TOPIC,
            resource_name: "t".into(),
            configs: vec![alter_configs::AlterableConfig {
                name: name.into(),
                value: value.map(Str::from),
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    };
    for (request, expected) in [
        (replace("segment.msx", Some("99")), ErrorCode::InvalidConfig),
        (replace("segment.ms", None), ErrorCode::InvalidRequest),
        (replace("segment.ms", Some("99")), ErrorCode::None),
    ] {
        for version in 0..=2 {
            let answer = client.call(version, &request).await.responses.remove(0);
            assert_eq!(answer.error_code, expected, "version {version}");
        }
        let kept = expected != ErrorCode::None;
        assert_eq!(value(&mut client, "t", "retention.ms").await.1, if kept { 1 } else { 5 });
        assert_eq!(value(&mut client, "t", "segment.ms").await.1, if kept { 5 } else { 1 });
    }
}

#[tokio::test]
async fn every_topic_config_is_described_with_type_source_and_meaning() {
    let broker = TestBroker::with(&["log.retention.hours=2"]).await;
    let mut client = broker.client().await;
    create(&mut client, vec![with_config("t", "max.message.bytes", "2000")]).await;
    for keys in [None, Some(&[][..])] {
        let all = describe(&mut client, TOPIC, "t", keys).await;
        assert_eq!(all.error_code, ErrorCode::None);
        let (ours, kafkas): (Vec<_>, Vec<_>) =
            all.configs.iter().partition(|config| config.name.starts_with("headwater."));
        assert_eq!(kafkas.len(), 33, "all of Kafka's but the internal one without a value");
        assert_eq!(ours.len(), 4);
        for config in &all.configs {
            assert!(config.value.is_some() && config.config_type > 0 && config.documentation.is_some());
            assert!(!config.read_only && !config.is_sensitive);
        }
    }
    let retention = config(&mut client, "t", "retention.ms").await;
    assert_eq!((retention.value.as_deref(), retention.config_source), (Some("7200000"), 4));
    let places: Vec<_> = retention.synonyms.iter().map(|of| (of.name.as_str(), of.source)).collect();
    assert_eq!(places, [("log.retention.hours", 4), ("log.retention.hours", 5)]);
    let size = config(&mut client, "t", "max.message.bytes").await;
    let places: Vec<_> = size.synonyms.iter().map(|of| (of.name.as_str(), of.source)).collect();
    assert_eq!(places, [("max.message.bytes", 1), ("message.max.bytes", 5)]);
    for (name, expected) in
        [("none", ErrorCode::UnknownTopicOrPartition), ("a/b", ErrorCode::InvalidTopicException)]
    {
        assert_eq!(describe(&mut client, TOPIC, name, None).await.error_code, expected);
    }
}

#[tokio::test]
async fn what_was_not_asked_for_is_left_out() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("t", 1, 1)]).await;
    let resources = vec![DescribeConfigsResource {
        resource_type: TOPIC,
        resource_name: "t".into(),
        ..Default::default()
    }];
    let request = DescribeConfigsRequest { resources, ..Default::default() };
    for version in 1..=4 {
        let answer = client.call(version, &request).await.results.remove(0);
        assert_eq!(answer.error_code, ErrorCode::None, "version {version}");
        assert!(answer.configs.iter().all(|one| one.synonyms.is_empty()));
        // Before version 3 there is no documentation to be null.
        assert!(version < 3 || answer.configs.iter().all(|one| one.documentation.is_none()));
        assert!(!answer.configs.is_empty());
    }
}

#[tokio::test]
async fn the_brokers_configuration_is_described_with_secrets_hidden() {
    let broker = TestBroker::with(&["num.partitions=3", "ssl.keystore.password=hush"]).await;
    let mut client = broker.client().await;
    let id = broker.broker().node_id().to_string();
    let all = describe(&mut client, BROKER, &id, None).await;
    assert_eq!(all.error_code, ErrorCode::None);
    let find = |name: &str| all.configs.iter().find(|config| config.name == name).expect("described");
    let partitions = find("num.partitions");
    assert_eq!(
        (partitions.value.as_deref(), partitions.config_source, partitions.read_only),
        (Some("3"), 4, true)
    );
    let size = find("message.max.bytes");
    assert_eq!((size.value.as_deref(), size.config_source, size.read_only), (Some("1048588"), 5, false));
    let secret = find("ssl.keystore.password");
    assert_eq!((secret.value.as_ref(), secret.is_sensitive), (None, true));
    assert!(secret.synonyms.is_empty());
    assert!(
        !all.configs.iter().any(|config| config.name == "log.message.format.version"),
        "Kafka 4 has it no more"
    );
    assert!(find("flush.policy").documentation.as_ref().is_some_and(|text| !text.is_empty()));
    for (kind, name) in [(BROKER, "4711"), (BROKER, "x"), (LOGGER, ""), (16, "m"), (32, "g"), (99, "t")] {
        let answer = describe(&mut client, kind, name, None).await;
        assert_eq!(answer.error_code, ErrorCode::InvalidRequest, "{kind} {name}");
    }
    assert_eq!(describe(&mut client, LOGGER, &id, None).await.error_code, ErrorCode::None);
}

#[tokio::test]
async fn broker_defaults_change_without_a_restart_and_others_do_not() {
    let broker = TestBroker::with(&["message.max.bytes=1500"]).await;
    let mut client = broker.client().await;
    let id = broker.broker().node_id().to_string();
    let place = Place::new(&client.create_topic("t").await, 0);
    let thousand = "x".repeat(1000);
    let batch = batch(&[&thousand, &thousand]);
    assert_eq!(client.produce(9, &place, batch.clone()).await.error_code, ErrorCode::MessageTooLarge);
    let set = |size: &str| vec![op("message.max.bytes", SET, size)];
    assert_eq!(alter_broker(&mut client, "", set("5000")).await, ErrorCode::None);
    assert_eq!(client.produce(9, &place, batch.clone()).await.error_code, ErrorCode::None);
    assert_eq!(alter_broker(&mut client, &id, set("1600")).await, ErrorCode::None);
    assert_eq!(client.produce(9, &place, batch.clone()).await.error_code, ErrorCode::MessageTooLarge);
    assert_eq!(value(&mut client, "t", "max.message.bytes").await, ("1600".to_owned(), 2));
    let cluster = describe(&mut client, BROKER, "", None).await;
    let told: Vec<_> = cluster.configs.iter().map(|of| (of.name.as_str(), of.value.as_deref())).collect();
    assert_eq!(told, [("message.max.bytes", Some("5000"))]);
    assert_eq!(alter(&mut client, "t", vec![op("no.such.config", DELETE, "")]).await, ErrorCode::None);
    let delete = || vec![op("message.max.bytes", DELETE, "")];
    assert_eq!(alter_broker(&mut client, &id, delete()).await, ErrorCode::None);
    assert_eq!(alter_broker(&mut client, "", delete()).await, ErrorCode::None);
    assert_eq!(value(&mut client, "t", "max.message.bytes").await, ("1500".to_owned(), 4));
    for (name, key) in
        [("", "num.partitions"), (&id, "listeners"), ("", "num.io.threads"), ("", "no.such.key")]
    {
        assert_eq!(
            alter_broker(&mut client, name, vec![op(key, SET, "5")]).await,
            ErrorCode::InvalidRequest,
            "{key}"
        );
    }
    assert_eq!(alter_broker(&mut client, "4711", set("5")).await, ErrorCode::InvalidRequest);
    assert_eq!(alter_broker(&mut client, "", set("-1")).await, ErrorCode::InvalidRequest);
    let logger = vec![resource(LOGGER, &id, vec![op("root", SET, "DEBUG")])];
    assert_eq!(alter_all(&mut client, logger).await, [ErrorCode::InvalidRequest]);
}

/// C15.
#[tokio::test]
async fn the_limit_on_batches_counts_them_as_they_arrive() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![with_config("t", "max.message.bytes", "2000")]).await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let value = "x".repeat(300);
    let ten = [value.as_str(); 10];
    let plain = batch(&ten);
    assert_eq!(client.produce(9, &place, plain.clone()).await.error_code, ErrorCode::MessageTooLarge);
    let packed = batch_with(Compression::Gzip, &ten);
    assert_eq!(client.produce(9, &place, packed).await.error_code, ErrorCode::None);
    let letter = batch_with(Compression::Gzip, &["y".repeat(5000).as_str()]);
    assert_eq!(client.produce(9, &place, letter).await.error_code, ErrorCode::None);
    let of_size = |size: usize| {
        let fits = (0..size).map(|length| batch(&[&"z".repeat(length)])).find(|batch| batch.len() == size);
        fits.expect("a batch of that size")
    };
    assert_eq!(client.produce(9, &place, of_size(2000)).await.error_code, ErrorCode::None);
    assert_eq!(client.produce(9, &place, of_size(2001)).await.error_code, ErrorCode::MessageTooLarge);
    assert_eq!(alter(&mut client, "t", vec![op("max.message.bytes", SET, "4000")]).await, ErrorCode::None);
    assert_eq!(
        client.produce(9, &place, plain).await.error_code,
        ErrorCode::None,
        "in force without a restart"
    );
}

/// The key of a compacted topic, as one more config that is in force at once.
#[tokio::test]
async fn a_config_that_is_set_is_in_force() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    let set = |name: &str, value: &str| vec![op(name, SET, value)];
    let before = client.produce(9, &place, batch(&["a"])).await;
    assert_eq!((before.error_code, before.log_append_time_ms), (ErrorCode::None, -1));
    assert_eq!(
        alter(&mut client, "t", set("message.timestamp.type", "LogAppendTime")).await,
        ErrorCode::None
    );
    let after = client.produce(9, &place, batch(&["a"])).await;
    assert!(after.error_code == ErrorCode::None && after.log_append_time_ms > 0);
    let back =
        vec![op("message.timestamp.type", DELETE, ""), op("message.timestamp.before.max.ms", SET, "0")];
    assert_eq!(alter(&mut client, "t", back).await, ErrorCode::None);
    let old = client.produce(9, &place, batch(&["a"])).await;
    assert_eq!(old.log_append_time_ms, -1);
}
