//! What a connection has moved, and how long it is not listened to for that (KIP-13, KIP-219).

use std::time::Duration;

use headwater_codec::Str;
use tokio::time::Instant;

use crate::{quotas::Quotas, security::Principal};

/// What a connection has moved. Quotas are shared by both doors, and keys, values and headers count alike.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// The name that the client gave itself; empty when it gave none.
    client_id: Str,
    /// Until when the client is neither listened nor pushed to: it has moved too much.
    paused_until: Option<Instant>,
}

impl Account {
    /// The client has given itself this name.
    pub(super) fn name(&mut self, client_id: &Str) {
        self.client_id = client_id.detached();
    }

    /// The client has produced so many bytes.
    pub(super) fn produced(&mut self, quotas: &Quotas, principal: &Principal, bytes: usize) {
        if bytes > 0 {
            self.pause(quotas.produced(principal, &self.client_id, bytes));
        }
    }

    /// The client was given so many bytes.
    pub(super) fn fetched(&mut self, quotas: &Quotas, principal: &Principal, bytes: usize) {
        if bytes > 0 {
            self.pause(quotas.fetched(principal, &self.client_id, bytes));
        }
    }

    /// How many bytes the client may be given at once.
    pub(super) fn fetch_bytes_max(&self, quotas: &Quotas, principal: &Principal) -> usize {
        quotas.fetch_bytes_max(principal, &self.client_id).unwrap_or(usize::MAX)
    }

    /// Until when the client is neither listened nor pushed to; `None` when it is.
    pub(super) fn paused_until(&self, now: Instant) -> Option<Instant> {
        self.paused_until.filter(|until| *until > now)
    }

    fn pause(&mut self, delay: Duration) {
        if !delay.is_zero() {
            self.paused_until = self.paused_until.max(Some(Instant::now() + delay));
        }
    }
}
