//! From a batch to native records.

use headwater_codec::{Offset, records::ControlRecordType};

use crate::{
    BatchHeader, BatchProducer, RecordError, RecordView, TimestampType, ValidatedBatch,
    native::{
        ControlMarker, HeaderBlockBuilder, HeaderFault, HeaderLimits, NativeError, NativeFields,
        NativeRecord, ReservedHeaders, RunProducer, ValueCodec, head, reserved, value_codec::ValuePacker,
    },
};

/// The native records of one batch, one behind the other.
#[derive(Clone, Debug)]
pub struct NativeRun {
    bytes: Vec<u8>,
    /// Where each record ends.
    ends: Vec<usize>,
    header: BatchHeader,
    producer: Option<BatchProducer>,
    max_timestamp_offset_delta: i32,
    log_append_time: bool,
}

impl NativeRun {
    /// Makes native records of a batch that passed the produce door, or of a control batch.
    ///
    /// A batch that is compressed becomes values that are, as far as it makes them shorter; LZ4 has no native number.
    /// The records unpack to at most `max` bytes, and the native ones have no more.
    ///
    /// # Errors
    /// [`RecordError::Headers`] when a record's headers are over the limits, [`RecordError::NativeTooLarge`],
    /// [`NativeError::Marker`] for a control record that is no transaction marker, and the errors of unpacking and of
    /// packing.
    pub fn of_batch(batch: &ValidatedBatch, limits: &HeaderLimits, max: usize) -> Result<Self, RecordError> {
        let header = *batch.header();
        let producer = batch.producer();
        let count = usize::try_from(header.record_count).unwrap_or(0);
        let mut writer = RunWriter {
            header,
            limits,
            max,
            packer: ValuePacker::new(ValueCodec::of_batch(batch.codec()?)),
            headers: HeaderBlockBuilder::new(),
            empty: Vec::new(),
            bytes: Vec::new(),
        };
        // A record has at least seven bytes, so the count says nothing that the bytes do not justify.
        let mut ends = Vec::with_capacity(count.min(batch.unpacked_len() / 7 + 1));
        for (index, record) in (0..).zip(&batch.open(max)?) {
            let record = record?;
            if header.attributes.is_control() {
                writer.marker(&record)?;
            } else {
                writer.record(index, &record)?;
            }
            if writer.bytes.len() > max {
                return Err(RecordError::NativeTooLarge { max });
            }
            ends.push(writer.bytes.len());
        }
        Ok(Self {
            bytes: writer.bytes,
            ends,
            header,
            producer,
            max_timestamp_offset_delta: batch.max_timestamp_offset_delta(),
            log_append_time: header.attributes.timestamp_type() == TimestampType::LogAppendTime,
        })
    }

    /// The records, one behind the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The records, one behind the other, given away.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How many records there are: how many offsets they take.
    pub const fn record_count(&self) -> usize {
        self.ends.len()
    }

    /// Where each record ends in [`NativeRun::bytes`]; it begins where the one before ends.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The producer, when it is an idempotent or transactional one.
    pub const fn producer(&self) -> Option<BatchProducer> {
        self.producer
    }

    /// Whether the records belong to a transaction.
    pub const fn is_transactional(&self) -> bool {
        self.header.attributes.is_transactional()
    }

    /// Whether it is a control record.
    pub const fn is_control(&self) -> bool {
        self.header.attributes.is_control()
    }

    /// The largest timestamp, milliseconds since the epoch; -1 for none.
    pub const fn max_timestamp(&self) -> i64 {
        self.header.max_timestamp
    }

    /// Which record has it first, counted from 0.
    pub const fn max_timestamp_offset_delta(&self) -> i32 {
        self.max_timestamp_offset_delta
    }

