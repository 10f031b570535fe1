//! The judgement on one produced batch, and what the producer is told of it.

use headwater_codec::{
    ErrorCode, Records, Str,
    messages::produce::{BatchIndexAndErrorMessage, PartitionProduceResponse},
};
use headwater_records::{Compression, ProduceRules, RecordError, ValidatedBatch, validate};

use super::unpack_budget::UnpackBudget;
use crate::{context::Context, topics::Topic};

/// Why a batch is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Because of where it was to go.
    Code(ErrorCode),
    /// Because of what it is.
    Record(RecordError),
}

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<RecordError> for Refusal {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl Refusal {
    /// Tells the producer, each refused record by its index (KIP-467).
    pub(super) fn tell(self, response: &mut PartitionProduceResponse) {
        match self {
            Self::Code(code) => response.error_code = code,
            Self::Record(error) => {
                response.error_code = error.error_code();
                response.error_message = Some(Str::from(error.to_string()));
                if let RecordError::Refused { faults } = error {
                    response.record_errors = faults
                        .iter()
                        .map(|fault| BatchIndexAndErrorMessage {
                            batch_index: fault.index,
                            batch_index_error_message: Some(Str::from(fault.kind.to_string())),
                            ..Default::default()
                        })
                        .collect();
                }
            }
        }
    }
}

/// Judges the records for one partition of `topic` by its configs and the request's version.
pub(super) fn judge(
    cx: &Context,
    topic: &Topic,
    records: Option<Records>,
    unpack: &mut UnpackBudget,
) -> Result<ValidatedBatch, Refusal> {
    let bytes = match records {
        Some(Records::Bytes(bytes)) => bytes,
        // External records cannot be decoded.
        None | Some(Records::External { .. }) => return Err(RecordError::NoBatch { bytes: 0 }.into()),
    };
    let config = topic.log_config();
    let rules = ProduceRules {
        max_message_bytes: config.max_message_bytes as usize,
        max_decompressed_bytes: unpack.bound(cx.config().max_decompressed_message_bytes),
        timestamp_type: config.timestamp_type,
        before_max_ms: config.timestamp_before_max_ms,
        after_max_ms: config.timestamp_after_max_ms,
        now_ms: cx.now_ms(),
        key_required: config.cleanup_compact,
        zstd_allowed: cx.api_version() >= ZSTD_SINCE,
        transactional_allowed: false,
    };
    let batch = unpack.count(validate(bytes, &rules), rules.max_decompressed_bytes)?;
    match config.compression {
        Some(codec) => Ok(repack(batch, codec, &rules)?),
        None => Ok(batch),
    }
}

/// Compresses the records as the topic's `compression.type` has it; the result is held to `max.message.bytes` too.
fn repack(
    batch: ValidatedBatch,
    codec: Compression,
    rules: &ProduceRules,
) -> Result<ValidatedBatch, RecordError> {
    let batch = batch.repacked(codec, rules.max_decompressed_bytes)?;
    if batch.len() > rules.max_message_bytes {
        return Err(RecordError::TooLarge { bytes: batch.len(), max: rules.max_message_bytes });
    }
    Ok(batch)
}

/// The first version whose clients know zstd (KIP-110).
const ZSTD_SINCE: i16 = 7;
