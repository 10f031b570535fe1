//! Header blocks: limits of what is produced, and what is tolerated when it is read.

use headwater_records::native::{HeaderBlock, HeaderBlockBuilder, HeaderFault, HeaderLimits};

fn block(headers: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut builder = HeaderBlockBuilder::new();
    headers.iter().for_each(|(name, value)| builder.push(name, value).expect("short headers"));
    builder.block().bytes().to_vec()
}

#[test]
fn order_and_repeats_are_kept() {
    let headers: [(&[u8], &[u8]); 3] = [(b"b", b"1"), (b"a", b""), (b"b", b"\xff\0")];
    let bytes = block(&headers);
    assert_eq!(bytes, b"\0\x03\0\x01b\0\0\0\x011\0\x01a\0\0\0\0\0\x01b\0\0\0\x02\xff\0");
    let read = HeaderLimits::default().parse(&bytes).expect("within the limits");
    assert_eq!(read.iter().collect::<Vec<_>>(), headers);
    assert_eq!((read.len(), read.is_empty(), read.bytes()), (3, false, &bytes[..]));
}

#[test]
fn no_bytes_and_a_count_of_none_are_no_headers() {
    for bytes in [&[][..], &[0, 0]] {
        let read = HeaderBlock::parse(bytes).expect("no headers");
        assert!(read.is_empty() && read.bytes().is_empty() && read.iter().next().is_none());
    }
    assert_eq!(HeaderBlock::parse(&[0]), Err(HeaderFault::Truncated));
}

#[test]
fn what_a_client_sends_keeps_the_limits() {
    let limits = HeaderLimits { block_bytes_max: 40, count_max: 3, name_bytes_max: 4 };
    let check = |headers: &[(&[u8], &[u8])]| limits.parse(&block(headers)).map(HeaderBlock::len);
    assert_eq!(check(&[(b"name", &[0; 28])]), Ok(1));
    assert_eq!(check(&[(b"name", &[0; 29])]), Err(HeaderFault::TooLong { bytes: 41, max: 40 }));
    assert_eq!(
        check(&[(b"a", b""), (b"names", b"")]),
        Err(HeaderFault::NameTooLong { index: 1, bytes: 5, max: 4 })
    );
    assert_eq!(check(&[(&b"a"[..], &b""[..]); 3]), Ok(3));
    assert_eq!(check(&[(&b"a"[..], &b""[..]); 4]), Err(HeaderFault::TooMany { count: 4, max: 3 }));
    assert_eq!(check(&[(b"a", b""), (b"", b"")]), Err(HeaderFault::EmptyName { index: 1 }));
    assert_eq!(check(&[(b"\xff", b"")]), Err(HeaderFault::NameNotUtf8 { index: 0 }));
    assert_eq!(limits.parse(&[0, 0, 0]), Err(HeaderFault::BytesLeft(1)));
}

#[test]
fn the_default_limits_are_the_documented_ones() {
    let limits = HeaderLimits::default();
    assert_eq!((limits.block_bytes_max, limits.count_max, limits.name_bytes_max), (65_536, 256, 255));
}

#[test]
fn what_the_encoding_cannot_say_is_refused() {
    let mut builder = HeaderBlockBuilder::new();
    let long = vec![b'n'; 65_536];
    let fault = HeaderFault::NameTooLong { index: 0, bytes: 65_536, max: 65_535 };
    assert_eq!(builder.push(&long, b""), Err(fault));
    assert!(builder.block().is_empty());
    for _ in 0..65_535 {
        builder.push(b"", b"").expect("room");
    }
    assert_eq!(builder.push(b"", b""), Err(HeaderFault::TooMany { count: 65_536, max: 65_535 }));
    assert_eq!(builder.block().len(), 65_535);
}
