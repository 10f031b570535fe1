use headwater_records::Compression;

use super::*;

fn find(log: &Log, target: TimestampTarget) -> Option<(i64, i64)> {
    let view = log.view();
    let found = view.find_timestamp::<crate::KafkaBatches>(target, view.end()).unwrap();
    found.map(|found| (found.offset.get(), found.timestamp_ms))
}

fn check(timestamps: &[i64], expected: &[(i64, Option<(i64, i64)>)]) {
    for codec in [Compression::None, Compression::Gzip, Compression::Zstd] {
        for single in [false, true] {
            let mut f = Fixture::new();
            let mut one = BatchBuilder::new().compression(codec);
            for timestamp in timestamps {
                if single {
                    one.push(*timestamp, None, Some(b"v"), &[]).unwrap();
                } else {
                    let mut builder = BatchBuilder::new().compression(codec);
                    builder.push(*timestamp, None, Some(b"v"), &[]).unwrap();
                    f.log.append_one(builder.build().unwrap(), EPOCH, NOW).unwrap();
                }
            }
            if single {
                f.log.append_one(one.build().unwrap(), EPOCH, NOW).unwrap();
            }
            for (target, found) in expected {
                assert_eq!(
                    find(&f.log, TimestampTarget::AtOrAfter(*target)),
                    *found,
                    "{timestamps:?} for {target}, codec {codec}, one batch: {single}"
                );
            }
        }
    }
}

#[test]
fn a_time_between_two_records_finds_the_later_one() {
    check(
        &[2, 4, 6, 8],
        &[
            (2, Some((0, 2))),
            (3, Some((1, 4))),
            (4, Some((1, 4))),
            (5, Some((2, 6))),
            (8, Some((3, 8))),
            (9, None),
        ],
    );
}

#[test]
fn out_of_order_times_find_the_first_in_offset_order() {
    check(&[6, 2, 8, 4], &[(2, Some((0, 6))), (7, Some((2, 8))), (8, Some((2, 8)))]);
}

#[test]
fn the_largest_timestamp_is_found_first_in_offset_order() {
    let mut f = Fixture::with(|config| config.segment_bytes = 1000);
    for timestamp in [5, 9, 9, 3, 9, 1] {
        f.append(1, 300, timestamp);
    }
    assert_eq!(find(&f.log, TimestampTarget::Max), Some((1, 9)));
    f.reopen(None, false).unwrap();
    assert_eq!(find(&f.log, TimestampTarget::Max), Some((1, 9)));
}

#[test]
fn every_time_is_found_through_the_index_of_many_segments() {
    let mut f = Fixture::with(|config| {
        config.segment_bytes = 20_000;
        config.index_interval_bytes = 500;
    });
    for index in 0..300 {
        f.append(3, 200, 1000 + index * 10);
    }
    for clean in [true, false] {
        for index in [0, 1, 77, 150, 299] {
            let (offset, timestamp) = (3 * index, 1000 + index * 10);
            assert_eq!(find(&f.log, TimestampTarget::AtOrAfter(timestamp)), Some((offset, timestamp)));
            assert_eq!(
                find(&f.log, TimestampTarget::AtOrAfter(timestamp + 1)),
                Some((offset + 1, timestamp + 1))
            );
        }
        assert_eq!(find(&f.log, TimestampTarget::AtOrAfter(1_000_000)), None);
        f.log.close(NOW).unwrap();
        f.reopen(Some(900), clean).unwrap();
    }
}

#[test]
fn records_below_the_start_or_beyond_the_limit_are_not_found() {
    let mut f = Fixture::new();
    for timestamp in [5, 9, 7, 11] {
        f.append(1, 30, timestamp);
    }
    let view = f.log.view();
    let upto = view.place_of::<crate::KafkaBatches>(3, crate::scan::Wait::ForDisk).unwrap();
    let max = view.find_timestamp::<crate::KafkaBatches>(TimestampTarget::Max, upto).unwrap().unwrap();
    assert_eq!((max.offset.get(), max.timestamp_ms), (1, 9));
    assert_eq!(
        view.find_timestamp::<crate::KafkaBatches>(TimestampTarget::AtOrAfter(10), upto).unwrap(),
        None
    );
    f.log.delete_records(Offset::new(2).unwrap(), f.log.log_end(), NOW).unwrap();
    assert_eq!(find(&f.log, TimestampTarget::AtOrAfter(5)), Some((2, 7)));
}
