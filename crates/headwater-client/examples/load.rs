//! The load of the native rows of `cargo xtask bench`. It prints one line of `key=value` pairs.
//!
//! ```text
//! load produce --address H:P --topic T --size BYTES --codec C --seconds S
//! load consume --address H:P --topic T --bytes TOTAL
//! ```
//!
//! The same shape as the load on Kafka's door: one connection, five requests under way, as many records in a request as
//! fit, keys that spread them over the partitions, values that compress to about half.

use std::{
    collections::HashMap,
    error::Error,
    io::Write,
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream::FuturesUnordered};
use headwater_client::{Client, ConnectOptions, FetchOptions, RecordToProduce, ValueCodec};

type Failure = Box<dyn Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let action = words.next().ok_or("no action")?;
    let mut options = HashMap::new();
    while let Some(name) = words.next() {
        let value = words.next().ok_or_else(|| format!("{name} has no value"))?;
        options.insert(name, value);
    }
    let option =
        |name: &str| options.get(name).map(String::as_str).ok_or_else(|| format!("{name} is missing"));
    let codec = match options.get("--codec").map(String::as_str) {
        None | Some("none") => ValueCodec::None,
        Some("gzip") => ValueCodec::Gzip,
        Some("snappy") => ValueCodec::Snappy,
        Some("zstd") => ValueCodec::Zstd,
        Some(other) => return Err(format!("no codec {other}").into()),
    };
    let client =
        Client::connect(ConnectOptions { codec, ..ConnectOptions::to(option("--address")?) }).await?;
    let topic = option("--topic")?;
    let (records, bytes, seconds) = match action.as_str() {
        "produce" => {
            produce(&client, topic, option("--size")?.parse()?, option("--seconds")?.parse()?).await?
        }
        "consume" => consume(&client, topic, option("--bytes")?.parse()?).await?,
        other => return Err(format!("no such action: {other}").into()),
    };
    client.close().await;
    writeln!(std::io::stdout(), "records={records} bytes={bytes} seconds={seconds:.4}")?;
    Ok(())
}

/// Records, bytes of their values, and seconds.
type Done = (usize, usize, f64);

async fn produce(client: &Client, topic: &str, size: usize, seconds: u64) -> Result<Done, Failure> {
    let value = Bytes::from(payload(size));
    let count = (REQUEST_BYTES / (size + RECORD_OVERHEAD)).clamp(1, 10_000);
    let batch: Vec<_> =
        (0..count).map(|number| RecordToProduce::new(number.to_string(), value.clone())).collect();
    let send = || async { client.produce_batch(topic, batch.clone()).await?.all() };
    let (begun, length) = (Instant::now(), Duration::from_secs(seconds));
    let mut under_way: FuturesUnordered<_> = (0..UNDER_WAY).map(|_| send()).collect();
    let mut records = 0;
    while let Some(produced) = under_way.next().await {
        records += produced?.len();
        if begun.elapsed() < length {
            under_way.push(send());
        }
    }
    Ok((records, records * size, begun.elapsed().as_secs_f64()))
}

async fn consume(client: &Client, topic: &str, total: usize) -> Result<Done, Failure> {
    // A group of its own begins at the beginning.
    let group = format!("load-{}", std::process::id());
    let options = FetchOptions { max_records: 10_000, ..FetchOptions::default() };
    let (mut records, mut bytes, mut start) = (0, 0, None);
    while bytes < total {
        let fetched = client.fetch(topic, &group, options).await?;
        if fetched.is_empty() {
            return Err(format!("only {bytes} bytes are there").into());
        }
        // The connection and the first fetch are not part of the throughput.
        start.get_or_insert_with(Instant::now);
        records += fetched.len();
        bytes += fetched.iter().map(|record| record.value.len()).sum::<usize>();
    }
    Ok((records, bytes, start.map_or(0.0, |start: Instant| start.elapsed().as_secs_f64())))
}

/// Bytes that compress to about half, as text does; the same for every run.
fn payload(size: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..size)
        .map(|index| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if index % 2 == 0 { b'a' + u8::try_from(state % 26).unwrap_or_default() } else { b'e' }
        })
        .collect()
}

/// Requests that wait for their acknowledgement.
const UNDER_WAY: usize = 5;
/// Bytes of a request's records; a server takes 1 MiB with all that is around them.
const REQUEST_BYTES: usize = 1_000_000;
/// A key, and the lengths of key and value.
const RECORD_OVERHEAD: usize = 16;
