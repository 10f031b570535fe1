//! Kafka's own command-line tools, and what they must print.

use std::{
    collections::BTreeMap,
    io::Write,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

use super::{
    Stage,
    dataset::{self, Record, Shape},
    report::{Outcome, Report},
};
use crate::tools::{self, Java};

const TOPICS: &str = "org.apache.kafka.tools.TopicCommand";
const GROUPS: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
const GET_OFFSETS: &str = "org.apache.kafka.tools.GetOffsetShell";
const CONFIGS: &str = "kafka.admin.ConfigCommand";
const DELETE_RECORDS: &str = "org.apache.kafka.tools.DeleteRecordsCommand";
const LOG_DIRS: &str = "org.apache.kafka.tools.LogDirsCommand";
const API_VERSIONS: &str = "org.apache.kafka.tools.BrokerApiVersionsCommand";
const CONSOLE_PRODUCER: &str = "org.apache.kafka.tools.ConsoleProducer";
const CONSOLE_CONSUMER: &str = "org.apache.kafka.tools.consumer.ConsoleConsumer";

/// One tool's scenario.
type Scenario = fn(&Java, &str) -> Result<()>;

/// Runs every tool.
pub(crate) fn run(stage: &Stage, report: &mut Report) {
    let Some(java) = &stage.java else { return };
    let bootstrap = stage.bootstrap.clone();
    let scenarios: [(&str, Scenario); 7] = [
        ("kafka-topics", topics),
        ("kafka-get-offsets", get_offsets),
        ("kafka-configs", configs),
        ("kafka-delete-records", delete_records),
        ("kafka-log-dirs", log_dirs),
        ("kafka-consumer-groups", consumer_groups),
        ("kafka-broker-api-versions", api_versions),
    ];
    for (name, scenario) in scenarios {
        if stage.wants("console", name) {
            report.check("console", name, scenario(java, &bootstrap));
        }
    }
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let scenario = format!("records {codec}");
        if stage.wants("console", &scenario) {
            let result = console(java, &bootstrap, codec, stage.count);
            report.outcome(
                "console",
                &scenario,
                result.map(|()| Outcome::PassedWithout("timestamps".into())),
            );
        }
    }
}

/// Creates a topic with `kafka-topics`.
pub(crate) fn create_topic(java: &Java, bootstrap: &str, topic: &str, partitions: u32) -> Result<()> {
    let partitions = partitions.to_string();
    tool(java, TOPICS, bootstrap, &["--create", "--topic", topic, "--partitions", &partitions]).map(|_| ())
}

/// Writes `count` records without keys, spread over the topic's partitions.
pub(crate) fn fill(java: &Java, bootstrap: &str, topic: &str, count: u32) -> Result<()> {
    let mut input = String::new();
    for index in 0..count {
        input.push_str(&format!("key-{index}\tvalue-{index}\n"));
    }
    let mut command = java.command(CONSOLE_PRODUCER);
    command.args(["--bootstrap-server", bootstrap, "--topic", topic, "--reader-property", "parse.key=true"]);
    feed(&mut command, input.as_bytes())
}

/// The committed offset of each partition of a group, as `kafka-consumer-groups` prints them.
pub(crate) fn group_offsets(java: &Java, bootstrap: &str, group: &str) -> Result<BTreeMap<u32, i64>> {
    let text = tool(java, GROUPS, bootstrap, &["--describe", "--group", group, "--offsets"])?;
    let mut offsets = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() > 4
            && words[0] == group
            && let (Ok(partition), Ok(offset)) = (words[2].parse(), words[3].parse())
        {
            offsets.insert(partition, offset);
        }
    }
    Ok(offsets)
}

fn topics(java: &Java, bootstrap: &str) -> Result<()> {
    let said = tool(
        java,
        TOPICS,
        bootstrap,
        &["--create", "--topic", "tool-topics", "--partitions", "3", "--config", "retention.ms=86400000"],
    )?;
    expect(&said, "Created topic tool-topics.")?;
    let twice = tool(java, TOPICS, bootstrap, &["--create", "--topic", "tool-topics"]);
    expect(&format!("{:#}", twice.err().context("a topic was created twice")?), "already exists")?;
    let list = tool(java, TOPICS, bootstrap, &["--list"])?;
    ensure!(list.lines().any(|line| line == "tool-topics"), "--list gave {list}");
    let text = tool(java, TOPICS, bootstrap, &["--describe", "--topic", "tool-topics"])?;
    expect(&text, "PartitionCount: 3")?;
    expect(&text, "ReplicationFactor: 1")?;
    expect(&text, "retention.ms=86400000")?;
    tool(java, TOPICS, bootstrap, &["--alter", "--topic", "tool-topics", "--partitions", "5"])?;
    let text = tool(java, TOPICS, bootstrap, &["--describe", "--topic", "tool-topics"])?;
    expect(&text, "PartitionCount: 5")?;
    tool(java, TOPICS, bootstrap, &["--delete", "--topic", "tool-topics"])?;
    let list = tool(java, TOPICS, bootstrap, &["--list"])?;
    ensure!(!list.lines().any(|line| line == "tool-topics"), "deleted and still listed");
    Ok(())
}

