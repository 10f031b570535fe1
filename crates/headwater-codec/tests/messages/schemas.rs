//! The schemas that the derive reflects are the facts.

use std::fs;
use std::path::Path;

use headwater_codec::registry;
use headwater_codec::{ApiKey, FieldSchema, FieldType, MessageKind, MessageSchema};
use serde_json::Value;

use crate::{facts, subject};

#[test]
fn messages_are_what_the_facts_say() {
    let Some(directory) = facts::directory("messages_are_what_the_facts_say") else { return };
    let mut differences = Vec::new();
    let subjects = subject::messages();
    for subject in &subjects {
        let file = format!("{}.json", subject.schema.name);
        let newer = directory.join("messages-4.4-delta").join(&file);
        let current = directory.join("messages").join(&file);
        let fact = read(if newer.is_file() { &newer } else { &current });
        compare_message(subject.schema, &fact, newer.is_file(), &mut differences);
    }
    assert_eq!(subjects.len(), 2 * ApiKey::ALL.len(), "every API has two messages");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn records_are_what_the_facts_say() {
    let Some(directory) = facts::directory("records_are_what_the_facts_say") else { return };
    let mut differences = Vec::new();
    let mut compared = 0;
    for subject in subject::records().iter().chain(&subject::unlisted()) {
        let name = subject.schema.name;
        if NOT_IN_THE_FACTS.contains(&name) {
            continue;
        }
        let file = if name == "ZkMigrationStateRecord" { "ZkMigrationRecord" } else { name };
        let directories = ["messages", "records", "records-2024-10"].map(|name| directory.join(name));
        let mut files = directories.iter().map(|directory| directory.join(format!("{file}.json")));
        let fact = read(&files.find(|file| file.is_file()).unwrap_or_else(|| panic!("{file} has no facts")));
        compare_message(subject.schema, &fact, false, &mut differences);
        compared += 1;
    }
    assert!(compared >= 71, "only {compared} records were compared");
    let (known, unknown): (Vec<_>, Vec<_>) = differences
        .into_iter()
        .partition(|difference| KNOWN_DIFFERENCES.iter().any(|(path, _)| difference.starts_with(path)));
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert_eq!(known.len(), KNOWN_DIFFERENCES.len(), "{}", known.join("\n"));
}

#[test]
fn the_registry_lists_the_versions_that_kafka_advertises() {
    let Some(directory) = facts::directory("the_registry_lists_the_versions_that_kafka_advertises") else {
        return;
    };
    let table = fs::read_to_string(directory.join("apis.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    for api in registry::apis() {
        let row = rows
            .iter()
            .find(|row| row[1] == api.name())
            .unwrap_or_else(|| panic!("{} has no row", api.name()));
        assert_eq!(row[0], api.key().code().to_string());
        let advertised = api.advertised();
        // What an API has in Kafka 4.4 alone is read and written here, but the columns are those of 4.3.
        let is_extended = row[3] != row[13];
        let versions = if is_extended { api.stable() } else { api.versions() };
        if is_extended {
            assert_eq!(
                api.versions().last().map(|last| last.to_string()).as_deref(),
                Some(row[13]),
                "{}",
                api.name()
            );
        }
        let ends = [versions.first(), versions.last(), advertised.first(), advertised.last()];
        let ends = ends.map(|end| end.map_or_else(|| "-".to_owned(), |end| end.to_string()));
        assert_eq!([row[2], row[3], row[6], row[7]], ends, "{}", api.name());
        let flexible_from = api.min_flexible().map_or_else(|| "none".to_owned(), |first| first.to_string());
        assert_eq!(row[8], flexible_from, "{}", api.name());
    }
}

/// The facts about the internal topics' records are of October 2024; these came later. All of them are held against
/// Kafka 4.3's own classes (`interop/java`).
const NOT_IN_THE_FACTS: &[&str] = &[
    "ClearElrRecord",
    "ConsumerGroupRegularExpressionKey",
    "ConsumerGroupRegularExpressionValue",
    "StreamsGroupCurrentMemberAssignmentKey",
    "StreamsGroupCurrentMemberAssignmentValue",
    "StreamsGroupMemberMetadataKey",
    "StreamsGroupMemberMetadataValue",
    "StreamsGroupMetadataKey",
    "StreamsGroupMetadataValue",
    "StreamsGroupTargetAssignmentMemberKey",
    "StreamsGroupTargetAssignmentMemberValue",
    "StreamsGroupTargetAssignmentMetadataKey",
    "StreamsGroupTargetAssignmentMetadataValue",
    "StreamsGroupTopologyKey",
    "StreamsGroupTopologyValue",
];

/// The same for fields: the path to the structure, and the field's name.
const FIELDS_NOT_IN_THE_FACTS: &[(&str, &str)] = &[
    ("ConsumerGroupCurrentMemberAssignmentValue.AssignedPartitions", "AssignmentEpochs"),
    ("ConsumerGroupCurrentMemberAssignmentValue.PartitionsPendingRevocation", "AssignmentEpochs"),
    ("ConsumerGroupMetadataValue", "MetadataHash"),
    ("ConsumerGroupTargetAssignmentMetadataValue", "AssignmentTimestamp"),
    ("OffsetCommitValue", "TopicId"),
    ("ShareGroupMetadataValue", "MetadataHash"),
    ("ShareGroupStatePartitionMetadataValue", "InitializingTopics"),
    ("ShareGroupTargetAssignmentMetadataValue", "AssignmentTimestamp"),
    ("ShareSnapshotValue", "CreateTimestamp"),
    ("ShareSnapshotValue", "DeliveryCompleteCount"),
    ("ShareSnapshotValue", "WriteTimestamp"),
    ("ShareUpdateValue", "DeliveryCompleteCount"),
    ("TransactionLogValue", "NextProducerEpoch"),
];

/// Where we differ from the facts, and why.
const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    (
        "ConsumerGroupMemberMetadataValue.ClassicMemberMetadata: default",
        "the fact has a bare null for the text \"null\", which Kafka's generator takes for no default",
    ),
    ("ShareSnapshotValue.SnapshotEpoch: type", "wider since Kafka 4.1"),
    ("ShareUpdateValue.SnapshotEpoch: type", "wider since Kafka 4.1"),
    (
        "GetReplicaLogInfoRequest: the kind",
        "in the making: no release has it, and Kafka 4.4 has another API under its key",
    ),
    ("GetReplicaLogInfoRequest: the key", "the same"),
    ("GetReplicaLogInfoResponse: the kind", "the same"),
    ("GetReplicaLogInfoResponse: the key", "the same"),
];

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn compare_message(schema: &MessageSchema, fact: &Value, is_extended: bool, differences: &mut Vec<String>) {
    let mut compare = |what: &str, ours: String, theirs: String| {
        if ours != theirs {
            differences.push(format!("{}: {what} is {ours}, should be {theirs}", schema.name));
        }
    };
    compare("the name", schema.name.to_owned(), text(fact, "name"));
    compare("the range of versions", schema.versions.to_string(), text(fact, "validVersions"));
    compare("the range of flexible versions", schema.flexible.to_string(), text(fact, "flexibleVersions"));
    let (kind, key) = match schema.kind {
        MessageKind::Request(key) => ("request", Some(i64::from(key.code()))),
        MessageKind::Response(key) => ("response", Some(i64::from(key.code()))),
        MessageKind::Data { type_id } => ("data", type_id.map(i64::from)),
        MessageKind::Nested => ("nested", None),
    };
    let theirs = text(fact, "type");
    compare("the kind", kind.to_owned(), if theirs == "metadata" { "data".to_owned() } else { theirs });
    // Most facts about metadata records lack the type id.
    if let Some(theirs) = fact.get("apiKey").and_then(Value::as_i64) {
        compare("the key", format!("{key:?}"), format!("{:?}", Some(theirs)));
    }
    if matches!(schema.kind, MessageKind::Request(_)) {
        let unstable =
            fact.get("latestVersionUnstable").and_then(Value::as_bool).unwrap_or(false) || is_extended;
        compare(
            "an unstable last version",
            (schema.stable != schema.versions).to_string(),
            unstable.to_string(),
        );
    }
    compare_fields(schema.name, schema, fact, fact, differences);
}

fn compare_fields(
    path: &str,
    schema: &MessageSchema,
    holder: &Value,
    message: &Value,
    differences: &mut Vec<String>,
) {
    let ours: Vec<&FieldSchema> =
        schema.fields.iter().filter(|field| !FIELDS_NOT_IN_THE_FACTS.contains(&(path, field.name))).collect();
    let theirs = holder["fields"].as_array().expect("a structure has fields");
    let names = |differences: &mut Vec<String>| {
        let ours: Vec<_> = ours.iter().map(|field| field.name.to_owned()).collect();
        let theirs: Vec<_> = theirs.iter().map(name).collect();
        if ours != theirs {
            differences.push(format!("{path}: the fields are {ours:?}, should be {theirs:?}"));
        }
    };
    names(differences);
    for (field, fact) in ours.iter().zip(theirs) {
        let path = format!("{path}.{}", field.name);
        compare_field(&path, field, fact, differences);
        if let Some(inner) = structure(&field.field_type) {
            let holder = if fact.get("fields").is_some() { fact } else { common_struct(message, inner.name) };
            compare_fields(&path, inner, holder, message, differences);
        }
    }
}

fn compare_field(path: &str, field: &FieldSchema, fact: &Value, differences: &mut Vec<String>) {
    let range = |key: &str| fact.get(key).and_then(Value::as_str).unwrap_or("none").to_owned();
    let flag = |key: &str| fact.get(key).and_then(Value::as_bool).unwrap_or(false).to_string();
    let tag = fact.get("tag").and_then(Value::as_u64);
    // A field that was always a tagged one need not say which versions have it.
    let versions = if fact.get("versions").is_some() { range("versions") } else { range("taggedVersions") };
    let pairs = [
        ("type", field.field_type.name(), text(fact, "type")),
        ("versions", field.versions.to_string(), versions),
        ("nullable versions", field.nullable.to_string(), range("nullableVersions")),
        ("tag", format!("{:?}", field.tag.map(u64::from)), format!("{tag:?}")),
        ("tagged versions", field.tagged.to_string(), range("taggedVersions")),
        ("default", field.default.unwrap_or_default().to_owned(), default(fact)),
        ("ignorable", field.ignorable.to_string(), flag("ignorable")),
        ("map key", field.map_key.to_string(), flag("mapKey")),
    ];
    for (what, ours, theirs) in pairs {
        if ours != theirs {
            differences.push(format!("{path}: {what} is {ours}, should be {theirs}"));
        }
    }
}

fn structure(field_type: &FieldType) -> Option<&'static MessageSchema> {
    match field_type {
        FieldType::Struct(schema) => Some(schema),
        FieldType::Array(element) => structure(element),
        _ => None,
    }
}

fn common_struct<'a>(message: &'a Value, name: &str) -> &'a Value {
    let all = message["commonStructs"].as_array().expect("a structure without fields is a common one");
    all.iter().find(|common| common["name"] == name).expect("it is declared")
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or("(missing)").to_owned()
}

/// A field's name; some facts begin it with a small letter, which makes no difference to Kafka's generator.
fn name(fact: &Value) -> String {
    let name = text(fact, "name");
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

/// A default as we spell it: decimal, and empty when it is the type's own.
fn default(fact: &Value) -> String {
    let text = match fact.get("default") {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    match text.to_lowercase().as_str() {
        "0" | "false" => String::new(),
        "true" => "true".to_owned(),
        lower => match lower.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).unwrap().to_string(),
            None => text,
        },
    }
}
