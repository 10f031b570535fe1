//! A broker on the bench: how each load is put on it, and what is read off.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::{
    Loads, START_PATIENCE, data_folder, native, probe,
    results::Metrics,
    rows::{Durability, Load, Row, Shape},
    warm_memory,
};
use crate::{
    broker::{self, Broker, Kind},
    tools::{self, Java},
};

/// One side of the comparison.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    kind: Option<Kind>,
    /// Where it is, when we do not start it.
    address: String,
}

/// A broker under load.
struct Stand<'a> {
    subject: &'a Subject,
    broker: Option<Broker>,
    address: String,
    settings: Vec<String>,
    data: PathBuf,
    loads: &'a Loads,
    /// Where the native protocol is spoken, if it is.
    native: Option<String>,
    seconds: u64,
    idle_mib: f64,
    java: Option<Java>,
}

/// The payload of the topics that consumers read, so that a read is long enough to be measured.
const CONSUMED_BYTES: u64 = 400_000_000;

impl Subject {
    /// A broker that the bench starts.
    pub(crate) fn started(name: &str, kind: Kind) -> Self {
        Self { name: name.to_owned(), kind: Some(kind), address: String::new() }
    }

    /// A broker that is already there.
    pub(crate) fn at_address(name: &str, address: &str) -> Self {
        Self { name: name.to_owned(), kind: None, address: address.to_owned() }
    }

    /// How it is configured, beside addresses and folders.
    pub(crate) fn settings(&self, durability: Durability) -> Vec<String> {
        let own = match (&self.kind, durability) {
            (Some(Kind::Headwater(_) | Kind::Iggy(..)), Durability::Disk) => "flush.policy=group-commit",
            (Some(Kind::Headwater(_) | Kind::Iggy(..)), Durability::PageCache) => "flush.policy=os",
            (Some(Kind::Kafka(_)), Durability::Disk) => "log.flush.interval.messages=1",
            (Some(Kind::Kafka(_)), Durability::PageCache) | (None, _) => "",
        };
        let common = ["num.partitions=1", "group.initial.rebalance.delay.ms=0"];
        [own].into_iter().filter(|s| !s.is_empty()).chain(common).map(str::to_owned).collect()
    }

    /// Runs the rows of one durability on a fresh broker, telling each row's figures as they come.
    pub(crate) fn measure(
        &self,
        rows: &[&Row],
        durability: Durability,
        loads: &Loads,
        seconds: u64,
        mut tell: impl FnMut(&Row, &Metrics) -> Result<()>,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        warm_memory();
        let mut stand = Stand::set_up(self, durability, loads, seconds)?;
        for row in rows {
            if self.kind.is_none() && row.load.needs_the_process()
                || stand.native.is_none() && row.load.is_native()
            {
                continue;
            }
            let metrics = stand.row(row).with_context(|| format!("{}: {}", self.name, row.name))?;
            tell(row, &metrics)?;
        }
        drop(stand.broker.take());
        if stand.data.exists() {
            fs::remove_dir_all(&stand.data)?;
        }
        Ok(())
    }
}

impl Load {
    fn is_native(&self) -> bool {
        matches!(self, Self::NativeProduce(_) | Self::NativeConsume(_))
    }

    /// Whether it starts, kills or weighs the broker.
    fn needs_the_process(&self) -> bool {
        matches!(
            self,
            Self::Start
                | Self::Memory
                | Self::Restart(_)
                | Self::Partitions(_)
                | Self::Connections(_)
                | Self::Groups(_)
        )
    }
}

impl<'a> Stand<'a> {
    fn set_up(subject: &'a Subject, durability: Durability, loads: &'a Loads, seconds: u64) -> Result<Self> {
        let settings = subject.settings(durability);
        let data = data_folder(&subject.name)?;
        let mut stand = Self {
            subject,
            broker: None,
            address: subject.address.clone(),
            settings,
            data,
            loads,
            native: None,
            seconds,
            idle_mib: 0.0,
            java: tools::java(None)?.ok(),
        };
        if subject.kind.is_some() {
            let port = broker::free_port()?;
            stand.address = format!("127.0.0.1:{port}");
            if let Some(Kind::Headwater(_)) = subject.kind {
                stand.native = Some(format!("127.0.0.1:{}", broker::free_port()?));
            }
            stand.kind()?.format(&stand.data, port, &stand.settings())?;
            stand.broker = Some(stand.start()?);
            std::thread::sleep(Duration::from_secs(2));
            stand.idle_mib = probe::resident_mib(stand.process()?)?;
        }
        // The first seconds of a JVM are not what is compared; Headwater gets the same.
        for _ in 0..2 {
            stand.load(&["produce", "--topic", "warm-up", "--size", "1024", "--seconds", "2"])?;
        }
        stand.load(&["consume", "--topic", "warm-up", "--bytes", "50000000"])?;
        Ok(stand)
    }

