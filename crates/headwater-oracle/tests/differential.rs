//! Every API at every version, to the byte.

#[path = "differential/pairs.rs"]
mod pairs;
#[path = "../../headwater-codec/tests/messages/random_body.rs"]
mod random_body;

use bytes::Bytes;
use headwater_codec::{RequestHeaderVersion, ResponseHeaderVersion, registry};
use pairs::{LACKING, Pair, bodies, messages, their_key};
use proptest::prelude::*;
use random_body::{Random, random_body};

fn check(pair: &Pair, version: i16, unknown_tags: bool, random: &mut Random) {
    let name = pair.schema.name;
    let body = Bytes::from(random_body(pair.schema, version, unknown_tags, random));
    let ours = (pair.ours)(body.clone(), version);
    assert_eq!(ours.as_ref(), Ok(&body), "{name} v{version}, ours: {body:x}");
    if LACKING.contains(&(name, version)) {
        return;
    }
    let theirs = (pair.theirs)(body.clone(), version);
    assert_eq!(theirs.as_ref(), Ok(&body), "{name} v{version}, theirs: {body:x}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn both_read_every_body_and_write_the_same_bytes(seed: u64) {
        let mut random = Random::new(seed);
        for pair in messages().iter().chain(&bodies()) {
            for version in pair.schema.versions.iter() {
                check(pair, version, seed % 2 == 0, &mut random);
            }
        }
    }
}

#[test]
fn the_versions_that_the_other_one_lacks_are_the_listed_ones() {
    let mut random = Random::new(1);
    let mut lacking = Vec::new();
    for pair in messages().iter().chain(&bodies()) {
        for version in pair.schema.versions.iter() {
            // A few tries: a body that happens to have nothing new in it may pass for one of an older version.
            let refused = (0..8).all(|_| {
                let body = Bytes::from(random_body(pair.schema, version, false, &mut random));
                (pair.theirs)(body.clone(), version).as_ref() != Ok(&body)
            });
            if refused {
                lacking.push((pair.schema.name, version));
            }
        }
    }
    lacking.sort_unstable();
    assert_eq!(lacking, LACKING);
}

#[test]
fn both_put_the_same_headers_before_a_body() {
    for api in registry::apis() {
        let Ok(theirs) = their_key(api.key()) else { continue };
        for version in api.versions().iter() {
            let request = match api.request_header_version(version) {
                RequestHeaderVersion::V0 => 0,
                RequestHeaderVersion::V1 => 1,
                RequestHeaderVersion::V2 => 2,
            };
            let response = match api.response_header_version(version) {
                ResponseHeaderVersion::V0 => 0,
                ResponseHeaderVersion::V1 => 1,
            };
            assert_eq!(request, theirs.request_header_version(version), "{} v{version}", api.name());
            assert_eq!(response, theirs.response_header_version(version), "{} v{version}", api.name());
        }
    }
}
