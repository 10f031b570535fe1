//! What the batches of one request may unpack to, where the store has to unpack them.

use headwater_records::{RecordError, ValidatedBatch};
use headwater_storage::UnpackLimits;

/// Counts down over the batches of a request. A store that keeps batches as they come sets no limit.
#[derive(Debug)]
pub(super) struct UnpackBudget {
    limits: Option<UnpackLimits>,
    left: usize,
}

impl UnpackBudget {
    pub(super) fn new(limits: Option<UnpackLimits>) -> Self {
        Self { limits, left: limits.map_or(usize::MAX, |limits| limits.request_bytes_max) }
    }

    /// Bytes that the next batch may unpack to; `configured` is `max.decompressed.message.bytes`.
    pub(super) fn bound(&self, configured: usize) -> usize {
        self.limits.map_or(configured, |limits| configured.min(limits.batch_bytes_max).min(self.left))
    }

    /// Counts the next batch, which was judged within `bound`. One that is over it gets MESSAGE_TOO_LARGE, which lets Java's
    /// producer split it, where the limit is the store's.
    pub(super) fn count(
        &mut self,
        judged: Result<ValidatedBatch, RecordError>,
        bound: usize,
    ) -> Result<ValidatedBatch, RecordError> {
        if self.limits.is_none() {
            return judged;
        }
        let too_large = RecordError::TooLarge { bytes: bound.saturating_add(1), max: bound };
        match judged {
            Ok(batch) if batch.unpacked_len() > bound => Err(too_large),
            Ok(batch) => {
                self.left -= batch.unpacked_len();
                Ok(batch)
            }
            Err(RecordError::UnpackedTooLarge { .. }) => {
                // That much was unpacked, if only to be thrown away.
                self.left -= bound.min(self.left);
                Err(too_large)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use headwater_records::{BatchBuilder, Compression, ProduceRules, validate};

    use super::*;

    fn judge(
        budget: &mut UnpackBudget,
        value: usize,
        codec: Compression,
    ) -> Result<ValidatedBatch, RecordError> {
        let mut builder = BatchBuilder::new().compression(codec);
        builder.push(5, None, Some(&vec![0; value]), &[]).unwrap();
        let bound = budget.bound(1 << 20);
        let rules = ProduceRules { max_decompressed_bytes: bound, ..ProduceRules::new(5) };
        budget.count(validate(builder.build().unwrap().to_bytes(), &rules), bound)
    }

    #[test]
    fn a_store_without_limits_leaves_the_configured_one() {
        let mut budget = UnpackBudget::new(None);
        assert_eq!(budget.bound(7), 7);
        assert!(judge(&mut budget, 1 << 19, Compression::Gzip).is_ok());
        let error = judge(&mut budget, 1 << 21, Compression::Gzip).unwrap_err();
        assert_eq!(error.error_code().code(), 87);
    }

    #[test]
    fn batch_and_request_are_bounded_and_refused_batches_count() {
        for codec in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let limits = UnpackLimits { batch_bytes_max: 1000, request_bytes_max: 2500 };
            let mut budget = UnpackBudget::new(Some(limits));
            assert!(judge(&mut budget, 900, codec).is_ok());
            let error = judge(&mut budget, 1100, codec).unwrap_err();
            assert_eq!(error.error_code().code(), 10, "{codec}");
            let left = if codec == Compression::None { 900 } else { 500 };
            assert!(judge(&mut budget, left - 20, codec).is_ok());
            assert!(judge(&mut budget, 700, codec).is_err(), "the request has had its share");
        }
    }
}
