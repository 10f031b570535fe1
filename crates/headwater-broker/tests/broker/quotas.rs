//! Client quotas: who is bounded, by what, and how it is told (KIP-13, KIP-219, KIP-546).

use std::time::{Duration, Instant};

use bytes::Bytes;
use headwater_codec::{
    ErrorCode, Str,
    messages::{
        alter_client_quotas::{AlterClientQuotasRequest, EntityData, OpData, RequestEntryData},
        api_versions::ApiVersionsRequest,
        describe_client_quotas::{ComponentData, DescribeClientQuotasRequest},
        produce::ProduceRequest,
        sasl_authenticate::SaslAuthenticateRequest,
        sasl_handshake::SaslHandshakeRequest,
    },
};
use headwater_records::BatchBuilder;

use crate::harness::{Client, Place, TestBroker, fetch_request, now_ms, produce_request};

/// Two windows of one second, so that a second's worth moves at once.
const ONE_SECOND: &str = "quota.window.num=2";
/// What comes at once comes in this time, on the slowest machine.
const AT_ONCE: Duration = Duration::from_secs(2);
const PRODUCE: &str = "producer_byte_rate";
const FETCH: &str = "consumer_byte_rate";

type Entity<'a> = &'a [(&'a str, Option<&'a str>)];

fn entity(parts: Entity<'_>) -> Vec<EntityData> {
    let part = |(entity_type, name): &(&str, Option<&str>)| EntityData {
        entity_type: (*entity_type).into(),
        entity_name: name.map(Str::from),
        ..Default::default()
    };
    parts.iter().map(part).collect()
}

/// Sets one quota, or removes it; gives the code.
async fn alter(client: &mut Client, parts: Entity<'_>, quota: &str, value: Option<f64>) -> ErrorCode {
    let op = OpData {
        key: quota.into(),
        value: value.unwrap_or_default(),
        remove: value.is_none(),
        ..Default::default()
    };
    let entries = vec![RequestEntryData { entity: entity(parts), ops: vec![op], ..Default::default() }];
    let answer = client.call(1, &AlterClientQuotasRequest { entries, ..Default::default() }).await;
    assert_eq!(answer.entries[0].entity, entity(parts));
    answer.entries[0].error_code
}

async fn set(client: &mut Client, parts: Entity<'_>, quota: &str, value: f64) {
    assert_eq!(alter(client, parts, quota, Some(value)).await, ErrorCode::None);
}

/// A batch of `bytes` bytes, give or take a few.
fn batch_of_bytes(bytes: usize) -> Bytes {
    let mut builder = BatchBuilder::new();
    builder.push(now_ms(), None, Some(&vec![b'x'; bytes - 80]), &[]).unwrap();
    builder.build().unwrap().to_bytes()
}

/// Produces, and gives what the answer says of waiting. It comes at once.
async fn produce(client: &mut Client, to: &Place, batch: Bytes) -> i32 {
    let begun = Instant::now();
    let told = produce_with(1, client, to, batch).await;
    assert!(begun.elapsed() < AT_ONCE, "the answer was held back");
    told
}

/// Produces, and gives what the answer says of waiting. With `acks` -1 consumers can read it then.
async fn produce_with(acks: i16, client: &mut Client, to: &Place, batch: Bytes) -> i32 {
    let answer = client.call(9, &produce_request(acks, &[(to, batch)])).await;
    assert_eq!(answer.responses[0].partition_responses[0].error_code, ErrorCode::None);
    answer.throttle_time_ms
}

/// How long it takes since `begun` until the connection answers a trifle.
async fn heard_after(client: &mut Client, begun: Instant) -> Duration {
    client.call(0, &ApiVersionsRequest::default()).await;
    begun.elapsed()
}

fn ms(told: i32) -> Duration {
    Duration::from_millis(u64::try_from(told).unwrap())
}

/// Field case C45: the answer comes at once, then the connection is not read; others are.
#[tokio::test]
async fn connection_is_not_read_until_its_debt_is_paid() {
    let broker = TestBroker::with(&[ONE_SECOND]).await;
    let mut free = broker.client().await;
    let place = free.create_topic_with("t", 1, &[]).await;
    set(&mut free, &[("client-id", Some("c1"))], PRODUCE, 20_000.0).await;
    let mut bound = broker.client().await.named("c1");
    assert_eq!(produce(&mut bound, &place, batch_of_bytes(15_000)).await, 0, "a second's worth is free");
    let begun = Instant::now();
    let told = produce(&mut bound, &place, batch_of_bytes(80_000)).await;
    assert!((2_500..=4_000).contains(&told), "{told}");
    // Another connection of the client shares the debt, but may ask for what moves nothing; another client owes nothing.
    let mut other = broker.client().await.named("c1");
    assert!(heard_after(&mut other, Instant::now()).await < AT_ONCE);
    assert_eq!(produce(&mut free, &place, batch_of_bytes(60_000)).await, 0);
    assert!(produce(&mut other, &place, batch_of_bytes(40_000)).await > 0);
    assert!(heard_after(&mut bound, begun).await >= ms(told));
}

