//! What a produced record has to keep: the bounds of keys, values and headers.

use headwater_codec::TopicName;
use headwater_native::{ErrorCode, limits, messages::RecordToProduce};
use headwater_records::native::HeaderLimits;
use headwater_storage::LogConfig;

use super::refusal::{Answer, refuse};

/// Judges one record that is to be appended to `topic`.
pub(super) fn judge(record: &RecordToProduce, topic: &TopicName, config: &LogConfig) -> Answer<()> {
    if config.cleanup_compact && record.key.is_empty() {
        return refuse(ErrorCode::BAD_FRAME, "a record of a compacted topic needs a key");
    }
    let value_max = value_bytes_max(topic);
    if record.value.len() > value_max {
        let message = format!(
            "a value of {} bytes would leave no room for a dead letter's envelope, {value_max} are allowed",
            record.value.len()
        );
        return refuse(ErrorCode::BATCH_TOO_LARGE, message);
    }
    judge_headers(record, config.header_limits)
}

fn judge_headers(record: &RecordToProduce, limits: HeaderLimits) -> Answer<()> {
    match limits.parse(record.headers.as_bytes()) {
        Ok(_) => Ok(()),
        Err(fault) => refuse(ErrorCode::BAD_FRAME, fault.to_string()),
    }
}

/// The largest value that still fits a string of the original protocol when it comes back as a dead letter of `topic`.
fn value_bytes_max(topic: &TopicName) -> usize {
    let envelope = ENVELOPE_FIXED_BYTES + topic.as_str().len() + limits::GROUP_BYTES_MAX;
    limits::STRING_BYTES_MAX - envelope
}

/// Bytes of a dead letter's envelope that are always there.
const ENVELOPE_FIXED_BYTES: usize = 1 + 4 + 4 + 8 + 8 + 4 + 2 + 4 + 4;
#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use headwater_native::Headers;

    use super::*;

    fn with(headers: &[(&[u8], &[u8])]) -> Answer<()> {
        let headers = Headers::encode(headers.iter().copied()).unwrap();
        judge_headers(&RecordToProduce { headers, ..RecordToProduce::default() }, HeaderLimits::default())
    }

    #[test]
    fn each_bound_is_kept_and_the_bound_itself_is_allowed() {
        assert!(with(&[(&[b'n'; 255], b""), (b"n", b"1"), (b"n", b"2")]).is_ok());
        assert!(with(&[(&[b'n'; 256], b"")]).is_err());
        assert!(with(&[(b"", b"v")]).is_err());
        assert!(with(&[(b"\xff", b"v")]).is_err());
        let many = vec![(&b"n"[..], &b""[..]); 256];
        assert!(with(&many).is_ok());
        assert!(with(&vec![(&b"n"[..], &b""[..]); 257]).is_err());
        let room = (64 << 10) - 2 - 2 - 1 - 4;
        assert!(with(&[(b"n", &vec![0; room])]).is_ok());
        assert!(with(&[(b"n", &vec![0; room + 1])]).is_err());
    }

    #[test]
    fn a_value_leaves_room_for_its_envelope() {
        let topic = TopicName::from("orders");
        let max = 65_536 - 39 - 6 - 256;
        let judged = |bytes: usize| {
            let value = Bytes::from(vec![0; bytes]);
            let config = LogConfig::default();
            judge(&RecordToProduce { value, ..RecordToProduce::default() }, &topic, &config)
        };
        assert!(judged(max).is_ok());
        assert_eq!(judged(max + 1).unwrap_err().code, ErrorCode::BATCH_TOO_LARGE);
    }
}
