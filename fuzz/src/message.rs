//! Bodies of messages for the fuzz targets: sound ones built by choices that the fuzzer makes, and what becomes of
//! them when some bytes change.

use headwater_codec::MessageSchema;

use crate::random_body::{Random, random_body};

/// What the fuzzer has made of its bytes.
#[derive(Debug)]
pub struct Case {
    /// Index of the message.
    pub message: usize,
    /// The version that the body is of.
    pub version: i16,
    /// A body that a careful peer could send; `None` when the fuzzer gave the bytes themselves.
    pub sound: Option<Vec<u8>>,
    /// Any bytes: those that the fuzzer gave, or the sound body with some of its bytes changed.
    pub any: Vec<u8>,
}

/// Bytes of an input before its body: the message (two), the version counted from its first, and the kind.
const HEAD: usize = 4;

/// Kind of an input whose rest is a body.
const GIVEN: u8 = 0xff;

/// Kind of an input whose rest is choices, for a body with unknown tags.
const CHOICES: u8 = 8;

/// Bytes of one change: a place (two), what to do there, and a byte.
const CHANGE: usize = 4;

impl Case {
    /// Reads an input: which of the messages, which version, then the number of changes, the changes and the choices
    /// that make the body; or the body itself. `None` when it is too short or the message has no version.
    pub fn read(data: &[u8], schemas: &[&'static MessageSchema]) -> Option<Self> {
        let (&[high, low, version, kind], rest) = data.split_first_chunk::<HEAD>()?;
        let message = usize::from(u16::from_be_bytes([high, low])) % schemas.len();
        let schema = *schemas.get(message)?;
        let (first, last) = (schema.versions.first()?, schema.versions.last()?);
        let version = first + i16::from(version) % (last + 1 - first);
        if kind == GIVEN {
            return Some(Self { message, version, sound: None, any: rest.to_vec() });
        }
        let changes = usize::from(kind % CHOICES);
        let (changes, choices) = rest.split_at_checked(changes * CHANGE)?;
        let unknown_tags = kind & CHOICES != 0;
        let sound = random_body(schema, version, unknown_tags, &mut Random::given(choices.to_vec()));
        let mut any = sound.clone();
        for change in changes.as_chunks::<CHANGE>().0 {
            make(change, &mut any);
        }
        Some(Self { message, version, sound: Some(sound), any })
    }

    /// An input that stands for `body`.
    pub fn given(message: usize, version_index: u8, body: &[u8]) -> Vec<u8> {
        [&Self::head(message, version_index, GIVEN)[..], body].concat()
    }

    /// An input that builds a body by `choices`.
    pub fn chosen(message: usize, version_index: u8, choices: &[u8]) -> Vec<u8> {
        [&Self::head(message, version_index, CHOICES)[..], choices].concat()
    }

    fn head(message: usize, version_index: u8, kind: u8) -> [u8; HEAD] {
        let [high, low] = (message as u16).to_be_bytes();
        [high, low, version_index, kind]
    }
}

/// Replaces, adds, removes or cuts at a place.
fn make(&[high, low, what, byte]: &[u8; CHANGE], body: &mut Vec<u8>) {
    let place = usize::from(u16::from_be_bytes([high, low])) % (body.len() + 1);
    match what % 4 {
        0 => drop(body.splice(place..body.len().min(place + 1), [byte])),
        1 => body.insert(place, byte),
        2 => drop(body.drain(place..body.len().min(place + 1 + usize::from(byte % 8)))),
        _ => body.truncate(place),
    }
}