#[tokio::test]
async fn who_does_not_heed_the_delay_moves_no_more_than_who_does() {
    let broker = TestBroker::with(&[ONE_SECOND]).await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[]).await;
    set(&mut client, &[("client-id", Some("c1"))], PRODUCE, 100_000.0).await;
    let mut deaf = broker.client().await.named("c1");
    let begun = Instant::now();
    // A second's worth, and two seconds' debt; the last request is taken when the debt of the others is paid.
    let request = produce_request(1, &[(&place, batch_of_bytes(50_000))]);
    let mut sent = Vec::new();
    for _ in 0..6 {
        sent.push(deaf.send(9, &request).await);
    }
    for id in sent {
        deaf.receive::<ProduceRequest>(9, id).await;
    }
    let took = begun.elapsed();
    assert!((Duration::from_millis(1_400)..Duration::from_secs(10)).contains(&took), "{took:?}");
}

#[tokio::test]
async fn produce_without_acknowledgement_is_bounded_too() {
    let broker =
        TestBroker::with(&[ONE_SECOND, "headwater.client.quotas=client-id=c1:producer_byte_rate=50000"])
            .await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[]).await;
    let mut bound = broker.client().await.named("c1");
    let begun = Instant::now();
    bound.send(9, &produce_request(0, &[(&place, batch_of_bytes(75_000))])).await;
    let waited = heard_after(&mut bound, begun).await;
    assert!(waited > Duration::from_millis(450), "{waited:?}");
}

/// Headers are bytes like others: two batches that differ in nothing else are charged differently, in and out.
#[tokio::test]
async fn headers_count() {
    let broker = TestBroker::with(&[ONE_SECOND]).await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 2, &[]).await;
    let with_headers = Place { partition: 1, ..place.clone() };
    let batch = |headers: &[(&[u8], Option<&[u8]>)]| {
        let mut builder = BatchBuilder::new();
        builder.push(now_ms(), Some(b"key"), Some(b"value"), headers).unwrap();
        builder.build().unwrap().to_bytes()
    };
    let large = vec![b'h'; 10_000];
    let plain = batch(&[]);
    let laden = batch(&[(b"name", Some(&large))]);
    for (quota, id) in [(PRODUCE, "p"), (FETCH, "f")] {
        set(&mut client, &[("client-id", Some(id))], quota, 5_000.0).await;
    }
    let mut producer = broker.client().await.named("p");
    assert_eq!(produce_with(-1, &mut producer, &place, plain).await, 0);
    let told = produce_with(-1, &mut producer, &with_headers, laden).await;
    assert!((900..=1_100).contains(&told), "{told}: the headers are twice the quota");
    let mut consumer = broker.client().await.named("f");
    let told = consumer.call(12, &fetch_request(&[(&place, 0)])).await.throttle_time_ms;
    assert_eq!(told, 0);
    let begun = Instant::now();
    let answer = consumer.call(12, &fetch_request(&[(&with_headers, 0)])).await;
    assert!((900..=1_100).contains(&answer.throttle_time_ms), "{}", answer.throttle_time_ms);
    assert!(heard_after(&mut consumer, begun).await >= ms(answer.throttle_time_ms));
}

#[tokio::test]
async fn fetch_gives_no_more_than_the_window_at_once() {
    let broker = TestBroker::with(&[ONE_SECOND]).await;
    let mut client = broker.client().await;
    let place = client.create_topic_with("t", 1, &[]).await;
    for _ in 0..10 {
        produce_with(-1, &mut client, &place, batch_of_bytes(10_000)).await;
    }
    set(&mut client, &[("client-id", None)], FETCH, 35_000.0).await;
    let mut consumer = broker.client().await.named("any");
    let answer = consumer.call(12, &fetch_request(&[(&place, 0)])).await;
    let records = answer.responses[0].partitions[0].records.as_ref().unwrap().len();
    assert!((20_000..=35_000).contains(&records), "{records}");
    assert_eq!(answer.throttle_time_ms, 0);
}

