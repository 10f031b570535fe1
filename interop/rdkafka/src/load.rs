//! The load of `cargo xtask bench`: one program, the same for every broker. It prints one line of `key=value` pairs.
//!
//! ```text
//! load create  --bootstrap H:P --topic T --partitions N
//! load produce --bootstrap H:P --topic T --partitions N --size BYTES --codec C --seconds S [--rate PER_SECOND]
//! load consume --bootstrap H:P --topic T --partitions N --bytes TOTAL
//! load e2e     --bootstrap H:P --topic T --size BYTES --seconds S --rate PER_SECOND
//! load idle    --bootstrap H:P --connections N --seconds S
//! load groups  --bootstrap H:P --topic T --groups N
//! load crc
//! ```

#[path = "load/latency.rs"]
mod latency;
#[path = "load/options.rs"]
mod options;

use std::{
    error::Error,
    io::{Read, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use futures_executor::block_on;
use rdkafka::{
    ClientConfig, ClientContext, Message, Offset, TopicPartitionList,
    admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication},
    client::DefaultClientContext,
    consumer::{BaseConsumer, CommitMode, Consumer},
    error::KafkaError,
    message::DeliveryResult,
    producer::{BaseRecord, Producer, ProducerContext, ThreadedProducer},
    types::RDKafkaErrorCode,
};

use latency::Latencies;
use options::Options;

type Failure = Box<dyn Error>;

/// How many times a second a paced load sends what is due.
const TICKS_PER_SECOND: u32 = 1000;
/// How many partitions are created by one request.
const PARTITIONS_PER_STEP: usize = 5000;

fn main() -> Result<(), Failure> {
    let options = Options::parse()?;
    match options.action.as_str() {
        "create" => create(&options),
        "produce" => produce(&options),
        "consume" => consume(&options),
        "e2e" => end_to_end(&options),
        "idle" => idle(&options),
        "crc" => {
            crc();
            Ok(())
        }
        "groups" => groups(&options),
        other => Err(format!("no such action: {other}").into()),
    }
}

/// Creates a topic and waits until its partitions are told. Apache Kafka's controller refuses an operation of more than
/// 10,000 records, so a larger topic is created in steps, on every broker alike.
fn create(options: &Options) -> Result<(), Failure> {
    let admin: AdminClient<DefaultClientContext> = config(options).create()?;
    let patience = AdminOptions::new().request_timeout(Some(Duration::from_secs(60)));
    let total = usize::try_from(options.partitions)?;
    let mut there = total.min(PARTITIONS_PER_STEP);
    let topic = NewTopic::new(&options.topic, i32::try_from(there)?, TopicReplication::Fixed(1));
    for result in block_on(admin.create_topics(&[topic], &patience))? {
        result.map_err(|(name, code)| format!("{name}: {code}"))?;
    }
    wait_until_told(&admin, &options.topic, there)?;
    while there < total {
        there = total.min(there + PARTITIONS_PER_STEP);
        let more = NewPartitions::new(&options.topic, there);
        for result in block_on(admin.create_partitions(&[more], &patience))? {
            result.map_err(|(name, code)| format!("{name}: {code}"))?;
        }
        wait_until_told(&admin, &options.topic, there)?;
    }
    println!("partitions={total}");
    Ok(())
}

fn wait_until_told(
    admin: &AdminClient<DefaultClientContext>,
    topic: &str,
    partitions: usize,
) -> Result<(), Failure> {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let metadata = admin.inner().fetch_metadata(Some(topic), Duration::from_secs(20))?;
        if metadata.topics().first().map_or(0, |topic| topic.partitions().len()) == partitions {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(10));
    }
    Err("the partitions are not told".into())
}

/// Takes the time from the send to the acknowledgement; what was sent when is the opaque of the delivery.
struct Acknowledgements {
    start: Instant,
    latencies: Arc<Latencies>,
    every: usize,
}

impl ClientContext for Acknowledgements {}

impl ProducerContext for Acknowledgements {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, sent_ns: usize) {
        if let Err((error, _)) = result {
            eprintln!("not delivered: {error}");
            std::process::exit(1);
        }
        if sent_ns.is_multiple_of(self.every) {
            let now = usize::try_from(self.start.elapsed().as_nanos()).unwrap_or(usize::MAX);
            self.latencies.add(now.saturating_sub(sent_ns));
        }
    }
}

