//! One member of a group.

use std::time::Duration;

use bytes::Bytes;
use headwater_codec::Str;

use crate::{JoinRequest, Protocol, Token};

/// One member of a group. Shares no frame: it may live for long.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) id: Str,
    pub(crate) instance_id: Option<Str>,
    pub(crate) client_id: Str,
    pub(crate) client_host: Str,
    pub(crate) session_timeout: Duration,
    pub(crate) rebalance_timeout: Duration,
    pub(crate) protocols: Vec<Protocol>,
    pub(crate) assignment: Bytes,
    /// The order of coming: who came first leads first.
    pub(crate) arrival: u64,
    /// Whether the first join was not answered yet, so that the member cannot send heartbeats.
    pub(crate) is_new: bool,
    /// Whether an empty group need not wait for more members after this one.
    pub(crate) joins_at_once: bool,
    pub(crate) awaiting_join: Option<Token>,
    pub(crate) awaiting_sync: Option<Token>,
}

impl Member {
    /// A member that joins for the first time.
    pub(crate) fn new(id: Str, request: &JoinRequest, arrival: u64) -> Self {
        Self {
            id: id.detached(),
            instance_id: request.instance_id.as_ref().map(Str::detached),
            client_id: request.client_id.detached(),
            client_host: request.client_host.detached(),
            session_timeout: at_least_a_millisecond(request.session_timeout),
            rebalance_timeout: at_least_a_millisecond(request.rebalance_timeout),
            protocols: kept(&request.protocols),
            assignment: Bytes::new(),
            arrival,
            is_new: true,
            joins_at_once: request.joins_at_once,
            awaiting_join: None,
            awaiting_sync: None,
        }
    }

    /// Takes over what a member says when it joins again.
    pub(crate) fn update(&mut self, request: &JoinRequest) {
        self.session_timeout = at_least_a_millisecond(request.session_timeout);
        self.rebalance_timeout = at_least_a_millisecond(request.rebalance_timeout);
        self.protocols = kept(&request.protocols);
    }

    /// Whether these are the member's protocols, in the same order and with the same metadata.
    pub(crate) fn speaks_exactly(&self, protocols: &[Protocol]) -> bool {
        self.protocols == protocols || self.protocols == kept(protocols)
    }

    pub(crate) fn speaks(&self, name: &str) -> bool {
        self.protocols.iter().any(|protocol| protocol.name == *name)
    }

    /// What the member said under that protocol; empty when it does not speak it.
    pub(crate) fn metadata(&self, name: &str) -> Bytes {
        let spoken = self.protocols.iter().find(|protocol| protocol.name == *name);
        spoken.map(|protocol| protocol.metadata.clone()).unwrap_or_default()
    }
}

/// The protocols, each name once, in memory of their own.
pub(crate) fn kept(protocols: &[Protocol]) -> Vec<Protocol> {
    let mut kept: Vec<Protocol> = Vec::with_capacity(protocols.len());
    for protocol in protocols {
        if !kept.iter().any(|earlier| earlier.name == protocol.name) {
            kept.push(Protocol {
                name: protocol.name.detached(),
                metadata: Bytes::copy_from_slice(&protocol.metadata),
            });
        }
    }
    kept
}

/// A timer of no time at all would never let time pass.
fn at_least_a_millisecond(timeout: Duration) -> Duration {
    timeout.max(Duration::from_millis(1))
}