#[tokio::test]
async fn most_specific_quota_holds_and_is_shared_by_whom_it_names() {
    let jaas = "listener.name.sasl_plaintext.plain.sasl.jaas.config=\
        x.PlainLoginModule required user_alice=\"pw\" user_bob=\"pw\";";
    let listeners = "listeners=PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0";
    let broker = TestBroker::with(&[ONE_SECOND, listeners, "sasl.enabled.mechanisms=PLAIN", jaas]).await;
    let mut admin = broker.client().await;
    let place = admin.create_topic_with("t", 1, &[]).await;
    let client_of = async |user: &str, client_id: &str| {
        let mut client = Client::connect(broker.broker().addresses()[1]).await.named(client_id);
        client.call(1, &SaslHandshakeRequest { mechanism: "PLAIN".into() }).await;
        let auth_bytes = Bytes::from(format!("\0{user}\0pw"));
        let answer = client.call(2, &SaslAuthenticateRequest { auth_bytes, ..Default::default() }).await;
        assert_eq!(answer.error_code, ErrorCode::None);
        client
    };
    set(&mut admin, &[("user", Some("alice"))], PRODUCE, 1_000.0).await;
    set(&mut admin, &[("user", Some("alice")), ("client-id", Some("big"))], PRODUCE, 1e9).await;
    set(&mut admin, &[("client-id", None)], PRODUCE, 50_000.0).await;
    assert_eq!(produce(&mut client_of("alice", "big").await, &place, batch_of_bytes(60_000)).await, 0);
    assert_eq!(produce(&mut client_of("bob", "x").await, &place, batch_of_bytes(40_000)).await, 0);
    assert!(produce(&mut client_of("bob", "x").await, &place, batch_of_bytes(400_000)).await > 3_000);
    assert_eq!(produce(&mut client_of("bob", "y").await, &place, batch_of_bytes(40_000)).await, 0);
    assert_eq!(produce(&mut client_of("alice", "a").await, &place, batch_of_bytes(900)).await, 0);
    let told = produce(&mut client_of("alice", "b").await, &place, batch_of_bytes(9_000)).await;
    assert!((4_000..=8_950).contains(&told), "{told}: one balance for both clients of alice");
    // Who has not logged in is a user too.
    set(&mut admin, &[("user", Some("ANONYMOUS"))], PRODUCE, 1_000.0).await;
    assert!(produce(&mut admin, &place, batch_of_bytes(15_000)).await > 5_000);
}

#[tokio::test]
async fn quota_that_is_removed_leaves_the_pause_that_has_begun() {
    let broker = TestBroker::with(&[ONE_SECOND]).await;
    let mut admin = broker.client().await;
    let place = admin.create_topic_with("t", 1, &[]).await;
    set(&mut admin, &[("client-id", Some("c1"))], PRODUCE, 50_000.0).await;
    let mut bound = broker.client().await.named("c1");
    let begun = Instant::now();
    let told = produce(&mut bound, &place, batch_of_bytes(100_000)).await;
    assert!(told >= 900, "{told}");
    assert_eq!(alter(&mut admin, &[("client-id", Some("c1"))], PRODUCE, None).await, ErrorCode::None);
    assert!(heard_after(&mut bound, begun).await >= ms(told));
    assert_eq!(produce(&mut bound, &place, batch_of_bytes(100_000)).await, 0);
}

