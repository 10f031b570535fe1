//! How a record's time travels: as Iggy's origin timestamp, and beside it where that cannot say it.
//!
//! Iggy writes the origin timestamps of one send as 32-bit deltas of microseconds, so those of a batch are brought into
//! a window that begins at its earliest; 0 is Iggy's "none".

use crate::{MapError, SEND_SPAN_US_MAX};

/// The origin timestamps that one send can hold.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SendWindow {
    start_us: u64,
}

/// What a record's timestamp becomes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Stamp {
    /// Microseconds since the epoch.
    pub(crate) origin_timestamp: u64,
    /// The timestamp itself, milliseconds, where the origin timestamp does not say it.
    pub(crate) explicit: Option<i64>,
}

impl SendWindow {
    /// The window of the records with these timestamps, milliseconds since the epoch: it begins at the earliest that is
    /// above 0.
    pub fn of(timestamps: impl IntoIterator<Item = i64>) -> Self {
        let above_zero = timestamps.into_iter().filter(|timestamp| *timestamp > 0);
        let start_us = above_zero.filter_map(|timestamp| micros(timestamp).ok()).min().unwrap_or(0);
        Self { start_us }
    }

    pub(crate) fn stamp(self, timestamp: i64) -> Result<Stamp, MapError> {
        let own = micros(timestamp)?;
        let end_us = self.start_us.saturating_add(SEND_SPAN_US_MAX);
        let origin_timestamp = own.clamp(self.start_us, end_us);
        let explicit = (origin_timestamp != own || timestamp == 0).then_some(timestamp);
        Ok(Stamp { origin_timestamp, explicit })
    }
}

/// A record's timestamp in microseconds; 0 when it has none.
fn micros(timestamp: i64) -> Result<u64, MapError> {
    let error = MapError::Timestamp { timestamp };
    match timestamp {
        -1 => Ok(0),
        // 63 bits, so that every reader can hold it.
        0.. => timestamp.checked_mul(MICROS_PER_MILLI).map(i64::cast_unsigned).ok_or(error),
        _ => Err(error),
    }
}

pub(crate) const MICROS_PER_MILLI: i64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(window: &[i64], timestamp: i64, origin_timestamp: u64, explicit: Option<i64>) {
        let stamp = SendWindow::of(window.iter().copied()).stamp(timestamp).unwrap();
        assert_eq!(stamp, Stamp { origin_timestamp, explicit });
    }

    #[test]
    fn none_alone_is_zero_and_beside_another_is_clamped_and_told() {
        check(&[-1], -1, 0, None);
        check(&[-1, 5], -1, 5000, Some(-1));
        check(&[-1, 5], 5, 5000, None);
    }

    #[test]
    fn zero_is_always_told() {
        check(&[0], 0, 0, Some(0));
        check(&[0, 7], 0, 7000, Some(0));
    }

    #[test]
    fn the_window_is_as_long_as_a_delta() {
        check(&[1], 1, 1000, None);
        check(&[1, 4_294_968], 4_294_968, 4_294_968_000, None);
        check(&[1, 4_294_969], 4_294_969, 1000 + SEND_SPAN_US_MAX, Some(4_294_969));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let largest = i64::MAX / 1000;
        assert_eq!(largest, 9_223_372_036_854_775);
        check(&[largest], largest, 9_223_372_036_854_775_000, None);
        for timestamp in [-2, i64::MIN, largest + 1, i64::MAX] {
            let window = SendWindow::of([timestamp]);
            assert_eq!(window, SendWindow::default());
            assert!(
                matches!(window.stamp(timestamp), Err(MapError::Timestamp { timestamp: t }) if t == timestamp)
            );
        }
    }
}
