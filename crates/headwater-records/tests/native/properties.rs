//! What is written reads back, the old reader agrees, and whatever is read does no harm.

use headwater_codec::{ProducerEpoch, ProducerId};
use headwater_records::native::{
    HeaderBlock, HeaderBlockBuilder, NativeError, NativeFields, NativeHead, NativeRecord, ValueCodec, check,
};
use proptest::{collection::vec, option, prelude::*, sample::Index};

use super::old_reader;

#[derive(Clone, Debug)]
struct Given {
    timestamp_ms: i64,
    control: bool,
    producer: Option<(i64, i16)>,
    key: Vec<u8>,
    value: Vec<u8>,
    codec: ValueCodec,
    headers: Vec<(Vec<u8>, Vec<u8>)>,
}

fn given() -> impl Strategy<Value = Given> {
    let bytes = || prop_oneof![4 => vec(any::<u8>(), 0..40), 1 => vec(0..4_u8, 0..5_000)];
    let name = prop_oneof![vec(any::<u8>(), 0..20), Just(b"same".to_vec())];
    (
        0..=i64::MAX,
        any::<bool>(),
        option::of((0..=i64::MAX, any::<i16>())),
        bytes(),
        bytes(),
        prop::sample::select(ValueCodec::ALL.to_vec()),
        vec((name, bytes()), 0..5),
    )
        .prop_map(|(timestamp_ms, control, producer, key, value, codec, headers)| Given {
            timestamp_ms,
            control,
            producer,
            key,
            value,
            codec,
            headers,
        })
}

impl Given {
    fn write(&self, log: &mut Vec<u8>) {
        let mut headers = HeaderBlockBuilder::new();
        for (name, value) in &self.headers {
            headers.push(name, value).expect("short headers");
        }
        let fields = NativeFields {
            timestamp_ms: self.timestamp_ms,
            control: self.control,
            producer: self.producer.map(|(id, epoch)| (ProducerId::new(id), ProducerEpoch::new(epoch))),
            key: &self.key,
            codec: self.codec,
            stored_value: &self.codec.pack(&self.value).expect("packed"),
        };
        fields.write(headers.block(), log).expect("a record");
    }
}

/// Reads in every way there is; only a panic would fail.
fn look_into(bytes: &[u8]) {
    let _ = NativeHead::parse(bytes);
    let _ = HeaderBlock::parse(bytes);
    if let Ok(record) = NativeRecord::parse(bytes) {
        assert_eq!(record.headers().iter().count(), record.headers().len());
        let _ = (record.key(), record.value(1 << 20), record.fields());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_reads_back(records in vec(given(), 1..6)) {
        let mut log = Vec::new();
        records.iter().for_each(|given| given.write(&mut log));
        let mut rest = &log[..];
        for given in &records {
            let record = NativeRecord::checked(rest).unwrap();
            let headers: Vec<_> = record.headers().iter().map(|(n, v)| (n.to_vec(), v.to_vec())).collect();
            prop_assert_eq!(&headers, &given.headers);
            prop_assert_eq!(record.head().attributes().has_headers(), !given.headers.is_empty());
            prop_assert_eq!(record.key(), &given.key);
            prop_assert_eq!(&*record.value(given.value.len()).unwrap(), &given.value);
            prop_assert_eq!(record.head().timestamp_ms(), given.timestamp_ms);
            // Writing again what was read changes no byte.
            let mut again = Vec::new();
            record.fields().write(record.headers(), &mut again).unwrap();
            prop_assert_eq!(&again[..], record.bytes());
            prop_assert_eq!(NativeHead::parse(&rest[..rest.len().min(NativeHead::LEN_MAX)]), Ok(*record.head()));
            rest = &rest[record.head().total_len()..];
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn without_headers_the_old_reader_sees_the_same(given in given()) {
        let given = Given { headers: Vec::new(), ..given };
        let mut log = Vec::new();
        given.write(&mut log);
        log.extend_from_slice(b"trailing");
        let read = old_reader::read(&log).unwrap();
        let record = NativeRecord::checked(&log).unwrap();
        prop_assert_eq!(read.attributes, record.head().attributes().bits());
        prop_assert_eq!((&read.key[..], &read.stored_value[..]), (record.key(), record.stored_value()));
        prop_assert_eq!(read.timestamp_ms as i64, given.timestamp_ms);
        prop_assert_eq!(read.producer.map(|(id, epoch)| (id as i64, epoch as i16)), given.producer);
    }

    #[test]
    fn a_changed_record_does_no_harm(given in given(), changes in vec((any::<Index>(), any::<u8>()), 1..6)) {
        let mut log = Vec::new();
        given.write(&mut log);
        let sound = log.clone();
        for (at, byte) in changes {
            let at = at.index(log.len());
            log[at] = byte;
        }
        look_into(&log);
        // The length is under no checksum; a change anywhere else is seen.
        if log[..8] == sound[..8] && log != sound {
            prop_assert!(check(&log).is_err());
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in vec(any::<u8>(), 0..200)) {
        look_into(&bytes);
        let sized = [&[0; 7][..], &[bytes.len() as u8], &bytes].concat();
        look_into(&sized);
        if let Err(NativeError::Truncated { need, .. }) = check(&sized) {
            prop_assert!(need <= sized.len().max(NativeHead::LEN_MAX));
        }
    }
}