fn config(options: &Options) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &options.bootstrap);
    config
}

fn producer(
    options: &Options,
    paced: bool,
) -> Result<(ThreadedProducer<Acknowledgements>, Arc<Latencies>), Failure> {
    let mut config = config(options);
    config.set("acks", "all").set("enable.idempotence", "true").set("compression.type", &options.codec);
    config.set("linger.ms", if paced { "0" } else { "5" });
    config.set("batch.size", "262144").set("batch.num.messages", "20000");
    config.set("queue.buffering.max.messages", "500000").set("queue.buffering.max.kbytes", "131072");
    let latencies = Arc::new(Latencies::default());
    let context = Acknowledgements {
        start: Instant::now(),
        latencies: Arc::clone(&latencies),
        every: if paced { 1 } else { 16 },
    };
    Ok((config.create_with_context(context)?, latencies))
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

fn send(
    producer: &ThreadedProducer<Acknowledgements>,
    topic: &str,
    partition: i32,
    value: &[u8],
    sent_ns: usize,
) -> Result<(), KafkaError> {
    let mut record: BaseRecord<'_, [u8], [u8], usize> =
        BaseRecord::with_opaque_to(topic, sent_ns).partition(partition).payload(value);
    loop {
        match producer.send(record) {
            Ok(()) => return Ok(()),
            Err((error, again)) if error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull) => {
                thread::sleep(Duration::from_millis(1));
                record = again;
            }
            Err((error, _)) => return Err(error),
        }
    }
}

fn produce(options: &Options) -> Result<(), Failure> {
    let paced = options.rate > 0;
    let (producer, latencies) = producer(options, paced)?;
    let start = producer.context().start;
    let value = payload(options.size);
    if paced {
        // The connection, the metadata and the producer id are not part of the latency.
        send(&producer, &options.topic, 0, &value, 0)?;
        producer.flush(Duration::from_secs(30))?;
        latencies.clear();
    }
    let begun = Instant::now();
    let length = Duration::from_secs(options.seconds);
    let mut sent = 0_u64;
    while begun.elapsed() < length {
        let due = if paced { due(begun.elapsed(), options.rate, sent) } else { 256 };
        for _ in 0..due {
            // For a load without a pace one in sixteen is timed: the low bits of the stamp choose.
            let now = usize::try_from(start.elapsed().as_nanos())?;
            let stamp = if paced {
                now
            } else if sent.is_multiple_of(16) {
                now & !15
            } else {
                now | 1
            };
            let partition = i32::try_from(sent % u64::from(options.partitions))?;
            send(&producer, &options.topic, partition, &value, stamp)?;
            sent += 1;
        }
        if paced {
            thread::sleep(Duration::from_secs(1) / TICKS_PER_SECOND);
        }
    }
    producer.flush(Duration::from_secs(60))?;
    let seconds = begun.elapsed().as_secs_f64();
    let bytes = sent * u64::try_from(options.size)?;
    println!("records={sent} bytes={bytes} seconds={seconds:.4} {}", latencies.line());
    Ok(())
}

/// How many records of a paced load are due now.
fn due(elapsed: Duration, rate: u64, sent: u64) -> u64 {
    let wanted = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX) * rate / 1_000_000;
    wanted.saturating_sub(sent)
}

fn reader(options: &Options, offset: Offset) -> Result<BaseConsumer, Failure> {
    let mut config = config(options);
    config.set("group.id", "load").set("enable.auto.commit", "false").set("auto.offset.reset", "error");
    config.set("check.crcs", "true").set("fetch.wait.max.ms", "100").set("fetch.error.backoff.ms", "1");
    config.set("queued.min.messages", "1000000").set("queued.max.messages.kbytes", "131072");
    config.set("fetch.queue.backoff.ms", "1");
    let consumer: BaseConsumer = config.create()?;
    let mut list = TopicPartitionList::new();
    for partition in 0..options.partitions {
        list.add_partition_offset(&options.topic, i32::try_from(partition)?, offset)?;
    }
    consumer.assign(&list)?;
    Ok(consumer)
}

