//! `iggy_common` as the judge: what the mapping writes is what Iggy's own types write and accept, and what it reads is
//! what they read.

use std::collections::BTreeMap;

use bytes::Bytes;
use headwater_iggy::{
    Form, Message, Record, SendWindow, USER_HEADERS_LEN_MAX, UserHeaders, from_iggy, from_iggy_lenient,
    to_iggy,
};
use iggy_binary_protocol::batch::decode_batch_slice;
use iggy_binary_protocol::requests::messages::{RawMessage, SendMessagesEncoder};
use iggy_binary_protocol::{WireIdentifier, WirePartitioning};
use iggy_common::{HeaderKey, HeaderKind, HeaderValue, IggyError, IggyMessage};
use proptest::{collection::vec, option, prelude::*};

type Headers = Vec<(String, Option<Vec<u8>>)>;

/// The message as Iggy's own builder makes it, from what the mapping page says and not from our bytes.
fn judged(record: &Record<'_>, headers: &Headers, explicit: bool) -> Result<IggyMessage, IggyError> {
    let text = |key: &str| HeaderKey::try_from(key);
    let raw = |value: &[u8]| HeaderValue::try_from(value);
    let mut map = BTreeMap::new();
    map.insert(text("kafka.v")?, raw(&[1])?);
    if explicit {
        map.insert(text("kafka.ts")?, HeaderValue::from(record.timestamp));
    }
    if let Some(key) = record.key {
        map.insert(text("kafka.key")?, raw(key)?);
    }
    for (name, value) in headers {
        map.insert(text(&format!("kafka.h.{name}"))?, raw(value.as_deref().unwrap_or_default())?);
    }
    let mut sorted: Vec<_> = headers.iter().map(|(name, _)| name.as_bytes()).collect();
    sorted.sort_unstable();
    let place = |name: &str| sorted.iter().position(|other| *other == name.as_bytes()).unwrap_or(0) as u8;
    let order: Vec<u8> = headers.iter().map(|(name, _)| place(name)).collect();
    if !order.is_sorted() {
        map.insert(text("kafka.o")?, raw(&order)?);
    }
    let payload = match record.value {
        None => {
            map.insert(text("kafka.value")?, raw(b"null")?);
            Bytes::from_static(&[0])
        }
        Some([]) => {
            map.insert(text("kafka.value")?, raw(b"empty")?);
            Bytes::from_static(&[0])
        }
        Some(value) => Bytes::copy_from_slice(value),
    };
    IggyMessage::builder().payload(payload).user_headers(map).build()
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => vec(any::<u8>(), 0..12), 1 => vec(any::<u8>(), 254..258)]
}

fn headers() -> impl Strategy<Value = Headers> {
    vec(("[a-c]{0,2}", prop_oneof![6 => bytes().prop_map(Some), 1 => Just(None)]), 0..5)
}

