//! A walk over a body by its reflected schema.

use std::fmt::Debug;

use headwater_codec::{
    DecodeError, DecodeErrorKind, ErrorCode, FieldSchema, FieldType, MessageSchema, Reader,
};

/// Bytes of an opaque value that are shown.
const SHOWN: usize = 32;

/// Prints while it reads, so that all fields before a mistake are shown.
pub(crate) struct Walk {
    reader: Reader,
}

impl Walk {
    pub(crate) fn new(reader: Reader) -> Self {
        Self { reader }
    }

    /// Goes on in that version.
    pub(crate) fn begin(&mut self, version: i16, flexible: bool) {
        self.reader = self.reader.clone().switch_to(version, flexible);
    }

    /// A line that belongs to the present byte.
    pub(crate) fn line(&self, depth: usize, text: &str) {
        println!("{:5} {:indent$}{text}", self.reader.position(), "", indent = 2 * depth);
    }

    /// A field of a header.
    pub(crate) fn field<T: Debug>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Reader) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let before = self.clone();
        let value = read(&mut self.reader)?;
        before.line(1, &format!("{name}: {value:?}"));
        Ok(value)
    }

    /// The rest of the frame, all of it, as that message.
    pub(crate) fn body(&mut self, schema: &'static MessageSchema) -> Result<(), DecodeError> {
        let version = self.reader.version();
        self.line(0, &format!("{} v{version}", schema.name));
        if !schema.versions.contains(version) {
            return Err(self.reader.error(DecodeErrorKind::UnsupportedVersion(version)));
        }
        self.structure(schema, 1)?;
        self.reader.finish()
    }

    /// A block of tagged fields that nobody knows.
    pub(crate) fn unknown_tags(&mut self, depth: usize) -> Result<(), DecodeError> {
        self.tags(&[], depth)
    }

    fn structure(&mut self, schema: &'static MessageSchema, depth: usize) -> Result<(), DecodeError> {
        let version = self.reader.version();
        for field in schema.fields {
            if field.versions.contains(version) && !field.tagged.contains(version) {
                let nullable = field.nullable.contains(version);
                self.value(field.name, &field.field_type, nullable, depth)
                    .map_err(|error| error.within(field.name))?;
            }
        }
        if self.reader.is_flexible() { self.tags(schema.fields, depth) } else { Ok(()) }
    }

    fn tags(&mut self, fields: &'static [FieldSchema], depth: usize) -> Result<(), DecodeError> {
        let version = self.reader.version();
        let count = self.reader.uvarint()?;
        for _ in 0..count {
            let before = self.clone();
            let tag = self.reader.uvarint()?;
            let size = self.reader.uvarint()? as usize;
            let end = self.reader.position() + size;
            let known = fields.iter().find(|field| field.tag == Some(tag) && field.tagged.contains(version));
            match known {
                Some(field) => {
                    let name = format!("{} (tag {tag})", field.name);
                    let nullable = field.nullable.contains(version);
                    if let FieldType::Struct(schema) = field.field_type
                        && nullable
                    {
                        // Within tagged fields, null is 0.
                        let present = self.reader.uvarint()? != 0;
                        before.line(depth, &format!("{name}:{}", if present { "" } else { " null" }));
                        if present {
                            self.structure(schema, depth + 1)?;
                        }
                    } else {
                        self.value(&name, &field.field_type, nullable, depth)
                            .map_err(|error| error.within(field.name))?;
                    }
                }
                None => {
                    let value = self.reader.take(size)?;
                    before.line(depth, &format!("unknown tag {tag}: {}", hex(&value)));
                }
            }
            if self.reader.position() != end {
                let left = end.saturating_sub(self.reader.position());
                return Err(self.reader.error(DecodeErrorKind::TrailingBytes(left)));
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        name: &str,
        field_type: &FieldType,
        nullable: bool,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let before = self.clone();
        let reader = &mut self.reader;
        let text = match field_type {
            FieldType::Bool => reader.boolean()?.to_string(),
            FieldType::Int8 => reader.int8()?.to_string(),
            FieldType::Int16 if name.ends_with("ErrorCode") => {
                let code = reader.int16()?;
                format!("{code} ({})", ErrorCode::from(code))
            }
            FieldType::Int16 => reader.int16()?.to_string(),
            FieldType::Uint16 => reader.uint16()?.to_string(),
            FieldType::Int32 => reader.int32()?.to_string(),
            FieldType::Uint32 => reader.uint32()?.to_string(),
            FieldType::Int64 => reader.int64()?.to_string(),
            FieldType::Float64 => reader.float64()?.to_string(),
            FieldType::Uuid => reader.uuid()?.to_string(),
            FieldType::String if nullable => {
                reader.nullable_string()?.map_or_else(|| "null".to_owned(), |text| format!("{text:?}"))
            }
            FieldType::String => format!("{:?}", reader.string()?),
            FieldType::Bytes | FieldType::Records => match reader.nullable_bytes()? {
                Some(bytes) => hex(&bytes),
                None if nullable => "null".to_owned(),
                None => return Err(before.reader.error(DecodeErrorKind::NullNotAllowed)),
            },
            FieldType::Struct(schema) => {
                let present = !nullable || reader.int8()? >= 0;
                before.line(depth, &format!("{name}:{}", if present { "" } else { " null" }));
                return if present { self.structure(schema, depth + 1) } else { Ok(()) };
            }
            FieldType::Array(element) => return self.array(name, element, nullable, depth),
        };
        before.line(depth, &format!("{name}: {text}"));
        Ok(())
    }

    fn array(
        &mut self,
        name: &str,
        element: &FieldType,
        nullable: bool,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let before = self.clone();
        let count = if self.reader.is_flexible() {
            i64::from(self.reader.uvarint()?) - 1
        } else {
            i64::from(self.reader.int32()?)
        };
        if count < 0 {
            if nullable {
                before.line(depth, &format!("{name}: null"));
                return Ok(());
            }
            return Err(before.reader.error(DecodeErrorKind::NullNotAllowed));
        }
        before.line(depth, &format!("{name}: {count} of {}", element.name()));
        for index in 0..count {
            self.value(&format!("[{index}]"), element, false, depth + 1)?;
        }
        Ok(())
    }

    fn clone(&self) -> Self {
        Self { reader: self.reader.clone() }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    let rest = if bytes.len() > SHOWN { ".." } else { "" };
    format!("{} bytes {digits}{rest}", bytes.len())
}
