//! A reader made from the layout before headers alone: it knows neither their bit nor their length.

/// A record as the old reader sees it.
#[derive(Debug, PartialEq)]
pub(super) struct OldRecord {
    pub(super) attributes: u8,
    pub(super) timestamp_ms: u64,
    pub(super) producer: Option<(u64, u16)>,
    pub(super) key: Vec<u8>,
    pub(super) stored_value: Vec<u8>,
}

/// CRC-32 (IEEE) bit by bit, so that no code is shared with what is tested.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Reads the record at the front of `bytes`; what follows it is ignored.
pub(super) fn read(bytes: &[u8]) -> Result<OldRecord, &'static str> {
    let size = bytes.get(..8).ok_or("short length")?;
    let body = bytes.get(8..8 + number(size) as usize).ok_or("short body")?;
    if body.len() < 21 {
        return Err("body too short");
    }
    let attributes = body[0];
    let header_len = if attributes & 8 == 0 { 13 } else { 23 };
    if body.len() < header_len + 8 {
        return Err("body too short for its form");
    }
    if number(&body[header_len..header_len + 4]) != u64::from(crc32(&body[..header_len])) {
        return Err("header checksum");
    }
    let payload = &body[header_len + 4..body.len() - 4];
    if number(&body[body.len() - 4..]) != u64::from(crc32(payload)) {
        return Err("payload checksum");
    }
    let key_len = number(&body[1..5]) as usize;
    if key_len > payload.len() {
        return Err("key too long");
    }
    Ok(OldRecord {
        attributes,
        timestamp_ms: number(&body[5..13]),
        producer: (header_len == 23).then(|| (number(&body[13..21]), number(&body[21..23]) as u16)),
        key: payload[..key_len].to_vec(),
        stored_value: payload[key_len..].to_vec(),
    })
}

#[test]
fn the_checksum_is_the_one_of_zip() {
    for (text, crc) in [("", 0), ("a", 0xe8b7_be43), ("abc", 0x3524_41c2), ("123456789", 0xcbf4_3926)] {
        assert_eq!(crc32(text.as_bytes()), crc, "{text}");
    }
}
