use bytes::{Bytes, BytesMut};
use headwater_client::{ClientError, ConnectOptions, ErrorCode, Login};
use headwater_codec::{
    CorrelationId, Str, decode_response, encode_request,
    messages::alter_user_scram_credentials::{
        AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse, ScramCredentialUpsertion,
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::served::Served;

/// RFC 7677's example: the salt, and `pencil` with it, hashed 4096 times.
const SALT: [u8; 16] =
    [0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e, 0xec, 0xa0, 0x4b, 0x14, 0x12, 0x36, 0xfa, 0x81];
const SALTED: [u8; 32] = [
    0xc4, 0xa4, 0x95, 0x10, 0x32, 0x3a, 0xb4, 0xf9, 0x52, 0xca, 0xc1, 0xfa, 0x99, 0x44, 0x19, 0x39, 0xe7,
    0x8e, 0xa7, 0x4d, 0x6b, 0xe8, 0x1d, 0xdf, 0x70, 0x96, 0xe8, 0x75, 0x13, 0xdc, 0x61, 0x5d,
];

/// Adds a user through Kafka's door, as its tools do.
async fn add_user(broker: &Served, name: &str) {
    let user = ScramCredentialUpsertion {
        name: Str::from(name),
        mechanism: 1,
        iterations: 4096,
        salt: Bytes::from_static(&SALT),
        salted_password: Bytes::from_static(&SALTED),
        ..ScramCredentialUpsertion::default()
    };
    let request = AlterUserScramCredentialsRequest {
        upsertions: vec![user],
        ..AlterUserScramCredentialsRequest::default()
    };
    let id = CorrelationId::new(1);
    let frame = encode_request(id, Some(Str::from("test")), 0, &request, &mut BytesMut::new()).unwrap();
    let mut stream = TcpStream::connect(broker.kafka()).await.unwrap();
    stream.write_all(&frame.to_bytes().unwrap()).await.unwrap();
    let mut answer = vec![0; stream.read_i32().await.unwrap() as usize];
    stream.read_exact(&mut answer).await.unwrap();
    let key = headwater_codec::ApiKey::AlterUserScramCredentials;
    let (_, response) = decode_response::<AlterUserScramCredentialsResponse>(key, 0, answer.into()).unwrap();
    assert!(response.results.iter().all(|result| result.error_code == headwater_codec::ErrorCode::None));
}

fn with(login: Login) -> ConnectOptions {
    ConnectOptions { login: Some(login), ..ConnectOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn users_prove_who_they_are_by_password_and_by_scram() {
    let broker = Served::start().await;
    add_user(&broker, "user").await;
    for login in [Login::scram("user", "pencil"), Login::password("user", "pencil")] {
        let client = broker.connect(with(login)).await.unwrap();
        assert_eq!(client.list_topics().await.unwrap(), []);
    }
    for login in [
        Login::scram("user", "pencils"),
        Login::password("user", "pencils"),
        Login::scram("nobody", "pencil"),
        Login::password("nobody", "pencil"),
    ] {
        let refused: ClientError = broker.connect(with(login)).await.unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::AUTH_FAILED), "{refused}");
    }
    let anonymous = broker.connect(ConnectOptions::default()).await.unwrap_err();
    assert_eq!(anonymous.code(), Some(ErrorCode::AUTH_FAILED));
}
