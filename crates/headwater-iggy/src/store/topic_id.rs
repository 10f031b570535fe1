//! Which id a topic of Iggy has in Kafka: the same over restarts, another one after it was created again.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The first 16 bytes of SHA-256 over stream id, topic id (both `u32`) and the time of creation in microseconds (`u64`), all
/// little-endian.
pub fn topic_id(stream_id: u32, topic_id: u32, created_at: u64) -> Uuid {
    let hash = Sha256::new()
        .chain_update(stream_id.to_le_bytes())
        .chain_update(topic_id.to_le_bytes())
        .chain_update(created_at.to_le_bytes())
        .finalize();
    let mut id = [0; 16];
    id.copy_from_slice(&hash[..16]);
    Uuid::from_bytes(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_and_differ_by_every_part() {
        // Of `sha256sum` over the sixteen bytes 01000000 02000000 0300000000000000.
        let id = topic_id(1, 2, 3);
        assert_eq!(id, Uuid::from_u128(0x81c1a5a2f482e82ca2c66653482ab24e));
        for other in [topic_id(2, 2, 3), topic_id(1, 3, 3), topic_id(1, 2, 4)] {
            assert_ne!(id, other);
        }
    }
}
