//! Which partition of `__consumer_offsets` a group belongs to.

/// The partition of `__consumer_offsets` that holds `group_id`: Java's `abs(hashCode) % count`, as Kafka has it.
///
/// Kafka's `abs` gives 0 for the one hash that has no positive counterpart. A `count` below 1 counts as 1.
pub fn partition_for(group_id: &str, count: i32) -> i32 {
    let hash = java_hash(group_id);
    let positive = if hash == i32::MIN { 0 } else { hash.abs() };
    positive % count.max(1)
}

/// Java's `String.hashCode`, over UTF-16 units.
fn java_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_java_does() {
        assert_eq!(java_hash(""), 0);
        assert_eq!(java_hash("hello"), 99_162_322);
        assert_eq!(
            java_hash("console-consumer-1"),
            "console-consumer-1"
                .bytes()
                .fold(0_i32, |h, b| { h.wrapping_mul(31).wrapping_add(i32::from(b)) })
        );
        // Outside the basic plane Java hashes two surrogates: 31 * 0xD83D + 0xDE00.
        assert_eq!(java_hash("\u{1F600}"), 31 * 0xD83D + 0xDE00);
    }

    #[test]
    fn the_hash_without_a_positive_counterpart_is_partition_0() {
        assert_eq!(java_hash("polygenelubricants"), i32::MIN);
        assert_eq!(partition_for("polygenelubricants", 50), 0);
    }

    #[test]
    fn every_group_has_a_partition_whatever_the_count() {
        for group in ["", "g", "payments", "\u{1F600}"] {
            for count in [-1, 0, 1, 50] {
                assert!((0..count.max(1)).contains(&partition_for(group, count)));
            }
        }
    }
}
