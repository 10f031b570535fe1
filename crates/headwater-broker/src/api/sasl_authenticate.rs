//! SaslAuthenticate (key 36, versions 0-2). One token of a login, and the answer to it (KIP-152).
//!
//! - A login that fails: 58 after `connection.failed.authentication.delay.ms`, then the connection is closed. The text
//!   does not say whether the user exists.
//! - Without a handshake: 34, and on a listener with SASL the connection is closed.
//! - From version 1 on a login that lasts for a time says how long (KIP-368).

use bytes::{BufMut, Bytes, BytesMut};
use headwater_codec::{
    Chunk, EncodedFrame, ErrorCode, Str, frame,
    messages::sasl_authenticate::{SaslAuthenticateRequest, SaslAuthenticateResponse},
};
use headwater_security::{LoginFailure, Step};
use tokio::time::sleep;

use crate::{
    api::{Reply, SaslReply},
    context::Context,
};

/// What a login answers to one token.
enum TokenAnswer {
    /// A token; the login goes on, or has succeeded and lasts so long, 0 for ever.
    Token {
        /// The token.
        token: Bytes,
        /// Milliseconds.
        lifetime_ms: i64,
    },
    /// It has failed.
    Failed {
        /// For the client.
        message: Str,
    },
    /// There is no login.
    NoLogin,
}

pub(super) async fn handle(
    cx: &Context,
    request: SaslAuthenticateRequest,
) -> SaslReply<SaslAuthenticateResponse> {
    if !cx.authentication().awaits_token() {
        let is_open = !cx.authentication().is_pending();
        if !is_open {
            cx.authentication().give_up();
        }
        return SaslReply {
            response: refused(
                ErrorCode::IllegalSaslState,
                "SaslAuthenticate came without a handshake".into(),
            ),
            closes: (!is_open).then_some(FAILED),
        };
    }
    match answer(cx, &request.auth_bytes).await {
        TokenAnswer::Token { token, lifetime_ms } => {
            let response = SaslAuthenticateResponse {
                error_message: None,
                auth_bytes: token,
                session_lifetime_ms: lifetime_ms,
                ..Default::default()
            };
            SaslReply { response, closes: None }
        }
        TokenAnswer::Failed { message } => {
            let response = refused(ErrorCode::SaslAuthenticationFailed, message);
            SaslReply { response, closes: Some(FAILED) }
        }
        TokenAnswer::NoLogin => {
            let message = "this listener does not ask who its clients are".into();
            SaslReply { response: refused(ErrorCode::IllegalSaslState, message), closes: None }
        }
    }
}

/// Puts a token into the login, counts, and waits when it has failed.
async fn answer(cx: &Context, token: &[u8]) -> TokenAnswer {
    let authentication = cx.authentication();
    let mechanism = authentication.mechanism().map_or("unknown", |mechanism| mechanism.name());
    match authentication.token(token, cx.users()) {
        None => TokenAnswer::NoLogin,
        Some(Step::Continue { token }) => TokenAnswer::Token { token: token.into(), lifetime_ms: 0 },
        Some(Step::Done { token, lifetime }) => {
            cx.metrics().authentication_succeeded(mechanism);
            tracing::debug!(address = %cx.peer_address(), user = cx.principal().name(), mechanism, "logged in");
            let lifetime_ms = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
            TokenAnswer::Token { token: token.into(), lifetime_ms }
        }
        Some(Step::Failed(failure)) => {
            cx.metrics().authentication_failed(mechanism);
            let (address, listener) = (cx.peer_address(), cx.listener());
            tracing::warn!(%address, %listener, mechanism, reason = %failure, "a login failed");
            sleep(cx.failed_login_delay()).await;
            TokenAnswer::Failed { message: told(mechanism, failure) }
        }
    }
}

/// Answers a token that came bare with one that goes bare. A login that has failed gets no answer then, as in Kafka.
pub(crate) async fn answer_bare_token(cx: &Context, token: Bytes) -> Reply {
    match answer(cx, &token).await {
        TokenAnswer::Token { token, .. } => {
            let mut bytes = BytesMut::with_capacity(frame::PREFIX_SIZE + token.len());
            bytes.put_u32(u32::try_from(token.len()).unwrap_or(u32::MAX));
            bytes.put_slice(&token);
            let bytes = bytes.freeze();
            let frame = EncodedFrame { length: bytes.len(), chunks: vec![Chunk::Bytes(bytes)] };
            Reply::Frame { frame, slices: Vec::new() }
        }
        TokenAnswer::Failed { .. } | TokenAnswer::NoLogin => Reply::Close(FAILED),
    }
}

fn refused(error_code: ErrorCode, message: Str) -> SaslAuthenticateResponse {
    SaslAuthenticateResponse { error_code, error_message: Some(message), ..Default::default() }
}

/// What the client is told: as much as Kafka tells.
fn told(mechanism: &str, failure: LoginFailure) -> Str {
    match failure {
        LoginFailure::Password => "Authentication failed: Invalid username or password".into(),
        LoginFailure::Plain(error) => format!("Authentication failed: {error}").into(),
        LoginFailure::OtherMechanism | LoginFailure::OtherUser | LoginFailure::AuthorizationId => {
            format!("Authentication failed: {failure}").into()
        }
        LoginFailure::Unexpected | LoginFailure::Scram(_) => format!(
            "Authentication failed during authentication due to invalid credentials with SASL mechanism {mechanism}"
        )
        .into(),
    }
}

/// Why a connection ends after its login failed.
const FAILED: &str = "a login failed";
