use super::*;

fn encoded(write: impl FnOnce(&mut Writer) -> Result<(), EncodeError>) -> Bytes {
    let mut writer = Writer::new(0, false);
    write(&mut writer).unwrap();
    writer.finish().unwrap().0.to_bytes().unwrap()
}

#[test]
fn a_flexible_response_header_is_five_bytes() {
    let header = ResponseHeader { correlation_id: CorrelationId::new(0x01020304), ..Default::default() };
    assert_eq!(encoded(|writer| header.encode(writer, ResponseHeaderVersion::V1)), [1, 2, 3, 4, 0][..]);
    assert_eq!(encoded(|writer| header.encode(writer, ResponseHeaderVersion::V0)), [1, 2, 3, 4][..]);
}

#[test]
fn api_versions_answers_with_response_header_v0_flexible_or_not() {
    for flexible in [false, true] {
        assert_eq!(ResponseHeaderVersion::of(ApiKey::ApiVersions, flexible), ResponseHeaderVersion::V0);
    }
    assert_eq!(ResponseHeaderVersion::of(ApiKey::Metadata, true), ResponseHeaderVersion::V1);
    assert_eq!(ResponseHeaderVersion::of(ApiKey::Metadata, false), ResponseHeaderVersion::V0);
}

#[test]
fn a_v2_request_header_has_a_classic_client_id_and_a_tagged_block() {
    let mut header = RequestHeader {
        api_key: 3,
        api_version: 12,
        correlation_id: CorrelationId::new(7),
        client_id: Some(Str::from("me")),
        ..Default::default()
    };
    header.unknown_tags.insert(5, Bytes::from_static(b"x"));
    let bytes = encoded(|writer| header.encode(writer, RequestHeaderVersion::V2));
    assert_eq!(bytes, b"\x00\x03\x00\x0c\x00\x00\x00\x07\x00\x02me\x01\x05\x01x"[..]);

    let mut reader = Reader::new(bytes.clone(), 0, false);
    assert_eq!(RequestHeader::decode(&mut reader, RequestHeaderVersion::V2).as_ref(), Ok(&header));
    assert_eq!(reader.finish(), Ok(()));

    let peeked = RequestHeader::peek(&bytes).unwrap();
    assert_eq!(peeked, RequestHeader { unknown_tags: UnknownTags::NONE, ..header });
}

#[test]
fn a_null_client_id_is_no_client_id() {
    let header = RequestHeader { api_key: 18, ..Default::default() };
    let bytes = encoded(|writer| header.encode(writer, RequestHeaderVersion::V1));
    assert_eq!(bytes, [0, 18, 0, 0, 0, 0, 0, 0, 0xff, 0xff][..]);
    assert_eq!(RequestHeader::peek(&bytes), Ok(header));
}

#[test]
fn a_header_that_ends_early_names_the_field() {
    let error = RequestHeader::peek(&Bytes::from_static(&[0, 3, 0])).unwrap_err();
    assert_eq!(error.position(), 2);
    assert_eq!(error.field(), "RequestHeader.RequestApiVersion");
}
