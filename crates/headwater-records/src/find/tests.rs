use headwater_codec::Offset;

use crate::{Batch, BatchMut, Compression, RecordError, testing::batch_at};

const MAX: usize = 1 << 20;

fn offset(raw: i64) -> Offset {
    Offset::new(raw).unwrap()
}

/// Looks for `target` in a batch of these timestamps that starts at offset 10, with every codec.
fn check(timestamps: &[i64], target: i64, expected: Option<(i64, i64)>) {
    for codec in Compression::ALL {
        let mut bytes = batch_at(codec, timestamps);
        BatchMut::new(&mut bytes).unwrap().set_base_offset(offset(10));
        let found = Batch::parse(&bytes).unwrap().first_at_or_after(target, offset(0), MAX).unwrap();
        assert_eq!(
            found.map(|(offset, time)| (offset.get(), time)),
            expected,
            "{codec}: {target} in {timestamps:?}"
        );
    }
}

#[test]
fn finds_the_first_record_at_or_after_a_time() {
    let timestamps = [2, 4, 6, 8];
    check(&timestamps, 0, Some((10, 2)));
    check(&timestamps, 2, Some((10, 2)));
    check(&timestamps, 3, Some((11, 4)));
    check(&timestamps, 4, Some((11, 4)));
    check(&timestamps, 5, Some((12, 6)));
    check(&timestamps, 8, Some((13, 8)));
    check(&timestamps, 9, None);
}

#[test]
fn goes_by_offset_when_times_are_out_of_order() {
    let timestamps = [6, 2, 8, 4];
    check(&timestamps, 2, Some((10, 6)));
    check(&timestamps, 7, Some((12, 8)));
    check(&timestamps, 8, Some((12, 8)));
}

#[test]
fn looks_only_from_the_given_offset_on() {
    for codec in Compression::ALL {
        let mut bytes = batch_at(codec, &[2, 4, 6, 8]);
        BatchMut::new(&mut bytes).unwrap().set_base_offset(offset(10));
        let batch = Batch::parse(&bytes).unwrap();
        let find =
            |from| batch.first_at_or_after(3, offset(from), MAX).unwrap().map(|(offset, _)| offset.get());
        assert_eq!(find(12), Some(12));
        assert_eq!(find(13), Some(13));
        assert_eq!(find(14), None);
    }
}

#[test]
fn the_largest_timestamp_is_that_of_the_first_record_that_has_it() {
    for codec in Compression::ALL {
        let at_max = |timestamps: &[i64]| {
            let bytes = batch_at(codec, timestamps);
            let found = Batch::parse(&bytes).unwrap().first_at_max_timestamp(MAX).unwrap();
            found.map(|(offset, timestamp)| (offset.get(), timestamp))
        };
        assert_eq!(at_max(&[2, 9, 4, 9]), Some((1, 9)));
        assert_eq!(at_max(&[7]), Some((0, 7)));
        assert_eq!(at_max(&[-1, -1]), None);
    }
}

#[test]
fn with_log_append_time_the_first_record_answers() {
    for codec in Compression::ALL {
        let mut bytes = batch_at(codec, &[2, 9, 4]);
        BatchMut::new(&mut bytes).unwrap().set_log_append_time(50);
        let batch = Batch::parse(&bytes).unwrap();
        assert_eq!(batch.first_at_or_after(10, offset(0), MAX).unwrap(), Some((offset(0), 50)));
        assert_eq!(batch.first_at_or_after(50, offset(2), MAX).unwrap(), Some((offset(2), 50)));
        assert_eq!(batch.first_at_or_after(51, offset(0), MAX).unwrap(), None);
        assert_eq!(batch.first_at_max_timestamp(MAX).unwrap(), Some((offset(0), 50)));
    }
}

#[test]
fn a_lookup_unpacks_within_its_bound() {
    let times: Vec<i64> = (0..20_000).collect();
    for codec in &Compression::ALL[1..] {
        let bytes = batch_at(*codec, &times);
        let batch = Batch::parse(&bytes).unwrap();
        let error = batch.first_at_or_after(19_999, offset(0), 50_000).unwrap_err();
        assert!(matches!(error, RecordError::UnpackedTooLarge { max: 50_000, .. }), "{error}");
        assert_eq!(batch.first_at_or_after(19_999, offset(0), MAX).unwrap(), Some((offset(19_999), 19_999)));
    }
}
