//! Whole requests: the frame's first bytes say which API in which version.
#![no_main]

use bytes::Bytes;
use headwater_codec::{ApiKey, Reader, decode_request, for_each_api, messages};
use headwater_fuzz::{reads_back, within_budget};
use libfuzzer_sys::fuzz_target;

macro_rules! decode {
    ($($key:ident $module:ident $request:ident $response:ident;)*) => {
        fuzz_target!(|data: &[u8]| {
            let &[high, low, ..] = data else { return };
            let frame = Bytes::copy_from_slice(data);
            match ApiKey::from_code(i16::from_be_bytes([high, low])) {
                $(Some(ApiKey::$key) => {
                    let decode = || decode_request::<messages::$module::$request>(frame);
                    if let Ok((header, request)) = within_budget(data.len(), Reader::BUDGET_PER_BYTE, decode) {
                        reads_back(&request, header.api_version);
                    }
                })*
                _ => {}
            }
        });
    };
}

for_each_api!(decode);
