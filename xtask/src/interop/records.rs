//! Records with keys, nulls and repeated headers, equal and in order, with each codec; written by one client and
//! read by it and by its neighbour.

use std::{
    collections::BTreeSet,
    io::Write,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};

use super::{
    Stage,
    batches::{self, Batch},
    client::Client,
    dataset::{self, Record, Shape},
    report::{Outcome, Report},
};
use crate::tools;

const CODECS: [&str; 5] = ["none", "gzip", "snappy", "lz4", "zstd"];

/// What kcat can say: one set of headers for all records, no null header, no timestamps.
const KCAT: Shape = Shape { timestamps: false, own_headers: false, null_headers: false, ..Shape::FULL };

/// Runs the data scenarios of every client, and of kcat.
pub(crate) fn run(stage: &Stage, report: &mut Report) {
    for codec in CODECS {
        run_codec(stage, codec, report);
    }
    if let Err(missing) = tools::kcat() {
        report.missing("kcat", &missing);
        return;
    }
    for codec in CODECS {
        let scenario = format!("records {codec}");
        if stage.wants("kcat", &scenario) {
            let without = "headers that differ by record, null header values, timestamps";
            report.outcome(
                "kcat",
                &scenario,
                kcat(stage, codec).map(|()| Outcome::PassedWithout(without.into())),
            );
        }
    }
}

/// Runs the data scenario of every client with one codec.
pub(crate) fn run_codec(stage: &Stage, codec: &str, report: &mut Report) {
    for (index, writer) in stage.clients.iter().enumerate() {
        let neighbour = &stage.clients[(index + 1) % stage.clients.len()];
        let scenario = format!("records {codec}");
        if stage.wants(&writer.name, &scenario) {
            report.outcome(&writer.name, &scenario, exchange(stage, writer, neighbour, codec));
        }
    }
}

fn exchange(stage: &Stage, writer: &Client, neighbour: &Client, codec: &str) -> Result<Outcome> {
    let bootstrap = stage.bootstrap.clone();
    let topic = format!("records-{}-{codec}", writer.slug());
    let count = stage.count.to_string();
    let base_ms = super::now_ms()? - 3_600_000;
    let base = base_ms.to_string();
    let common = ["--bootstrap", &bootstrap, "--topic", &topic, "--count", &count];
    let mut write = vec!["produce"];
    write.extend(common);
    write.extend(["--codec", codec, "--base-ms", &base]);
    let said = writer.run(&write)?;
    let mut read = vec!["consume"];
    read.extend(common);
    // A client may leave a small batch as it is when compressing it makes it larger.
    let codecs: BTreeSet<&str> = batches::of(&bootstrap, &topic)?.iter().map(Batch::codec).collect();
    let fits = codecs.contains(codec) && codecs.iter().all(|found| [codec, "none"].contains(found));
    ensure!(fits, "batches are compressed with {codecs:?}");
    for reader in [writer, neighbour] {
        let expected = dataset::expected(stage.count, base_ms, writer.writes.seen_by(reader.reads));
        let got = reader.run(&read).with_context(|| format!("read by {}", reader.name))?;
        ensure!(got.contains(&expected), "{} read {}, expected {expected}", reader.name, got.trim());
    }
    let cannot: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("cannot: ")).collect();
    Ok(if cannot.is_empty() { Outcome::Passed } else { Outcome::PassedWithout(cannot.join(", ")) })
}

fn kcat(stage: &Stage, codec: &str) -> Result<()> {
    let bootstrap = stage.bootstrap.clone();
    let topic = format!("records-kcat-{codec}");
    let mut child = Command::new("kcat")
        .args(["-P", "-b", &bootstrap, "-t", &topic, "-p", "0", "-K", "\t", "-Z", "-z", codec])
        .args(["-H", "dup=a", "-H", "dup=b", "-H", "empty="])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut input = Vec::new();
    for index in 0..stage.count {
        let record = dataset::record(index, 0, KCAT);
        input.extend_from_slice(&record.key.unwrap_or_default());
        input.push(b'\t');
        input.extend_from_slice(&record.value.unwrap_or_default());
        input.push(b'\n');
    }
    child.stdin.take().context("no pipe to kcat")?.write_all(&input)?;
    ensure!(child.wait()?.success(), "kcat could not produce");
    let expected = dataset::expected(stage.count, 0, KCAT);
    let own = kcat_read(&bootstrap, &topic, stage.count, KCAT)?;
    ensure!(own == expected, "kcat read {own}, expected {expected}");
    // What another client wrote, with per-record headers and nulls, must reach kcat whole too.
    if let Some(java) = stage.clients.iter().find(|client| client.name == "java") {
        let topic = format!("records-{}-{codec}", java.slug());
        if stage.wants(&java.name, &format!("records {codec}")) {
            let shape = Shape { timestamps: false, ..Shape::FULL };
            let got = kcat_read(&bootstrap, &topic, stage.count, shape)?;
            let expected = dataset::expected(stage.count, 0, shape);
            ensure!(got == expected, "kcat read {got} of {topic}, expected {expected}");
        }
    }
    Ok(())
}

fn kcat_read(bootstrap: &str, topic: &str, count: u32, shape: Shape) -> Result<String> {
    let text = tools::run(Command::new("kcat").args([
        "-C",
        "-b",
        bootstrap,
        "-t",
        topic,
        "-p",
        "0",
        "-o",
        "beginning",
        "-c",
        &count.to_string(),
        "-J",
        "-q",
        "-X",
        "check.crcs=true",
    ]))?;
    let records = text.lines().map(|line| kcat_record(line, shape)).collect::<Result<Vec<_>>>()?;
    Ok(dataset::digest(records.into_iter()))
}

fn kcat_record(line: &str, shape: Shape) -> Result<Record> {
    let json: serde_json::Value = serde_json::from_str(line)?;
    let bytes = |value: &serde_json::Value| value.as_str().map(|text| text.as_bytes().to_vec());
    let flat = json["headers"].as_array().cloned().unwrap_or_default();
    if flat.len() % 2 != 0 {
        bail!("kcat printed an odd header list: {line}");
    }
    let headers = flat
        .chunks(2)
        .map(|pair| (pair[0].as_str().unwrap_or_default().to_owned(), bytes(&pair[1])))
        .collect();
    Ok(Record {
        offset: json["offset"].as_i64().unwrap_or(-1),
        timestamp: if shape.timestamps { json["ts"].as_i64() } else { None },
        key: bytes(&json["key"]),
        value: bytes(&json["payload"]),
        headers,
    })
}
