use super::*;
use crate::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use crate::messages::fetch::{FetchResponse, FetchableTopicResponse, PartitionData};
use crate::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};
use crate::messages::metadata::MetadataRequest;
use crate::{Chunk, EncodeErrorKind, ErrorCode, Records};

/// The frame without its length, which must be right.
fn unframed(frame: &EncodedFrame) -> Bytes {
    let bytes = frame.to_bytes().unwrap();
    assert_eq!(bytes.len(), frame.length);
    let (prefix, rest) = bytes.split_first_chunk().unwrap();
    assert_eq!(crate::frame::length(*prefix, usize::MAX), Ok(rest.len()));
    bytes.slice(prefix.len()..)
}

fn heartbeat() -> HeartbeatRequest {
    HeartbeatRequest { group_id: "g".into(), generation_id: 3, member_id: "m".into(), ..Default::default() }
}

#[test]
fn a_request_survives_its_frame_at_every_version() {
    for version in HeartbeatRequest::SCHEMA.versions.iter() {
        let mut buf = BytesMut::new();
        let id = CorrelationId::new(7);
        let frame = encode_request(id, Some("me".into()), version, &heartbeat(), &mut buf).unwrap();
        let (header, request) = decode_request::<HeartbeatRequest>(unframed(&frame)).unwrap();
        assert_eq!((header.api_key, header.api_version), (ApiKey::Heartbeat.code(), version));
        assert_eq!((header.correlation_id, header.client_id), (id, Some("me".into())));
        assert_eq!(request, heartbeat());
    }
}

#[test]
fn a_response_survives_its_frame_at_every_version() {
    let response = HeartbeatResponse { error_code: ErrorCode::RebalanceInProgress, ..Default::default() };
    for version in HeartbeatResponse::SCHEMA.versions.iter() {
        let mut buf = BytesMut::new();
        let id = CorrelationId::new(-1);
        let frame = encode_response(id, ApiKey::Heartbeat, version, &response, &mut buf).unwrap();
        let decoded = decode_response(ApiKey::Heartbeat, version, unframed(&frame));
        assert_eq!(decoded, Ok((id, response.clone())));
    }
}

#[test]
fn a_flexible_api_versions_response_has_no_tags_in_its_header() {
    let mut buf = BytesMut::new();
    let id = CorrelationId::new(0x01020304);
    let frame =
        encode_response(id, ApiKey::ApiVersions, 3, &ApiVersionsResponse::default(), &mut buf).unwrap();
    let body = ApiVersionsResponse::default().encode_body(3).unwrap();
    assert_eq!(unframed(&frame), [&[1, 2, 3, 4], &body[..]].concat());
}

#[test]
fn a_version_from_the_future_is_refused_after_its_header_was_read() {
    let bytes = Bytes::from_static(b"\x00\x12\x00\x63\x00\x00\x00\x07\xff\xff\x00garbage");
    assert_eq!(RequestHeader::peek(&bytes).unwrap().api_version, 99);
    let error = decode_request::<ApiVersionsRequest>(bytes).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::UnsupportedVersion(99));
}

#[test]
fn a_request_of_another_api_is_refused() {
    let frame = encode_request(CorrelationId::new(1), None, 0, &heartbeat(), &mut BytesMut::new()).unwrap();
    let error = decode_request::<ApiVersionsRequest>(unframed(&frame)).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::WrongApiKey { expected: 18, found: 12 });
}

#[test]
fn a_small_frame_that_claims_a_huge_array_is_refused_before_memory_is_taken() {
    let classic = Bytes::from_static(b"\x00\x03\x00\x01\x00\x00\x00\x01\x00\x01x\x7f\xff\xff\xff");
    let error = decode_request::<MetadataRequest>(classic).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::CountPastEnd { count: i32::MAX as usize, left: 0 });
    assert_eq!(error.field(), "MetadataRequest.Topics");

    let compact = Bytes::from_static(b"\x00\x03\x00\x09\x00\x00\x00\x01\x00\x01x\x00\xff\xff\xff\xff\x0f");
    let error = decode_request::<MetadataRequest>(compact).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::CountPastEnd { count: u32::MAX as usize - 1, left: 0 });
}

#[test]
fn a_fetch_response_is_cut_where_its_records_go() {
    let partition = |token| PartitionData {
        records: Some(Records::External { length: 1 << 20, token }),
        ..Default::default()
    };
    let topic = FetchableTopicResponse { partitions: vec![partition(1), partition(2)], ..Default::default() };
    let response = FetchResponse { responses: vec![topic], ..Default::default() };
    let frame =
        encode_response(CorrelationId::new(1), ApiKey::Fetch, 12, &response, &mut BytesMut::new()).unwrap();

    let lengths = frame.chunks.iter().map(|chunk| match chunk {
        Chunk::Bytes(bytes) => bytes.len(),
        Chunk::External { length, .. } => *length as usize,
    });
    assert_eq!(lengths.sum::<usize>(), frame.length);
    let Some(Chunk::Bytes(first)) = frame.chunks.first() else { panic!("{frame:?}") };
    assert_eq!(first[..4], u32::to_be_bytes(frame.length as u32 - 4));
    let tokens: Vec<_> = frame
        .chunks
        .iter()
        .filter_map(|chunk| match chunk {
            Chunk::External { token, .. } => Some(*token),
            Chunk::Bytes(_) => None,
        })
        .collect();
    assert_eq!(tokens, [1, 2]);
    let error = response.encode_body(12).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::ExternalNotAllowed);
}
