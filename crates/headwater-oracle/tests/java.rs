//! Kafka's own generated classes as the second oracle: they read what we write, and write the same bytes.
//!
//! Needs a JDK and Maven, which fetches Kafka's jars into the target directory; skipped, loudly, without them.
//! `HEADWATER_KAFKA_JARS` names directories of jars to use instead, as `4.3.1=/some/libs,4.4.0=/other/libs`.

#[path = "java/kafka.rs"]
mod kafka;
#[path = "../../headwater-codec/tests/messages/random_body.rs"]
mod random_body;
#[path = "../../headwater-codec/tests/messages/subject.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod subject;

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use headwater_codec::{RequestHeaderVersion, ResponseHeaderVersion, registry};

use kafka::Kafka;
use random_body::{Random, random_body};
use subject::Subject;

/// Bodies of each message and version.
const BODIES: usize = 100;

/// The release that the messages are of, and the one that some of them are taken from.
const CURRENT: &str = "4.3.1";
const NEXT: &str = "4.4.0";

/// What the current release does not have, by name.
const LACKING: &[(&str, i16)] = &[
    ("ApiVersionsRequest", 5),
    ("ApiVersionsResponse", 5),
    ("DeleteGroupsRequest", 3),
    ("DeleteGroupsResponse", 3),
    ("StreamsGroupDescribeRequest", 1),
    ("StreamsGroupDescribeResponse", 1),
    ("StreamsGroupHeartbeatRequest", 1),
    ("StreamsGroupHeartbeatResponse", 1),
    ("StreamsGroupTopologyDescriptionUpdateRequest", 0),
    ("StreamsGroupTopologyDescriptionUpdateResponse", 0),
    ("TxnOffsetCommitRequest", 6),
    ("TxnOffsetCommitResponse", 6),
    ("UnregisterControllerRequest", 0),
    ("UnregisterControllerResponse", 0),
];

#[test]
fn kafkas_classes_read_every_body_and_write_the_same_bytes() {
    let Some(kafka) = Kafka::find(CURRENT) else { return };
    assert_eq!(lacking_of(&kafka), LACKING);
}

#[test]
fn the_next_release_has_all_of_it() {
    let Some(kafka) = Kafka::find(NEXT) else { return };
    assert_eq!(lacking_of(&kafka), []);
}

/// Holds every body against Kafka's classes, and gives the messages and versions that those lack.
fn lacking_of(kafka: &Kafka) -> Vec<(&'static str, i16)> {
    let mut random = Random::new(0x6b61_666b_6100_0000);
    let mut cases: Vec<(&'static str, i16, Bytes)> = Vec::new();
    let subjects = subject::messages().into_iter().chain(subject::records());
    for subject in subjects {
        for version in subject.schema.versions.iter() {
            for number in 0..BODIES {
                let body = Bytes::from(random_body(subject.schema, version, number % 2 == 0, &mut random));
                let written = recoded(&subject, body.clone(), version);
                assert_eq!(written, body, "{}, ours", subject.at(version));
                cases.push((subject.schema.name, version, body));
            }
        }
    }
    let questions = cases.iter().map(|(name, version, body)| format!("body {name} {version} {body:x}"));
    let answers = kafka.ask(questions.collect());
    let mut lacking = BTreeSet::new();
    let mut failures = BTreeMap::new();
    for ((name, version, body), answer) in cases.iter().zip(&answers) {
        if answer == "-" {
            lacking.insert((*name, *version));
        } else if *answer != format!("{body:x}") {
            failures.entry((*name, *version)).or_insert_with(|| format!("{body:x} became {answer}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    eprintln!("{}: {} bodies agree", kafka.version, answers.len() - lacking.len() * BODIES);
    lacking.into_iter().collect()
}

fn recoded(subject: &Subject, body: Bytes, version: i16) -> Bytes {
    let written = subject.recode(body, version, version);
    written.unwrap_or_else(|failure| panic!("{}: {failure:?}", subject.at(version)))
}

#[test]
fn keys_ranges_and_header_versions_are_kafkas() {
    let Some(kafka) = Kafka::find(NEXT) else { return };
    let keys: Vec<i16> = (0..200).collect();
    let answers = kafka.ask(keys.iter().map(|key| format!("api {key}")).collect());
    for (key, answer) in keys.iter().zip(answers) {
        let api = registry::apis().iter().find(|api| api.key().code() == *key);
        let ours = api.map_or_else(|| "-".to_owned(), described);
        assert_eq!(ours, answer, "key {key}");
    }
}

fn described(api: &registry::Api) -> String {
    let end = |end: Option<i16>| end.expect("the range has two ends").to_string();
    let mut words = vec![end(api.versions().first()), end(api.versions().last())];
    for version in api.versions().iter() {
        words.push(match api.request_header_version(version) {
            RequestHeaderVersion::V0 => "0".to_owned(),
            RequestHeaderVersion::V1 => "1".to_owned(),
            RequestHeaderVersion::V2 => "2".to_owned(),
        });
        words.push(match api.response_header_version(version) {
            ResponseHeaderVersion::V0 => "0".to_owned(),
            ResponseHeaderVersion::V1 => "1".to_owned(),
        });
    }
    words.join(" ")
}