    fn row(&mut self, row: &Row) -> Result<Metrics> {
        let seconds = self.seconds.to_string();
        match &row.load {
            Load::Produce(shape) => self.produce(row, shape),
            Load::Consume(shape) => self.consume(row, shape),
            Load::NativeProduce(shape) => self.native_produce(row, shape),
            Load::NativeConsume(shape) => self.native_consume(row, shape),
            Load::AckLatency(rate) => {
                let topic = self.topic("ack", row, 1)?;
                let rate = rate.to_string();
                let said = self.load(&[
                    "produce",
                    "--topic",
                    &topic,
                    "--size",
                    "1024",
                    "--seconds",
                    &seconds,
                    "--rate",
                    &rate,
                ])?;
                latencies(&said)
            }
            Load::EndToEnd(rate) => {
                let topic = self.topic("e2e", row, 1)?;
                let rate = rate.to_string();
                let said = self.load(&[
                    "e2e",
                    "--topic",
                    &topic,
                    "--size",
                    "1024",
                    "--seconds",
                    &seconds,
                    "--rate",
                    &rate,
                ])?;
                latencies(&said)
            }
            Load::Start => self.start_times(),
            Load::Memory => {
                Ok(vec![("idle MiB", self.idle_mib), ("loaded MiB", probe::resident_mib(self.process()?)?)])
            }
            Load::Restart(bytes) => self.restart(*bytes),
            Load::Partitions(count) => self.partitions(row, *count),
            Load::Connections(count) => self.connections(row, *count),
            Load::Groups(count) => self.groups(*count),
            Load::ProducerPerf(size) => self.producer_perf(row, *size),
            Load::ConsumerPerf(size) => self.consumer_perf(row, *size),
        }
    }

    fn produce(&self, row: &Row, shape: &Shape) -> Result<Metrics> {
        let topic = self.topic("produce", row, shape.partitions)?;
        let before = self.cpu()?;
        let said = self.load_shape("produce", &topic, shape, &["--seconds", &self.seconds.to_string()])?;
        self.produced(&said, before)
    }

    fn native_produce(&self, row: &Row, shape: &Shape) -> Result<Metrics> {
        let topic = self.topic("native-produce", row, shape.partitions)?;
        let address = self.native.as_ref().context("no native listener")?;
        let before = self.cpu()?;
        let said = native::produce(&self.loads.native, address, &topic, shape, self.seconds)?;
        self.produced(&said, before)
    }

    fn produced(&self, said: &str, cpu_before: f64) -> Result<Metrics> {
        let gigabytes = figure(said, "bytes")? / 1e9;
        let mut metrics = vec![
            ("MB/s", gigabytes * 1e3 / figure(said, "seconds")?),
            ("records/s", figure(said, "records")? / figure(said, "seconds")?),
        ];
        self.add_cpu(&mut metrics, cpu_before, gigabytes)?;
        Ok(metrics)
    }

    fn consume(&self, row: &Row, shape: &Shape) -> Result<Metrics> {
        self.consume_by(row, shape, |topic, bytes| {
            self.load_shape("consume", topic, shape, &["--bytes", bytes])
        })
    }

    fn native_consume(&self, row: &Row, shape: &Shape) -> Result<Metrics> {
        let address = self.native.as_ref().context("no native listener")?;
        self.consume_by(row, shape, |topic, bytes| native::consume(&self.loads.native, address, topic, bytes))
    }

    /// Writes a topic through Kafka's door and reads it by a load.
    fn consume_by(
        &self,
        row: &Row,
        shape: &Shape,
        consume: impl Fn(&str, &str) -> Result<String>,
    ) -> Result<Metrics> {
        let topic = self.topic("consume", row, shape.partitions)?;
        let mut written = 0.0;
        while written < CONSUMED_BYTES as f64 / if shape.size < 1024 { 4.0 } else { 1.0 } {
            written += figure(&self.load_shape("produce", &topic, shape, &["--seconds", "2"])?, "bytes")?;
        }
        // Once to warm the files and the client, once to measure.
        let bytes = format!("{written:.0}");
        consume(&topic, &bytes)?;
        let before = self.cpu()?;
        let said = consume(&topic, &bytes)?;
        let gigabytes = figure(&said, "bytes")? / 1e9;
        let mut metrics = vec![("MB/s", gigabytes * 1e3 / figure(&said, "seconds")?)];
        self.add_cpu(&mut metrics, before, gigabytes)?;
        Ok(metrics)
    }