    /// Makes `now_ms`, which is not below 0, the time of every record, and says that it is the broker's.
    ///
    /// # Errors
    /// [`NativeError`] when the records do not fit the format any more. Nothing was changed then.
    pub fn set_log_append_time(&mut self, now_ms: i64) -> Result<(), NativeError> {
        let now_ms = now_ms.max(0);
        if self.log_append_time && self.header.max_timestamp >= 0 {
            let mut start = 0;
            for &end in &self.ends {
                head::set_timestamp(&mut self.bytes[start..end], now_ms);
                start = end;
            }
        } else {
            let (mut bytes, mut ends) = (Vec::with_capacity(self.bytes.len()), self.ends.clone());
            let mut rest = &self.bytes[..];
            for end in &mut ends {
                let record = NativeRecord::parse(rest)?;
                rest = &rest[record.head().total_len()..];
                write_at_append_time(&record, now_ms, &mut bytes)?;
                *end = bytes.len();
            }
            (self.bytes, self.ends, self.log_append_time) = (bytes, ends, true);
        }
        self.header.max_timestamp = now_ms;
        self.max_timestamp_offset_delta = 0;
        Ok(())
    }
}

impl NativeRecord<'_> {
    /// Writes the record again behind what is in `log`, byte for byte but for where it stands: with `Some`, it says its
    /// offset itself, as it must where compaction left a gap before it; with `None` it does not.
    ///
    /// # Errors
    /// [`NativeError`] when the record does not fit the format any more. Nothing was written then.
    pub fn write_at(&self, offset: Option<Offset>, log: &mut Vec<u8>) -> Result<(), NativeError> {
        self.write_again(offset, None, log)
    }

    /// As [`NativeRecord::write_at`], and with `Some` the record, a tombstone, says from then on when it may go:
    /// milliseconds since the epoch.
    ///
    /// # Errors
    /// As [`NativeRecord::write_at`], and [`NativeError::Reserved`].
    pub fn write_again(
        &self,
        offset: Option<Offset>,
        delete_horizon: Option<i64>,
        log: &mut Vec<u8>,
    ) -> Result<(), NativeError> {
        let reserved_count = ReservedHeaders::read(self.headers())?.count;
        let mut headers = HeaderBlockBuilder::new();
        if let Some(offset) = offset {
            headers.push(reserved::OFFSET, &offset.get().to_be_bytes())?;
        }
        // Only the first place has that meaning; a header of that name elsewhere is the record's own.
        let own = self.headers().iter().enumerate();
        let own = own.filter(|(index, (name, _))| *index > 0 || *name != reserved::OFFSET);
        let mut horizon = delete_horizon.map(i64::to_be_bytes);
        for (index, (name, value)) in own {
            if index >= reserved_count
                && let Some(horizon) = horizon.take()
            {
                headers.push(reserved::DELETE_HORIZON, &horizon)?;
            }
            headers.push(name, value)?;
        }
        if let Some(horizon) = horizon {
            headers.push(reserved::DELETE_HORIZON, &horizon)?;
        }
        self.fields().write(headers.block(), log)
    }
}

fn write_at_append_time(
    record: &NativeRecord<'_>,
    now_ms: i64,
    bytes: &mut Vec<u8>,
) -> Result<(), NativeError> {
    let fields = NativeFields { timestamp_ms: now_ms, ..record.fields() };
    if fields.control {
        return fields.write(record.headers(), bytes);
    }
    let mut headers = HeaderBlockBuilder::new();
    let mut stands = record.headers().iter().peekable();
    while let Some((name, value)) =
        stands.next_if(|(name, _)| [reserved::OFFSET, reserved::PRODUCER].contains(name))
    {
        headers.push(name, value)?;
    }
    headers.push(reserved::LOG_APPEND_TIME, b"")?;
    stands.next_if(|(name, _)| *name == reserved::TIMESTAMP);
    stands.next_if(|(name, _)| *name == reserved::LOG_APPEND_TIME);
    stands.try_for_each(|(name, value)| headers.push(name, value))?;
    fields.write(headers.block(), bytes)
}

/// Writes the records of one batch.
struct RunWriter<'l> {
    header: BatchHeader,
    limits: &'l HeaderLimits,
    max: usize,
    packer: ValuePacker,
    headers: HeaderBlockBuilder,
    /// What [`reserved::EMPTY`] will say.
    empty: Vec<u8>,
    bytes: Vec<u8>,
}

