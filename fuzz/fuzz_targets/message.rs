//! Every message and record at every version: what a careful peer sends comes out as it went in, and what becomes of
//! it when bytes change does no harm.
#![no_main]

#[path = "../../crates/headwater-codec/tests/messages/subject.rs"]
#[allow(dead_code, reason = "the codec's own tests do more with it")]
mod subject;

use std::sync::LazyLock;

use bytes::Bytes;
use headwater_codec::{MessageSchema, Reader};
use headwater_fuzz::message::Case;
use headwater_fuzz::within_budget;
use libfuzzer_sys::fuzz_target;
use subject::Subject;

static SUBJECTS: LazyLock<(Vec<Subject>, Vec<&'static MessageSchema>)> = LazyLock::new(|| {
    let subjects = subject::all();
    let schemas = subjects.iter().map(|subject| subject.schema).collect();
    (subjects, schemas)
});

fuzz_target!(|data: &[u8]| {
    let (subjects, schemas) = &*SUBJECTS;
    let Some(case) = Case::read(data, schemas) else { return };
    let (subject, version) = (&subjects[case.message], case.version);
    if let Some(body) = case.sound {
        let body = Bytes::from(body);
        let again = subject.recode(body.clone(), version, version);
        assert_eq!(again.expect("a careful peer's body can be read and written"), body);
    }
    let body = Bytes::from(case.any);
    let decode = || subject.decode(body.clone(), version);
    if within_budget(body.len(), Reader::BUDGET_PER_BYTE, decode).is_ok() {
        let written = subject.recode(body, version, version).expect("what was read can be written");
        let again = subject.recode(written.clone(), version, version);
        assert_eq!(again.expect("what was written can be read"), written);
    }
});
