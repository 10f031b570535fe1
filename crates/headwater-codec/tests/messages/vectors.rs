//! Sample bodies decode with nothing left and encode to the same bytes.

use std::collections::BTreeSet;
use std::fs;

use bytes::Bytes;

use crate::{facts, golden, subject};

/// What only Kafka 4.4 has; the samples are of 4.3.
const NO_SAMPLES: &[(&str, i16)] = &[
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
fn sample_bodies_decode_and_encode_to_the_same_bytes() {
    let Some(directory) = facts::directory("sample_bodies_decode_and_encode_to_the_same_bytes") else {
        return;
    };
    let subjects = subject::all();
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for line in fs::read_to_string(directory.join("vectors.tsv")).unwrap().lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, _, version, variant, name, _, hex] = columns[..] else { panic!("not a sample: {line}") };
        let subject = subjects.iter().find(|subject| subject.schema.name == name);
        let subject = subject.unwrap_or_else(|| panic!("{name} is no message"));
        let version: i16 = version.parse().unwrap();
        seen.insert((subject.schema.name, version));
        let body = golden::bytes(hex);
        match subject.recode(body.clone(), version, version) {
            Ok(encoded) if encoded == body => {}
            Ok(encoded) => {
                failures.push(format!("{} {variant}: {hex} became {encoded:x}", subject.at(version)))
            }
            Err(failure) => failures.push(format!("{} {variant}: {failure:?}", subject.at(version))),
        }
    }
    let expected: BTreeSet<_> = subject::messages()
        .iter()
        .flat_map(|subject| subject.schema.versions.iter().map(|version| (subject.schema.name, version)))
        .collect();
    let lacking: Vec<_> = expected.difference(&seen).copied().collect();
    assert_eq!(lacking, NO_SAMPLES, "messages and versions without a sample");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_sample_that_is_cut_short_is_an_error() {
    let Some(directory) = facts::directory("a_sample_that_is_cut_short_is_an_error") else { return };
    let subjects = subject::all();
    for line in fs::read_to_string(directory.join("vectors.tsv")).unwrap().lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let Some(subject) = subjects.iter().find(|subject| subject.schema.name == columns[4]) else {
            continue;
        };
        let version: i16 = columns[2].parse().unwrap();
        let body: Bytes = golden::bytes(columns[6]);
        for length in 0..body.len() {
            let cut = subject.recode(body.slice(..length), version, version);
            assert!(cut.is_err(), "{}, {length} of {} bytes", subject.at(version), body.len());
        }
    }
}
