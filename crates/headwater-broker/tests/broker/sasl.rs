//! Logins on a SASL listener: handshake, tokens, what is served before and after, how long it lasts.

use std::time::{Duration, Instant};

use bytes::Bytes;
use headwater_codec::{
    ErrorCode,
    messages::{
        api_versions::ApiVersionsRequest,
        metadata::MetadataRequest,
        sasl_authenticate::{SaslAuthenticateRequest, SaslAuthenticateResponse},
        sasl_handshake::{SaslHandshakeRequest, SaslHandshakeResponse},
    },
};
use headwater_security::{ClientExchange, Nonce, ScramMechanism};

use crate::{
    harness::{Client, TestBroker},
    scram_credentials::put_user,
};

const SASL_FIRST: &str = "listeners=SASL_PLAINTEXT://127.0.0.1:0,PLAINTEXT://127.0.0.1:0";
const ALL_MECHANISMS: &str = "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512";
const JAAS: &str = "listener.name.sasl_plaintext.plain.sasl.jaas.config=\
    org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"wonder\" user_bob=\"builder\";";
const QUICK: &str = "connection.failed.authentication.delay.ms=1";

async fn broker() -> TestBroker {
    TestBroker::with(&[SASL_FIRST, ALL_MECHANISMS, JAAS, QUICK]).await
}

async fn handshake(client: &mut Client, version: i16, mechanism: &str) -> SaslHandshakeResponse {
    client.call(version, &SaslHandshakeRequest { mechanism: mechanism.into() }).await
}

async fn token(client: &mut Client, version: i16, token: impl Into<Bytes>) -> SaslAuthenticateResponse {
    let auth_bytes = token.into();
    client.call(version, &SaslAuthenticateRequest { auth_bytes, ..Default::default() }).await
}

/// A whole login by SCRAM; gives the code of the last answer.
pub(crate) async fn scram_login(
    client: &mut Client,
    mechanism: ScramMechanism,
    user: &str,
    password: &str,
) -> ErrorCode {
    assert_eq!(handshake(client, 1, mechanism.name()).await.error_code, ErrorCode::None);
    let exchange = ClientExchange::begin(mechanism, user, Nonce::from_random([5; 18]));
    let challenge = token(client, 2, exchange.first_message().to_owned()).await;
    assert_eq!(challenge.error_code, ErrorCode::None, "nobody is told who exists");
    let proved = exchange.prove(password, &challenge.auth_bytes).unwrap();
    let last = token(client, 2, proved.final_message().to_owned()).await;
    if last.error_code == ErrorCode::None {
        proved.verify(&last.auth_bytes).unwrap();
    }
    last.error_code
}

async fn plain_login(client: &mut Client, message: &'static str) -> SaslAuthenticateResponse {
    handshake(client, 1, "PLAIN").await;
    token(client, 2, message).await
}

/// Whether the client is served: asks for metadata.
async fn is_served(client: &mut Client) -> bool {
    client.send(12, &MetadataRequest { topics: Some(Vec::new()), ..Default::default() }).await;
    client.receive_raw().await.is_some()
}

#[tokio::test]
async fn plain_login_opens_the_connection() {
    let broker = broker().await;
    for version in 0..=2 {
        let mut client = broker.client().await;
        let offered = handshake(&mut client, 1, "PLAIN").await;
        assert_eq!(offered.error_code, ErrorCode::None);
        let names: Vec<&str> = offered.mechanisms.iter().map(|name| name.as_str()).collect();
        assert_eq!(names, ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]);
        let answer = token(&mut client, version, "\0alice\0wonder").await;
        assert_eq!((answer.error_code, answer.session_lifetime_ms), (ErrorCode::None, 0));
        assert!(answer.auth_bytes.is_empty() && answer.error_message.is_none());
        assert!(is_served(&mut client).await);
    }
}

#[tokio::test]
async fn wrong_logins_are_told_after_a_while_and_closed() {
    let delay = Duration::from_millis(300);
    let slow = "connection.failed.authentication.delay.ms=300";
    let broker = TestBroker::with(&[SASL_FIRST, ALL_MECHANISMS, JAAS, slow]).await;
    for message in ["\0alice\0wander", "\0carol\0wonder", "bob\0alice\0wonder", "alice"] {
        let mut client = broker.client().await;
        handshake(&mut client, 1, "PLAIN").await;
        let begun = Instant::now();
        let answer = token(&mut client, 1, message).await;
        assert!(begun.elapsed() >= delay, "{message:?}");
        assert_eq!(answer.error_code, ErrorCode::SaslAuthenticationFailed, "{message:?}");
        let text = answer.error_message.unwrap();
        assert!(text.starts_with("Authentication failed") && !text.contains("won"), "{text}");
        assert!(client.is_closed().await);
    }
}

