//! `cargo xtask kafka-dir`: our data directory under Apache Kafka, and back.
//!
//! Headwater writes a fresh directory; Kafka's own dump tool reads every file of it; Apache Kafka serves it, reads all
//! of it and adds to it; Headwater serves it again, and Kafka once more after Headwater was killed. Then the same with
//! the parts exchanged. Nothing may be missing at any turn, and nothing may be left for Kafka to repair.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    broker::{self, Broker, Kind},
    interop, tools,
    tools::Java,
};

/// Runs the tour with each version of Kafka: the one that the clients are locked to, and `--kafka VERSION`, repeatable
/// (4.0.0 when none is named). `--binary PATH` takes a binary that is there instead of building one.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let (mut versions, mut binary) = (Vec::new(), None);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("kafka") => versions.push(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("binary") => binary = Some(PathBuf::from(parser.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    if versions.is_empty() {
        versions.push("4.0.0".into());
    }
    let java = match tools::java(None)? {
        Ok(java) => java,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return Ok(());
        }
    };
    let headwater = match binary {
        Some(binary) => Kind::Headwater(binary),
        None => Kind::build_headwater()?,
    };
    tour("the locked version", &headwater, &Kind::Kafka(java.clone()), &java)?;
    for version in versions {
        match tools::java(Some(&version))? {
            Ok(kafka) => tour(&version, &headwater, &Kind::Kafka(kafka), &java)?,
            Err(missing) => println!("SKIPPED {version}: {missing}"),
        }
    }
    println!("kafka-dir: all turns passed");
    Ok(())
}

/// Both tours with one version of Kafka.
fn tour(name: &str, headwater: &Kind, kafka: &Kind, java: &Java) -> Result<()> {
    println!("== Apache Kafka, {name}");
    let scratch =
        |tour: &str| interop::scratch(&format!("kafka-dir-{}-{tour}", name.replace([' ', '.'], "-")));
    headwater_first(headwater, kafka, java, &scratch("ours")?)?;
    kafka_first(headwater, kafka, java, &scratch("theirs")?)
}

