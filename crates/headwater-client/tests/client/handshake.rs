use std::{net::TcpListener as StdListener, time::Duration};

use bytes::Bytes;
use headwater_client::{
    Client, ClientError, ConnectOptions, Ended, ErrorCode, Login, ProducerKind, ScramError,
};
use headwater_native::{
    CorrelationId, Request,
    messages::{AuthChallenge, AuthOk, Failure, Welcome},
};
use headwater_security::{ClientFirst, Nonce, ScramCredential, ScramMechanism};
use tokio::net::TcpListener;

use crate::scripted::{Server, WITH_HEADERS, play};

#[tokio::test]
async fn the_server_is_known_after_the_handshake() {
    let options = ConnectOptions {
        login: Some(Login::password("alice", "secret")),
        producer: ProducerKind::Named("till-4".to_owned()),
        ..ConnectOptions::default()
    };
    let script = async |mut server: Server| {
        server.answer(&Welcome { version: 1 }).await;
        let Request::Auth(auth) = server.answer(&AuthOk::default()).await else { panic!("no AUTH") };
        assert_eq!((auth.user.as_str(), &auth.password[..]), ("alice", &b"secret"[..]));
        let ack = headwater_native::messages::IdentifyAck {
            server: "Scripted".into(),
            version: WITH_HEADERS.into(),
        };
        let Request::IdentifyClient(client) = server.answer(&ack).await else { panic!("no IDENTIFY_CLIENT") };
        assert_eq!(client.name.as_str(), "headwater-client");
        let identity =
            headwater_native::messages::ProducerIdentity { producer_id: 7.into(), producer_epoch: 3 };
        let Request::InitProducerId(init) = server.answer(&identity).await else { panic!("no producer") };
        assert_eq!(init.producer_name.as_deref(), Some("till-4"));
        assert_eq!(
            server.request().await,
            (CorrelationId::ZERO, headwater_native::messages::Goodbye {}.into())
        );
        assert!(server.next().await.is_none());
    };
    play(options, script, async |client| {
        let client = client.unwrap();
        assert_eq!(client.server().name, "Scripted");
        assert!(client.server().capabilities.headers);
        assert_eq!(client.producer_id().await, Some((7.into(), 3)));
        client.close().await;
        let after = client.list_topics().await.unwrap_err();
        assert!(matches!(after, ClientError::Ended(Ended::Closed)), "{after}");
    })
    .await;
}

#[tokio::test]
async fn an_error_without_a_request_answers_the_handshake() {
    let script = async |mut server: Server| {
        server.answer(&Welcome { version: 1 }).await;
        server.request().await;
        server.send(CorrelationId::ZERO, &Failure::new(ErrorCode::AUTH_FAILED, "wrong password")).await;
    };
    play(ConnectOptions::default(), script, async |client| {
        let error = client.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::AUTH_FAILED));
        assert!(error.to_string().contains("wrong password"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn hosts_are_tried_in_order_and_a_refusal_ends_the_search() {
    // Nobody listens there any more.
    let free = StdListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = tokio::spawn(async move {
        Server::accept(&listener).await.greet("v0.01").await;
        let mut second = Server::accept(&listener).await;
        second.answer(&Failure::new(ErrorCode::BAD_PROTOCOL, "version 1 is not spoken")).await;
    });
    let hosts = vec![free.clone(), address];
    let options = ConnectOptions { hosts, ..ConnectOptions::default() };
    let client = Client::connect(options.clone()).await.unwrap();
    assert!(!client.server().capabilities.headers);
    let refused = Client::connect(options).await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::BAD_PROTOCOL));
    server.await.unwrap();

    let unreachable = Client::connect(ConnectOptions::to(&free)).await.unwrap_err();
    assert!(matches!(unreachable, ClientError::Connect { host, .. } if host == free));
    let nowhere = ConnectOptions { hosts: vec![], ..ConnectOptions::default() };
    assert!(matches!(Client::connect(nowhere).await, Err(ClientError::NoHosts)));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() {
    let options = ConnectOptions { timeout: Duration::from_millis(50), ..ConnectOptions::default() };
    let script = async |mut server: Server| {
        server.request().await;
        assert!(server.next().await.is_none(), "the client closes");
    };
    play(options, script, async |client| {
        assert!(matches!(client, Err(ClientError::Timeout)));
    })
    .await;
}

fn scram() -> ConnectOptions {
    ConnectOptions { login: Some(Login::scram("al=ice", "pencil")), ..ConnectOptions::default() }
}

/// Plays the server of a SCRAM login with this password, up to its final message, which is given.
async fn challenge(server: &mut Server, password: &str) -> (CorrelationId, Bytes) {
    let kept = ScramCredential::from_password(ScramMechanism::Sha256, password, b"salt", 4096);
    server.answer(&Welcome { version: 1 }).await;
    let (id, Request::AuthScram(scram)) = server.request().await else { panic!("no AUTH_SCRAM") };
    assert_eq!(scram.mechanism.as_str(), "SCRAM-SHA-256");
    let first = ClientFirst::parse(&scram.message).unwrap();
    assert_eq!(first.user(), "al=ice");
    let exchange = first.challenge(&kept, &Nonce::from_random([2; 18]));
    let message = Bytes::copy_from_slice(exchange.first_message().as_bytes());
    server.send(id, &AuthChallenge { message }).await;
    let (id, Request::AuthScramFinal(proof)) = server.request().await else { panic!("no proof") };
    let accepted = exchange.finish(&proof.message).unwrap();
    (id, Bytes::copy_from_slice(accepted.message().as_bytes()))
}

#[tokio::test]
async fn scram_proves_the_password_to_both_sides() {
    let script = async |mut server: Server| {
        let (id, server_final) = challenge(&mut server, "pencil").await;
        server.send(id, &AuthOk { server_final: Some(server_final) }).await;
        let ack = headwater_native::messages::IdentifyAck { server: "S".into(), version: "1".into() };
        server.answer(&ack).await;
    };
    play(scram(), script, async |client| assert!(client.is_ok())).await;
}

#[tokio::test]
async fn a_server_that_does_not_know_the_user_is_not_believed() {
    for server_final in
        [None, Some(Bytes::from_static(b"v=AAAA")), Some(Bytes::from_static(b"e=other-error"))]
    {
        let wanted = match &server_final {
            None => ScramError::Malformed,
            Some(message) if message.starts_with(b"v") => ScramError::ServerSignature,
            Some(_) => ScramError::Refused,
        };
        let script = async move |mut server: Server| {
            let (id, _) = challenge(&mut server, "pencil").await;
            server.send(id, &AuthOk { server_final }).await;
        };
        play(scram(), script, async |client| {
            let error = client.unwrap_err();
            assert!(matches!(&error, ClientError::Scram(reason) if *reason == wanted), "{error}");
        })
        .await;
    }
}
