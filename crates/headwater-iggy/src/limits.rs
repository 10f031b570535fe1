//! What Iggy can hold, and what one batch may become.

/// Bytes of a message's payload at most; one at least.
pub const PAYLOAD_LEN_MAX: usize = 64_000_000;

/// Bytes of the key or the value of one user header at most; one at least.
pub const FIELD_LEN_MAX: usize = 255;

/// Bytes of all user headers of a message at most, as they are encoded.
pub const USER_HEADERS_LEN_MAX: usize = 100_000;

/// Bytes of one send at most, each message counted as 64 bytes, its payload and its user headers: Iggy's own limit on
/// a frame (64 MiB) less 4 KiB for what stands around the messages.
pub const SEND_BYTES_MAX: usize = (64 << 20) - (4 << 10);

/// Microseconds that may lie between the origin timestamps of one send: they are written as 32-bit deltas.
pub const SEND_SPAN_US_MAX: u64 = u32::MAX as u64;

/// What a message counts in a send besides its payload and user headers, bytes.
pub(crate) const MESSAGE_OVERHEAD: usize = 64;

/// Headers that cost as much as one record while a batch is turned into messages.
const HEADERS_PER_SLOT: usize = 3;

/// Bounds on what one batch may unfold to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BatchLimits {
    /// `headwater.iggy.partition.bytes.max`: bytes of the unpacked records, and of the messages made of them. Records
    /// and headers are bounded by it too: one record or three headers to every 64 bytes.
    pub bytes_max: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self { bytes_max: SEND_BYTES_MAX }
    }
}

/// Counts what a batch's messages take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limits: BatchLimits,
    bytes: usize,
    records: usize,
    headers: usize,
}

impl Budget {
    pub(crate) const fn new(limits: BatchLimits) -> Self {
        Self { limits, bytes: 0, records: 0, headers: 0 }
    }

    /// Counts one record with its headers, before anything is made of it. Whether there was room.
    pub(crate) const fn take_record(&mut self, headers: usize) -> bool {
        self.records = self.records.saturating_add(1);
        self.headers = self.headers.saturating_add(headers);
        let slots = self.records.saturating_add(self.headers.div_ceil(HEADERS_PER_SLOT));
        slots <= self.limits.bytes_max / MESSAGE_OVERHEAD
    }

    /// Counts one message. Whether there was room.
    pub(crate) const fn take_message(&mut self, payload_len: usize, user_headers_len: usize) -> bool {
        let bytes = MESSAGE_OVERHEAD.saturating_add(payload_len).saturating_add(user_headers_len);
        self.bytes = self.bytes.saturating_add(bytes);
        self.bytes <= self.limits.bytes_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_records_headers_and_bytes_to_the_limit() {
        let limits = BatchLimits { bytes_max: 640 };
        let mut budget = Budget::new(limits);
        assert!((0..10).all(|_| budget.take_record(0)));
        assert!(!budget.take_record(0));
        let mut budget = Budget::new(limits);
        assert!(budget.take_record(27)); // 1 + 27 / 3 slots of 10.
        assert!(!budget.take_record(0));
        assert!(!Budget::new(limits).take_record(usize::MAX));
        let mut budget = Budget::new(limits);
        assert!(budget.take_message(500, 76));
        assert!(!budget.take_message(0, 0));
        assert!(!Budget::new(limits).take_message(usize::MAX, 1));
    }
}
