//! Kafka's way to write a UUID as text: its 16 bytes in base64url without padding, 22 characters.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use uuid::Uuid;

/// Writes an id as Kafka does in its files and messages.
pub fn uuid_to_text(id: Uuid) -> String {
    URL_SAFE_NO_PAD.encode(id.as_bytes())
}

/// Reads an id as Kafka writes it; `None` when the text is not 16 bytes in base64url.
pub fn uuid_from_text(text: &str) -> Option<Uuid> {
    if text.len() > 24 {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
    Uuid::from_slice(&bytes).ok()
}

/// Where new ids come from: 16 random bytes a call.
///
/// A closure will do; tests give a counted one.
pub trait IdSource: Send + 'static {
    /// Sixteen bytes that nobody can guess and that were not given before.
    fn random_bytes(&mut self) -> [u8; 16];

    /// A new version 4 UUID whose text does not start with a dash, so that command-line tools can be given it.
    fn new_id(&mut self) -> Uuid {
        loop {
            let mut bytes = self.random_bytes();
            bytes[6] = (bytes[6] & 0x0f) | 0x40;
            bytes[8] = (bytes[8] & 0x3f) | 0x80;
            // The first six bits choose the first character; 62 stands for the dash.
            if bytes[0] >> 2 != 62 {
                return Uuid::from_bytes(bytes);
            }
        }
    }
}

impl<F: FnMut() -> [u8; 16] + Send + 'static> IdSource for F {
    fn random_bytes(&mut self) -> [u8; 16] {
        self()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_an_id_is_what_apache_kafka_writes() {
        let id = uuid_from_text("_nQ-D7I2S_mce-n2ubgj7A").unwrap();
        assert_eq!(id, Uuid::from_u128(0xfe74_3e0f_b236_4bf9_9c7b_e9f6_b9b8_23ec));
        assert_eq!(uuid_to_text(id), "_nQ-D7I2S_mce-n2ubgj7A");
    }

    #[test]
    fn text_that_is_no_id_is_refused() {
        for text in ["", "abc", "!!!!!!!!!!!!!!!!!!!!!!", "AAAAAAAAAAAAAAAAAAAAAQAAAA"] {
            assert_eq!(uuid_from_text(text), None, "{text}");
        }
    }

    #[test]
    fn new_ids_never_start_with_a_dash() {
        let mut first = [62 << 2, 0].into_iter();
        let mut source = move || [first.next().unwrap(); 16];
        assert!(!uuid_to_text(source.new_id()).starts_with('-'));
    }
}
