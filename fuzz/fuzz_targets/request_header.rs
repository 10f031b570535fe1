//! Request headers, in every version.
#![no_main]

use bytes::Bytes;
use headwater_codec::{Reader, RequestHeader, RequestHeaderVersion, Writer};
use headwater_fuzz::within_budget;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let frame = Bytes::copy_from_slice(data);
    let peeked = RequestHeader::peek(&frame);
    for version in [RequestHeaderVersion::V0, RequestHeaderVersion::V1, RequestHeaderVersion::V2] {
        let flexible = version == RequestHeaderVersion::V2;
        let mut reader = Reader::new(frame.clone(), 0, flexible);
        let header = within_budget(data.len(), Reader::BUDGET_PER_BYTE, || {
            RequestHeader::decode(&mut reader, version)
        });
        let Ok(header) = header else { continue };
        if version != RequestHeaderVersion::V0 {
            let seen = peeked.as_ref().expect("the front of a whole header can be read");
            assert_eq!((seen.api_key, seen.api_version), (header.api_key, header.api_version));
            assert_eq!((seen.correlation_id, &seen.client_id), (header.correlation_id, &header.client_id));
        }
        let mut writer = Writer::new(0, flexible);
        header.encode(&mut writer, version).expect("what was read can be written");
        let (written, _) = writer.finish().expect("a header is short");
        let mut reader = Reader::new(written.to_bytes().expect("a header is bytes"), 0, flexible);
        assert_eq!(RequestHeader::decode(&mut reader, version).as_ref(), Ok(&header));
    }
});
