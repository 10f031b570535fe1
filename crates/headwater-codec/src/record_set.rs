//! The value of a `records` field.

use bytes::Bytes;

/// Record batches as a produce request or a fetch response carries them. The codec never looks inside.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Records {
    /// The batches themselves.
    Bytes(Bytes),
    /// Batches that lie elsewhere, such as a slice of a file. Only ever encoded, never decoded: the writer
    /// leaves a [`Chunk::External`](crate::Chunk::External) in their place.
    External {
        /// How many bytes they are.
        length: u32,
        /// Whatever the encoder's caller knows them by.
        token: u64,
    },
}

impl Records {
    /// How many bytes of batches there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::External { length, .. } => *length as usize,
        }
    }

    /// Whether there are no batches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batches, when they are at hand.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::External { .. } => None,
        }
    }
}

impl Default for Records {
    fn default() -> Self {
        Self::Bytes(Bytes::new())
    }
}

impl From<Bytes> for Records {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}
