//! AUTH, AUTH_SCRAM and AUTH_SCRAM_FINAL.
//!
//! - A broker without SCRAM credentials takes any user, but has to be asked, and refuses SCRAM. Everybody is anonymous then.
//!   When a listener for Kafka's clients wants logins, nobody gets in here instead until somebody has credentials.
//! - With credentials both a password and SCRAM-SHA-256 are checked against them. A user that does not exist takes as long
//!   and fails with the same text as a wrong password; channel binding and another authorization id are refused.
//! - A failure closes the connection with AUTH_FAILED (4) on the zero id, after
//!   `connection.failed.authentication.delay.ms`.

use std::time::Duration;

use headwater_native::{
    CorrelationId,
    messages::{Auth, AuthChallenge, AuthScram, AuthScramFinal},
};
use headwater_security::{ClientFirst, Nonce, ScramMechanism, ServerExchange};
use tokio::{task::spawn_blocking, time::sleep};

use super::{answering::Client, connection::Outcome, ended::Ended};
use crate::{config::Config, security::Principal};

impl Client {
    pub(super) async fn authenticate(&mut self, id: CorrelationId, auth: &Auth) -> Result<Outcome, Ended> {
        let users = self.native().services().users.clone();
        if users.is_empty() && !wants_logins(&self.native().services().config) {
            return self.enter(id, Principal::ANONYMOUS, None);
        }
        let (user, password) = (auth.user.detached(), auth.password.clone());
        // Slow on purpose: not on a thread that serves others.
        let accepted = spawn_blocking(move || {
            std::str::from_utf8(&password)
                .is_ok_and(|password| users.accept_password(user.as_str(), password))
        });
        if accepted.await.unwrap_or(false) {
            self.native().services().metrics.authentication_succeeded(PLAIN);
            return self.enter(id, Principal::user(&auth.user), None);
        }
        self.login_failed(PLAIN).await
    }

    pub(super) async fn begin_scram(
        &mut self,
        id: CorrelationId,
        first: &AuthScram,
    ) -> Result<Outcome, Ended> {
        let users = &self.native().services().users;
        let known = first.mechanism.as_str().eq_ignore_ascii_case(MECHANISM.name());
        let parsed = ClientFirst::parse(&first.message).ok();
        let Some(parsed) = parsed.filter(|first| known && first.authorization_id().is_none()) else {
            return self.login_failed(MECHANISM.name()).await;
        };
        if users.is_empty() {
            return self.login_failed(MECHANISM.name()).await;
        }
        let credential = users.credential(MECHANISM, parsed.user());
        let credential = credential.unwrap_or_else(|| users.decoy().credential(MECHANISM, parsed.user()));
        let exchange = parsed.challenge(&credential, &Nonce::from_random(rand::random()));
        let challenge = AuthChallenge { message: exchange.first_message().to_owned().into() };
        self.set_exchange(exchange);
        self.answer(id, Ok(challenge))
    }

    pub(super) async fn finish_scram(
        &mut self,
        id: CorrelationId,
        last: &AuthScramFinal,
    ) -> Result<Outcome, Ended> {
        let accepted = self.take_exchange().map(|exchange: ServerExchange| exchange.finish(&last.message));
        let Some(Ok(accepted)) = accepted else { return self.login_failed(MECHANISM.name()).await };
        self.native().services().metrics.authentication_succeeded(MECHANISM.name());
        let principal = Principal::user(accepted.user());
        self.enter(id, principal, Some(accepted.message().to_owned().into()))
    }

    async fn login_failed(&mut self, mechanism: &str) -> Result<Outcome, Ended> {
        self.native().services().metrics.authentication_failed(mechanism);
        let config = &self.native().services().config;
        sleep(Duration::from_millis(config.connection_failed_authentication_delay_ms)).await;
        Err(Ended::AuthFailed)
    }
}

/// Whether some listener for Kafka's clients lets nobody in without a login. Then this door is none around it.
pub(super) fn wants_logins(config: &Config) -> bool {
    config.listeners.iter().any(|listener| listener.sasl.is_some())
}

/// The one mechanism of this protocol.
const MECHANISM: ScramMechanism = ScramMechanism::Sha256;
/// Under what logins with a password are counted.
const PLAIN: &str = "PLAIN";
