//! What stands in front of a native record, and the only place that knows what stands where in it.

use headwater_codec::{ProducerEpoch, ProducerId};

use crate::native::{
    NativeAttributes, NativeError,
    attributes::{HEADERS_LEN_LEN, PLAIN_HEADER_LEN, PRODUCER_LEN},
    header_block::COUNT_LEN,
};

/// The front of a native record: all but its headers, key and value. Its checksum fits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NativeHead {
    /// Bytes of the whole record.
    total_len: u32,
    attributes: NativeAttributes,
    key_len: u32,
    headers_len: u32,
    timestamp_ms: i64,
    producer: Option<(ProducerId, ProducerEpoch)>,
}

impl NativeHead {
    /// Bytes that are enough to read any record's front.
    pub const LEN_MAX: usize = SIZE_LEN + PLAIN_HEADER_LEN + PRODUCER_LEN + HEADERS_LEN_LEN + CRC_LEN;

    /// Reads the front of a record from `bytes`; the rest need not be there.
    ///
    /// # Errors
    /// In this order: [`NativeError::Truncated`] when `bytes` end within the front, [`NativeError::BadLength`],
    /// [`NativeError::UnknownAttributes`], [`NativeError::BadHeaderCrc`], then [`NativeError::Timestamp`],
    /// [`NativeError::ProducerId`] and [`NativeError::Payload`] for what no record may say.
    pub fn parse(bytes: &[u8]) -> Result<Self, NativeError> {
        let truncated = |need| NativeError::Truncated { have: bytes.len(), need };
        let (total_size, rest) = bytes.split_first_chunk().ok_or_else(|| truncated(SIZE_LEN + 1))?;
        let total_size = u64::from_be_bytes(*total_size);
        let bad_length = NativeError::BadLength { total_size };
        if !(BODY_LEN_MIN..=BODY_LEN_MAX).contains(&total_size) {
            return Err(bad_length);
        }
        let &bits = rest.first().ok_or_else(|| truncated(SIZE_LEN + 1))?;
        let attributes = NativeAttributes::from_bits(bits)?;
        let header_len = attributes.header_len();
        // The body holds the header, two checksums, and what is between them.
        let payload_len = total_size.checked_sub((header_len + 2 * CRC_LEN) as u64).ok_or(bad_length)?;
        let front = SIZE_LEN + header_len + CRC_LEN;
        let (Some(header), Some(crc)) = (rest.get(..header_len), rest.get(header_len..header_len + CRC_LEN))
        else {
            return Err(truncated(front));
        };
        let stored = u32::from_be_bytes(array(crc));
        let computed = crc32fast::hash(header);
        if stored != computed {
            return Err(NativeError::BadHeaderCrc { stored, computed });
        }
        Self::fields(attributes, header, total_size, payload_len)
    }

    fn fields(
        attributes: NativeAttributes,
        header: &[u8],
        total_size: u64,
        payload_len: u64,
    ) -> Result<Self, NativeError> {
        let key_len = u32::from_be_bytes(array(&header[1..5]));
        let raw = u64::from_be_bytes(array(&header[5..13]));
        let timestamp_ms = i64::try_from(raw).map_err(|_| NativeError::Timestamp { raw })?;
        let mut rest = &header[PLAIN_HEADER_LEN..];
        let mut producer = None;
        if attributes.is_transactional() {
            let raw = u64::from_be_bytes(array(&rest[..8]));
            let id = i64::try_from(raw).map_err(|_| NativeError::ProducerId { raw })?;
            let epoch = i16::from_be_bytes(array(&rest[8..10]));
            producer = Some((ProducerId::new(id), ProducerEpoch::new(epoch)));
            rest = &rest[PRODUCER_LEN..];
        }
        let headers_len = if attributes.has_headers() { u32::from_be_bytes(array(&rest[..4])) } else { 0 };
        let too_short = attributes.has_headers() && (headers_len as usize) < COUNT_LEN;
        // 64 bits hold the sum of two 32-bit lengths.
        if too_short || u64::from(headers_len) + u64::from(key_len) > payload_len {
            return Err(NativeError::Payload { headers_len, key_len, payload_len: payload_len as usize });
        }
        // The size was bounded by 31 bits.
        let total_len = (total_size + SIZE_LEN as u64) as u32;
        Ok(Self { total_len, attributes, key_len, headers_len, timestamp_ms, producer })
    }

    /// Bytes of the whole record, its length included.
    pub const fn total_len(&self) -> usize {
        self.total_len as usize
    }

    /// Codec, and what kind of record it is.
    pub const fn attributes(&self) -> NativeAttributes {
        self.attributes
    }

    /// Milliseconds since the epoch, never below 0. What came through Kafka with a time below 0 has 0 here and says
    /// so in a reserved header.
    pub const fn timestamp_ms(&self) -> i64 {
        self.timestamp_ms
    }

    /// Whose transaction it belongs to.
    pub const fn producer(&self) -> Option<(ProducerId, ProducerEpoch)> {
        self.producer
    }

    /// Bytes of the key.
    pub const fn key_len(&self) -> usize {
        self.key_len as usize
    }

    /// Bytes of the header block; 0 without headers.
    pub const fn headers_len(&self) -> usize {
        self.headers_len as usize
    }

    /// Bytes of the value as it is stored.
    pub const fn value_len(&self) -> usize {
        self.total_len() - self.payload_at() - CRC_LEN - self.headers_len() - self.key_len()
    }

    /// Where headers, key and value begin.
    pub(super) const fn payload_at(&self) -> usize {
        SIZE_LEN + self.attributes.header_len() + CRC_LEN
    }
}

/// Gives a whole record another time; the checksum of its header is made anew.
pub(super) fn set_timestamp(record: &mut [u8], timestamp_ms: i64) {
    debug_assert!(timestamp_ms >= 0, "the format has no sign");
    let Ok(head) = NativeHead::parse(record) else { return };
    record[TIMESTAMP..TIMESTAMP + 8].copy_from_slice(&timestamp_ms.to_be_bytes());
    let crc_at = head.payload_at() - CRC_LEN;
    let crc = crc32fast::hash(&record[SIZE_LEN..crc_at]);
    record[crc_at..crc_at + CRC_LEN].copy_from_slice(&crc.to_be_bytes());
}

/// The first `N` bytes, which are there.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

/// Bytes of the length in front.
pub(super) const SIZE_LEN: usize = 8;
/// Bytes of a checksum.
pub(super) const CRC_LEN: usize = 4;
/// Where the timestamp stands.
const TIMESTAMP: usize = SIZE_LEN + 1 + 4;
/// A record with nothing in it.
const BODY_LEN_MIN: u64 = (PLAIN_HEADER_LEN + 2 * CRC_LEN) as u64;
/// What any record has at most, so that a whole one fits 31 bits: Kafka's own batches have no more.
pub(super) const BODY_LEN_MAX: u64 = i32::MAX as u64 - SIZE_LEN as u64;
