//! Batches one after another, as a log, a fetch or a produce request holds them.

use std::iter::FusedIterator;

use crate::{BatchError, BatchHeader, header};

/// One whole batch in a buffer, its checksum not looked at.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    header: BatchHeader,
    bytes: &'a [u8],
}

impl<'a> Batch<'a> {
    /// Takes the batch at the front of `bytes`; what follows it is left alone.
    ///
    /// # Errors
    /// Those of [`BatchHeader::parse`], and [`BatchError::Truncated`] when the batch is not there whole.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, BatchError> {
        let header = BatchHeader::parse(bytes)?;
        let (have, need) = (bytes.len(), header.total_len());
        let bytes = bytes.get(..need).ok_or(BatchError::Truncated { have, need })?;
        Ok(Self { header, bytes })
    }

    /// The header.
    pub const fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// The whole batch.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes of the records, compressed or not.
    pub fn packed_records(&self) -> &'a [u8] {
        &self.bytes[BatchHeader::LEN..]
    }

    /// Compares the checksum with the bytes.
    ///
    /// # Errors
    /// [`BatchError::BadCrc`].
    pub fn check_crc(&self) -> Result<(), BatchError> {
        let (stored, computed) = (self.header.crc, header::crc_of(self.bytes));
        if stored == computed { Ok(()) } else { Err(BatchError::BadCrc { stored, computed }) }
    }
}

/// Checks the outside of the batch at the front of `bytes`: it is there whole, its header is consistent and its
/// checksum fits. The records are not read.
///
/// # Errors
/// Those of [`BatchHeader::parse`], [`BatchError::Truncated`] and [`BatchError::BadCrc`].
pub fn check(bytes: &[u8]) -> Result<BatchHeader, BatchError> {
    let batch = Batch::parse(bytes)?;
    batch.check_crc()?;
    Ok(batch.header)
}

/// Goes through concatenated batches.
///
/// A partial batch at the end (as a fetch that was cut at a limit has it) ends the iteration without an error;
/// [`Batches::remaining`] tells that it was there. Anything else that is unsound is yielded once and ends it too.
#[derive(Clone, Debug)]
pub struct Batches<'a> {
    rest: &'a [u8],
    failed: bool,
}

impl<'a> Batches<'a> {
    /// Starts at the front of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, failed: false }
    }

    /// The bytes not yet gone through: after the end, a partial batch, or the unsound one and what follows.
    pub const fn remaining(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Batches<'a> {
    type Item = Result<Batch<'a>, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.rest.is_empty() {
            return None;
        }
        match Batch::parse(self.rest) {
            Ok(batch) => {
                self.rest = &self.rest[batch.bytes.len()..];
                Some(Ok(batch))
            }
            Err(BatchError::Truncated { .. }) => {
                self.failed = true;
                None
            }
            Err(error) => {
                self.failed = true;
                Some(Err(error))
            }
        }
    }
}

impl FusedIterator for Batches<'_> {}

#[cfg(test)]
mod tests;