#[tokio::test]
async fn nonsense_is_refused_and_nothing_of_it_kept() {
    let broker = TestBroker::start().await;
    let client = &mut broker.client().await;
    let user: Entity<'_> = &[("user", Some("u"))];
    for (parts, quota, value) in [
        (&[] as Entity<'_>, PRODUCE, Some(1.0)),
        (&[("planet", Some("x"))], PRODUCE, Some(1.0)),
        (&[("user", Some(""))], PRODUCE, Some(1.0)),
        (&[("user", Some("a")), ("user", Some("b"))], PRODUCE, Some(1.0)),
        (&[("ip", Some("1.2.3.4")), ("user", Some("b"))], PRODUCE, Some(1.0)),
        (&[("ip", Some("1.2.3.4"))], PRODUCE, Some(1.0)),
        (&[("ip", Some("1.2.3.4"))], "connection_creation_rate", Some(1.0)),
        (user, "bytes", Some(1.0)),
        (user, "bytes", None),
        (user, "request_percentage", Some(1.0)),
        (user, PRODUCE, Some(0.0)),
        (user, PRODUCE, Some(-1.0)),
        (user, PRODUCE, Some(1.5)),
        (user, PRODUCE, Some(f64::NAN)),
        (user, PRODUCE, Some(f64::INFINITY)),
    ] {
        let code = alter(client, parts, quota, value).await;
        assert_eq!(code, ErrorCode::InvalidRequest, "{parts:?} {quota} {value:?}");
    }
    // What is not there can be removed, and what came from elsewhere.
    assert_eq!(alter(client, user, PRODUCE, None).await, ErrorCode::None);
    assert_eq!(alter(client, user, "request_percentage", None).await, ErrorCode::None);
    let op = OpData { key: PRODUCE.into(), value: 5.0, ..Default::default() };
    let entries = vec![RequestEntryData { entity: entity(user), ops: vec![op], ..Default::default() }];
    let request = AlterClientQuotasRequest { entries, validate_only: true, ..Default::default() };
    assert_eq!(client.call(1, &request).await.entries[0].error_code, ErrorCode::None);
    assert_eq!(describe(client, &[], false).await, Ok(vec![]));
}

/// Entities as text, with their quotas; or the code.
async fn describe(
    client: &mut Client,
    components: &[(&str, i8, Option<&str>)],
    strict: bool,
) -> Result<Vec<String>, ErrorCode> {
    let component = |(entity_type, match_type, name): &(&str, i8, Option<&str>)| ComponentData {
        entity_type: (*entity_type).into(),
        match_type: *match_type,
        r#match: name.map(Str::from),
        ..Default::default()
    };
    let components = components.iter().map(component).collect();
    let request = DescribeClientQuotasRequest { components, strict, ..Default::default() };
    let answer = client.call(1, &request).await;
    let Some(entries) = answer.entries else { return Err(answer.error_code) };
    let shown = |entry: &headwater_codec::messages::describe_client_quotas::EntryData| {
        let parts: Vec<_> = entry
            .entity
            .iter()
            .map(|part| format!("{}={}", part.entity_type, part.entity_name.as_deref().unwrap_or("*")))
            .collect();
        let values: Vec<_> =
            entry.values.iter().map(|value| format!("{}={}", value.key, value.value)).collect();
        format!("{}:{}", parts.join(","), values.join(","))
    };
    Ok(entries.iter().map(shown).collect())
}

#[tokio::test]
async fn description_filters_and_lasts() {
    let mut broker = TestBroker::start().await;
    let client = &mut broker.client().await;
    set(client, &[("user", Some("a"))], PRODUCE, 1.0).await;
    set(client, &[("user", Some("a"))], FETCH, 2.0).await;
    set(client, &[("user", None)], PRODUCE, 3.0).await;
    set(client, &[("user", Some("a")), ("client-id", None)], PRODUCE, 4.0).await;
    set(client, &[("client-id", Some("c"))], PRODUCE, 5.0).await;
    let (a, any) = ("user=a:consumer_byte_rate=2,producer_byte_rate=1", "user=*:producer_byte_rate=3");
    let (pair, c) = ("client-id=*,user=a:producer_byte_rate=4", "client-id=c:producer_byte_rate=5");
    for restarted in [false, true] {
        if restarted {
            broker.restart().await;
        }
        let client = &mut broker.client().await;
        for (components, strict, expected) in [
            (&[][..], false, vec![pair, c, any, a]),
            (&[("user", 2, None)], false, vec![pair, any, a]),
            (&[("user", 2, None)], true, vec![any, a]),
            (&[("user", 0, Some("a"))], false, vec![pair, a]),
            (&[("user", 1, None)], false, vec![any]),
            (&[("user", 0, Some("a")), ("client-id", 1, None)], true, vec![pair]),
            (&[("client-id", 0, Some("d"))], false, vec![]),
            (&[("ip", 2, None)], false, vec![]),
        ] {
            let mut found = describe(client, components, strict).await.unwrap();
            let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{components:?}");
        }
    }
    let client = &mut broker.client().await;
    for (components, code) in [
        (&[("", 2, None)][..], ErrorCode::InvalidRequest),
        (&[("planet", 2, None)], ErrorCode::UnsupportedVersion),
        (&[("user", 2, None), ("user", 1, None)], ErrorCode::InvalidRequest),
        (&[("user", 2, None), ("ip", 2, None)], ErrorCode::InvalidRequest),
        (&[("user", 0, None)], ErrorCode::InvalidRequest),
        (&[("user", 1, Some("a"))], ErrorCode::InvalidRequest),
        (&[("user", 2, Some("a"))], ErrorCode::InvalidRequest),
        (&[("user", 3, None)], ErrorCode::InvalidRequest),
    ] {
        assert_eq!(describe(client, components, false).await, Err(code), "{components:?}");
    }
}
