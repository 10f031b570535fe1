//! The wrongs that the proxy can do to a frame. Each is one that a broker could do, and that the suite must notice.

use anyhow::{Context, Result};

use super::wire::{Reader, put_count, put_string, put_varint, put_zigzag};

/// What the proxy does wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    /// Nothing: for showing that a proxy alone changes nothing.
    None,
    /// The CRC of the first batch of each Fetch answer is wrong.
    BadCrc,
    /// The first record of each Fetch answer has lost its first header; lengths and CRC are right.
    DroppedHeader,
    /// The first batch of each Fetch answer stands one offset later.
    ShiftedOffset,
    /// OffsetCommit is answered and never reaches the broker.
    SwallowedCommit,
    /// So many acknowledgements of Produce are lost with their connection.
    LostAcks(u32),
}

pub(crate) const PRODUCE: i16 = 0;
pub(crate) const FETCH: i16 = 1;
pub(crate) const OFFSET_COMMIT: i16 = 8;
/// Metadata, FindCoordinator, DescribeCluster.
pub(crate) const TELLS_ADDRESSES: [i16; 3] = [3, 10, 60];

/// The bytes of a batch before its records.
const BATCH_HEADER: usize = 61;

/// API key, version and correlation id of a request.
pub(crate) fn header(frame: &[u8]) -> Result<(i16, i16, i32)> {
    let mut r = Reader::new(frame);
    Ok((r.i16()?, r.i16()?, r.i32()?))
}

/// An ApiVersions request, version 0.
pub(crate) fn api_versions(correlation: i32) -> Vec<u8> {
    let mut frame = vec![0, 18, 0, 0];
    frame.extend(correlation.to_be_bytes());
    frame.extend([0xff, 0xff]);
    frame
}

/// The answer to an OffsetCommit request, versions 2 to 10, in which all went well.
pub(crate) fn committed(request: &[u8]) -> Result<Vec<u8>> {
    let mut r = Reader::new(request);
    r.i16()?;
    let version = r.i16()?;
    let flexible = version >= 8;
    let mut out = r.i32()?.to_be_bytes().to_vec();
    r.bytes(false)?;
    r.tags(flexible)?;
    r.bytes(flexible)?;
    r.i32()?;
    r.bytes(flexible)?;
    if version >= 7 {
        r.bytes(flexible)?;
    }
    if version <= 4 {
        r.i64()?;
    }
    put_tags(&mut out, flexible);
    if version >= 3 {
        out.extend(0_i32.to_be_bytes());
    }
    let topics = r.count(flexible)?;
    put_count(&mut out, topics, flexible)?;
    for _ in 0..topics {
        if version >= 10 {
            out.extend(r.take(16)?);
        } else {
            put_string(&mut out, r.bytes(flexible)?.context("a null topic")?, flexible)?;
        }
        let partitions = r.count(flexible)?;
        put_count(&mut out, partitions, flexible)?;
        for _ in 0..partitions {
            out.extend(r.i32()?.to_be_bytes());
            out.extend(0_i16.to_be_bytes());
            put_tags(&mut out, flexible);
            r.i64()?;
            if version >= 6 {
                r.i32()?;
            }
            r.bytes(flexible)?;
            r.tags(flexible)?;
        }
        put_tags(&mut out, flexible);
        r.tags(flexible)?;
    }
    put_tags(&mut out, flexible);
    Ok(out)
}

/// The Fetch answer with its wrong, or nothing when it has no batch to which that can be done.
pub(crate) fn spoil_fetch(fault: Fault, frame: &[u8], version: i16) -> Result<Option<Vec<u8>>> {
    let Some((start, length)) = first_batch(frame) else { return Ok(None) };
    let mut out = frame.to_vec();
    match fault {
        Fault::BadCrc => out[start + 17] ^= 1,
        Fault::ShiftedOffset => {
            let offset = i64::from_be_bytes(frame[start..start + 8].try_into()?) + 1;
            out[start..start + 8].copy_from_slice(&offset.to_be_bytes());
        }
        Fault::DroppedHeader => return drop_header(frame, start, length, version),
        Fault::None | Fault::SwallowedCommit | Fault::LostAcks(_) => return Ok(None),
    }
    Ok(Some(out))
}

