//! Ours and the crate `kafka-protocol`: both read what a careful peer sends and write the same bytes. So they do with
//! changed bytes if those are a message in the one way in which it is written. Other bytes are not theirs to judge: they
//! reserve whatever a count says.
#![no_main]

#[path = "../../crates/headwater-oracle/tests/differential/pairs.rs"]
mod pairs;

use std::sync::LazyLock;

use bytes::Bytes;
use headwater_codec::MessageSchema;
use headwater_fuzz::message::Case;
use libfuzzer_sys::fuzz_target;
use pairs::{LACKING, Pair};

static PAIRS: LazyLock<(Vec<Pair>, Vec<&'static MessageSchema>)> = LazyLock::new(|| {
    let mut pairs = pairs::messages();
    pairs.extend(pairs::bodies());
    let schemas = pairs.iter().map(|pair| pair.schema).collect();
    (pairs, schemas)
});

fuzz_target!(|data: &[u8]| {
    let (pairs, schemas) = &*PAIRS;
    let Some(case) = Case::read(data, schemas) else { return };
    let (pair, version) = (&pairs[case.message], case.version);
    if LACKING.contains(&(pair.schema.name, version)) {
        return;
    }
    let sound = case.sound.map(|body| (Bytes::from(body), true));
    for (body, is_sound) in sound.into_iter().chain([(Bytes::from(case.any), false)]) {
        let ours = (pair.ours)(body.clone(), version);
        let canonical = ours.as_ref() == Ok(&body);
        assert!(canonical || !is_sound, "ours: {ours:?}");
        if canonical {
            let theirs = (pair.theirs)(body.clone(), version);
            assert_eq!(theirs.as_ref(), Ok(&body), "{} v{version}", pair.schema.name);
        }
    }
});
