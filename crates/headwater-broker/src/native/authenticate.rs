//! AUTH, AUTH_SCRAM and AUTH_SCRAM_FINAL.
//!
//! A broker without credentials takes any user, but has to be asked, and refuses SCRAM. A failure closes the connection
//! with AUTH_FAILED (4) on the zero id.

use headwater_native::{
    CorrelationId,
    messages::{Auth, AuthOk, AuthScram, AuthScramFinal},
};

use super::{answering::Client, connection::Outcome, ended::Ended};

impl Client {
    pub(super) async fn authenticate(&mut self, id: CorrelationId, auth: &Auth) -> Result<Outcome, Ended> {
        let _ = auth;
        self.enter();
        self.answer(id, Ok(AuthOk::default()))
    }

    pub(super) async fn begin_scram(
        &mut self,
        id: CorrelationId,
        first: &AuthScram,
    ) -> Result<Outcome, Ended> {
        let _ = (id, first);
        Err(Ended::AuthFailed)
    }

    pub(super) async fn finish_scram(
        &mut self,
        id: CorrelationId,
        last: &AuthScramFinal,
    ) -> Result<Outcome, Ended> {
        let _ = (id, last);
        Err(Ended::AuthFailed)
    }
}