/// Replaces the address `127.0.0.1:from` wherever it stands.
pub(crate) fn replace_port(frame: &mut [u8], from: u16, to: u16) {
    let mut address = b"127.0.0.1".to_vec();
    address.extend(i32::from(from).to_be_bytes());
    let mut position = 0;
    while let Some(window) = frame.get_mut(position..position + address.len()) {
        if window == address {
            window[9..].copy_from_slice(&i32::from(to).to_be_bytes());
        }
        position += 1;
    }
}

/// Where the first record batch stands and how long it is. Its CRC says that it is one.
fn first_batch(frame: &[u8]) -> Option<(usize, usize)> {
    for start in 0..frame.len().saturating_sub(BATCH_HEADER) {
        if frame[start + 16] != 2 {
            continue;
        }
        let length = u32::from_be_bytes(frame[start + 8..start + 12].try_into().ok()?) as usize + 12;
        if length < BATCH_HEADER || length > frame.len() - start {
            continue;
        }
        let crc = u32::from_be_bytes(frame[start + 17..start + 21].try_into().ok()?);
        if crc32c::crc32c(&frame[start + 21..start + length]) == crc {
            return Some((start, length));
        }
    }
    None
}

fn drop_header(frame: &[u8], start: usize, length: usize, version: i16) -> Result<Option<Vec<u8>>> {
    let batch = &frame[start..start + length];
    if batch[22] & 7 != 0 {
        return Ok(None);
    }
    let mut r = Reader::new(&batch[BATCH_HEADER..]);
    let record_length = usize::try_from(r.zigzag()?)?;
    let record = r.take(record_length)?;
    let Some(shorter) = without_header(record)? else { return Ok(None) };
    let mut changed = batch[..BATCH_HEADER].to_vec();
    put_zigzag(&mut changed, i64::try_from(shorter.len())?);
    changed.extend(shorter);
    changed.extend(r.rest());
    let batch_length = u32::try_from(changed.len() - 12)?;
    changed[8..12].copy_from_slice(&batch_length.to_be_bytes());
    let crc = crc32c::crc32c(&changed[21..]);
    changed[17..21].copy_from_slice(&crc.to_be_bytes());

    let (prefix, records) = records_length(frame, start, version).context("the length of the records")?;
    let shrunk = u32::try_from(records - (length - changed.len()))?;
    let mut out = frame[..start - prefix].to_vec();
    if version >= 12 {
        put_varint(&mut out, shrunk + 1);
    } else {
        out.extend(shrunk.to_be_bytes());
    }
    out.extend(changed);
    out.extend(&frame[start + length..]);
    Ok(Some(out))
}

/// The record without its first header; nothing when it has none.
fn without_header(record: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut r = Reader::new(record);
    r.i8()?;
    r.zigzag()?;
    r.zigzag()?;
    for _ in 0..2 {
        let length = r.zigzag()?;
        r.take(usize::try_from(length.max(0))?)?;
    }
    let mut out = record[..record.len() - r.rest().len()].to_vec();
    let count = r.zigzag()?;
    if count < 1 {
        return Ok(None);
    }
    for _ in 0..2 {
        let length = r.zigzag()?;
        r.take(usize::try_from(length.max(0))?)?;
    }
    put_zigzag(&mut out, count - 1);
    out.extend(r.rest());
    Ok(Some(out))
}

/// How many bytes before `start` give the length of the records that begin there, and that length.
fn records_length(frame: &[u8], start: usize, version: i16) -> Option<(usize, usize)> {
    if version < 12 {
        let bytes = frame.get(start.checked_sub(4)?..start)?;
        return Some((4, u32::from_be_bytes(bytes.try_into().ok()?) as usize));
    }
    // Before the varint stands preferred_read_replica, which is -1 here, and before that no byte of all ones.
    (1..=5).find_map(|width| {
        let before = frame.get(start.checked_sub(width + 4)?..start - width)?;
        let value = Reader::new(frame.get(start - width..start)?).varint().ok()?;
        (before == [0xff; 4]).then(|| (width, (value as usize).saturating_sub(1)))
    })
}