/// Headwater, the dump, Kafka, Headwater, killed, Kafka, Headwater.
fn headwater_first(headwater: &Kind, kafka: &Kind, java: &Java, data: &Path) -> Result<()> {
    let mut records = BTreeSet::new();

    turn("Headwater writes a fresh directory");
    let broker = start(headwater, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.topics(&["--create", "--topic", ORDERS, "--partitions", "3", "--config", "retention.ms=864000000"])?;
    tool.topics(&["--create", "--topic", "gone", "--partitions", "2"])?;
    tool.produce(ORDERS, "headwater", 1000, &mut records)?;
    tool.produce("gone", "gone", 10, &mut BTreeSet::new())?;
    tool.topics(&["--delete", "--topic", "gone"])?;
    tool.set_config("max.message.bytes=2000000")?;
    tool.read_all(&records)?;
    let committed = tool.read_in_group(records.len())?;
    broker.stop()?;
    dump_all(java, data)?;

    turn("Kafka serves it, and adds to it");
    let broker = start(kafka, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.expect_topics(&[ORDERS])?;
    tool.expect_described(&["PartitionCount: 3", "retention.ms=864000000", "max.message.bytes=2000000"])?;
    tool.read_all(&records)?;
    ensure!(tool.group_offsets()? == committed, "Kafka lost committed offsets");
    tool.produce(ORDERS, "kafka", 500, &mut records)?;
    tool.topics(&["--alter", "--topic", ORDERS, "--partitions", "4"])?;
    tool.topics(&["--create", "--topic", "from-kafka", "--partitions", "2"])?;
    tool.produce(ORDERS, "kafka-grown", 200, &mut records)?;
    let committed = tool.read_in_group(700)?;
    broker.stop()?;
    refuse_complaints(data)?;

    turn("Headwater serves it again");
    let broker = start(headwater, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.expect_topics(&["from-kafka", ORDERS])?;
    tool.expect_described(&["PartitionCount: 4"])?;
    tool.read_all(&records)?;
    ensure!(tool.group_offsets()? == committed, "Headwater lost offsets that were committed to Kafka");
    tool.topics(&["--create", "--topic", "late", "--partitions", "1"])?;
    tool.produce(ORDERS, "headwater-again", 300, &mut records)?;

    turn("Headwater is killed, and Kafka serves what it left");
    broker.kill()?;
    let broker = start(kafka, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.expect_topics(&["from-kafka", "late", ORDERS])?;
    tool.read_all(&records)?;
    broker.stop()?;
    refuse_complaints(data)?;

    turn("Headwater once more");
    let broker = start(headwater, data)?;
    Tools { java, bootstrap: broker.bootstrap() }.read_all(&records)?;
    broker.stop()?;
    dump_all(java, data)
}

/// Kafka, stopped, Headwater, Kafka, killed, Headwater, Kafka.
fn kafka_first(headwater: &Kind, kafka: &Kind, java: &Java, data: &Path) -> Result<()> {
    let mut records = BTreeSet::new();

    turn("Kafka writes a fresh directory");
    let broker = start(kafka, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.topics(&["--create", "--topic", ORDERS, "--partitions", "3", "--config", "retention.ms=864000000"])?;
    tool.topics(&["--create", "--topic", "gone", "--partitions", "1"])?;
    tool.produce(ORDERS, "kafka", 1000, &mut records)?;
    tool.topics(&["--delete", "--topic", "gone"])?;
    let committed = tool.read_in_group(records.len())?;
    broker.stop()?;

    turn("Headwater serves it, and adds to it");
    let broker = start(headwater, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.expect_topics(&[ORDERS])?;
    tool.expect_described(&["PartitionCount: 3", "retention.ms=864000000"])?;
    tool.read_all(&records)?;
    ensure!(tool.group_offsets()? == committed, "Headwater lost committed offsets");
    tool.produce(ORDERS, "headwater", 500, &mut records)?;
    tool.topics(&["--alter", "--topic", ORDERS, "--partitions", "4"])?;
    tool.produce(ORDERS, "headwater-grown", 200, &mut records)?;
    let committed = tool.read_in_group(700)?;
    broker.stop()?;
    dump_all(java, data)?;

    turn("Kafka serves it again");
    let broker = start(kafka, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.expect_described(&["PartitionCount: 4"])?;
    tool.read_all(&records)?;
    ensure!(tool.group_offsets()? == committed, "Kafka lost offsets that were committed to Headwater");
    tool.produce(ORDERS, "kafka-again", 300, &mut records)?;

    turn("Kafka is killed, and Headwater serves what it left");
    broker.kill()?;
    let broker = start(headwater, data)?;
    let tool = Tools { java, bootstrap: broker.bootstrap() };
    tool.read_all(&records)?;
    tool.produce(ORDERS, "headwater-last", 100, &mut records)?;
    broker.stop()?;
    dump_all(java, data)?;

    turn("Kafka once more");
    let broker = start(kafka, data)?;
    Tools { java, bootstrap: broker.bootstrap() }.read_all(&records)?;
    broker.stop()?;
    refuse_complaints(data)
}

fn turn(what: &str) {
    println!("   {what}");
}

fn start(kind: &Kind, data: &Path) -> Result<Broker> {
    let settings = ["group.initial.rebalance.delay.ms=0", "log.segment.bytes=1048576"];
    kind.start(data, broker::free_port()?, &settings)
}

/// Kafka's command-line tools against one broker.
struct Tools<'a> {
    java: &'a Java,
    bootstrap: String,
}

impl Tools<'_> {
    fn call(&self, class: &str, arguments: &[&str]) -> Result<String> {
        tools::run(self.java.command(class).args(["--bootstrap-server", &self.bootstrap]).args(arguments))
    }

    fn topics(&self, arguments: &[&str]) -> Result<String> {
        self.call("org.apache.kafka.tools.TopicCommand", arguments)
    }

    /// Sets a config of the topic.
    fn set_config(&self, config: &str) -> Result<String> {
        let arguments =
            ["--alter", "--entity-type", "topics", "--entity-name", ORDERS, "--add-config", config];
        self.call("kafka.admin.ConfigCommand", &arguments)
    }

    /// The topic's description must hold all of these.
    fn expect_described(&self, wanted: &[&str]) -> Result<()> {
        let said = self.topics(&["--describe", "--topic", ORDERS])?;
        for wanted in wanted {
            ensure!(said.contains(wanted), "expected {wanted:?} in {said}");
        }
        Ok(())
    }

    /// The topics must be these, beside Kafka's own.
    fn expect_topics(&self, wanted: &[&str]) -> Result<()> {
        let said = self.topics(&["--list"])?;
        let found: Vec<&str> =
            said.lines().filter(|name| !name.is_empty() && !name.starts_with("__")).collect();
        ensure!(found == wanted, "the topics are {found:?}, expected {wanted:?}");
        Ok(())
    }

    /// Writes `count` records, each of them once in `records` too.
    fn produce(&self, topic: &str, label: &str, count: u32, records: &mut BTreeSet<String>) -> Result<()> {
        let mut input = String::new();
        for index in 0..count {
            input.push_str(&format!("{label}-{index}\tvalue of {label} {index}\n"));
            records.insert(format!("{label}-{index}\tvalue of {label} {index}"));
        }
        let mut command = self.java.command("org.apache.kafka.tools.ConsoleProducer");
        command.args(["--bootstrap-server", &self.bootstrap, "--topic", topic, "--compression-codec", "lz4"]);
        command.args(["--reader-property", "parse.key=true"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().context("no pipe")?.write_all(input.as_bytes())?;
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Every record must be there, once, and nothing else.
    fn read_all(&self, records: &BTreeSet<String>) -> Result<()> {
        let read = self.consume(&["--from-beginning"], records.len())?;
        let found: BTreeSet<String> = read.iter().cloned().collect();
        let missing = records.difference(&found).count();
        let foreign = found.difference(records).count();
        let count = self.record_count()?;
        ensure!(
            missing == 0 && foreign == 0 && read.len() == records.len() && count == records.len() as i64,
            "{} records were read of {}, and offsets tell of {count}: {missing} are missing, {foreign} are not ours",
            read.len(),
            records.len()
        );
        Ok(())
    }

    /// How many records the topic has by its partitions' offsets.
    fn record_count(&self) -> Result<i64> {
        let sum = |time: &str| -> Result<i64> {
            let said =
                self.call("org.apache.kafka.tools.GetOffsetShell", &["--topic", ORDERS, "--time", time])?;
            said.lines()
                .filter_map(|line| line.rsplit_once(':'))
                .map(|(_, offset)| Ok(offset.parse::<i64>()?))
                .sum()
        };
        Ok(sum("latest")? - sum("earliest")?)
    }

    /// Reads in the group until `count` came, and gives what it has committed then.
    fn read_in_group(&self, count: usize) -> Result<Vec<String>> {
        let read = self.consume(&["--from-beginning", "--group", GROUP], count)?;
        ensure!(read.len() == count, "the group read {} records of {count}", read.len());
        self.group_offsets()
    }

    /// Reads until `count` records came, or none for half a minute.
    fn consume(&self, arguments: &[&str], count: usize) -> Result<Vec<String>> {
        let count = count.to_string();
        let mut command = self.java.command("org.apache.kafka.tools.consumer.ConsoleConsumer");
        command.args(["--bootstrap-server", &self.bootstrap, "--topic", ORDERS]);
        command.args(["--formatter-property", "print.key=true"]).args(arguments);
        command.args(["--max-messages", &count, "--timeout-ms", "30000"]);
        let output = command.stdin(Stdio::null()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().filter(|line| line.contains('\t')).map(str::to_owned).collect())
    }

    /// Partition and committed offset of the group, a line each, in order.
    fn group_offsets(&self) -> Result<Vec<String>> {
        let class = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
        let said = self.call(class, &["--describe", "--group", GROUP, "--offsets"])?;
        let mut offsets: Vec<String> = said
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|words| words.len() > 4 && words[0] == GROUP && words[3] != "-")
            .map(|words| format!("{} {}", words[2], words[3]))
            .collect();
        offsets.sort_unstable();
        ensure!(!offsets.is_empty(), "the group has committed nothing: {said}");
        Ok(offsets)
    }
}

/// Kafka's dump tool over every file that it can read; files that take the same options in one run.
fn dump_all(java: &Java, data: &Path) -> Result<()> {
    let mut runs: BTreeMap<Vec<&str>, Vec<String>> = BTreeMap::new();
    for directory in fs::read_dir(data)? {
        let directory = directory?.path();
        if !directory.is_dir() {
            continue;
        }
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in fs::read_dir(&directory)? {
            let file = file?.path();
            let extension = file.extension().unwrap_or_default().to_string_lossy().into_owned();
            let options = match extension.as_str() {
                "log" if name == "__cluster_metadata-0" => {
                    vec!["--deep-iteration", "--cluster-metadata-decoder"]
                }
                "log" if name.starts_with("__consumer_offsets") => {
                    vec!["--deep-iteration", "--offsets-decoder"]
                }
                "log" => vec!["--deep-iteration"],
                "index" => vec!["--index-sanity-check"],
                "timeindex" | "snapshot" | "txnindex" => vec![],
                "checkpoint" if name == "__cluster_metadata-0" => vec!["--cluster-metadata-decoder"],
                _ => continue,
            };
            runs.entry(options).or_default().push(file.display().to_string());
        }
    }
    let files: usize = runs.values().map(Vec::len).sum();
    let mut records = 0;
    for (options, files) in runs {
        records += dump(java, &files.join(","), &options)?;
    }
    ensure!(records > 0, "the dump tool found no record in {files} files");
    println!("   kafka-dump-log: {files} files, {records} records, nothing to complain of");
    Ok(())
}

/// Dumps files and gives the number of their records.
fn dump(java: &Java, files: &str, options: &[&str]) -> Result<usize> {
    let mut command = java.command("org.apache.kafka.tools.DumpLogSegments");
    let said = run_both(command.args(options).arg("--files").arg(files))?;
    for complaint in DUMP_COMPLAINTS {
        if let Some(line) = said.lines().find(|line| line.contains(complaint)) {
            bail!("kafka-dump-log says: {line}");
        }
    }
    Ok(said.lines().filter(|line| line.starts_with("| offset:")).count())
}

/// Runs a command and gives everything it printed.
fn run_both(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{command:?} ended with {}\n{said}", output.status);
    Ok(said)
}

/// Kafka's log must not speak of damage, strays or failures.
fn refuse_complaints(data: &Path) -> Result<()> {
    let log = data.with_extension("log");
    let text = fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
    for complaint in ["stray", "Stray", "corrupt", "Corrupt", "ERROR", "FATAL", "Truncating", "Rebuilding"] {
        if let Some(line) = text.lines().find(|line| line.contains(complaint) && !is_harmless(line)) {
            bail!("Apache Kafka complains: {line}");
        }
    }
    Ok(())
}

/// Lines that name a word above and mean no harm.
fn is_harmless(line: &str) -> bool {
    // The settings that Kafka prints at its start, one a line; and a partition that has no record yet has no directory.
    line.starts_with('\t') || line.contains(" = ") || line.contains("but it was missing. Creating")
}

/// What the dump tool prints of files that are not sound.
const DUMP_COMPLAINTS: [&str; 8] = [
    "isvalid: false",
    "Mismatches",
    "mismatch",
    "Non-consecutive",
    "Found timestamp",
    "Could not",
    "Exception",
    "Error",
];
/// The topic that goes back and forth.
const ORDERS: &str = "orders";
/// The group that reads it.
const GROUP: &str = "readers";