#[tokio::test]
async fn scram_users_of_the_metadata_log_in_by_either_mechanism() {
    let mut broker = broker().await;
    let mut admin = Client::connect(broker.broker().addresses()[1]).await;
    for mechanism in ScramMechanism::ALL {
        assert_eq!(put_user(&mut admin, "u,=1", mechanism, "pw").await, ErrorCode::None);
    }
    for restarted in [false, true] {
        if restarted {
            broker.restart().await;
        }
        for mechanism in ScramMechanism::ALL {
            let mut client = broker.client().await;
            assert_eq!(scram_login(&mut client, mechanism, "u,=1", "pw").await, ErrorCode::None);
            assert!(is_served(&mut client).await);
            for (user, password) in [("u,=1", "pv"), ("nobody", "pw")] {
                let mut client = broker.client().await;
                let code = scram_login(&mut client, mechanism, user, password).await;
                assert_eq!(code, ErrorCode::SaslAuthenticationFailed, "{user} {password}");
                assert!(client.is_closed().await);
            }
        }
    }
    // A new password ends what the old one opened for new connections; who is in stays in.
    let mut old = broker.client().await;
    scram_login(&mut old, ScramMechanism::Sha256, "u,=1", "pw").await;
    let mut admin = Client::connect(broker.broker().addresses()[1]).await;
    put_user(&mut admin, "u,=1", ScramMechanism::Sha256, "new").await;
    assert!(is_served(&mut old).await);
    for (password, code) in [("pw", ErrorCode::SaslAuthenticationFailed), ("new", ErrorCode::None)] {
        let mut client = broker.client().await;
        assert_eq!(scram_login(&mut client, ScramMechanism::Sha256, "u,=1", password).await, code);
    }
}

/// KIP-43: after a handshake of version 0 the tokens have nothing but their length around them.
#[tokio::test]
async fn tokens_come_bare_after_a_handshake_of_version_0() {
    let broker = broker().await;
    let framed =
        |token: &str| [&u32::try_from(token.len()).unwrap().to_be_bytes(), token.as_bytes()].concat();
    let mut client = broker.client().await;
    handshake(&mut client, 0, "PLAIN").await;
    // Shorter than any request.
    client.send_raw(&framed("\0alice\0wonder")).await;
    assert_eq!(client.receive_raw().await.unwrap(), "");
    assert!(is_served(&mut client).await);

    let mut admin = Client::connect(broker.broker().addresses()[1]).await;
    put_user(&mut admin, "dora", ScramMechanism::Sha512, "pw").await;
    let mut client = broker.client().await;
    handshake(&mut client, 0, "SCRAM-SHA-512").await;
    let exchange = ClientExchange::begin(ScramMechanism::Sha512, "dora", Nonce::from_random([5; 18]));
    client.send_raw(&framed(exchange.first_message())).await;
    let proved = exchange.prove("pw", &client.receive_raw().await.unwrap()).unwrap();
    client.send_raw(&framed(proved.final_message())).await;
    proved.verify(&client.receive_raw().await.unwrap()).unwrap();
    assert!(is_served(&mut client).await);

    for wrong in ["", "\0a\0b", "\0alice\0wander"] {
        let mut client = broker.client().await;
        handshake(&mut client, 0, "PLAIN").await;
        client.send_raw(&framed(wrong)).await;
        assert!(client.is_closed().await, "{wrong:?}");
    }
}

