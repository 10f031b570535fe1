use std::collections::BTreeMap;

use headwater_codec::ErrorCode;
use headwater_storage::LogConfig;

use super::{entry::Synonym, *};

fn config(text: &str) -> Config {
    Config::builder().properties(text).build().expect("a good configuration")
}

fn configs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn op(name: &str, kind: OpKind, value: &str) -> ConfigOp {
    ConfigOp { name: name.to_owned(), kind, value: (kind != OpKind::Delete).then(|| value.to_owned()) }
}

/// What `ops` make of `own`.
fn altered(own: &[(&str, &str)], ops: &[ConfigOp]) -> Result<Vec<(String, Option<String>)>, ErrorCode> {
    let config = config("");
    alter(&BrokerLayers::fixed(&config), &configs(own), ops).map_err(|error| error.code())
}

#[track_caller]
fn becomes(own: &[(&str, &str)], ops: &[ConfigOp], expected: &[(&str, Option<&str>)]) {
    let expected =
        expected.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect();
    assert_eq!(altered(own, ops), Ok(expected));
}

#[test]
fn table_is_in_order_so_that_names_are_found() {
    assert!(TOPIC_KEYS.is_sorted_by(|one, other| one.key.name < other.key.name));
    for key in TOPIC_KEYS {
        assert_eq!(topic_key(key.key.name).map(|found| found.key.name), Some(key.key.name));
    }
    assert!(topic_key("retention").is_none());
}

