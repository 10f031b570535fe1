//! The rdkafka crate (librdkafka), idempotent. See `../../README.md` for the command line.

mod dataset;

use std::time::Duration;

use futures_executor::block_on;
use rdkafka::{
    ClientConfig, Message, Offset, TopicPartitionList,
    admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication},
    client::DefaultClientContext,
    config::FromClientConfig,
    consumer::{BaseConsumer, Consumer, ConsumerContext, Rebalance},
    message::{Header, Headers, OwnedHeaders},
    producer::{BaseRecord, DefaultProducerContext, Producer, ThreadedProducer},
};

use dataset::{Arguments, Digest};

type Failure = Box<dyn std::error::Error>;

const WAIT: Duration = Duration::from_secs(20);

fn main() -> Result<(), Failure> {
    let a = Arguments::parse()?;
    match a.action.as_str() {
        "produce" => produce(&a),
        "consume" => consume(&a),
        "member" => member(&a),
        "offsets" => offsets(&a),
        "admin" => admin(&a),
        "transact" => transact(&a),
        other => Err(format!("no such action: {other}").into()),
    }
}

fn config(a: &Arguments) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &a.bootstrap);
    config
}

fn produce(a: &Arguments) -> Result<(), Failure> {
    let mut config = config(a);
    config.set("compression.type", &a.codec).set("enable.idempotence", "true").set("linger.ms", "5");
    config.set("queue.buffering.max.messages", "200000").set("message.timeout.ms", "60000");
    let producer: ThreadedProducer<DefaultProducerContext> = ThreadedProducer::from_config(&config)?;
    for index in 0..a.count {
        let record = dataset::record(index, a.base_ms);
        let mut headers = OwnedHeaders::new();
        for (key, value) in &record.headers {
            headers = headers.insert(Header { key, value: value.as_ref() });
        }
        let mut message: BaseRecord<'_, Vec<u8>, Vec<u8>> =
            BaseRecord::to(&a.topic).partition(0).timestamp(record.timestamp).headers(headers);
        if let Some(key) = &record.key {
            message = message.key(key);
        }
        if let Some(value) = &record.value {
            message = message.payload(value);
        }
        while let Err((error, again)) = producer.send(message) {
            if error.rdkafka_error_code() != Some(rdkafka::types::RDKafkaErrorCode::QueueFull) {
                return Err(error.into());
            }
            std::thread::sleep(Duration::from_millis(20));
            message = again;
        }
    }
    producer.flush(Duration::from_secs(60))?;
    println!("produced={}", a.count);
    Ok(())
}

fn reader(a: &Arguments, isolation: &str) -> Result<BaseConsumer, Failure> {
    let mut config = config(a);
    config.set("group.id", format!("reader-{}", a.topic)).set("enable.auto.commit", "false");
    config.set("auto.offset.reset", "error").set("check.crcs", "true").set("isolation.level", isolation);
    let consumer: BaseConsumer = config.create()?;
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(&a.topic, 0, Offset::Offset(0))?;
    consumer.assign(&list)?;
    Ok(consumer)
}

fn consume(a: &Arguments) -> Result<(), Failure> {
    let consumer = reader(a, "read_committed")?;
    let mut digest = Digest::default();
    while digest.count < a.count {
        let Some(message) = consumer.poll(WAIT) else { break };
        let message = message?;
        let headers: Vec<(String, Option<Vec<u8>>)> = message.headers().map_or_else(Vec::new, |headers| {
            headers.iter().map(|h| (h.key.to_owned(), h.value.map(<[u8]>::to_vec))).collect()
        });
        let timestamp = message.timestamp().to_millis().unwrap_or(-1);
        digest.add(message.offset(), timestamp, message.key(), message.payload(), &headers);
    }
    println!("{}", digest.line());
    Ok(())
}

/// Prints what the member was assigned.
struct Printer;

impl rdkafka::ClientContext for Printer {}

impl ConsumerContext for Printer {
    fn post_rebalance(&self, _consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Assign(list) = rebalance {
            let partitions: Vec<String> = list.elements().iter().map(|e| e.partition().to_string()).collect();
            println!("assigned {}", partitions.join(","));
        }
    }
}

