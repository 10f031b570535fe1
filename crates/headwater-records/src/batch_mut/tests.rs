use super::*;
use crate::{
    Compression, check,
    testing::{NOW_MS, batch_at},
};

#[test]
fn placing_a_batch_leaves_its_checksum() {
    let mut bytes = batch_at(Compression::None, &[1, 2, 3]);
    let before = bytes.clone();
    let mut batch = BatchMut::new(&mut bytes).unwrap();
    batch.set_base_offset(Offset::new(77).unwrap());
    batch.set_leader_epoch(LeaderEpoch::new(4));
    assert_eq!(batch.header().base_offset.get(), 77);
    let header = check(&bytes).unwrap();
    assert_eq!(
        (header.base_offset.get(), header.last_offset().get(), header.leader_epoch.get()),
        (77, 79, 4)
    );
    assert_eq!(bytes[17..], before[17..]);
}

#[test]
fn log_append_time_is_set_with_a_checksum_that_fits() {
    for codec in Compression::ALL {
        let mut bytes = batch_at(codec, &[1, 2, 3]);
        let records = bytes[61..].to_vec();
        BatchMut::new(&mut bytes).unwrap().set_log_append_time(NOW_MS);
        let header = check(&bytes).unwrap();
        assert_eq!(header.attributes.timestamp_type(), TimestampType::LogAppendTime);
        assert_eq!(header.attributes.codec(), Some(codec));
        assert_eq!((header.base_timestamp, header.max_timestamp), (1, NOW_MS));
        assert_eq!(bytes[61..], records);
    }
}

#[test]
fn rewriting_needs_the_whole_batch() {
    let mut bytes = batch_at(Compression::None, &[1]);
    let need = bytes.len();
    assert_eq!(
        BatchMut::new(&mut bytes[..need - 1]).unwrap_err(),
        BatchError::Truncated { have: need - 1, need }
    );
}
