//! Who a connection belongs to, and how it comes to be known.
//!
//! On a listener without SASL everybody is anonymous. On one with SASL nothing but ApiVersions and the login itself is
//! served until the client has logged in; from then on the connection has its principal for good.

use std::sync::{Arc, OnceLock};

use headwater_codec::{ApiKey, Str};
use headwater_security::{
    Credentials, Framing, HandshakeRefused, Mechanism, Nonce, Phase, SaslSession, ScramCredential,
    ScramMechanism, Step,
};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{config::SaslListener, security::Principal, users::Users};

/// One connection's login.
#[derive(Debug, Default)]
pub(crate) struct Authentication {
    sasl: Option<Sasl>,
    principal: OnceLock<Principal>,
}

#[derive(Debug)]
struct Sasl {
    listener: Arc<SaslListener>,
    session: Mutex<SaslSession>,
}

/// What becomes of a request that arrives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Admission {
    /// It is served.
    Serve,
    /// It is no request: its bytes are a token of the login.
    Token,
    /// The connection is closed, for this reason.
    Close(&'static str),
}

impl Authentication {
    /// That of a connection to a listener, which offers SASL or not.
    pub(crate) fn new(listener: Option<&Arc<SaslListener>>) -> Self {
        let sasl = listener.map(|listener| Sasl {
            listener: listener.clone(),
            session: Mutex::new(SaslSession::new(listener.rules.clone())),
        });
        Self { sasl, principal: OnceLock::new() }
    }

    /// Who it is: anonymous until somebody has logged in.
    pub(crate) fn principal(&self) -> &Principal {
        self.principal.get().unwrap_or(&Principal::ANONYMOUS)
    }

    /// Whether the client has yet to log in, so that one thing is done after the other and requests are small.
    pub(crate) fn is_pending(&self) -> bool {
        self.phase() != Phase::Open
    }

    /// Judges what arrived: a request, or a token without a request around it.
    pub(crate) fn admit(&self, api: impl FnOnce() -> Option<ApiKey>) -> Admission {
        match self.phase() {
            Phase::Open => Admission::Serve,
            Phase::Token(Framing::Bare) => Admission::Token,
            // The handlers say what is wrong with a part of a login that comes at the wrong time.
            phase => match api() {
                Some(ApiKey::SaslHandshake) => Admission::Serve,
                _ if phase == Phase::Expired => Admission::Close("the SASL session has expired"),
                Some(ApiKey::SaslAuthenticate | ApiKey::ApiVersions) => Admission::Serve,
                _ => {
                    self.give_up();
                    Admission::Close("a request came before the client had logged in")
                }
            },
        }
    }

    /// The mechanisms offered by the listener, in its order; none without SASL.
    pub(crate) fn mechanisms(&self) -> Vec<Str> {
        let rules = self.sasl.iter().flat_map(|sasl| &sasl.listener.rules.mechanisms);
        rules.map(|(mechanism, _)| Str::from_static(mechanism.name())).collect()
    }

    /// The mechanism of the login under way, or of the last one.
    pub(crate) fn mechanism(&self) -> Option<Mechanism> {
        self.sasl.as_ref().and_then(|sasl| sasl.session.lock().mechanism())
    }

    /// Whether a token is due.
    pub(crate) fn awaits_token(&self) -> bool {
        matches!(self.phase(), Phase::Token(_))
    }

    /// Begins a login.
    ///
    /// # Errors
    /// [`HandshakeRefused`]; without SASL there is none to begin.
    pub(crate) fn handshake(&self, mechanism: &str, framing: Framing) -> Result<(), HandshakeRefused> {
        let Some(sasl) = &self.sasl else { return Err(HandshakeRefused::TooSoon) };
        sasl.session.lock().handshake(mechanism, framing, now())
    }

    /// Goes on with a login; `None` without SASL.
    pub(crate) fn token(&self, token: &[u8], users: &Users) -> Option<Step> {
        let sasl = self.sasl.as_ref()?;
        let known = Known { listener: &sasl.listener, users };
        let nonce = Nonce::from_random(rand::random());
        let mut session = sasl.session.lock();
        let step = session.token(token, &known, users.decoy(), &nonce, now());
        if let (Step::Done { .. }, Some(user)) = (&step, session.user()) {
            // A later login is by the same user.
            self.principal.get_or_init(|| Principal::user(user));
        }
        Some(step)
    }

    /// Ends the login that is under way, and with it the connection.
    pub(crate) fn give_up(&self) {
        if let Some(sasl) = &self.sasl {
            sasl.session.lock().fail();
        }
    }

    fn phase(&self) -> Phase {
        self.sasl.as_ref().map_or(Phase::Open, |sasl| sasl.session.lock().phase(now()))
    }
}

/// Everybody whom a listener lets in.
struct Known<'a> {
    listener: &'a SaslListener,
    users: &'a Users,
}

impl Credentials for Known<'_> {
    fn accept_plain(&self, user: &str, password: &str) -> bool {
        self.listener.plain_users.accept(user, password)
    }

    fn scram(&self, mechanism: ScramMechanism, user: &str) -> Option<ScramCredential> {
        self.users.credential(mechanism, user)
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}