impl RunWriter<'_> {
    fn record(&mut self, index: i32, record: &RecordView<'_>) -> Result<(), RecordError> {
        let own = record.headers.map(|(name, value)| (name, value.map_or(0, <[u8]>::len)));
        self.limits.check(own).map_err(|fault| RecordError::Headers { index, fault })?;
        self.headers(index, record).map_err(|fault| RecordError::Headers { index, fault })?;
        let value = record.value.unwrap_or_default();
        // What is not there yet must not be taken for what is.
        if self.bytes.len().saturating_add(value.len()) > self.max {
            return Err(RecordError::NativeTooLarge { max: self.max });
        }
        let packed = self.packer.pack(value)?;
        let transactional = self.header.attributes.is_transactional();
        let fields = NativeFields {
            timestamp_ms: record.timestamp.max(0),
            control: false,
            producer: transactional.then_some((self.header.producer_id, self.header.producer_epoch)),
            key: record.key.unwrap_or_default(),
            codec: if packed.is_some() { self.packer.codec() } else { ValueCodec::None },
            stored_value: packed.as_deref().unwrap_or(value),
        };
        Ok(fields.write(self.headers.block(), &mut self.bytes)?)
    }

    /// Makes the record's header block: the reserved ones, then its own.
    fn headers(&mut self, index: i32, record: &RecordView<'_>) -> Result<(), HeaderFault> {
        self.headers.clear();
        if index == 0 && self.header.has_producer() {
            let producer = RunProducer {
                id: self.header.producer_id,
                epoch: self.header.producer_epoch,
                base_sequence: self.header.base_sequence,
                count: self.header.record_count,
            };
            self.headers.push(reserved::PRODUCER, &producer.encode())?;
        }
        if record.timestamp < 0 {
            self.headers.push(reserved::TIMESTAMP, &record.timestamp.to_be_bytes())?;
        }
        if self.header.attributes.timestamp_type() == TimestampType::LogAppendTime {
            self.headers.push(reserved::LOG_APPEND_TIME, b"")?;
        }
        if self.note_empty_fields(record) {
            self.headers.push(reserved::EMPTY, &self.empty)?;
        }
        for (name, value) in record.headers {
            let prefix = if reserved::is_escaped(name) { reserved::ESCAPE } else { b"" };
            self.headers.push_prefixed(prefix, name, value.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Notes which empty fields are not null; says whether there is one.
    fn note_empty_fields(&mut self, record: &RecordView<'_>) -> bool {
        let is_empty = |field: Option<&[u8]>| field.is_some_and(<[u8]>::is_empty);
        let flags = if is_empty(record.key) { reserved::EMPTY_KEY } else { 0 }
            | if is_empty(record.value) { reserved::EMPTY_VALUE } else { 0 };
        self.empty.clear();
        self.empty.push(flags);
        // A block that has more headers than 16 bits count is refused when it is made.
        for (place, (_, value)) in (0..=u16::MAX).zip(record.headers) {
            if is_empty(value) {
                self.empty.extend_from_slice(&place.to_be_bytes());
            }
        }
        flags != 0 || self.empty.len() > 1
    }

    fn marker(&mut self, record: &RecordView<'_>) -> Result<(), RecordError> {
        let committed = match record.key.and_then(control_type) {
            Some(ControlRecordType::Commit) => true,
            Some(ControlRecordType::Abort) => false,
            _ => return Err(NativeError::Marker.into()),
        };
        let marker = ControlMarker {
            committed,
            producer_id: self.header.producer_id,
            producer_epoch: self.header.producer_epoch,
        };
        Ok(NativeFields::write_marker(marker, record.timestamp.max(0), &mut self.bytes)?)
    }
}

/// The kind of control record that a key of Kafka's says: its version, then the kind.
fn control_type(key: &[u8]) -> Option<ControlRecordType> {
    let (_version, rest) = key.split_first_chunk::<2>()?;
    Some(ControlRecordType::from_code(i16::from_be_bytes(*rest.first_chunk()?)))
}
