//! Messages of an Iggy server, written by the mapping, by a native producer or by somebody who imitates the mapping.
//! The first two bytes are the length of the user headers; then come those and the payload.
#![no_main]

use headwater_fuzz::within_budget;
use headwater_iggy::{BatchRebuild, Message, SendWindow, from_iggy, from_iggy_lenient, to_iggy};
use libfuzzer_sys::fuzz_target;

/// Bytes taken for each byte of a message: a user header of 12 bytes takes a place in a list, a map and a list of headers.
const BUDGET_PER_BYTE: usize = 64;

fuzz_target!(|input: &[u8]| {
    let Some((length, rest)) = input.split_first_chunk() else { return };
    let at = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (user_headers, payload) = rest.split_at(at);
    let message = Message { offset: 7, timestamp: 5_000, origin_timestamp: 0, user_headers, payload };
    let (record, error) = within_budget(input.len(), BUDGET_PER_BYTE, || from_iggy_lenient(&message));
    assert_eq!(from_iggy(&message).err(), error);
    let mut rebuild = BatchRebuild::new();
    rebuild.push(7, record.clone()).expect("any record fits a batch");
    assert_eq!(rebuild.finish().expect("a batch").expect("one record").record_count(), 1);
    // What was read can be written, and is read again as the same.
    let Ok(mapped) = to_iggy(&record, SendWindow::of([record.timestamp])) else {
        assert!(record.timestamp > i64::MAX / 1000, "only a time beyond 63 bits of microseconds cannot be written");
        return;
    };
    let again = Message {
        origin_timestamp: mapped.origin_timestamp,
        user_headers: &mapped.user_headers,
        payload: &mapped.payload,
        ..message
    };
    assert_eq!(from_iggy(&again).expect("our own message"), record);
});
