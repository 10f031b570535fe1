use headwater_codec::{ProducerEpoch, ProducerId};

use super::*;
use crate::{BatchBuilder, ProduceRules, check, testing::NOW_MS, validate};

const MAX: usize = 1 << 20;

fn built(codec: Compression) -> ValidatedBatch {
    let mut builder =
        BatchBuilder::new().compression(codec).producer(ProducerId::new(4), ProducerEpoch::new(1), 10);
    for index in 0..100 {
        builder.push(NOW_MS - index, None, Some(&[b'v'; 100]), &[(b"h", None)]).unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn repacking_changes_the_codec_and_nothing_else() {
    for from in Compression::ALL {
        for to in Compression::ALL {
            let batch = built(from).repacked(to, MAX).unwrap();
            let bytes = batch.to_bytes();
            assert_eq!(check(&bytes).unwrap(), *batch.header());
            assert_eq!(bytes, built(to).to_bytes(), "{from} to {to}");
            let validated = validate(bytes, &ProduceRules::new(NOW_MS)).unwrap();
            assert_eq!(validated.unpacked_len(), batch.unpacked_len());
            assert_eq!(validated.max_timestamp_offset_delta(), batch.max_timestamp_offset_delta());
        }
    }
}

#[test]
fn repacking_is_bounded() {
    let batch = built(Compression::Gzip);
    let max = batch.unpacked_len() - 1;
    assert!(matches!(batch.repacked(Compression::None, max), Err(RecordError::UnpackedTooLarge { .. })));
}