    fn start_times(&self) -> Result<Metrics> {
        let mut times = Vec::new();
        for _ in 0..3 {
            let data = data_folder(&format!("{} start", self.subject.name))?;
            let port = broker::free_port()?;
            self.kind()?.format(&data, port, &self.settings())?;
            let start = Instant::now();
            let broker = self.kind()?.spawn(&data, port, &self.settings())?;
            probe::wait_until_serving(&broker.bootstrap(), None, START_PATIENCE)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            broker.kill()?;
            fs::remove_dir_all(&data)?;
        }
        times.sort_by(f64::total_cmp);
        Ok(vec![("ms", times[1])])
    }

    fn restart(&mut self, bytes: u64) -> Result<Metrics> {
        let shape = Shape { size: 1024, codec: "none", partitions: 1 };
        let mut written = 0.0;
        while written < bytes as f64 {
            written += figure(&self.load_shape("produce", "restart", &shape, &["--seconds", "3"])?, "bytes")?;
        }
        self.broker.take().context("no broker")?.kill()?;
        let start = Instant::now();
        let broker = self.start_process()?;
        probe::wait_until_serving(&self.address, Some("restart"), START_PATIENCE)?;
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        self.broker = Some(broker);
        Ok(vec![("ms", elapsed)])
    }

    fn partitions(&self, row: &Row, count: u32) -> Result<Metrics> {
        let before = probe::resident_mib(self.process()?)?;
        let start = Instant::now();
        let topic = self.topic("many", row, count)?;
        let created = start.elapsed().as_secs_f64() * 1e3;
        let shape = Shape { size: 1024, codec: "none", partitions: count };
        let said = self.load_shape("produce", &topic, &shape, &["--seconds", &self.seconds.to_string()])?;
        let rate = figure(&said, "bytes")? / 1e6 / figure(&said, "seconds")?;
        let more = probe::resident_mib(self.process()?)? - before;
        Ok(vec![("create ms", created), ("MB/s", rate), ("more MiB", more)])
    }

    fn connections(&self, row: &Row, count: u32) -> Result<Metrics> {
        let before = probe::resident_mib(self.process()?)?;
        let count = count.to_string();
        let mut open = self.begin(&["idle", "--connections", &count, "--seconds", "300"])?;
        std::thread::sleep(Duration::from_secs(3));
        let more = probe::resident_mib(self.process()?)? - before;
        let shape = Shape { size: 1024, codec: "none", partitions: 8 };
        let metrics = self.produce(row, &shape);
        open.kill()?;
        open.wait()?;
        let mut metrics = metrics?;
        metrics.push(("more MiB", more));
        Ok(metrics)
    }

    fn groups(&self, count: u32) -> Result<Metrics> {
        let before = (probe::resident_mib(self.process()?)?, self.cpu()?);
        let said = self.load(&["groups", "--topic", "warm-up", "--groups", &count.to_string()])?;
        let more = probe::resident_mib(self.process()?)? - before.0;
        let cpu = self.cpu()? - before.1;
        Ok(vec![
            ("commits/s", f64::from(count) / figure(&said, "seconds")?),
            ("CPU s", cpu),
            ("more MiB", more),
        ])
    }

    fn producer_perf(&self, row: &Row, size: usize) -> Result<Metrics> {
        let java = self.java.as_ref().context("no java")?;
        let topic = self.topic("perf", row, 8)?;
        let (records, size) = ((300_000_000 / size.max(500)).to_string(), size.to_string());
        let said = tools::run(
            java.command("org.apache.kafka.tools.ProducerPerformance")
                .args([
                    "--topic",
                    &topic,
                    "--num-records",
                    &records,
                    "--record-size",
                    &size,
                    "--throughput",
                    "-1",
                ])
                .args(["--producer-props", &format!("bootstrap.servers={}", self.address), "acks=all"]),
        )?;
        let last = said.lines().rfind(|line| line.contains("99.9th")).context("no summary")?;
        let rate = last.split_once('(').and_then(|(_, r)| r.split_once(" MB/sec")).context("no MB/sec")?.0;
        Ok(vec![("MB/s", rate.parse::<f64>()? * 1.048_576)])
    }