#[tokio::test]
async fn only_versions_and_the_login_are_served_before_it() {
    let broker = broker().await;
    let mut client = broker.client().await;
    let versions = client.call(0, &ApiVersionsRequest::default()).await;
    assert!(versions.api_keys.iter().any(|api| api.api_key == 17 && api.max_version == 1));
    assert!(versions.api_keys.iter().any(|api| api.api_key == 36 && api.max_version == 2));
    assert!(!is_served(&mut client).await);

    // In the middle of a login as well.
    let mut client = broker.client().await;
    handshake(&mut client, 1, "SCRAM-SHA-256").await;
    assert!(!is_served(&mut client).await);

    let mut client = broker.client().await;
    let answer = token(&mut client, 2, "\0alice\0wonder").await;
    assert_eq!(answer.error_code, ErrorCode::IllegalSaslState, "no handshake");
    assert!(client.is_closed().await);

    let mut client = broker.client().await;
    handshake(&mut client, 1, "PLAIN").await;
    let again = handshake(&mut client, 1, "PLAIN").await;
    assert_eq!((again.error_code, again.mechanisms.len()), (ErrorCode::IllegalSaslState, 0));
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn unknown_mechanisms_are_told_the_known_ones() {
    let broker = TestBroker::with(&[SASL_FIRST, QUICK]).await;
    for mechanism in ["PLAIN", "GSSAPI", "scram-sha-256", ""] {
        let mut client = broker.client().await;
        let answer = handshake(&mut client, 1, mechanism).await;
        assert_eq!(answer.error_code, ErrorCode::UnsupportedSaslMechanism, "{mechanism}");
        let names: Vec<&str> = answer.mechanisms.iter().map(|name| name.as_str()).collect();
        assert_eq!(names, ["SCRAM-SHA-256", "SCRAM-SHA-512"]);
        assert!(client.is_closed().await);
    }
}

#[tokio::test]
async fn requests_that_come_with_the_token_wait_for_the_login() {
    let broker = broker().await;
    for (message, served) in [("\0alice\0wonder", true), ("\0alice\0wander", false)] {
        let mut client = broker.client().await;
        let first = client.send(1, &SaslHandshakeRequest { mechanism: "PLAIN".into() }).await;
        let auth_bytes = Bytes::from_static(message.as_bytes());
        let request = SaslAuthenticateRequest { auth_bytes, ..Default::default() };
        let second = client.send(2, &request).await;
        client.send(12, &MetadataRequest { topics: Some(Vec::new()), ..Default::default() }).await;
        client.receive::<SaslHandshakeRequest>(1, first).await;
        let answer = client.receive::<SaslAuthenticateRequest>(2, second).await;
        assert_eq!(answer.error_code == ErrorCode::None, served);
        assert_eq!(client.receive_raw().await.is_some(), served);
    }
}

#[tokio::test]
async fn requests_are_small_before_the_login() {
    let broker =
        TestBroker::with(&[SASL_FIRST, ALL_MECHANISMS, JAAS, QUICK, "sasl.server.max.receive.size=1000"])
            .await;
    let mut client = broker.client().await;
    client.send_raw(&1001_u32.to_be_bytes()).await;
    assert!(client.is_closed().await);
    let mut client = broker.client().await;
    plain_login(&mut client, "\0alice\0wonder").await;
    let topic = "t".repeat(1001);
    let topics = Some(vec![headwater_codec::messages::metadata::MetadataRequestTopic {
        name: Some(topic.as_str().into()),
        ..Default::default()
    }]);
    let answer = client.call(12, &MetadataRequest { topics, ..Default::default() }).await;
    assert_eq!(answer.topics[0].error_code, ErrorCode::InvalidTopicException);
}

/// KIP-368: a login lasts for a time and is renewed on the connection.
#[tokio::test]
async fn login_that_lasts_for_a_time_is_renewed_or_ends() {
    let lasts = "listener.name.sasl_plaintext.plain.connections.max.reauth.ms=4000";
    let broker = TestBroker::with(&[SASL_FIRST, ALL_MECHANISMS, JAAS, QUICK, lasts]).await;
    let mut client = broker.client().await;
    let answer = plain_login(&mut client, "\0alice\0wonder").await;
    assert_eq!((answer.error_code, answer.session_lifetime_ms), (ErrorCode::None, 4000));
    let soon = handshake(&mut client, 1, "PLAIN").await;
    assert_eq!(soon.error_code, ErrorCode::IllegalSaslState, "less than a second later");
    assert!(is_served(&mut client).await, "but the session goes on");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let answer = plain_login(&mut client, "\0alice\0wonder").await;
    assert_eq!((answer.error_code, answer.session_lifetime_ms), (ErrorCode::None, 4000));
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert!(is_served(&mut client).await, "the first login would have ended by now");
    tokio::time::sleep(Duration::from_millis(2_000)).await;
    assert!(!is_served(&mut client).await);

    let mut client = broker.client().await;
    plain_login(&mut client, "\0alice\0wonder").await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let answer = plain_login(&mut client, "\0bob\0builder").await;
    assert_eq!(answer.error_code, ErrorCode::SaslAuthenticationFailed, "another user");
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn listener_without_sasl_needs_no_login_and_has_none() {
    let broker = broker().await;
    let mut client = Client::connect(broker.broker().addresses()[1]).await;
    let answer = handshake(&mut client, 1, "PLAIN").await;
    assert_eq!((answer.error_code, answer.mechanisms.len()), (ErrorCode::IllegalSaslState, 0));
    let answer = token(&mut client, 2, "\0alice\0wonder").await;
    assert_eq!(answer.error_code, ErrorCode::IllegalSaslState);
    assert!(is_served(&mut client).await);
}

#[tokio::test]
async fn clients_are_told_the_address_of_the_listener_that_they_came_through() {
    let broker = broker().await;
    let mut secured = broker.client().await;
    plain_login(&mut secured, "\0alice\0wonder").await;
    let mut plain = Client::connect(broker.broker().addresses()[1]).await;
    for (client, address) in [&mut secured, &mut plain].into_iter().zip(broker.broker().addresses()) {
        let answer = client.call(12, &MetadataRequest { topics: None, ..Default::default() }).await;
        assert_eq!(answer.brokers[0].port, i32::from(address.port()));
    }
}
