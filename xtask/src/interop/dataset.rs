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
}

impl Shape {
    /// Everything.
    pub(crate) const FULL: Self = Self { timestamps: true, own_headers: true, null_headers: true };
}

/// One record, as a client has seen it or should see it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Record {
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
    headers.push(("empty".to_owned(), Some(Vec::new())));
    if shape.null_headers {
        headers.push(("none".to_owned(), None));
    }
    Record {
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
    let mut line = record.timestamp.map(|t| t.to_string()).unwrap_or_default();
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
