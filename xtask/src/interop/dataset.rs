//! The records that every client writes, and the digest by which they are compared (`interop/README.md`).

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// What a client can say of a record; the digest leaves out the rest.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Shape {
    /// The client sets timestamps itself.
    pub(crate) timestamps: bool,
    /// It can give each record headers of its own.
    pub(crate) own_headers: bool,
    /// It can send a header whose value is null.
    pub(crate) null_headers: bool,
    /// It can tell a header with an empty value from one with a null value; else both are null.
    pub(crate) empty_headers: bool,
    /// Headers are a map: one value a name, the last one, and sorted by name.
    pub(crate) headers_are_a_map: bool,
}

impl Shape {
    /// Everything.
    pub(crate) const FULL: Self = Self {
        timestamps: true,
        own_headers: true,
        null_headers: true,
        empty_headers: true,
        headers_are_a_map: false,
    };

    /// What is left of this when it is read by a client that can tell only `reader`.
    pub(crate) fn seen_by(self, reader: Self) -> Self {
        Self {
            timestamps: self.timestamps && reader.timestamps,
            own_headers: self.own_headers && reader.own_headers,
            null_headers: self.null_headers && reader.null_headers,
            empty_headers: self.empty_headers && reader.empty_headers,
            headers_are_a_map: self.headers_are_a_map || reader.headers_are_a_map,
        }
    }
}

/// One record, as a client has seen it or should see it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Record {
    pub(crate) offset: i64,
    pub(crate) timestamp: Option<i64>,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) headers: Vec<(String, Option<Vec<u8>>)>,
}

/// Record `index` of the data set.
pub(crate) fn record(index: u32, base_ms: i64, shape: Shape) -> Record {
    let mut headers = Vec::new();
    if shape.own_headers {
        headers.push(("seq".to_owned(), Some(index.to_string().into_bytes())));
    }
    headers.push(("dup".to_owned(), Some(b"a".to_vec())));
    headers.push(("dup".to_owned(), Some(b"b".to_vec())));
    headers.push(("empty".to_owned(), shape.empty_headers.then(Vec::new)));
    if shape.null_headers {
        headers.push(("none".to_owned(), None));
    }
    if shape.headers_are_a_map {
        headers.sort_by(|one, other| one.0.cmp(&other.0));
        headers.retain(|(name, value)| name != "dup" || value.as_deref() == Some(b"b"));
    }
    Record {
        offset: i64::from(index),
        timestamp: shape.timestamps.then(|| base_ms + i64::from(index)),
        key: (index % 11 != 5).then(|| format!("key-{}", index % 1000).into_bytes()),
        value: (index % 7 != 3 || index % 11 == 5)
            .then(|| format!("value-{index}-{}", "x".repeat(index as usize % 64)).into_bytes()),
        headers,
    }
}

/// The `count=... sha256=...` line of these records.
pub(crate) fn digest(records: impl Iterator<Item = Record>) -> String {
    let mut sha = Sha256::new();
    let mut count = 0;
    for record in records {
        sha.update(line(&record));
        count += 1;
    }
    let mut text = format!("count={count} sha256=");
    for byte in sha.finalize() {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

/// The digest that a reader of the whole data set must give.
pub(crate) fn expected(count: u32, base_ms: i64, shape: Shape) -> String {
    digest((0..count).map(|index| record(index, base_ms, shape)))
}

fn line(record: &Record) -> String {
    let timestamp = record.timestamp.map(|t| t.to_string()).unwrap_or_default();
    let mut line = format!("{}|{timestamp}", record.offset);
    let _infallible = write!(line, "|{}|{}|", hex(record.key.as_deref()), hex(record.value.as_deref()));
    for (position, (name, value)) in record.headers.iter().enumerate() {
        let separator = if position == 0 { "" } else { ";" };
        let _infallible = write!(line, "{separator}{name}={}", hex(value.as_deref()));
    }
    line.push('\n');
    line
}

fn hex(data: Option<&[u8]>) -> String {
    let Some(data) = data else { return "-".to_owned() };
    data.iter().fold(String::with_capacity(data.len() * 2), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}
