//! SaslHandshake (key 17, versions 0-1). Names the mechanism of a login (KIP-43), or of a later one (KIP-368).
//!
//! - After version 0 the tokens come bare, with their length before them; after version 1 in SaslAuthenticate requests
//!   (KIP-152).
//! - A mechanism that the listener does not offer: 33 with those that it offers, and the connection is closed.
//! - In the middle of a login: 34, and the connection is closed. On a listener without SASL, or less than a second after
//!   the last login: 34, and nothing changes.

use headwater_codec::{
    ErrorCode,
    messages::sasl_handshake::{SaslHandshakeRequest, SaslHandshakeResponse},
};
use headwater_security::{Framing, HandshakeRefused};
use tokio::time::sleep;

use crate::{api::SaslReply, context::Context};

pub(super) async fn handle(cx: &Context, request: SaslHandshakeRequest) -> SaslReply<SaslHandshakeResponse> {
    let framing = if cx.api_version() < TOKENS_IN_REQUESTS_SINCE { Framing::Bare } else { Framing::Requests };
    let refused = cx.authentication().handshake(request.mechanism.as_str(), framing).err();
    let (error_code, closes) = match refused {
        None => (ErrorCode::None, None),
        Some(HandshakeRefused::UnsupportedMechanism) => (
            ErrorCode::UnsupportedSaslMechanism,
            Some("a client asked for a SASL mechanism that is not offered"),
        ),
        Some(HandshakeRefused::Unexpected) => {
            (ErrorCode::IllegalSaslState, Some("a SASL handshake came in the middle of a login"))
        }
        Some(HandshakeRefused::TooSoon) => (ErrorCode::IllegalSaslState, None),
    };
    if let Some(reason) = closes {
        let (address, listener) = (cx.peer_address(), cx.listener());
        tracing::warn!(%address, %listener, reason, "a login failed");
        cx.metrics().authentication_failed("unknown");
        sleep(cx.failed_login_delay()).await;
    }
    let mechanisms = match error_code {
        ErrorCode::IllegalSaslState => Vec::new(),
        _ => cx.authentication().mechanisms(),
    };
    SaslReply { response: SaslHandshakeResponse { error_code, mechanisms }, closes }
}

/// The first version after which tokens come in SaslAuthenticate requests.
const TOKENS_IN_REQUESTS_SINCE: i16 = 1;
