//! Logging in at the native door, with the users that Kafka's door knows.

use bytes::Bytes;
use headwater_native::{
    CorrelationId, ErrorCode, Reply,
    messages::{Auth, AuthScram, AuthScramFinal, Hello, ListTopics},
};
use headwater_security::{ClientExchange, Nonce, ScramMechanism};

use super::NativeClient;
use crate::{harness::TestBroker, scram_credentials::put_user};

/// A broker that knows one user, and does not let failures wait.
async fn broker() -> TestBroker {
    let broker = TestBroker::with(&["connection.failed.authentication.delay.ms=0"]).await;
    let code = put_user(&mut broker.client().await, "ada", ScramMechanism::Sha256, "s3cret").await;
    assert_eq!(code, headwater_codec::ErrorCode::None);
    broker
}

async fn greeted(broker: &TestBroker) -> NativeClient {
    let mut client = NativeClient::connect(broker.native_address()).await;
    assert!(matches!(client.call(&Hello { version: 1 }).await, Reply::Welcome(_)));
    client
}

fn auth(user: &str, password: &str) -> Auth {
    Auth { user: user.into(), password: Bytes::copy_from_slice(password.as_bytes()) }
}

/// The connection ends with AUTH_FAILED on the zero id.
async fn fails(client: &mut NativeClient) -> String {
    let (id, reply) = client.receive().await;
    let Reply::Failure(failure) = reply else { panic!("{reply:?}") };
    assert_eq!((id, failure.code), (CorrelationId::ZERO, ErrorCode::AUTH_FAILED));
    assert!(client.frame().await.is_none());
    failure.message.as_str().to_owned()
}

#[tokio::test]
async fn a_password_is_checked_as_soon_as_anybody_has_one() {
    let broker = broker().await;
    let mut client = greeted(&broker).await;
    assert!(matches!(client.call(&auth("ada", "s3cret")).await, Reply::AuthOk(_)));
    assert!(matches!(client.call(&ListTopics {}).await, Reply::TopicList(_)));
    let mut texts = Vec::new();
    for (user, password) in [("ada", "wrong"), ("nobody", "s3cret"), ("", "")] {
        let mut client = greeted(&broker).await;
        client.send(&auth(user, password)).await;
        texts.push(fails(&mut client).await);
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "nobody learns who exists: {texts:?}");
}

#[tokio::test]
async fn scram_proves_both_sides() {
    let broker = broker().await;
    let mut client = greeted(&broker).await;
    let exchange = ClientExchange::begin(ScramMechanism::Sha256, "ada", Nonce::from_random([1; 18]));
    let first = exchange.first_message().to_owned().into();
    let Reply::AuthChallenge(challenge) =
        client.call(&AuthScram { mechanism: "SCRAM-SHA-256".into(), message: first }).await
    else {
        panic!("no challenge")
    };
    let proved = exchange.prove("s3cret", &challenge.message).unwrap();
    let last = proved.final_message().to_owned().into();
    let Reply::AuthOk(ok) = client.call(&AuthScramFinal { message: last }).await else {
        panic!("not accepted")
    };
    proved.verify(&ok.server_final.expect("the server's proof")).unwrap();
    assert!(matches!(client.call(&ListTopics {}).await, Reply::TopicList(_)));
}

#[tokio::test]
async fn scram_fails_alike_for_wrong_passwords_and_unknown_users() {
    let broker = broker().await;
    for user in ["ada", "nobody"] {
        let mut client = greeted(&broker).await;
        let exchange = ClientExchange::begin(ScramMechanism::Sha256, user, Nonce::from_random([1; 18]));
        let first = exchange.first_message().to_owned().into();
        let Reply::AuthChallenge(challenge) =
            client.call(&AuthScram { mechanism: "SCRAM-SHA-256".into(), message: first }).await
        else {
            panic!("unknown users get a challenge too")
        };
        let proved = exchange.prove("wrong", &challenge.message).unwrap();
        client.send(&AuthScramFinal { message: proved.final_message().to_owned().into() }).await;
        fails(&mut client).await;
    }
}

#[tokio::test]
async fn openings_of_scram_that_make_no_sense_fail() {
    let broker = broker().await;
    for (mechanism, message) in [
        ("SCRAM-SHA-512", "n,,n=ada,r=abc"),
        ("EXTERNAL", "ada"),
        ("SCRAM-SHA-256", "p=tls-unique,,n=ada,r=abc"),
        ("SCRAM-SHA-256", "n,a=other,n=ada,r=abc"),
        ("SCRAM-SHA-256", "nonsense"),
    ] {
        let mut client = greeted(&broker).await;
        let message = Bytes::copy_from_slice(message.as_bytes());
        client.send(&AuthScram { mechanism: mechanism.into(), message }).await;
        fails(&mut client).await;
    }
    let mut client = greeted(&broker).await;
    client.send(&AuthScramFinal { message: "c=biws,r=abc,p=abc".into() }).await;
    fails(&mut client).await;
}

/// A listener that asks for logins is not walked around by this door, which knows no users of PLAIN.
#[tokio::test]
async fn nobody_enters_without_credentials_where_kafkas_clients_have_to_log_in() {
    let jaas = "listener.name.sasl_plaintext.plain.sasl.jaas.config=\
        org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"wonder\";";
    let broker = TestBroker::with(&[
        "listeners=PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms=PLAIN",
        jaas,
        "connection.failed.authentication.delay.ms=0",
    ])
    .await;
    for (user, password) in [("anybody", ""), ("alice", "wonder"), ("", "")] {
        let mut client = greeted(&broker).await;
        client.send(&auth(user, password)).await;
        fails(&mut client).await;
    }
    let code = put_user(&mut broker.client().await, "ada", ScramMechanism::Sha256, "s3cret").await;
    assert_eq!(code, headwater_codec::ErrorCode::None);
    let mut client = greeted(&broker).await;
    assert!(matches!(client.call(&auth("ada", "s3cret")).await, Reply::AuthOk(_)));
}
