//! What a control record says: a transaction ended.

use headwater_codec::{ProducerEpoch, ProducerId};

use crate::native::NativeError;

/// A transaction marker: the value of a native control record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ControlMarker {
    /// Whether the transaction was committed; aborted if not.
    pub committed: bool,
    /// Whose transaction.
    pub producer_id: ProducerId,
    /// Of which incarnation.
    pub producer_epoch: ProducerEpoch,
}

impl ControlMarker {
    /// Bytes of a marker.
    pub const LEN: usize = 1 + 8 + 2;

    /// Reads a control record's value.
    ///
    /// # Errors
    /// [`NativeError::Marker`] when it is no marker, [`NativeError::ProducerId`] when the id is beyond 63 bits.
    pub fn parse(value: &[u8]) -> Result<Self, NativeError> {
        let Ok(&[verdict @ (0 | 1), i0, i1, i2, i3, i4, i5, i6, i7, e0, e1]) =
            <&[u8; Self::LEN]>::try_from(value)
        else {
            return Err(NativeError::Marker);
        };
        let raw = u64::from_be_bytes([i0, i1, i2, i3, i4, i5, i6, i7]);
        let id = i64::try_from(raw).map_err(|_| NativeError::ProducerId { raw })?;
        Ok(Self {
            committed: verdict == 1,
            producer_id: ProducerId::new(id),
            producer_epoch: ProducerEpoch::new(i16::from_be_bytes([e0, e1])),
        })
    }

    /// The marker as a control record's value.
    pub fn encode(self) -> [u8; Self::LEN] {
        let mut value = [0; Self::LEN];
        value[0] = u8::from(self.committed);
        value[1..9].copy_from_slice(&self.producer_id.get().to_be_bytes());
        value[9..].copy_from_slice(&self.producer_epoch.get().to_be_bytes());
        value
    }
}
