//! The four bytes before a frame.
#![no_main]

use headwater_codec::frame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: ([u8; 4], u32)| {
    let (prefix, max) = input;
    if let Ok(length) = frame::length(prefix, max as usize) {
        assert!(length <= max as usize, "{length} passed a limit of {max}");
        assert_eq!(length, u32::from_be_bytes(prefix) as usize);
    }
});