fn put_tags(out: &mut Vec<u8>, flexible: bool) {
    if flexible {
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One record with two headers, `a=1` and `b=2`.
    fn batch() -> Vec<u8> {
        let mut record = vec![0];
        for number in [0, 0, -1] {
            put_zigzag(&mut record, number);
        }
        put_zigzag(&mut record, 5);
        record.extend(b"value");
        put_zigzag(&mut record, 2);
        for (name, value) in [(b"a", b"1"), (b"b", b"2")] {
            put_zigzag(&mut record, 1);
            record.extend(name);
            put_zigzag(&mut record, 1);
            record.extend(value);
        }
        let mut batch = 7_i64.to_be_bytes().to_vec();
        batch.extend([0; 4]);
        batch.extend(0_i32.to_be_bytes());
        batch.push(2);
        batch.extend([0; 4]);
        batch.extend([0; 40 - 4]);
        batch.extend(1_i32.to_be_bytes());
        assert_eq!(batch.len(), BATCH_HEADER);
        put_zigzag(&mut batch, i64::try_from(record.len()).unwrap());
        batch.extend(record);
        let length = u32::try_from(batch.len() - 12).unwrap();
        batch[8..12].copy_from_slice(&length.to_be_bytes());
        let crc = crc32c::crc32c(&batch[21..]);
        batch[17..21].copy_from_slice(&crc.to_be_bytes());
        batch
    }

    /// What stands before the records does not matter, but for their length and the -1 of preferred_read_replica.
    fn answer(version: i16) -> Vec<u8> {
        let batch = batch();
        let mut frame = vec![0, 0, 0, 9, 0, 0, 0, 0];
        frame.extend([0xff; 4]);
        if version >= 12 {
            put_varint(&mut frame, u32::try_from(batch.len()).unwrap() + 1);
        } else {
            frame.extend(u32::try_from(batch.len()).unwrap().to_be_bytes());
        }
        frame.extend(batch);
        frame.extend([0, 0, 0]);
        frame
    }

    #[test]
    fn a_bad_crc_leaves_nothing_that_is_a_batch() {
        let wrong = spoil_fetch(Fault::BadCrc, &answer(11), 11).unwrap().unwrap();
        assert_eq!(first_batch(&wrong), None);
    }

    #[test]
    fn a_shifted_offset_is_one_later_and_the_batch_is_sound() {
        let wrong = spoil_fetch(Fault::ShiftedOffset, &answer(11), 11).unwrap().unwrap();
        let (start, _) = first_batch(&wrong).unwrap();
        assert_eq!(wrong[start..start + 8], 8_i64.to_be_bytes());
    }

    #[test]
    fn a_dropped_header_leaves_lengths_and_crc_right() {
        for version in [4, 11, 12, 17] {
            let whole = answer(version);
            let (start, length) = first_batch(&whole).unwrap();
            let wrong = spoil_fetch(Fault::DroppedHeader, &whole, version).unwrap().unwrap();
            let (new_start, new_length) = first_batch(&wrong).expect("the CRC is right");
            assert_eq!(length - new_length, 4, "name and value of one letter each, and their lengths");
            let prefix = records_length(&wrong, new_start, version).unwrap();
            assert_eq!(prefix.1, new_length, "version {version}");
            assert_eq!(whole.len() - wrong.len(), 4);
            assert_eq!(start, new_start);
        }
    }

    #[test]
    fn a_commit_is_answered_as_if_it_had_been_done() {
        // OffsetCommit, version 8, of offset 5 in partition 3 of topic `t`.
        let mut request = vec![0, 8, 0, 8, 0, 0, 0, 42, 0, 1, b'c', 0];
        request.extend([2, b'g', 0, 0, 0, 1, 2, b'm', 0]);
        request.extend([2, 2, b't', 2, 0, 0, 0, 3]);
        request.extend(5_i64.to_be_bytes());
        request.extend([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        let mut expected = vec![0, 0, 0, 42, 0, 0, 0, 0, 0];
        expected.extend([2, 2, b't', 2, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
        assert_eq!(committed(&request).unwrap(), expected);
    }

    #[test]
    fn the_address_is_replaced_wherever_it_stands() {
        let mut frame = b"..127.0.0.1\x00\x00\x23\x84..127.0.0.1\x00\x00\x23\x84".to_vec();
        replace_port(&mut frame, 9092, 1);
        assert_eq!(frame, b"..127.0.0.1\x00\x00\x00\x01..127.0.0.1\x00\x00\x00\x01");
    }
}