fn get_offsets(java: &Java, bootstrap: &str) -> Result<()> {
    create_topic(java, bootstrap, "tool-offsets", 1)?;
    fill(java, bootstrap, "tool-offsets", 25)?;
    for (time, wanted) in [("latest", "tool-offsets:0:25"), ("earliest", "tool-offsets:0:0")] {
        let text = tool(java, GET_OFFSETS, bootstrap, &["--topic", "tool-offsets", "--time", time])?;
        ensure!(text.trim() == wanted, "--time {time} gave {text}");
    }
    let text = tool(java, GET_OFFSETS, bootstrap, &["--topic", "tool-offsets", "--time", "max-timestamp"])?;
    ensure!(text.trim().starts_with("tool-offsets:0:"), "max-timestamp gave {text}");
    Ok(())
}

fn configs(java: &Java, bootstrap: &str) -> Result<()> {
    create_topic(java, bootstrap, "tool-configs", 1)?;
    let entity = ["--entity-type", "topics", "--entity-name", "tool-configs"];
    let call = |more: &[&str]| tool(java, CONFIGS, bootstrap, &[&entity[..], more].concat());
    call(&["--alter", "--add-config", "retention.ms=60000,cleanup.policy=[compact,delete]"])?;
    let text = call(&["--describe"])?;
    expect(&text, "retention.ms=60000")?;
    expect(&text, "cleanup.policy=compact,delete")?;
    expect(&text, "DYNAMIC_TOPIC_CONFIG")?;
    call(&["--alter", "--delete-config", "retention.ms"])?;
    let text = call(&["--describe"])?;
    ensure!(!text.contains("retention.ms=60000"), "deleted and still set: {text}");
    let wrong = call(&["--alter", "--add-config", "retention.mss=1"]);
    expect(
        &format!("{:#}", wrong.err().context("an unknown config was accepted")?),
        "InvalidConfigurationException",
    )?;
    let all = call(&["--describe", "--all"])?;
    expect(&all, "segment.bytes=1073741824")?;
    let broker = tool(
        java,
        CONFIGS,
        bootstrap,
        &["--entity-type", "brokers", "--entity-name", "1", "--describe", "--all"],
    )?;
    expect(&broker, "num.partitions=1")
}

fn delete_records(java: &Java, bootstrap: &str) -> Result<()> {
    create_topic(java, bootstrap, "tool-delete", 1)?;
    fill(java, bootstrap, "tool-delete", 100)?;
    let file = super::scratch("delete-records.json")?;
    std::fs::write(
        &file,
        r#"{"partitions":[{"topic":"tool-delete","partition":0,"offset":30}],"version":1}"#,
    )?;
    let text = tool(java, DELETE_RECORDS, bootstrap, &["--offset-json-file", &file.display().to_string()])?;
    std::fs::remove_file(&file)?;
    expect(&text, "partition: tool-delete-0\tlow_watermark: 30")?;
    let text = tool(java, GET_OFFSETS, bootstrap, &["--topic", "tool-delete", "--time", "earliest"])?;
    ensure!(text.trim() == "tool-delete:0:30", "earliest is {text}");
    Ok(())
}

fn log_dirs(java: &Java, bootstrap: &str) -> Result<()> {
    create_topic(java, bootstrap, "tool-dirs", 1)?;
    fill(java, bootstrap, "tool-dirs", 10)?;
    let text = tool(java, LOG_DIRS, bootstrap, &["--describe", "--topic-list", "tool-dirs"])?;
    let json = text.lines().find(|line| line.starts_with('{')).context("no JSON line")?;
    let json: serde_json::Value = serde_json::from_str(json)?;
    let partition = &json["brokers"][0]["logDirs"][0]["partitions"][0];
    ensure!(partition["partition"] == "tool-dirs-0", "got {json}");
    ensure!(partition["size"].as_i64().is_some_and(|size| size > 0), "got {json}");
    Ok(())
}