    fn consumer_perf(&self, row: &Row, size: usize) -> Result<Metrics> {
        let java = self.java.as_ref().context("no java")?;
        let topic = self.topic("perf-read", row, 8)?;
        let shape = Shape { size, codec: "none", partitions: 8 };
        let written = figure(&self.load_shape("produce", &topic, &shape, &["--seconds", "4"])?, "records")?;
        let said = tools::run(
            java.command("org.apache.kafka.tools.ConsumerPerformance")
                .args(["--bootstrap-server", &self.address, "--topic", &topic, "--timeout", "30000"])
                .args(["--num-records", &format!("{written:.0}")]),
        )?;
        let last = said.lines().last().context("nothing printed")?;
        // start, end, MB, MB/s, records, records/s, rebalance ms, fetch ms, fetch MB/s, fetch records/s
        let words: Vec<&str> = last.split(", ").collect();
        let rate: f64 = words.get(8).context("no fetch rate")?.trim().parse()?;
        Ok(vec![("MB/s", rate * 1.048_576)])
    }

    /// A topic of its own for the row.
    fn topic(&self, what: &str, row: &Row, partitions: u32) -> Result<String> {
        let topic = format!("{what}-{}", row.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        self.load(&["create", "--topic", &topic, "--partitions", &partitions.to_string()])?;
        Ok(topic)
    }

    fn load_shape(&self, action: &str, topic: &str, shape: &Shape, more: &[&str]) -> Result<String> {
        let (size, partitions) = (shape.size.to_string(), shape.partitions.to_string());
        let arguments =
            [action, "--topic", topic, "--size", &size, "--codec", shape.codec, "--partitions", &partitions];
        self.load(&[&arguments[..], more].concat())
    }

    fn load(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.loads.kafka);
        tools::run_for(command.args(arguments).args(["--bootstrap", &self.address]), Duration::from_secs(300))
    }

    fn begin(&self, arguments: &[&str]) -> Result<Child> {
        let mut command = Command::new(&self.loads.kafka);
        command.args(arguments).args(["--bootstrap", &self.address]).stdout(Stdio::null());
        command.spawn().context("cannot start the load")
    }

    fn start(&self) -> Result<Broker> {
        let broker = self.start_process()?;
        probe::wait_until_serving(&self.address, None, START_PATIENCE)?;
        Ok(broker)
    }

    fn start_process(&self) -> Result<Broker> {
        let port = self.address.rsplit_once(':').context("no port")?.1.parse()?;
        let native = self.native.as_ref().map(|address| format!("native.listeners={address}"));
        let settings: Vec<&str> = self.settings().into_iter().chain(native.as_deref()).collect();
        self.kind()?.spawn(&self.data, port, &settings)
    }

    fn kind(&self) -> Result<&Kind> {
        self.subject.kind.as_ref().context("a broker that is not ours to start")
    }

    fn settings(&self) -> Vec<&str> {
        self.settings.iter().map(String::as_str).collect()
    }

    fn process(&self) -> Result<u32> {
        Ok(self.broker.as_ref().context("a broker that is not ours to weigh")?.id())
    }

    /// Processor seconds so far; nothing for a broker that we did not start.
    fn cpu(&self) -> Result<f64> {
        self.broker.as_ref().map_or(Ok(0.0), |broker| probe::cpu_seconds(broker.id()))
    }

    fn add_cpu(&self, metrics: &mut Metrics, before: f64, gigabytes: f64) -> Result<()> {
        ensure!(gigabytes > 0.0, "nothing was moved");
        if self.broker.is_some() {
            metrics.push(("CPU s/GB", (self.cpu()? - before) / gigabytes));
        }
        Ok(())
    }
}

fn latencies(said: &str) -> Result<Metrics> {
    Ok(vec![
        ("p50 ms", figure(said, "p50_us")? / 1e3),
        ("p99 ms", figure(said, "p99_us")? / 1e3),
        ("p99.9 ms", figure(said, "p999_us")? / 1e3),
    ])
}

/// The number behind `name=` in the load's line.
fn figure(said: &str, name: &str) -> Result<f64> {
    let word = said
        .split_whitespace()
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        .with_context(|| format!("no {name} in {said}"))?;
    Ok(word.parse()?)
}