/// Bytes that are often a block of user headers.
fn block() -> impl Strategy<Value = Vec<u8>> {
    let field = (prop_oneof![6 => 1..4_u8, 1 => any::<u8>()], vec(any::<u8>(), 0..9), 0..12_u32).prop_map(
        |(kind, bytes, lie)| {
            // One in twelve has a wrong length.
            let length = bytes.len() as u32 + u32::from(lie == 0);
            [&[kind][..], &length.to_le_bytes(), &bytes].concat()
        },
    );
    vec(field, 0..7).prop_map(|fields| fields.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn plain_messages_are_those_that_iggys_builder_makes(
        timestamp in prop_oneof![Just(-1), Just(0), 1..9_000_000_000_000_i64],
        key in option::of(bytes()), value in option::of(bytes()), headers in headers(),
    ) {
        let refs: Vec<_> = headers.iter().map(|(name, value)| (name.as_bytes(), value.as_deref())).collect();
        let record = Record { timestamp, key: key.as_deref(), value: value.as_deref(), headers: refs.into() };
        let mapped = to_iggy(&record, SendWindow::of([timestamp]))?;
        let judge = judged(&record, &headers, timestamp == 0);
        let names: std::collections::BTreeSet<_> = headers.iter().map(|(name, _)| name).collect();
        match mapped.form {
            Form::Plain => {
                let judge = judge.expect("Iggy takes what takes the plain form");
                prop_assert_eq!(judge.user_headers.as_deref(), Some(&mapped.user_headers[..]));
                prop_assert_eq!(&judge.payload[..], &mapped.payload[..]);
            }
            // The envelope is for what Iggy refuses, and for repeats, which its map would hide.
            Form::Envelope => prop_assert!(judge.is_err() || names.len() < headers.len()),
        }
        prop_assert!(mapped.user_headers.len() <= USER_HEADERS_LEN_MAX);
        accepted(&mapped.user_headers, &mapped.payload, mapped.origin_timestamp);
    }

    #[test]
    fn user_headers_are_read_as_iggy_reads_them(block in block()) {
        let message = IggyMessage { user_headers: Some(Bytes::from(block.clone())), ..IggyMessage::default() };
        let theirs = message.user_headers_map();
        let ours = UserHeaders::parse(&block);
        match (theirs, ours) {
            (Ok(Some(theirs)), Some(ours)) => {
                let theirs: Vec<_> = theirs
                    .iter()
                    .map(|(key, value)| {
                        (key.kind().as_code(), key.as_bytes().to_vec(), value.kind().as_code(), value.as_bytes().to_vec())
                    })
                    .collect();
                let ours: Vec<_> = ours
                    .iter()
                    .map(|h| (h.key_kind.code(), h.key.to_vec(), h.value_kind.code(), h.value.to_vec()))
                    .collect();
                prop_assert_eq!(ours, theirs);
            }
            (Ok(Some(_)), None) => prop_assert!(false, "Iggy reads what we refuse"),
            (_, Some(_)) => prop_assert!(false, "we read what Iggy refuses"),
            (_, None) => {}
        }
    }

    #[test]
    fn native_messages_of_iggys_own_types_become_records_and_come_back(
        keys in vec(("[a-z.]{1,9}", 1..9_u8, any::<i64>()), 0..5), payload in vec(any::<u8>(), 1..30),
    ) {
        let mut map = BTreeMap::new();
        for (name, kind, number) in keys {
            let key = HeaderKey::try_from(name.as_str()).expect("a key");
            let value = match kind {
                1 => HeaderValue::from(number),
                2 => HeaderValue::from(number as i32),
                3 => HeaderValue::from(number > 0),
                4 => HeaderValue::from(number as f64),
                5 => HeaderValue::from(number as u128),
                _ => HeaderValue::try_from(number.to_string().as_str()).expect("a text"),
            };
            map.insert(key, value);
        }
        let sent = IggyMessage::builder().payload(payload.into()).user_headers(map.clone()).build().expect("a message");
        let message = Message {
            timestamp: 7_000,
            origin_timestamp: sent.header.origin_timestamp,
            user_headers: sent.user_headers.as_deref().unwrap_or_default(),
            payload: &sent.payload,
            ..Message::default()
        };
        let (record, fault) = from_iggy_lenient(&message);
        prop_assert_eq!(fault, None);
        prop_assert_eq!((record.key, record.value), (None, Some(&sent.payload[..])));
        let stored: Vec<_> = map.iter().map(|(key, value)| (key.as_bytes(), Some(value.as_bytes()))).collect();
        prop_assert_eq!(record.headers.clone().collect::<Vec<_>>(), stored);
        // Written by a Kafka client it is the same record.
        let mapped = to_iggy(&record, SendWindow::of([record.timestamp]))?;
        let again = Message {
            origin_timestamp: mapped.origin_timestamp,
            user_headers: &mapped.user_headers,
            payload: &mapped.payload,
            ..message
        };
        prop_assert_eq!(from_iggy(&again)?, record);
    }
}

/// The message goes into a send, and is in it as the server decodes it.
fn accepted(user_headers: &[u8], payload: &[u8], origin_timestamp: u64) {
    let (stream, topic) = (WireIdentifier::numeric(1), WireIdentifier::numeric(2));
    let partitioning = WirePartitioning::PartitionId(0);
    let message = RawMessage { id: 1, origin_timestamp, headers: Some(user_headers), payload };
    let mut body = bytes::BytesMut::new();
    SendMessagesEncoder::encode(&mut body, &stream, &topic, &partitioning, &[message])
        .expect("it can be sent");
    let metadata = u32::from_le_bytes(body[..4].try_into().expect("a length")) as usize;
    let batch = decode_batch_slice(&body[4 + metadata..]).expect("a sound batch");
    let view = batch.iter().next().expect("a message");
    assert_eq!((view.user_headers, view.payload), (user_headers, payload));
    iggy_binary_protocol::validate_user_headers(view.user_headers).expect("sound user headers");
}

#[test]
fn kinds_have_iggys_numbers() {
    for (kind, ours) in [
        (HeaderKind::Raw, headwater_iggy::Kind::RAW),
        (HeaderKind::String, headwater_iggy::Kind::STRING),
        (HeaderKind::Int64, headwater_iggy::Kind::INT64),
    ] {
        assert_eq!(kind.as_code(), ours.code());
    }
    assert_eq!(iggy_common::MAX_PAYLOAD_SIZE as usize, headwater_iggy::PAYLOAD_LEN_MAX);
    assert_eq!(iggy_common::MAX_USER_HEADERS_SIZE as usize, USER_HEADERS_LEN_MAX);
}