fn consumer_groups(java: &Java, bootstrap: &str) -> Result<()> {
    create_topic(java, bootstrap, "tool-groups", 1)?;
    fill(java, bootstrap, "tool-groups", 40)?;
    let read = tool(
        java,
        CONSOLE_CONSUMER,
        bootstrap,
        &[
            "--topic",
            "tool-groups",
            "--group",
            "tool-group",
            "--from-beginning",
            "--max-messages",
            "40",
            "--timeout-ms",
            "20000",
        ],
    )?;
    ensure!(read.lines().filter(|line| line.starts_with("value-")).count() == 40, "read {read}");
    let list = tool(java, GROUPS, bootstrap, &["--list"])?;
    ensure!(list.lines().any(|line| line == "tool-group"), "--list gave {list}");
    let offsets = group_offsets(java, bootstrap, "tool-group")?;
    ensure!(offsets == BTreeMap::from([(0, 40)]), "offsets {offsets:?}");
    let state = tool(java, GROUPS, bootstrap, &["--describe", "--group", "tool-group", "--state"])?;
    expect(&state, "Empty")?;
    tool(
        java,
        GROUPS,
        bootstrap,
        &[
            "--group",
            "tool-group",
            "--topic",
            "tool-groups",
            "--reset-offsets",
            "--to-offset",
            "7",
            "--execute",
        ],
    )?;
    let offsets = group_offsets(java, bootstrap, "tool-group")?;
    ensure!(offsets == BTreeMap::from([(0, 7)]), "after the reset {offsets:?}");
    tool(java, GROUPS, bootstrap, &["--group", "tool-group", "--topic", "tool-groups", "--delete-offsets"])?;
    tool(java, GROUPS, bootstrap, &["--delete", "--group", "tool-group"])?;
    let list = tool(java, GROUPS, bootstrap, &["--list"])?;
    ensure!(!list.lines().any(|line| line == "tool-group"), "deleted and still listed");
    Ok(())
}

fn api_versions(java: &Java, bootstrap: &str) -> Result<()> {
    let text = tool(java, API_VERSIONS, bootstrap, &[])?;
    for wanted in
        ["Produce(0): 0 to 13", "Fetch(1): 4 to 18", "Metadata(3): 0 to 13", "ApiVersions(18): 0 to "]
    {
        expect(&text, wanted)?;
    }
    Ok(())
}

/// Console producer and consumer, with keys, nulls and repeated headers.
fn console(java: &Java, bootstrap: &str, codec: &str, count: u32) -> Result<()> {
    let shape = Shape { timestamps: false, ..Shape::FULL };
    let topic = format!("records-console-{codec}");
    create_topic(java, bootstrap, &topic, 1)?;
    let text = |data: &Option<Vec<u8>>| {
        data.as_ref().map_or_else(|| NULL.to_owned(), |d| String::from_utf8_lossy(d).into_owned())
    };
    let mut input = String::new();
    for index in 0..count {
        let record = dataset::record(index, 0, shape);
        let headers: Vec<String> =
            record.headers.iter().map(|(name, value)| format!("{name}:{}", text(value))).collect();
        input.push_str(&format!("{}\t{}\t{}\n", headers.join(","), text(&record.key), text(&record.value)));
    }
    let mut command = java.command(CONSOLE_PRODUCER);
    command.args(["--bootstrap-server", bootstrap, "--topic", &topic, "--compression-codec", codec]);
    let null = format!("null.marker={NULL}");
    for property in ["parse.key=true", "parse.headers=true", &null] {
        command.args(["--reader-property", property]);
    }
    feed(&mut command, input.as_bytes())?;
    let literal = format!("null.literal={NULL}");
    let count_text = count.to_string();
    let mut arguments =
        vec!["--topic", &topic, "--from-beginning", "--max-messages", &count_text, "--timeout-ms", "30000"];
    for property in
        ["print.offset=true", "print.key=true", "print.headers=true", "print.value=true", &literal]
    {
        arguments.extend(["--formatter-property", property]);
    }
    let read = tool(java, CONSOLE_CONSUMER, bootstrap, &arguments)?;
    let records =
        read.lines().filter(|line| line.contains('\t')).map(console_record).collect::<Result<Vec<_>>>()?;
    let (got, expected) = (dataset::digest(records.into_iter()), dataset::expected(count, 0, shape));
    ensure!(got == expected, "read {got}, expected {expected}");
    Ok(())
}

fn console_record(line: &str) -> Result<Record> {
    let mut parts = line.split('\t');
    let mut next = || parts.next();
    let (Some(offset), Some(headers), Some(key), Some(value)) = (next(), next(), next(), next()) else {
        bail!("the console consumer printed {line}");
    };
    let bytes = |text: &str| (text != NULL).then(|| text.as_bytes().to_vec());
    let headers = headers
        .split(',')
        .filter_map(|pair| pair.split_once(':'))
        .map(|(name, value)| (name.to_owned(), bytes(value)))
        .collect();
    let offset = offset.strip_prefix("Offset:").context("no offset")?.parse()?;
    Ok(Record { offset, timestamp: None, key: bytes(key), value: bytes(value), headers })
}

/// Runs a tool and gives what it printed.
pub(crate) fn tool(java: &Java, class: &str, bootstrap: &str, arguments: &[&str]) -> Result<String> {
    let mut command = java.command(class);
    tools::run_for(command.args(["--bootstrap-server", bootstrap]).args(arguments), Duration::from_secs(90))
}

fn feed(command: &mut Command, input: &[u8]) -> Result<()> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("no pipe")?.write_all(input)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// An error unless the text holds what is wanted.
pub(crate) fn expect(text: &str, wanted: &str) -> Result<()> {
    ensure!(text.contains(wanted), "expected {wanted:?} in:\n{text}");
    Ok(())
}

/// How a null is written on the console.
const NULL: &str = "NULL";
