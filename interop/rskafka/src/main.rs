//! The rskafka crate. See `../../README.md` for the command line. A record's headers are a map here: one value a name.

#[path = "../../rdkafka/src/dataset.rs"]
mod dataset;

use std::{collections::BTreeMap, error::Error, time::Duration};

use chrono::{DateTime, Utc};
use dataset::{Arguments, Digest};
use rskafka::{
    client::{
        Client, ClientBuilder,
        partition::{Compression, OffsetAt, PartitionClient, UnknownTopicHandling},
    },
    record::Record,
};

type Failure = Box<dyn Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let a = Arguments::parse()?;
    let client = ClientBuilder::new(vec![a.bootstrap.clone()]).build().await?;
    match a.action.as_str() {
        "produce" => produce(&a, &client).await,
        "consume" => consume(&a, &client).await,
        "offsets" => offsets(&a, &client).await,
        "admin" => admin(&a, &client).await,
        other => Err(format!("no such action: {other}").into()),
    }
}

async fn partition(a: &Arguments, client: &Client) -> Result<PartitionClient, Failure> {
    Ok(client.partition_client(a.topic.clone(), 0, UnknownTopicHandling::Retry).await?)
}

async fn produce(a: &Arguments, client: &Client) -> Result<(), Failure> {
    let compression = match a.codec.as_str() {
        "gzip" => Compression::Gzip,
        "snappy" => Compression::Snappy,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd,
        _ => Compression::NoCompression,
    };
    // It never asks a broker to create a topic by naming it.
    if !client.list_topics().await?.iter().any(|topic| topic.name == a.topic) {
        client.controller_client()?.create_topic(&a.topic, 1, 1, 5000).await?;
    }
    let partition = partition(a, client).await?;
    let mut start = 0;
    while start < a.count {
        let end = a.count.min(start + 1000);
        let records =
            (start..end).map(|index| record(a, index)).collect::<Option<Vec<_>>>().ok_or("a timestamp")?;
        let offsets = partition.produce(records, compression).await?;
        if offsets.first() != Some(&i64::from(start)) {
            return Err(format!("record {start} got {offsets:?}").into());
        }
        start = end;
    }
    println!("cannot: one header name twice, null header values, idempotence");
    println!("produced={}", a.count);
    Ok(())
}

fn record(a: &Arguments, index: u32) -> Option<Record> {
    let record = dataset::record(index, a.base_ms);
    let headers: BTreeMap<String, Vec<u8>> =
        record.headers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    let timestamp: DateTime<Utc> = DateTime::from_timestamp_millis(record.timestamp)?;
    Some(Record { key: record.key, value: record.value, headers, timestamp })
}

async fn consume(a: &Arguments, client: &Client) -> Result<(), Failure> {
    let partition = partition(a, client).await?;
    let mut digest = Digest::default();
    let mut offset = 0;
    let mut idle = 0;
    while digest.count < a.count && idle < 20 {
        let (records, _) = partition.fetch_records(offset, 1..10_000_000, 1000).await?;
        idle = if records.is_empty() { idle + 1 } else { 0 };
        for r in records {
            let headers: Vec<(String, Option<Vec<u8>>)> =
                r.record.headers.into_iter().map(|(name, value)| (name, Some(value))).collect();
            let timestamp = r.record.timestamp.timestamp_millis();
            digest.add(r.offset, timestamp, r.record.key.as_deref(), r.record.value.as_deref(), &headers);
            offset = r.offset + 1;
        }
    }
    println!("{}", digest.line());
    Ok(())
}

async fn offsets(a: &Arguments, client: &Client) -> Result<(), Failure> {
    let partition = partition(a, client).await?;
    let mut found = Vec::new();
    for time in &a.times {
        let at = match time {
            -1 => OffsetAt::Latest,
            -2 => OffsetAt::Earliest,
            time => OffsetAt::Timestamp(DateTime::from_timestamp_millis(*time).ok_or("a timestamp")?),
        };
        found.push(partition.get_offset(at).await?.to_string());
    }
    println!("offsets={}", found.join(","));
    Ok(())
}

async fn admin(a: &Arguments, client: &Client) -> Result<(), Failure> {
    let controller = client.controller_client()?;
    controller.create_topic(&a.topic, 3, 1, 5000).await?;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let partitions = |topics: Vec<rskafka::topic::Topic>| {
        topics.into_iter().find(|topic| topic.name == a.topic).map(|topic| topic.partitions.len())
    };
    println!("partitions={}", partitions(client.list_topics().await?).unwrap_or_default());
    println!("cannot: topic configs");
    controller.delete_topic(&a.topic, 5000).await?;
    tokio::time::sleep(Duration::from_millis(200)).await;
    if partitions(client.list_topics().await?).is_none() {
        println!("deleted");
    }
    Ok(())
}
