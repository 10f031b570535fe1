//! Cleaning one record: what compaction sees of it, and the same record where others before it are gone.

use headwater_codec::Offset;

use crate::{
    KeyedRecord, RetainRules, Retained,
    native::{NativeError, NativeRecord, ReservedHeaders},
};

impl<'a> NativeRecord<'a> {
    /// The record as compaction sees it. `next_offset` is the offset after the record before, and its own unless it says
    /// another.
    ///
    /// # Errors
    /// [`NativeError::Reserved`].
    pub fn keyed(&self, next_offset: Offset) -> Result<KeyedRecord<'a>, NativeError> {
        let reserved = ReservedHeaders::read(self.headers())?;
        let key = self.key();
        Ok(KeyedRecord {
            offset: reserved.offset.unwrap_or(next_offset),
            key: if key.is_empty() && !reserved.empty.key() { None } else { Some(key) },
            is_tombstone: self.stored_value().is_empty() && !reserved.empty.value(),
        })
    }

    /// When the record may go, which is a tombstone that compaction came upon: milliseconds since the epoch.
    ///
    /// # Errors
    /// [`NativeError::Reserved`].
    pub fn delete_horizon_ms(&self) -> Result<Option<i64>, NativeError> {
        Ok(ReservedHeaders::read(self.headers())?.delete_horizon)
    }

    /// Adds the record to `out`, in which `next_offset` comes next, if it `stays` or the rules hold it. There is no record
    /// without content, so one that is held stays whole.
    ///
    /// # Errors
    /// Those of [`NativeRecord::write_again`]. `out` is as it was then.
    pub fn retain(
        &self,
        record: &KeyedRecord<'_>,
        next_offset: Offset,
        rules: &RetainRules,
        stays: bool,
        out: &mut Vec<u8>,
    ) -> Result<Retained, NativeError> {
        if !stays && !rules.hold {
            return Ok(Retained { kept: 0, dropped: 1, is_changed: true });
        }
        let reserved = ReservedHeaders::read(self.headers())?;
        let is_tombstone = record.is_tombstone && !self.head().attributes().is_control();
        let horizon = rules.delete_horizon_ms.filter(|_| is_tombstone && reserved.delete_horizon.is_none());
        let is_changed = horizon.is_some() || (record.offset != next_offset && reserved.offset.is_none());
        if is_changed {
            let offset = Some(record.offset).filter(|offset| *offset != next_offset);
            self.write_again(offset, horizon, out)?;
        } else {
            out.extend_from_slice(self.bytes());
        }
        Ok(Retained { kept: 1, dropped: 0, is_changed })
    }
}

#[cfg(test)]
mod tests;
