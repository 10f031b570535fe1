//! The same through a broker that runs, by Kafka's protocol (KIP-554).

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use headwater_codec::{
    CorrelationId, ErrorCode, Request, Str, decode_response, encode_request,
    messages::{
        alter_user_scram_credentials::{
            AlterUserScramCredentialsRequest, ScramCredentialDeletion, ScramCredentialUpsertion,
        },
        describe_user_scram_credentials::{DescribeUserScramCredentialsRequest, UserName},
        sasl_authenticate::SaslAuthenticateRequest,
        sasl_handshake::SaslHandshakeRequest,
    },
};
use headwater_security::{ClientExchange, Nonce, ScramMechanism, salted_password};

use super::{Action, Failure, UsersArguments, password, row, say};

/// Does what the command line asks for, on that server.
pub(super) fn run(server: &str, arguments: &UsersArguments) -> Result<(), Failure> {
    let mut connection = Connection::open(server)?;
    if let Some(user) = &arguments.login {
        let password = std::env::var(PASSWORD)
            .map_err(|_| format!("the password of {user} is expected in {PASSWORD}"))?;
        connection.log_in(user, &password)?;
    }
    match &arguments.action {
        Action::Add { user, mechanism, iterations } => {
            let (password, salt): (_, [u8; 26]) = (password(user)?, rand::random());
            let salted = salted_password(*mechanism, &password, &salt, *iterations);
            let upsertion = ScramCredentialUpsertion {
                name: user.as_str().into(),
                mechanism: mechanism.code(),
                iterations: i32::try_from(*iterations)?,
                salt: Bytes::copy_from_slice(&salt),
                salted_password: salted.into(),
                ..Default::default()
            };
            connection.alter(AlterUserScramCredentialsRequest {
                upsertions: vec![upsertion],
                ..Default::default()
            })?;
            say(&format!("{user} can log in by {mechanism}"))?;
        }
        Action::Remove { user, mechanism } => {
            let known = connection.describe(Some(user))?;
            let meant = known.into_iter().filter(|(_, of, _)| mechanism.is_none_or(|one| one.code() == *of));
            // One user cannot be named twice in a request.
            for (name, mechanism, _) in meant {
                let deletions = vec![ScramCredentialDeletion { name, mechanism, ..Default::default() }];
                connection.alter(AlterUserScramCredentialsRequest { deletions, ..Default::default() })?;
            }
            say(&format!("{user} is removed"))?;
        }
        Action::List => {
            for (user, mechanism, iterations) in connection.describe(None)? {
                let mechanism = ScramMechanism::from_code(mechanism).map_or("unknown", ScramMechanism::name);
                say(&row(&user, mechanism, iterations))?;
            }
        }
    }
    Ok(())
}

/// A connection to a broker.
struct Connection {
    stream: TcpStream,
    correlation_id: i32,
}

impl Connection {
    fn open(server: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(server).map_err(|error| format!("{server}: {error}"))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, correlation_id: 0 })
    }

    fn call<R: Request>(&mut self, version: i16, request: &R) -> Result<R::Response, Failure> {
        self.correlation_id += 1;
        let (id, client) =
            (CorrelationId::new(self.correlation_id), Some(Str::from_static("headwater-users")));
        let frame = encode_request(id, client, version, request, &mut BytesMut::new())?;
        self.stream.write_all(&frame.to_bytes().ok_or("a request of one piece")?)?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = usize::try_from(u32::from_be_bytes(length))?;
        if length > ANSWER_MAX {
            return Err(format!("an answer of {length} bytes: is this a Kafka listener?").into());
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        let (_, response) = decode_response::<R::Response>(R::KEY, version, answer.into())?;
        Ok(response)
    }

    /// Logs in by SCRAM-SHA-256.
    fn log_in(&mut self, user: &str, password: &str) -> Result<(), Failure> {
        let mechanism = ScramMechanism::Sha256;
        let handshake = SaslHandshakeRequest { mechanism: mechanism.name().into() };
        check(self.call(1, &handshake)?.error_code, None)?;
        let exchange = ClientExchange::begin(mechanism, user, Nonce::from_random(rand::random()));
        let first = self.token(exchange.first_message())?;
        let proved = exchange.prove(password, &first)?;
        let last = self.token(proved.final_message())?;
        proved.verify(&last)?;
        Ok(())
    }

    fn token(&mut self, token: &str) -> Result<Bytes, Failure> {
        let auth_bytes = Bytes::copy_from_slice(token.as_bytes());
        let answer = self.call(2, &SaslAuthenticateRequest { auth_bytes, ..Default::default() })?;
        check(answer.error_code, answer.error_message)?;
        Ok(answer.auth_bytes)
    }

    fn alter(&mut self, request: AlterUserScramCredentialsRequest) -> Result<(), Failure> {
        for result in self.call(0, &request)?.results {
            check(result.error_code, result.error_message)?;
        }
        Ok(())
    }

    /// Credentials as user, Kafka's number of the mechanism, iterations.
    fn describe(&mut self, user: Option<&str>) -> Result<Vec<(Str, i8, i32)>, Failure> {
        let users = user.map(|name| vec![UserName { name: name.into(), ..Default::default() }]);
        let answer = self.call(0, &DescribeUserScramCredentialsRequest { users, ..Default::default() })?;
        check(answer.error_code, answer.error_message)?;
        let mut credentials = Vec::new();
        for result in answer.results {
            check(result.error_code, result.error_message)?;
            let infos = result.credential_infos;
            credentials
                .extend(infos.iter().map(|info| (result.user.clone(), info.mechanism, info.iterations)));
        }
        Ok(credentials)
    }
}

fn check(code: ErrorCode, message: Option<Str>) -> Result<(), Failure> {
    match code {
        ErrorCode::None => Ok(()),
        code => Err(message.map_or_else(|| code.text().to_owned(), |message| message.to_string()).into()),
    }
}

/// Where the password of `--login` is looked for.
const PASSWORD: &str = "HEADWATER_PASSWORD";
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The largest answer that is read, in bytes.
const ANSWER_MAX: usize = 64 << 20;
