//! Writing native records.

use headwater_codec::{ProducerEpoch, ProducerId};

use crate::native::{
    ControlMarker, HeaderBlock, NativeAttributes, NativeError, ValueCodec,
    head::{BODY_LEN_MAX, CRC_LEN, SIZE_LEN},
};

/// What a native record is made of, but for its headers.
///
/// ```
/// use headwater_records::native::{HeaderBlockBuilder, NativeFields, NativeRecord};
///
/// let mut headers = HeaderBlockBuilder::new();
/// headers.push(b"trace", b"abc")?;
/// let mut log = Vec::new();
/// NativeFields { timestamp_ms: 7, key: b"k", stored_value: b"v", ..Default::default() }
///     .write(headers.block(), &mut log)?;
/// let record = NativeRecord::checked(&log)?;
/// assert_eq!(record.headers().iter().next(), Some((&b"trace"[..], &b"abc"[..])));
/// # Ok::<(), headwater_records::native::NativeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct NativeFields<'a> {
    /// Milliseconds since the epoch, not below 0.
    pub timestamp_ms: i64,
    /// Whether it is a control record.
    pub control: bool,
    /// Whose transaction it belongs to.
    pub producer: Option<(ProducerId, ProducerEpoch)>,
    /// The key.
    pub key: &'a [u8],
    /// How the value is compressed.
    pub codec: ValueCodec,
    /// The value as `codec` packed it.
    pub stored_value: &'a [u8],
}

impl NativeFields<'_> {
    /// Writes the record behind what is in `log`. Whether it is marked as one with headers is told by `headers` alone.
    ///
    /// # Errors
    /// [`NativeError::Timestamp`] and [`NativeError::ProducerId`] for numbers below 0, [`NativeError::TooLong`]. Nothing
    /// was written then.
    pub fn write(&self, headers: HeaderBlock<'_>, log: &mut Vec<u8>) -> Result<(), NativeError> {
        let headers = headers.bytes();
        let timestamp = self.timestamp_ms.cast_unsigned();
        if self.timestamp_ms < 0 {
            return Err(NativeError::Timestamp { raw: timestamp });
        }
        if let Some((id, _)) = self.producer
            && id.get() < 0
        {
            return Err(NativeError::ProducerId { raw: id.get().cast_unsigned() });
        }
        let attributes =
            NativeAttributes::new(self.codec, self.control, self.producer.is_some(), !headers.is_empty());
        let payload_len =
            headers.len().saturating_add(self.key.len()).saturating_add(self.stored_value.len());
        let body_len = payload_len.saturating_add(attributes.header_len() + 2 * CRC_LEN);
        if body_len as u64 > BODY_LEN_MAX {
            return Err(NativeError::TooLong { bytes: body_len.saturating_add(SIZE_LEN) });
        }
        // Every length fits 31 bits from here on.
        log.reserve(SIZE_LEN + body_len);
        log.extend_from_slice(&(body_len as u64).to_be_bytes());
        let header_at = log.len();
        log.push(attributes.bits());
        log.extend_from_slice(&(self.key.len() as u32).to_be_bytes());
        log.extend_from_slice(&timestamp.to_be_bytes());
        if let Some((id, epoch)) = self.producer {
            log.extend_from_slice(&id.get().to_be_bytes());
            log.extend_from_slice(&epoch.get().to_be_bytes());
        }
        if !headers.is_empty() {
            log.extend_from_slice(&(headers.len() as u32).to_be_bytes());
        }
        let header_crc = crc32fast::hash(&log[header_at..]);
        log.extend_from_slice(&header_crc.to_be_bytes());
        let payload_at = log.len();
        log.extend_from_slice(headers);
        log.extend_from_slice(self.key);
        log.extend_from_slice(self.stored_value);
        let payload_crc = crc32fast::hash(&log[payload_at..]);
        log.extend_from_slice(&payload_crc.to_be_bytes());
        Ok(())
    }

    /// Writes a transaction marker behind what is in `log`. It has no headers, as the format's first writer had it.
    ///
    /// # Errors
    /// Those of [`NativeFields::write`].
    pub fn write_marker(
        marker: ControlMarker,
        timestamp_ms: i64,
        log: &mut Vec<u8>,
    ) -> Result<(), NativeError> {
        let fields = NativeFields {
            timestamp_ms,
            control: true,
            stored_value: &marker.encode(),
            ..NativeFields::default()
        };
        fields.write(HeaderBlock::EMPTY, log)
    }
}