#[test]
fn every_topic_config_of_kafka_is_known_with_its_default() {
    // Names and defaults of `LogConfig.configDefCopy()` of Apache Kafka 4.3.0.
    let facts = include_str!("kafka_topic_configs.txt");
    for line in facts.lines() {
        let (name, default) = line.split_once('=').expect("name=default");
        let key = topic_key(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(key.key.default.unwrap_or("null"), default, "{name}");
    }
    let ours = TOPIC_KEYS.iter().filter(|key| key.key.name.starts_with("headwater.")).count();
    assert_eq!(facts.lines().count() + ours, TOPIC_KEYS.len());
}

#[test]
fn defaults_are_those_of_the_log_and_of_kafka() {
    let config = config("");
    assert_eq!(resolve(&BrokerLayers::fixed(&config), &BTreeMap::new()), LogConfig::default());
}

#[test]
fn finer_units_of_the_broker_keys_win() {
    let retention = |text: &str| {
        let config = config(text);
        resolve(&BrokerLayers::fixed(&config), &BTreeMap::new()).retention_ms
    };
    assert_eq!(retention("log.retention.hours=2"), Some(7_200_000));
    assert_eq!(retention("log.retention.hours=2\nlog.retention.minutes=3"), Some(180_000));
    assert_eq!(retention("log.retention.hours=2\nlog.retention.minutes=3\nlog.retention.ms=4"), Some(4));
    assert_eq!(retention("log.retention.hours=-1"), None);
    assert_eq!(retention("log.retention.ms=-1"), None);
    let roll = |text: &str| resolve(&BrokerLayers::fixed(&config(text)), &BTreeMap::new()).segment_ms;
    assert_eq!(roll("log.roll.hours=1"), 3_600_000);
    assert_eq!(roll("log.roll.hours=1\nlog.roll.ms=5"), 5);
}

#[test]
fn own_values_win_over_dynamic_ones_and_those_over_the_configuration() {
    let config = config("message.max.bytes=1000");
    let fixed = BrokerLayers::fixed(&config);
    let dynamic = BrokerLayers::with_cluster(&config, configs(&[("message.max.bytes", "2000")]));
    let own = configs(&[("max.message.bytes", "3000")]);
    assert_eq!(resolve(&fixed, &BTreeMap::new()).max_message_bytes, 1000);
    assert_eq!(resolve(&dynamic, &BTreeMap::new()).max_message_bytes, 2000);
    assert_eq!(resolve(&dynamic, &own).max_message_bytes, 3000);
}

#[test]
fn every_working_config_changes_the_log() {
    let config = config("");
    let layers = BrokerLayers::fixed(&config);
    for key in
        TOPIC_KEYS.iter().filter(|key| matches!(key.key.effect, crate::config::key::Effect::Works { .. }))
    {
        let value = match key.key.name {
            "cleanup.policy" => "compact",
            "message.timestamp.type" => "LogAppendTime",
            "compression.type" => "lz4",
            "headwater.header.name.bytes.max" | "headwater.headers.count.max" => "12",
            "headwater.record.format" => "native",
            "min.cleanable.dirty.ratio" => "0.25",
            _ => "1234567",
        };
        let own = configs(&[(key.key.name, value)]);
        assert_ne!(resolve(&layers, &own), LogConfig::default(), "{} does nothing", key.key.name);
    }
}

#[test]
fn values_that_are_not_understood_any_more_fall_back() {
    let config = config("");
    let own = configs(&[("retention.ms", "soon"), ("of.the.future", "1")]);
    assert_eq!(resolve(&BrokerLayers::fixed(&config), &own), LogConfig::default());
}

#[test]
fn entries_tell_source_and_synonyms() {
    let config = config("log.retention.hours=2\nmessage.max.bytes=1000");
    let layers = BrokerLayers::with_cluster(&config, configs(&[("message.max.bytes", "2000")]));
    let entries = topic_entries(&layers, &configs(&[("retention.ms", "5")]));
    let entry = |name: &str| entries.iter().find(|entry| entry.name == name).expect("described");
    let retention = entry("retention.ms");
    assert_eq!((retention.value.as_deref(), retention.source), (Some("5"), ConfigSource::Topic));
    assert_eq!(
        retention.synonyms,
        [
            Synonym::new("retention.ms", "5", ConfigSource::Topic),
            Synonym::new("log.retention.hours", "2", ConfigSource::StaticBroker),
            Synonym::new("log.retention.hours", "168", ConfigSource::Default),
        ]
    );
    let size = entry("max.message.bytes");
    assert_eq!((size.value.as_deref(), size.source), (Some("2000"), ConfigSource::DynamicDefaultBroker));
    assert_eq!(size.synonyms.len(), 3);
    assert_eq!(entry("segment.bytes").source, ConfigSource::Default);
    assert!(!entries.iter().any(|entry| entry.name == "internal.segment.bytes"), "it has no value");
    assert!(entries.iter().all(|entry| !entry.documentation.is_empty() && !entry.is_read_only));
    let inherited = topic_entries(&layers, &BTreeMap::new());
    let retention = inherited.iter().find(|entry| entry.name == "retention.ms").expect("described");
    assert_eq!((retention.value.as_deref(), retention.source), (Some("7200000"), ConfigSource::StaticBroker));
}

#[test]
fn append_starts_from_the_default_and_adds_nothing_twice() {
    let policy = |kind, value| op("cleanup.policy", kind, value);
    becomes(&[], &[policy(OpKind::Append, "compact")], &[("cleanup.policy", Some("delete,compact"))]);
    becomes(&[("cleanup.policy", "delete,compact")], &[policy(OpKind::Append, "compact")], &[]);
    becomes(&[], &[policy(OpKind::Append, "delete, compact")], &[("cleanup.policy", Some("delete,compact"))]);
}

#[test]
fn subtract_takes_out_what_is_there() {
    let own = [("cleanup.policy", "delete,compact")];
    let policy = |value| [op("cleanup.policy", OpKind::Subtract, value)];
    becomes(&own, &policy("delete"), &[("cleanup.policy", Some("compact"))]);
    becomes(&[("cleanup.policy", "compact")], &policy("delete"), &[]);
    becomes(&own, &policy("delete,compact"), &[("cleanup.policy", Some(""))]);
}

#[test]
fn delete_returns_to_the_default() {
    becomes(&[("retention.ms", "5")], &[op("retention.ms", OpKind::Delete, "")], &[("retention.ms", None)]);
    becomes(&[], &[op("retention.ms", OpKind::Delete, "")], &[]);
}

#[test]
fn bad_operations_refuse_all_of_them() {
    let good = op("retention.ms", OpKind::Set, "5");
    let with = |bad: ConfigOp| altered(&[], &[good.clone(), bad]);
    let set = |name: &str, value: &str| with(op(name, OpKind::Set, value));
    assert_eq!(with(op("segment.ms", OpKind::Append, "5")), Err(ErrorCode::InvalidConfig));
    assert_eq!(set("retention.msx", "5"), Err(ErrorCode::InvalidConfig));
    assert_eq!(set("max.message.bytes", "x"), Err(ErrorCode::InvalidConfig));
    assert_eq!(set("segment.bytes", "1048575"), Err(ErrorCode::InvalidConfig));
    assert_eq!(set("remote.storage.enable", "true"), Err(ErrorCode::InvalidConfig));
    assert_eq!(set("max.compaction.lag.ms", "5").map(|changes| changes.len()), Ok(2));
    let conflict =
        [op("max.compaction.lag.ms", OpKind::Set, "5"), op("min.compaction.lag.ms", OpKind::Set, "6")];
    assert_eq!(altered(&[], &conflict), Err(ErrorCode::InvalidConfig));
    assert_eq!(with(good.clone()), Err(ErrorCode::InvalidRequest), "the same config twice");
    let null = ConfigOp { name: "segment.ms".to_owned(), kind: OpKind::Set, value: None };
    assert_eq!(with(null), Err(ErrorCode::InvalidRequest));
    let (long, short) = ("1".repeat(40_000), "[bad]:1");
    assert_eq!(set("leader.replication.throttled.replicas", &long), Err(ErrorCode::InvalidConfig));
    assert_eq!(set("leader.replication.throttled.replicas", short), Err(ErrorCode::InvalidConfig));
    assert!(set("leader.replication.throttled.replicas", "0:1,1:1").is_ok());
}

#[test]
fn broker_keys_that_need_a_restart_or_do_nothing_cannot_be_altered() {
    let config = config("");
    let layers = BrokerLayers::fixed(&config);
    let altered =
        |ops: &[ConfigOp]| alter_broker(&layers, &BTreeMap::new(), ops).map_err(|error| error.code());
    let set = |name: &str, value: &str| altered(&[op(name, OpKind::Set, value)]);
    assert_eq!(
        set("message.max.bytes", "5"),
        Ok(vec![("message.max.bytes".to_owned(), Some("5".to_owned()))])
    );
    assert_eq!(set("message.max.bytes", "-5"), Err(ErrorCode::InvalidRequest));
    assert_eq!(set("num.partitions", "5"), Err(ErrorCode::InvalidRequest));
    assert_eq!(set("num.io.threads", "5"), Err(ErrorCode::InvalidRequest));
    assert_eq!(set("no.such.key", "5"), Err(ErrorCode::InvalidRequest));
    let appended = altered(&[op("log.cleanup.policy", OpKind::Append, "compact")]);
    assert_eq!(appended, Ok(vec![("log.cleanup.policy".to_owned(), Some("delete,compact".to_owned()))]));
}
