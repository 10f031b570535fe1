//! The records that every client writes, and the digest by which they are compared (`interop/README.md`).

use std::{error::Error, fmt::Write};

use sha2::{Digest as _, Sha256};

/// The command line that all client programs share.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    pub action: String,
    pub bootstrap: String,
    pub topic: String,
    pub codec: String,
    pub group: String,
    pub transactional_id: String,
    pub count: u32,
    pub base_ms: i64,
    pub times: Vec<i64>,
}

impl Arguments {
    /// Reads the command line.
    pub fn parse() -> Result<Self, Box<dyn Error>> {
        let mut words = std::env::args().skip(1);
        let mut a =
            Self { action: words.next().ok_or("no action")?, codec: "none".into(), ..Self::default() };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--bootstrap" => a.bootstrap = value,
                "--topic" => a.topic = value,
                "--codec" => a.codec = value,
                "--group" => a.group = value,
                "--transactional-id" => a.transactional_id = value,
                "--count" => a.count = value.parse()?,
                "--base-ms" => a.base_ms = value.parse()?,
                "--times" => a.times = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                other => return Err(format!("no such argument: {other}").into()),
            }
        }
        Ok(a)
    }
}

/// One record of the data set.
pub struct Record {
    pub timestamp: i64,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(&'static str, Option<Vec<u8>>)>,
}

/// Record `index`.
pub fn record(index: u32, base_ms: i64) -> Record {
    let value = format!("value-{index}-{}", "x".repeat(index as usize % 64));
    Record {
        timestamp: base_ms + i64::from(index),
        key: (index % 11 != 5).then(|| format!("key-{}", index % 1000).into_bytes()),
        value: (index % 7 != 3 || index % 11 == 5).then(|| value.into_bytes()),
        headers: vec![
            ("seq", Some(index.to_string().into_bytes())),
            ("dup", Some(b"a".to_vec())),
            ("dup", Some(b"b".to_vec())),
            ("empty", Some(Vec::new())),
            ("none", None),
        ],
    }
}

/// Collects records in the order in which they arrive.
#[derive(Default)]
pub struct Digest {
    pub count: u32,
    sha: Sha256,
}

impl Digest {
    /// Takes the next record.
    pub fn add(
        &mut self,
        offset: i64,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[(String, Option<Vec<u8>>)],
    ) {
        let mut line = format!("{offset}|{timestamp}|{}|{}|", hex(key), hex(value));
        for (position, (name, value)) in headers.iter().enumerate() {
            let separator = if position == 0 { "" } else { ";" };
            let _infallible = write!(line, "{separator}{name}={}", hex(value.as_deref()));
        }
        line.push('\n');
        self.sha.update(line);
        self.count += 1;
    }

    /// The line that xtask reads.
    pub fn line(self) -> String {
        let sha = self.sha.finalize();
        format!("count={} sha256={}", self.count, hex(Some(&sha)))
    }
}

fn hex(data: Option<&[u8]>) -> String {
    let Some(data) = data else { return "-".to_owned() };
    data.iter().fold(String::with_capacity(data.len() * 2), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}
