//! Random bodies, written straight from a schema: a second encoder, independent of the derive's.
//!
//! Every body is one that a careful peer could send: tagged fields ascend and are left out at their default,
//! booleans are 0 or 1. So reading and writing it again must give the same bytes.

use headwater_codec::{FieldSchema, FieldType, MessageSchema};

/// A deterministic source of numbers.
pub(crate) enum Random {
    /// Made from a seed (SplitMix64).
    Seeded(u64),
    /// Given: a byte a choice, so that a fuzzer that changes a byte changes a choice. Zeros when they have run out.
    Given(std::vec::IntoIter<u8>),
}

impl Random {
    #[allow(dead_code, reason = "fuzz targets give the numbers")]
    pub(crate) fn new(seed: u64) -> Self {
        Self::Seeded(seed)
    }

    #[allow(dead_code, reason = "for the fuzz targets")]
    pub(crate) fn given(bytes: Vec<u8>) -> Self {
        Self::Given(bytes.into_iter())
    }

    pub(crate) fn next(&mut self) -> u64 {
        match self {
            Self::Seeded(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31)
            }
            Self::Given(bytes) => (0..8).fold(0, |value, _| value << 8 | Self::given_byte(bytes)),
        }
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        match self {
            Self::Given(bytes) if bound <= 0x100 => Self::given_byte(bytes) % bound,
            _ => self.next() % bound,
        }
    }

    fn given_byte(bytes: &mut std::vec::IntoIter<u8>) -> u64 {
        bytes.next().map_or(0, u64::from)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn bytes(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.below(0x100) as u8).collect()
    }

    /// Mostly short; now and then long enough for a length of two or three bytes.
    fn length(&mut self) -> u64 {
        match self.below(20) {
            0 => 100 + self.below(100),
            1 => 0,
            _ => self.below(12),
        }
    }
}

/// A body of `version`. With `unknown_tags`, some structures carry tagged fields that no schema has.
pub(crate) fn random_body(
    schema: &MessageSchema,
    version: i16,
    unknown_tags: bool,
    random: &mut Random,
) -> Vec<u8> {
    let mut body =
        Body { version, flexible: schema.flexible.contains(version), unknown_tags, random, out: Vec::new() };
    body.structure(schema);
    body.out
}

struct Body<'a> {
    version: i16,
    flexible: bool,
    unknown_tags: bool,
    random: &'a mut Random,
    out: Vec<u8>,
}

