//! One connection's way through SASL, as Kafka has it (KIP-43, KIP-84, KIP-152, KIP-368).
//!
//! A handshake names the mechanism; tokens follow, in SaslAuthenticate requests or, after a handshake of version 0, bare;
//! then the connection is open. With a limit on the life of a session the client logs in again on the same connection,
//! as the same user by the same mechanism, before the limit passes.

mod phase;
#[cfg(test)]
mod tests;

use std::{
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

pub use phase::{Credentials, Framing, HandshakeRefused, LoginFailure, Phase, SaslRules, Step};

use crate::{
    ClientFirst, Decoy, Mechanism, Nonce, PlainLogin, ScramMechanism, ServerExchange, session::phase::Session,
};

/// One connection's way through SASL.
#[derive(Debug)]
pub struct SaslSession {
    rules: Arc<SaslRules>,
    state: State,
    /// There since the first login.
    session: Option<Session>,
}

#[derive(Debug)]
enum State {
    /// Waits for a handshake, or is open.
    Idle,
    /// Waits for a token.
    Exchanging { mechanism: Mechanism, framing: Framing, exchange: Exchange },
    /// Over.
    Failed,
}

/// What the next token is.
#[derive(Debug)]
enum Exchange {
    Plain,
    ScramFirst(ScramMechanism),
    ScramFinal(Box<ServerExchange>),
    /// Whatever it is: the handshake was for another mechanism than the session's.
    OtherMechanism,
}

impl SaslSession {
    /// A connection that was just accepted.
    pub fn new(rules: Arc<SaslRules>) -> Self {
        Self { rules, state: State::Idle, session: None }
    }

    /// What may come next.
    pub fn phase(&self, now: Instant) -> Phase {
        match (&self.state, &self.session) {
            (State::Failed, _) => Phase::Failed,
            (State::Exchanging { framing, .. }, _) => Phase::Token(*framing),
            (State::Idle, None) => Phase::Handshake,
            (State::Idle, Some(session)) if session.has_expired(now) => Phase::Expired,
            (State::Idle, Some(_)) => Phase::Open,
        }
    }

    /// Who has logged in; stays the same over later logins.
    pub fn user(&self) -> Option<&str> {
        self.session.as_ref().map(|session| session.user.as_str())
    }

    /// The mechanism of the login under way, or of the last one.
    pub fn mechanism(&self) -> Option<Mechanism> {
        match (&self.state, &self.session) {
            (State::Exchanging { mechanism, .. }, _) => Some(*mechanism),
            (_, session) => session.as_ref().map(|session| session.mechanism),
        }
    }

    /// Takes a handshake: begins a login, or a later one.
    ///
    /// # Errors
    /// [`HandshakeRefused`]; the first two end the connection, the last leaves it as it was.
    pub fn handshake(
        &mut self,
        mechanism: &str,
        framing: Framing,
        now: Instant,
    ) -> Result<(), HandshakeRefused> {
        if !matches!(self.state, State::Idle) {
            self.state = State::Failed;
            return Err(HandshakeRefused::Unexpected);
        }
        if self.session.as_ref().is_some_and(|session| session.is_young(now)) {
            return Err(HandshakeRefused::TooSoon);
        }
        let offered = Mechanism::parse(mechanism).filter(|mechanism| self.rules.offers(*mechanism));
        let Some(mechanism) = offered else {
            self.state = State::Failed;
            return Err(HandshakeRefused::UnsupportedMechanism);
        };
        let is_other = self.session.as_ref().is_some_and(|session| session.mechanism != mechanism);
        let exchange = match mechanism {
            _ if is_other => Exchange::OtherMechanism,
            Mechanism::Plain => Exchange::Plain,
            Mechanism::Scram(scram) => Exchange::ScramFirst(scram),
        };
        self.state = State::Exchanging { mechanism, framing, exchange };
        Ok(())
    }

    /// Takes one token. `nonce` must be new; `decoy` answers for users that do not exist.
    pub fn token(
        &mut self,
        token: &[u8],
        credentials: &dyn Credentials,
        decoy: &Decoy,
        nonce: &Nonce,
        now: Instant,
    ) -> Step {
        let state = mem::replace(&mut self.state, State::Failed);
        let State::Exchanging { mechanism, framing, exchange } = state else {
            return Step::Failed(LoginFailure::Unexpected);
        };
        match exchange {
            Exchange::OtherMechanism => Step::Failed(LoginFailure::OtherMechanism),
            Exchange::Plain => match plain(token, credentials) {
                Ok(user) => self.finish(user, mechanism, Vec::new(), now),
                Err(failure) => Step::Failed(failure),
            },
            Exchange::ScramFirst(scram) => match scram_first(token, scram, credentials, decoy, nonce) {
                Ok(exchange) => {
                    let token = exchange.first_message().as_bytes().to_vec();
                    let exchange = Exchange::ScramFinal(Box::new(exchange));
                    self.state = State::Exchanging { mechanism, framing, exchange };
                    Step::Continue { token }
                }
                Err(failure) => Step::Failed(failure),
            },
            Exchange::ScramFinal(exchange) => match exchange.finish(token) {
                Ok(accepted) => {
                    let token = accepted.message().as_bytes().to_vec();
                    self.finish(accepted.user().to_owned(), mechanism, token, now)
                }
                Err(error) => Step::Failed(LoginFailure::Scram(error)),
            },
        }
    }

    /// Gives up: the peer sent something that has no place here.
    pub fn fail(&mut self) {
        self.state = State::Failed;
    }

    fn finish(&mut self, user: String, mechanism: Mechanism, token: Vec<u8>, now: Instant) -> Step {
        if self.session.as_ref().is_some_and(|session| session.user != user) {
            return Step::Failed(LoginFailure::OtherUser);
        }
        let lifetime = self.rules.lifetime(mechanism);
        self.session = Some(Session { user, mechanism, since: now, until: lifetime.map(|life| now + life) });
        self.state = State::Idle;
        Step::Done { token, lifetime: lifetime.unwrap_or(Duration::ZERO) }
    }
}

fn plain(token: &[u8], credentials: &dyn Credentials) -> Result<String, LoginFailure> {
    let login = PlainLogin::parse(token).map_err(LoginFailure::Plain)?;
    if !credentials.accept_plain(login.user, login.password) {
        return Err(LoginFailure::Password);
    }
    check_authorization_id(login.authorization_id, login.user)?;
    Ok(login.user.to_owned())
}

fn scram_first(
    token: &[u8],
    mechanism: ScramMechanism,
    credentials: &dyn Credentials,
    decoy: &Decoy,
    nonce: &Nonce,
) -> Result<ServerExchange, LoginFailure> {
    let first = ClientFirst::parse(token).map_err(LoginFailure::Scram)?;
    check_authorization_id(first.authorization_id(), first.user())?;
    let known = credentials.scram(mechanism, first.user());
    let credential = known.unwrap_or_else(|| decoy.credential(mechanism, first.user()));
    Ok(first.challenge(&credential, nonce))
}

/// Nobody acts for somebody else.
fn check_authorization_id(id: Option<&str>, user: &str) -> Result<(), LoginFailure> {
    match id {
        Some(id) if id != user => Err(LoginFailure::AuthorizationId),
        _ => Ok(()),
    }
}
