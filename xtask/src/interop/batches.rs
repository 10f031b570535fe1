//! What stands in a partition, batch by batch, fetched by hand: clients do not tell which codec a batch has, or whether
//! its producer was idempotent.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use anyhow::{Result, ensure};

use super::wire::{Reader, put_string};

/// The header of a record batch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Batch {
    pub(crate) base_offset: i64,
    pub(crate) next_offset: i64,
    pub(crate) attributes: i16,
    pub(crate) producer_id: i64,
}

impl Batch {
    /// The name of its codec.
    pub(crate) fn codec(&self) -> &'static str {
        match self.attributes & 7 {
            0 => "none",
            1 => "gzip",
            2 => "snappy",
            3 => "lz4",
            4 => "zstd",
            _ => "no codec",
        }
    }

    /// Whether it is a transaction's marker.
    pub(crate) fn is_control(&self) -> bool {
        self.attributes & 0x20 != 0
    }
}

/// Every batch of partition 0, up to the high watermark.
pub(crate) fn of(bootstrap: &str, topic: &str) -> Result<Vec<Batch>> {
    let mut stream = TcpStream::connect(bootstrap)?;
    let mut found: Vec<Batch> = Vec::new();
    loop {
        let next = found.last().map_or(0, |batch| batch.next_offset);
        let (high_watermark, more) = fetch(&mut stream, topic, next)?;
        found.extend(more.into_iter().filter(|batch| batch.base_offset >= next));
        let reached = found.last().map_or(0, |batch| batch.next_offset);
        if reached >= high_watermark {
            return Ok(found);
        }
        ensure!(reached > next, "nothing at offset {next}, the high watermark is {high_watermark}");
    }
}

/// Whether a fetch from the start of partition 0 gives a batch.
pub(crate) fn first(bootstrap: &str, topic: &str) -> Result<bool> {
    let mut stream = TcpStream::connect(bootstrap)?;
    let (_, found) = fetch(&mut stream, topic, 0)?;
    Ok(!found.is_empty())
}

fn fetch(stream: &mut TcpStream, topic: &str, offset: i64) -> Result<(i64, Vec<Batch>)> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(&request(topic, offset)?)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut frame = vec![0; usize::try_from(i32::from_be_bytes(length))?];
    stream.read_exact(&mut frame)?;
    let (high_watermark, records) = response(&frame)?;
    let mut found = Vec::new();
    parse(records, &mut found)?;
    Ok((high_watermark, found))
}

/// A Fetch request, version 11, outside any session.
fn request(topic: &str, offset: i64) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    body.extend([0, 1, 0, 11, 0, 0, 0, 7, 0xff, 0xff]);
    body.extend((-1_i32).to_be_bytes());
    for limit in [500_i32, 1, 8 << 20] {
        body.extend(limit.to_be_bytes());
    }
    body.push(0);
    // No session, and none wanted.
    body.extend(0_i32.to_be_bytes());
    body.extend((-1_i32).to_be_bytes());
    body.extend(1_i32.to_be_bytes());
    put_string(&mut body, topic.as_bytes(), false)?;
    body.extend(1_i32.to_be_bytes());
    body.extend(0_i32.to_be_bytes());
    body.extend((-1_i32).to_be_bytes());
    body.extend(offset.to_be_bytes());
    body.extend((-1_i64).to_be_bytes());
    body.extend((8_i32 << 20).to_be_bytes());
    // No forgotten topics, no rack.
    body.extend(0_i32.to_be_bytes());
    put_string(&mut body, b"", false)?;
    let mut frame = i32::try_from(body.len())?.to_be_bytes().to_vec();
    frame.extend(body);
    Ok(frame)
}

/// The high watermark and the records of the only partition.
fn response(frame: &[u8]) -> Result<(i64, &[u8])> {
    let mut r = Reader::new(frame);
    r.i32()?;
    r.i32()?;
    ensure!(r.i16()? == 0, "Fetch answered an error for the session");
    r.i32()?;
    ensure!(r.count(false)? == 1, "not one topic");
    r.bytes(false)?;
    ensure!(r.count(false)? == 1, "not one partition");
    r.i32()?;
    let error = r.i16()?;
    ensure!(error == 0, "Fetch answered error {error}");
    let high_watermark = r.i64()?;
    r.i64()?;
    r.i64()?;
    for _ in 0..r.count(false)? {
        r.i64()?;
        r.i64()?;
    }
    r.i32()?;
    let length = r.i32()?;
    ensure!(length >= 0, "Fetch answered null records");
    Ok((high_watermark, r.take(usize::try_from(length)?)?))
}

/// Whole batches only: the last one may be cut short.
fn parse(mut records: &[u8], found: &mut Vec<Batch>) -> Result<()> {
    while records.len() >= 61 {
        let mut r = Reader::new(records);
        let base_offset = r.i64()?;
        let length = usize::try_from(r.i32()?)? + 12;
        if length > records.len() {
            break;
        }
        r.i32()?;
        ensure!(r.i8()? == 2, "a batch that is not of version 2");
        r.i32()?;
        let attributes = r.i16()?;
        let last_offset_delta = r.i32()?;
        r.take(16)?;
        let producer_id = r.i64()?;
        let next_offset = base_offset + i64::from(last_offset_delta) + 1;
        found.push(Batch { base_offset, next_offset, attributes, producer_id });
        records = &records[length..];
    }
    Ok(())
}