impl Body<'_> {
    fn structure(&mut self, schema: &MessageSchema) {
        for field in schema.fields {
            if field.versions.contains(self.version) && !field.tagged.contains(self.version) {
                self.value(&field.field_type, field.nullable.contains(self.version));
            }
        }
        if self.flexible {
            self.tags(schema);
        }
    }

    fn tags(&mut self, schema: &MessageSchema) {
        let mut tagged: Vec<(u32, Vec<u8>)> = Vec::new();
        for field in schema.fields {
            let Some(tag) = field.tag else { continue };
            if field.tagged.contains(self.version)
                && field.versions.contains(self.version)
                && self.random.one_in(2)
            {
                let nullable = field.nullable.contains(self.version);
                let mut value = self.apart(|body| body.value(&field.field_type, nullable));
                if value != self.apart(|body| body.default(field)) {
                    if let FieldType::Struct(_) = field.field_type
                        && nullable
                        && value == [0xff]
                    {
                        // Here, 0 is null for structures too.
                        value[0] = 0;
                    }
                    tagged.push((tag, value));
                }
            }
        }
        if self.unknown_tags && self.random.one_in(4) {
            let length = self.random.length();
            tagged.push((1000 + self.random.below(1 << 20) as u32, self.random.bytes(length)));
        }
        tagged.sort();
        self.uvarint(tagged.len() as u32);
        for (tag, value) in tagged {
            self.uvarint(tag);
            self.uvarint(value.len() as u32);
            self.out.extend(value);
        }
    }

    /// What `write` writes, taken out again.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> Vec<u8> {
        let start = self.out.len();
        write(self);
        self.out.split_off(start)
    }

    fn value(&mut self, field_type: &FieldType, nullable: bool) {
        if nullable && self.random.one_in(4) {
            return self.null(field_type);
        }
        match field_type {
            FieldType::Bool => self.out.push(self.random.below(2) as u8),
            FieldType::Int8 => self.integer(1),
            FieldType::Int16 | FieldType::Uint16 => self.integer(2),
            FieldType::Int32 | FieldType::Uint32 => self.integer(4),
            FieldType::Int64 => self.integer(8),
            FieldType::Float64 => {
                let value = self.random.next() as i64 as f64 / 1024.0;
                self.out.extend(value.to_be_bytes());
            }
            FieldType::Uuid => {
                let uuid = if self.random.one_in(4) { vec![0; 16] } else { self.random.bytes(16) };
                self.out.extend(uuid);
            }
            FieldType::String => {
                let text: String = (0..self.random.length()).map(|_| self.letter()).collect();
                self.text_length(text.len());
                self.out.extend(text.bytes());
            }
            FieldType::Bytes | FieldType::Records => {
                let length =
                    if self.random.one_in(16) { 1000 + self.random.below(500) } else { self.random.length() };
                self.length(length as usize);
                let bytes = self.random.bytes(length);
                self.out.extend(bytes);
            }
            FieldType::Struct(schema) => {
                if nullable {
                    self.out.push(1);
                }
                self.structure(schema);
            }
            FieldType::Array(element) => {
                let count = self.random.below(4);
                self.length(count as usize);
                for _ in 0..count {
                    self.value(element, false);
                }
            }
        }
    }

    /// A random integer: small ones, sentinels and the ends of the range are as likely as the rest.
    fn integer(&mut self, size: usize) {
        let value: i64 = match self.random.below(6) {
            0 => 0,
            1 => -1,
            2 => i64::MAX >> (64 - 8 * size),
            3 => i64::MIN >> (64 - 8 * size),
            4 => self.random.below(100) as i64,
            _ => self.random.next() as i64,
        };
        self.out.extend(&value.to_be_bytes()[8 - size..]);
    }

    fn letter(&mut self) -> char {
        const LETTERS: [char; 8] = ['a', 'b', 'z', '0', '-', '.', 'é', '水'];
        LETTERS[self.random.below(LETTERS.len() as u64) as usize]
    }

    fn default(&mut self, field: &FieldSchema) {
        let nullable = field.nullable.contains(self.version);
        let null = field.default == Some("null") || (nullable && field.field_type == FieldType::Records);
        if null {
            return self.null(&field.field_type);
        }
        let text = field.default.unwrap_or_default();
        let number = || if text.is_empty() { 0 } else { text.parse::<i64>().expect("a number") };
        match &field.field_type {
            FieldType::Bool => self.out.push(u8::from(text == "true")),
            FieldType::Int8 => self.out.extend((number() as i8).to_be_bytes()),
            FieldType::Int16 | FieldType::Uint16 => self.out.extend((number() as i16).to_be_bytes()),
            FieldType::Int32 | FieldType::Uint32 => self.out.extend((number() as i32).to_be_bytes()),
            FieldType::Int64 => self.out.extend(number().to_be_bytes()),
            FieldType::Float64 => self.out.extend(0f64.to_be_bytes()),
            FieldType::Uuid => self.out.extend([0; 16]),
            FieldType::String => {
                self.text_length(text.len());
                self.out.extend(text.bytes());
            }
            FieldType::Bytes | FieldType::Records | FieldType::Array(_) => self.length(0),
            FieldType::Struct(schema) => {
                if nullable {
                    self.out.push(1);
                }
                for field in schema.fields {
                    if field.versions.contains(self.version) && !field.tagged.contains(self.version) {
                        self.default(field);
                    }
                }
                if self.flexible {
                    self.uvarint(0);
                }
            }
        }
    }

    fn null(&mut self, field_type: &FieldType) {
        match field_type {
            FieldType::Struct(_) => self.out.push(0xff),
            _ if self.flexible => self.uvarint(0),
            FieldType::String => self.out.extend((-1i16).to_be_bytes()),
            _ => self.out.extend((-1i32).to_be_bytes()),
        }
    }

    fn text_length(&mut self, length: usize) {
        if self.flexible {
            self.uvarint(length as u32 + 1);
        } else {
            self.out.extend((length as i16).to_be_bytes());
        }
    }

    fn length(&mut self, length: usize) {
        if self.flexible {
            self.uvarint(length as u32 + 1);
        } else {
            self.out.extend((length as i32).to_be_bytes());
        }
    }

    fn uvarint(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }
}
