//! Responses. Two bytes of API key and two of version stand before the frame, as the asker would know them.
#![no_main]

use bytes::Bytes;
use headwater_codec::{ApiKey, decode_response, for_each_api, messages};
use headwater_fuzz::{RESPONSE_BUDGET_PER_BYTE, reads_back, within_budget};
use libfuzzer_sys::fuzz_target;

macro_rules! decode {
    ($($key:ident $module:ident $request:ident $response:ident;)*) => {
        fuzz_target!(|data: &[u8]| {
            let &[key_high, key_low, version_high, version_low, ref frame @ ..] = data else { return };
            let version = i16::from_be_bytes([version_high, version_low]);
            let (frame, length) = (Bytes::copy_from_slice(frame), frame.len());
            match ApiKey::from_code(i16::from_be_bytes([key_high, key_low])) {
                $(Some(ApiKey::$key) => {
                    let decode = || decode_response::<messages::$module::$response>(ApiKey::$key, version, frame);
                    if let Ok((_, response)) = within_budget(length, RESPONSE_BUDGET_PER_BYTE, decode) {
                        reads_back(&response, version);
                    }
                })*
                _ => {}
            }
        });
    };
}

for_each_api!(decode);
