//! What a message looks like, as data: the reflection that the derive makes of each struct.

use crate::{ApiKey, Versions};

/// One message or nested structure.
#[derive(Debug, PartialEq)]
pub struct MessageSchema {
    /// The struct's name, which is Kafka's.
    pub name: &'static str,
    /// What the message is for.
    pub kind: MessageKind,
    /// The versions that can be read and written. Nested structures say [`Versions::ALL`] unless declared.
    pub versions: Versions,
    /// `versions` without an unstable last one.
    pub stable: Versions,
    /// What `ApiVersions` says.
    pub advertised: Versions,
    /// The versions with compact lengths and tagged fields. Nested structures go with their message.
    pub flexible: Versions,
    /// The fields, in the order of the wire; tagged ones stand where they are declared.
    pub fields: &'static [FieldSchema],
}

/// What a message is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MessageKind {
    /// A request of that API.
    Request(ApiKey),
    /// A response of that API.
    Response(ApiKey),
    /// A body that is no RPC: a record's key or value.
    Data {
        /// The type id of a record of the metadata log.
        type_id: Option<u32>,
    },
    /// A part of a message.
    Nested,
}

/// One field.
#[derive(Debug, PartialEq)]
pub struct FieldSchema {
    /// Kafka's name, such as `AllowAutoTopicCreation`.
    pub name: &'static str,
    /// Kafka's type.
    pub field_type: FieldType,
    /// The versions that have the field.
    pub versions: Versions,
    /// The versions in which it may be null.
    pub nullable: Versions,
    /// Its number among the tagged fields.
    pub tag: Option<u32>,
    /// The versions in which it is a tagged field.
    pub tagged: Versions,
    /// Its default, spelled as text; `None` when it is the type's own (0, false, empty).
    pub default: Option<&'static str>,
    /// Whether it may be dropped in versions that lack it.
    pub ignorable: bool,
    /// Whether the array's elements are told apart by this field.
    pub map_key: bool,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are Kafka's own")]
pub enum FieldType {
    Bool,
    Int8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Float64,
    String,
    Bytes,
    Records,
    Uuid,
    /// A nested structure.
    Struct(&'static MessageSchema),
    /// An array, with the type of its elements.
    Array(&'static FieldType),
}

impl FieldType {
    /// Kafka's spelling: `int32`, `string`, `[]PartitionProduceData`.
    pub fn name(&self) -> String {
        let name = match self {
            Self::Bool => "bool",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Uint16 => "uint16",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Float64 => "float64",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Records => "records",
            Self::Uuid => "uuid",
            Self::Struct(schema) => schema.name,
            Self::Array(element) => return format!("[]{}", element.name()),
        };
        name.to_owned()
    }
}
