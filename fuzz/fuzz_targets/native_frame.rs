//! Frames of the native protocol, from both sides.
#![no_main]

use bytes::{Bytes, BytesMut};
use headwater_fuzz::{RESPONSE_BUDGET_PER_BYTE, within_budget};
use headwater_native::{
    CorrelationId, DeadLetter, Frame, Headers, Reply, Request, limits::CLIENT_FRAME_BYTES_MAX,
    messages::RecordLayout,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut stream = BytesMut::from(input);
    while let Ok(Some(frame)) = Frame::take(&mut stream, CLIENT_FRAME_BYTES_MAX) {
        let length = frame.payload.len();
        if let Ok(request) =
            within_budget(length, RESPONSE_BUDGET_PER_BYTE, || Request::decode(frame.clone()))
        {
            let mut written = BytesMut::new();
            request
                .encode(CorrelationId::ZERO, usize::MAX, &mut written)
                .expect("what was read can be written");
            assert_eq!(Request::decode(again(written)), Ok(request));
        }
        for layout in [RecordLayout::Plain, RecordLayout::Headers] {
            let decoded =
                within_budget(length, RESPONSE_BUDGET_PER_BYTE, || Reply::decode(frame.clone(), layout));
            if let Ok(reply) = decoded {
                let mut written = BytesMut::new();
                // A text that was mended while reading is longer than it was, and may be too long now.
                if reply.encode(CorrelationId::ZERO, layout, usize::MAX, &mut written).is_ok() {
                    assert_eq!(Reply::decode(again(written), layout), Ok(reply));
                }
            }
        }
    }
    if let Ok(letter) = DeadLetter::decode(Bytes::copy_from_slice(input)) {
        let mut written = BytesMut::new();
        letter.encode(&mut written).expect("what was read can be written");
        assert_eq!(written, input[..written.len()]);
    }
    if let Ok(headers) = Headers::decode(Bytes::copy_from_slice(input)) {
        assert_eq!(Headers::encode(&headers), Ok(headers));
    }
});

fn again(mut written: BytesMut) -> Frame {
    Frame::take(&mut written, usize::MAX).expect("a sound frame").expect("a whole frame")
}
