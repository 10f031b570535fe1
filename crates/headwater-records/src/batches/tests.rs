use super::*;
use crate::{Compression, testing::batch_at};

fn three() -> (Vec<u8>, usize) {
    let one = batch_at(Compression::None, &[1, 2]);
    ([one.clone(), batch_at(Compression::Gzip, &[3]), one.clone()].concat(), one.len())
}

#[test]
fn goes_through_whole_batches() {
    let (bytes, last_len) = three();
    let mut batches = Batches::new(&bytes);
    let counts: Vec<i32> = batches.by_ref().map(|batch| batch.unwrap().header().record_count).collect();
    assert_eq!(counts, [2, 1, 2]);
    assert!(batches.remaining().is_empty());
    let last = Batches::new(&bytes).last().unwrap().unwrap();
    assert_eq!(last.bytes(), &bytes[bytes.len() - last_len..]);
    assert_eq!(last.packed_records().len() + 61, last_len);
}

#[test]
fn a_partial_tail_ends_it_without_an_error_and_is_told() {
    let (bytes, last_len) = three();
    for cut in 1..last_len {
        let mut batches = Batches::new(&bytes[..bytes.len() - cut]);
        assert_eq!(batches.by_ref().filter(|batch| batch.is_ok()).count(), 2);
        assert_eq!(batches.remaining().len(), last_len - cut);
        assert!(batches.next().is_none());
    }
}

#[test]
fn an_unsound_batch_is_told_once() {
    let (mut bytes, last_len) = three();
    let at = bytes.len() - last_len + 16;
    bytes[at] = 1;
    let results: Vec<_> = Batches::new(&bytes).map(|batch| batch.map(|_| ())).collect();
    assert_eq!(results, [Ok(()), Ok(()), Err(BatchError::OldMagic { magic: 1 })]);
}

#[test]
fn nothing_is_no_batches() {
    assert!(Batches::new(&[]).next().is_none());
}

#[test]
fn a_changed_byte_anywhere_under_the_checksum_is_found() {
    let bytes = batch_at(Compression::None, &[1]);
    assert!(check(&bytes).is_ok());
    for at in 17..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        let error = check(&changed).unwrap_err();
        assert!(
            matches!(error, BatchError::BadCrc { .. } | BatchError::BadOffsets { .. }),
            "byte {at}: {error}"
        );
    }
}

#[test]
fn checking_ignores_what_follows_the_batch_and_wants_all_of_it() {
    let (bytes, last_len) = three();
    assert_eq!(check(&bytes).unwrap().total_len(), last_len);
    assert!(matches!(check(&bytes[..last_len - 1]), Err(BatchError::Truncated { .. })));
}