fn member(a: &Arguments) -> Result<(), Failure> {
    let mut config = config(a);
    config
        .set("group.id", &a.group)
        .set("auto.offset.reset", "earliest")
        .set("auto.commit.interval.ms", "500");
    config.set("session.timeout.ms", "6000").set("heartbeat.interval.ms", "500");
    let consumer: BaseConsumer<Printer> = config.create_with_context(Printer)?;
    consumer.subscribe(&[&a.topic])?;
    loop {
        if let Some(Err(error)) = consumer.poll(Duration::from_millis(200)) {
            eprintln!("{error}");
        }
    }
}

fn offsets(a: &Arguments) -> Result<(), Failure> {
    let consumer = reader(a, "read_uncommitted")?;
    let mut found = Vec::new();
    for time in &a.times {
        let (start, end) = consumer.fetch_watermarks(&a.topic, 0, WAIT)?;
        found.push(match time {
            -1 => end,
            -2 => start,
            _ => {
                let mut list = TopicPartitionList::new();
                list.add_partition_offset(&a.topic, 0, Offset::Offset(*time))?;
                let answer = consumer.offsets_for_times(list, WAIT)?;
                let element = answer.find_partition(&a.topic, 0).ok_or("no answer")?;
                element.offset().to_raw().ok_or("no offset")?
            }
        });
    }
    let words: Vec<String> = found.iter().map(i64::to_string).collect();
    println!("offsets={}", words.join(","));
    Ok(())
}

fn admin(a: &Arguments) -> Result<(), Failure> {
    let admin = AdminClient::<DefaultClientContext>::from_config(&config(a))?;
    let options = AdminOptions::new();
    let topic = NewTopic::new(&a.topic, 3, TopicReplication::Fixed(1)).set("retention.ms", "86400000");
    for result in block_on(admin.create_topics(&[topic], &options))? {
        result.map_err(|(name, code)| format!("{name}: {code}"))?;
    }
    let metadata = admin.inner().fetch_metadata(Some(&a.topic), WAIT)?;
    println!("partitions={}", metadata.topics().first().map_or(0, |t| t.partitions().len()));
    let resource = [ResourceSpecifier::Topic(&a.topic)];
    for result in block_on(admin.describe_configs(&resource, &options))? {
        let resource = result.map_err(|code| format!("describe_configs: {code}"))?;
        let entry = resource.get("retention.ms").ok_or("no retention.ms")?;
        println!("retention.ms={}", entry.value.as_deref().unwrap_or_default());
    }
    println!("cannot: change one config (it has no IncrementalAlterConfigs)");
    for result in block_on(admin.delete_topics(&[&a.topic], &options))? {
        result.map_err(|(name, code)| format!("{name}: {code}"))?;
    }
    let metadata = admin.inner().fetch_metadata(None, WAIT)?;
    if metadata.topics().iter().all(|topic| topic.name() != a.topic) {
        println!("deleted");
    }
    Ok(())
}

fn transact(a: &Arguments) -> Result<(), Failure> {
    let mut config = config(a);
    config.set("transactional.id", &a.transactional_id);
    let producer: ThreadedProducer<DefaultProducerContext> = ThreadedProducer::from_config(&config)?;
    producer.init_transactions(WAIT)?;
    for name in ["aborted", "committed"] {
        producer.begin_transaction()?;
        for index in 0..a.count {
            let value = format!("{name}-{index}");
            let record: BaseRecord<'_, str, str> = BaseRecord::to(&a.topic).partition(0).payload(&value);
            producer.send(record).map_err(|(error, _)| error)?;
        }
        producer.flush(WAIT)?;
        if name == "aborted" {
            producer.abort_transaction(WAIT)?
        } else {
            producer.commit_transaction(WAIT)?
        }
    }
    let consumer = reader(a, "read_committed")?;
    let (mut committed, mut aborted) = (0, 0);
    while committed < a.count {
        let Some(message) = consumer.poll(WAIT) else { break };
        if message?.payload().is_some_and(|value| value.starts_with(b"committed-")) {
            committed += 1
        } else {
            aborted += 1
        }
    }
    println!("committed={committed} aborted={aborted}");
    Ok(())
}
