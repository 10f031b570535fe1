//! Random bodies of every message at every version.

use bytes::Bytes;
use proptest::prelude::*;

use crate::random_body::{Random, random_body};
use crate::subject::{self, Failure, Subject};

fn for_each_version(subjects: &[Subject], mut check: impl FnMut(&Subject, i16)) {
    for subject in subjects {
        for version in subject.schema.versions.iter() {
            check(subject, version);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_decoded_encodes_to_the_same_bytes(seed: u64) {
        let mut random = Random::new(seed);
        for_each_version(&subject::all(), |subject, version| {
            // Structures that are never flexible have nowhere to keep unknown tags, and none ever come.
            let body = Bytes::from(random_body(subject.schema, version, true, &mut random));
            let encoded = subject.recode(body.clone(), version, version);
            let encoded = encoded.unwrap_or_else(|failure| panic!("{}: {failure:?}: {body:x}", subject.at(version)));
            assert_eq!(encoded, body, "{}", subject.at(version));
        });
    }

    #[test]
    fn in_another_version_a_message_is_written_soundly_or_refused(seed: u64) {
        let mut random = Random::new(seed);
        for_each_version(&subject::all(), |subject, version| {
            let body = Bytes::from(random_body(subject.schema, version, false, &mut random));
            for other in subject.schema.versions.iter() {
                match subject.recode(body.clone(), version, other) {
                    Ok(written) => {
                        let again = subject.recode(written.clone(), other, other).expect("it was written");
                        assert_eq!(again, written, "{} as v{other}", subject.at(version));
                    }
                    Err(Failure::Encode(_)) => assert_ne!(version, other, "{}", subject.at(version)),
                    Err(Failure::Decode(error)) => panic!("{}: {error}", subject.at(version)),
                }
            }
        });
    }

    #[test]
    fn damaged_bodies_are_refused_or_read_but_never_panic(seed: u64) {
        let mut random = Random::new(seed);
        for_each_version(&subject::all(), |subject, version| {
            let mut body = random_body(subject.schema, version, true, &mut random);
            for _ in 0..1 + random.below(3) {
                if !body.is_empty() {
                    let index = random.below(body.len() as u64) as usize;
                    body[index] = random.next() as u8;
                }
            }
            // Either is fine: what matters is that it comes back.
            let _ = subject.recode(Bytes::from(body), version, version);
        });
    }

    #[test]
    fn a_body_that_is_cut_short_is_an_error(seed: u64) {
        let mut random = Random::new(seed);
        for_each_version(&subject::all(), |subject, version| {
            let body = Bytes::from(random_body(subject.schema, version, true, &mut random));
            if !body.is_empty() {
                let length = random.below(body.len() as u64) as usize;
                let cut = subject.recode(body.slice(..length), version, version);
                assert!(matches!(cut, Err(Failure::Decode(_))), "{}, {length} of {} bytes", subject.at(version), body.len());
            }
        });
    }
}

#[test]
fn defaults_can_be_written_in_every_version_and_read_back() {
    for_each_version(&subject::all(), |subject, version| {
        let body = subject
            .encode_default(version)
            .unwrap_or_else(|error| panic!("{}: {error}", subject.at(version)));
        let again = subject.recode(body.clone(), version, version);
        assert_eq!(again.unwrap_or_else(|failure| panic!("{}: {failure:?}", subject.at(version))), body);
    });
}
