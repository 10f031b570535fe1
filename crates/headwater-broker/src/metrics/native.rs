//! Counters of the native door.

use std::sync::Arc;

use headwater_native::Opcode;
use prometheus::{IntCounter, IntCounterVec, Registry};

use super::{opts, register};

/// Counters of the native door. Cheap to clone.
#[derive(Clone)]
pub(crate) struct NativeMetrics {
    shared: Arc<Shared>,
}

struct Shared {
    frames: Vec<(u8, IntCounter)>,
    frames_unknown: IntCounter,
    closed: IntCounterVec,
    produced: IntCounter,
    idempotent: IntCounter,
    fetched: IntCounter,
    nacks: IntCounter,
    dead_letters: IntCounter,
    undeliverable: IntCounter,
}

impl NativeMetrics {
    /// Counters that all stand at zero.
    pub(super) fn new(registry: &Registry) -> Self {
        let counter = |name, help| register(registry, IntCounter::new(name, help));
        let frames = register(
            registry,
            IntCounterVec::new(
                opts("headwater_native_frames_received_total", "Frames of native clients, by operation."),
                &["op"],
            ),
        );
        let of = |opcode: &Opcode| (opcode.code(), frames.with_label_values(&[opcode.name()]));
        let shared = Shared {
            frames: Opcode::ALL.iter().filter(|opcode| !opcode.is_reply()).map(of).collect(),
            frames_unknown: frames.with_label_values(&["unknown"]),
            closed: register(
                registry,
                IntCounterVec::new(
                    opts(
                        "headwater_native_connections_closed_total",
                        "Native connections that ended, by reason.",
                    ),
                    &["reason"],
                ),
            ),
            produced: counter(
                "headwater_native_produce_records_total",
                "Records that native clients produced.",
            ),
            idempotent: counter(
                "headwater_native_idempotent_produce_total",
                "Records that idempotent native producers appended.",
            ),
            fetched: counter("headwater_native_fetch_records_total", "Records given to native clients."),
            nacks: counter("headwater_native_nack_total", "Records that native clients could not process."),
            dead_letters: counter(
                "headwater_native_dlq_records_total",
                "Records put into dead-letter topics.",
            ),
            undeliverable: counter(
                "headwater_native_dlq_undeliverable_total",
                "Records that no dead-letter topic could take, and that their group passed over.",
            ),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A frame with this opcode was read.
    pub(crate) fn frame(&self, opcode: u8) {
        let known = self.shared.frames.iter().find(|(code, _)| *code == opcode);
        known.map_or(&self.shared.frames_unknown, |(_, counter)| counter).inc();
    }

    /// A connection ended.
    pub(crate) fn closed(&self, reason: &str) {
        self.shared.closed.with_label_values(&[reason]).inc();
    }

    /// Records were produced.
    pub(crate) fn produced(&self, records: usize) {
        self.shared.produced.inc_by(records as u64);
    }

    /// Records of an idempotent producer were appended.
    pub(crate) fn idempotent(&self, records: usize) {
        self.shared.idempotent.inc_by(records as u64);
    }

    /// Records were given to a client.
    pub(crate) fn fetched(&self, records: usize) {
        self.shared.fetched.inc_by(records as u64);
    }

    /// A record could not be processed.
    pub(crate) fn nacked(&self) {
        self.shared.nacks.inc();
    }

    /// A record was put into a dead-letter topic.
    pub(crate) fn dead_lettered(&self) {
        self.shared.dead_letters.inc();
    }

    /// A record could not be put into a dead-letter topic.
    pub(crate) fn undeliverable(&self) {
        self.shared.undeliverable.inc();
    }
}
