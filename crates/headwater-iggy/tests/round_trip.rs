//! What goes in comes out: any record, alone and beside others, and any native message through Kafka and back.

use headwater_iggy::{
    FIELD_LEN_MAX, Form, Kind, Message, PAYLOAD_LEN_MAX, Record, SendWindow, USER_HEADERS_LEN_MAX,
    UserHeaders, from_iggy, from_iggy_lenient, to_iggy,
};
use proptest::{collection::vec, option, prelude::*};

#[derive(Clone, Debug)]
struct Owned {
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Owned {
    fn record(&self) -> Record<'_> {
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.as_bytes(), value.as_deref())).collect();
        Record {
            timestamp: self.timestamp,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: headers.into(),
        }
    }
}

/// Bytes whose lengths crowd around what matters.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => vec(any::<u8>(), 0..20),
        1 => vec(any::<u8>(), 253..258),
        1 => Just(vec![0]),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-d]{0,2}",
        1 => "\\PC{0,8}",
        1 => "[a-z]{245,249}",
        1 => prop::sample::select(vec!["kafka.v".to_owned(), "kafka.h.a".into(), "kafka.o".into()]),
    ]
}

fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(-1),
        Just(0),
        1..10_000_000_i64,
        1_700_000_000_000..1_700_000_010_000_i64,
        Just(i64::MAX / 1000),
    ]
}

fn record() -> impl Strategy<Value = Owned> {
    let header = (name(), prop_oneof![5 => bytes().prop_map(Some), 1 => Just(None)]);
    (timestamp(), option::of(bytes()), option::of(bytes()), vec(header, 0..7))
        .prop_map(|(timestamp, key, value, headers)| Owned { timestamp, key, value, headers })
}

/// The form that the written rules give a small record.
fn expected_form(record: &Owned) -> Form {
    let field = |bytes: &[u8]| (1..=FIELD_LEN_MAX).contains(&bytes.len());
    let mut names: Vec<_> = record.headers.iter().map(|(name, _)| name).collect();
    names.sort();
    let fits = record.key.as_deref().is_none_or(field)
        && record
            .headers
            .iter()
            .all(|(name, value)| name.len() + 8 <= FIELD_LEN_MAX && value.as_deref().is_some_and(field))
        && names.windows(2).all(|two| two[0] != two[1]);
    if fits { Form::Plain } else { Form::Envelope }
}

/// A user headers block as a native producer may have written it.
fn block() -> impl Strategy<Value = Vec<u8>> {
    let field = || {
        prop_oneof![
            4 => (1..=2_u8, vec(any::<u8>(), 1..9)),
            1 => (Just(2_u8), "[a-c]{1,2}".prop_map(String::into_bytes)),
            1 => (Just(7_u8), vec(any::<u8>(), 8)),
        ]
    };
    vec((field(), field()), 0..6).prop_map(|pairs| {
        let mut block = Vec::new();
        for (kind, bytes) in pairs.into_iter().flat_map(|(key, value)| [key, value]) {
            block.push(kind);
            block.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            block.extend_from_slice(&bytes);
        }
        block
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_record_comes_back_equal(records in vec(record(), 1..4), server_time in any::<u64>()) {
        let window = SendWindow::of(records.iter().map(|record| record.timestamp));
        let mut origins = Vec::new();
        for owned in &records {
            let record = owned.record();
            let mapped = to_iggy(&record, window)?;
            prop_assert_eq!(mapped.form, expected_form(owned));
            prop_assert!((1..=PAYLOAD_LEN_MAX).contains(&mapped.payload.len()));
            prop_assert!(mapped.user_headers.len() <= USER_HEADERS_LEN_MAX);
            // What is written is sorted already, and without repeats.
            let headers = UserHeaders::parse(&mapped.user_headers).expect("our own headers");
            let total: usize = headers.iter().map(|h| 10 + h.key.len() + h.value.len()).sum();
            prop_assert_eq!(total, mapped.user_headers.len());
            prop_assert!(headers.iter().all(|header| header.key_kind == Kind::STRING));
            let message = Message {
                offset: 0,
                timestamp: server_time,
                origin_timestamp: mapped.origin_timestamp,
                user_headers: &mapped.user_headers,
                payload: &mapped.payload,
            };
            prop_assert_eq!(from_iggy(&message)?, record);
            origins.push(mapped.origin_timestamp);
        }
        let span = origins.iter().max().unwrap() - origins.iter().min().unwrap();
        prop_assert!(span <= u64::from(u32::MAX));
    }

    #[test]
    fn any_native_message_goes_through_kafka_unchanged(
        block in block(), payload in vec(any::<u8>(), 1..40), origin_timestamp in any::<u64>(),
    ) {
        let message = Message { offset: 9, timestamp: 5, origin_timestamp, user_headers: &block, payload: &payload };
        let (record, _) = from_iggy_lenient(&message);
        // A Kafka client reads it and writes it to another topic.
        let mapped = to_iggy(&record, SendWindow::of([record.timestamp]));
        if record.timestamp > i64::MAX / 1000 {
            prop_assert!(mapped.is_err());
            return Ok(());
        }
        let mapped = mapped?;
        let copy = Message {
            origin_timestamp: mapped.origin_timestamp,
            user_headers: &mapped.user_headers,
            payload: &mapped.payload,
            ..message
        };
        prop_assert_eq!(from_iggy(&copy)?, record);
    }

    #[test]
    fn any_bytes_under_our_version_are_read_or_refused(
        mut block in block(), payload in vec(any::<u8>(), 0..60), envelope: bool,
    ) {
        let version = b"\x02\x07\0\0\0kafka.v\x01\x01\0\0\0\x01";
        block.extend_from_slice(version);
        if envelope {
            block.extend_from_slice(b"\x02\x0e\0\0\0kafka.envelope\x01\x01\0\0\0\x01");
        }
        let message = Message { user_headers: &block, payload: &payload, ..Message::default() };
        let (record, error) = from_iggy_lenient(&message);
        prop_assert_eq!(from_iggy(&message).err(), error);
        if error.is_some() {
            prop_assert_eq!((record.key, record.value), (None, Some(&payload[..])));
        }
    }
}