fn consume(options: &Options) -> Result<(), Failure> {
    let consumer = reader(options, Offset::Beginning)?;
    let (mut records, mut bytes) = (0_u64, 0_u64);
    let mut start = None;
    while bytes < options.bytes {
        let Some(message) = consumer.poll(Duration::from_secs(30)) else {
            return Err(format!("only {bytes} bytes in 30 s").into());
        };
        let message = message?;
        // The connection and the first fetch are not part of the throughput.
        start.get_or_insert_with(Instant::now);
        records += 1;
        bytes += u64::try_from(message.payload_len())?;
    }
    let seconds = start.map_or(0.0, |start| start.elapsed().as_secs_f64());
    println!("records={records} bytes={bytes} seconds={seconds:.4}");
    Ok(())
}

/// One thread sends at a rate, another reads; the value begins with the moment of sending.
fn end_to_end(options: &Options) -> Result<(), Failure> {
    let (producer, acknowledged) = producer(options, true)?;
    let start = producer.context().start;
    send(&producer, &options.topic, 0, &0_u64.to_be_bytes(), 0)?;
    producer.flush(Duration::from_secs(30))?;
    let consumer = reader(options, Offset::End)?;
    // The reader stands at the end before the first record that counts.
    let _nothing_yet = consumer.poll(Duration::from_secs(1));
    acknowledged.clear();
    let latencies = Arc::new(Latencies::default());
    let ended = Arc::new(AtomicBool::new(false));
    let reading = {
        let (latencies, ended) = (Arc::clone(&latencies), Arc::clone(&ended));
        thread::spawn(move || {
            let mut seen = 0_u64;
            while !ended.load(Ordering::Relaxed) {
                let Some(Ok(message)) = consumer.poll(Duration::from_millis(100)) else { continue };
                let Some(stamp) = message.payload().and_then(|p| p.first_chunk::<8>()) else { continue };
                let now = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
                let late = now.saturating_sub(u64::from_be_bytes(*stamp));
                latencies.add(usize::try_from(late).unwrap_or(usize::MAX));
                seen += 1;
            }
            seen
        })
    };
    let mut value = payload(options.size.max(8));
    let begun = Instant::now();
    let mut sent = 0;
    while begun.elapsed() < Duration::from_secs(options.seconds) {
        for _ in 0..due(begun.elapsed(), options.rate, sent) {
            let now = u64::try_from(start.elapsed().as_nanos())?;
            value[..8].copy_from_slice(&now.to_be_bytes());
            send(&producer, &options.topic, 0, &value, usize::try_from(now)?)?;
            sent += 1;
        }
        thread::sleep(Duration::from_secs(1) / TICKS_PER_SECOND);
    }
    producer.flush(Duration::from_secs(30))?;
    thread::sleep(Duration::from_millis(500));
    ended.store(true, Ordering::Relaxed);
    let seen = reading.join().map_err(|_| "the reader panicked")?;
    if seen < sent {
        return Err(format!("{sent} were sent, {seen} were read").into());
    }
    println!("records={sent} {} ack_p50_us={}", latencies.line(), acknowledged.percentile_us(50.0));
    Ok(())
}

/// Connections that said hello and then do nothing.
fn idle(options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    let mut open = Vec::new();
    for _ in 0..options.connections {
        let mut stream = TcpStream::connect(&options.bootstrap)?;
        // ApiVersions, version 0, without a client id.
        stream.write_all(&[0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff])?;
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length))?];
        stream.read_exact(&mut answer)?;
        open.push(stream);
    }
    println!("connections={} seconds={:.4}", open.len(), start.elapsed().as_secs_f64());
    std::io::stdout().flush()?;
    thread::sleep(Duration::from_secs(options.seconds));
    Ok(())
}

/// So many groups, each with a committed offset; one after another.
fn groups(options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    for number in 0..options.groups {
        let mut config = config(options);
        config.set("group.id", format!("load-{number}")).set("enable.auto.commit", "false");
        let consumer: BaseConsumer = config.create()?;
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&options.topic, 0, Offset::Offset(1))?;
        consumer.commit(&list, CommitMode::Sync)?;
    }
    println!("groups={} seconds={:.4}", options.groups, start.elapsed().as_secs_f64());
    Ok(())
}

/// How fast CRC-32C is on this machine, in a program that is optimized.
fn crc() {
    let chunk = vec![7_u8; 1 << 20];
    let start = Instant::now();
    for _ in 0..4000 {
        std::hint::black_box(crc32c::crc32c(std::hint::black_box(&chunk)));
    }
    println!("mb_per_s={:.1}", 4000.0 * 1.048_576 / start.elapsed().as_secs_f64());
}
