//! Every tool of Kafka's `bin/`: run here, run by another part of the suite, or listed with the reason why not.

use std::{fs, process::Stdio, time::Duration};

use anyhow::{Context, Result, bail, ensure};

use super::{
    Stage,
    report::Report,
    shell_tools::{create_topic, expect, fill, tool},
};
use crate::tools::{self, Java};

/// What becomes of a tool.
enum Account {
    /// It is run by this.
    Run(fn(&Stage, &Java, Duration) -> Result<()>),
    /// It is run by another part of the suite.
    Elsewhere,
    /// It is not run.
    Listed(&'static str),
}

use Account::{Elsewhere, Listed, Run};

/// The scripts of Kafka 4.3's `bin/`, all of them.
const TOOLS: &[(&str, Account)] = &[
    (
        "connect-distributed",
        Listed("a server of its own, in need of connectors; to the broker it is a Java client"),
    ),
    (
        "connect-mirror-maker",
        Listed("a server of its own, between two clusters; to the broker it is a Java client"),
    ),
    ("connect-plugin-path", Listed("reads files, talks to no broker")),
    (
        "connect-standalone",
        Listed("a server of its own, in need of connectors; to the broker it is a Java client"),
    ),
    ("kafka-acls", Run(acls)),
    ("kafka-broker-api-versions", Elsewhere),
    ("kafka-client-metrics", Run(client_metrics)),
    ("kafka-cluster", Run(cluster)),
    ("kafka-configs", Elsewhere),
    ("kafka-console-consumer", Elsewhere),
    ("kafka-console-producer", Elsewhere),
    ("kafka-console-share-consumer", Run(console_share_consumer)),
    ("kafka-consumer-groups", Elsewhere),
    ("kafka-consumer-perf-test", Run(consumer_perf)),
    ("kafka-delegation-tokens", Run(delegation_tokens)),
    ("kafka-delete-records", Elsewhere),
    ("kafka-dump-log", Run(dump_log)),
    ("kafka-e2e-latency", Run(e2e_latency)),
    ("kafka-features", Run(features)),
    ("kafka-get-offsets", Elsewhere),
    ("kafka-groups", Run(groups)),
    ("kafka-jmx", Listed("reads a JVM's metrics, talks to no broker")),
    ("kafka-leader-election", Run(leader_election)),
    ("kafka-log-dirs", Elsewhere),
    ("kafka-metadata-quorum", Run(metadata_quorum)),
    (
        "kafka-metadata-shell",
        Listed("reads the metadata log's files, talks to no broker; see `cargo xtask kafka-dir`"),
    ),
    ("kafka-producer-perf-test", Run(producer_perf)),
    ("kafka-reassign-partitions", Run(reassign_partitions)),
    ("kafka-replica-verification", Run(replica_verification)),
    ("kafka-run-class", Listed("the script with which the others start")),
    ("kafka-server-start", Listed("starts Apache Kafka")),
    ("kafka-server-stop", Listed("stops Apache Kafka")),
    ("kafka-share-consumer-perf-test", Run(share_consumer_perf)),
    ("kafka-share-groups", Run(share_groups)),
    ("kafka-storage", Listed("writes files, talks to no broker; see `cargo xtask kafka-dir`")),
    ("kafka-streams-application-reset", Run(streams_reset)),
    ("kafka-streams-groups", Run(streams_groups)),
    ("kafka-topics", Elsewhere),
    ("kafka-transactions", Run(transactions)),
    ("kafka-verifiable-consumer", Run(verifiable_consumer)),
    ("kafka-verifiable-producer", Run(verifiable_producer)),
    ("kafka-verifiable-share-consumer", Run(verifiable_share_consumer)),
    ("trogdor", Listed("a server of its own for tests of clusters")),
];

/// Runs every tool that is run here.
pub(crate) fn run(stage: &Stage, report: &mut Report) {
    let Some(java) = &stage.java else { return };
    for (name, account) in TOOLS {
        if let Run(scenario) = account
            && stage.wants("console", name)
        {
            let patience = report.patience("console", name);
            report.check("console", name, scenario(stage, java, patience));
        }
    }
}

/// The tools that are not run, and why.
pub(crate) fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOOLS.iter().filter_map(|(name, account)| match account {
        Listed(reason) => Some((*name, *reason)),
        Run(_) | Elsewhere => None,
    })
}

/// What a tool prints on either stream, however it ends: some say what is wrong and end well.
fn all_output(java: &Java, class: &str, arguments: &[&str], patience: Duration) -> Result<String> {
    let mut command = java.command(class);
    let mut child =
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if tools::wait_for(&mut child, patience)?.is_none() {
        child.kill()?;
        child.wait()?;
        bail!("{class} did not end in {} s", patience.as_secs());
    }
    let output = child.wait_with_output()?;
    Ok(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

fn bootstrap_output(
    stage: &Stage,
    java: &Java,
    class: &str,
    arguments: &[&str],
    patience: Duration,
) -> Result<String> {
    all_output(java, class, &[&["--bootstrap-server", &stage.bootstrap], arguments].concat(), patience)
}

fn acls(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let said = bootstrap_output(stage, java, "org.apache.kafka.tools.AclCommand", &["--list"], patience)?;
    expect(&said, "No Authorizer is configured")
}

fn client_metrics(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.ClientMetricsCommand";
    let altered =
        ["--alter", "--name", "tool-metrics", "--metrics", "org.apache.kafka.", "--interval", "30000"];
    bootstrap_output(stage, java, class, &altered, patience)?;
    let said = bootstrap_output(stage, java, class, &["--list"], patience)?;
    expect(&said, "tool-metrics")
}

fn cluster(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.ClusterTool";
    let bootstrap = ["--bootstrap-server", &stage.bootstrap];
    let said = all_output(java, class, &[&["cluster-id"], &bootstrap[..]].concat(), patience)?;
    expect(&said, "Cluster ID: ")?;
    let said = all_output(java, class, &[&["list-endpoints"], &bootstrap[..]].concat(), patience)?;
    expect(&said, "127.0.0.1")
}

fn delegation_tokens(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.DelegationTokenCommand";
    let config = super::scratch("client.properties")?;
    fs::write(&config, "")?;
    let arguments = ["--describe", "--command-config", &config.display().to_string()];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    // What Apache says on a plaintext listener.
    expect(&said, "Delegation Token requests are not allowed on PLAINTEXT")
}

fn dump_log(stage: &Stage, java: &Java, _patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-dump", 1)?;
    fill(java, &stage.bootstrap, "tool-dump", 20)?;
    let file = stage.data.join("tool-dump-0/00000000000000000000.log");
    let arguments = ["--print-data-log", "--files", &file.display().to_string()];
    let said =
        all_output(java, "org.apache.kafka.tools.DumpLogSegments", &arguments, Duration::from_secs(60))?;
    expect(&said, "isvalid: true")?;
    ensure!(said.matches("| offset:").count() == 20, "not 20 records:\n{said}");
    Ok(())
}

fn e2e_latency(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-e2e", 1)?;
    let class = "org.apache.kafka.tools.EndToEndLatency";
    let arguments =
        ["--topic", "tool-e2e", "--num-records", "200", "--producer-acks", "all", "--record-size", "100"];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    expect(&said, "Percentiles: 50th")
}

fn features(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.FeatureCommand";
    let said = bootstrap_output(stage, java, class, &["describe"], patience)?;
    expect(&said, "Feature: metadata.version")?;
    let said =
        bootstrap_output(stage, java, class, &["upgrade", "--feature", "metadata.version=1"], patience)?;
    expect(&said, "Invalid update version 1 for feature metadata.version")
}

fn groups(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-list-groups", 1)?;
    fill(java, &stage.bootstrap, "tool-list-groups", 5)?;
    read_with_group(stage, java, "tool-list-groups", "tool-listed", 5)?;
    let said = bootstrap_output(stage, java, "org.apache.kafka.tools.GroupsCommand", &["--list"], patience)?;
    let line =
        said.lines().find(|line| line.starts_with("tool-listed ")).context("the group is not listed")?;
    expect(line, "Classic")
}

fn leader_election(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-election", 1)?;
    let class = "org.apache.kafka.tools.LeaderElectionCommand";
    let arguments = ["--election-type", "preferred", "--topic", "tool-election", "--partition", "0"];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    expect(&said, "Valid replica already elected for partitions")
}

fn metadata_quorum(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.MetadataQuorumCommand";
    let said = bootstrap_output(stage, java, class, &["describe", "--status"], patience)?;
    expect(&said, "LeaderId:")
}

fn producer_perf(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-perf", 1)?;
    let class = "org.apache.kafka.tools.ProducerPerformance";
    let servers = format!("bootstrap.servers={}", stage.bootstrap);
    let arguments =
        ["--topic", "tool-perf", "--num-records", "5000", "--record-size", "100", "--throughput", "-1"];
    let said =
        all_output(java, class, &[&arguments[..], &["--producer-props", &servers]].concat(), patience)?;
    expect(&said, "5000 records sent")
}

fn consumer_perf(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-consumer-perf", 1)?;
    fill(java, &stage.bootstrap, "tool-consumer-perf", 1000)?;
    let class = "org.apache.kafka.tools.ConsumerPerformance";
    let arguments = ["--topic", "tool-consumer-perf", "--num-records", "1000", "--timeout", "20000"];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    ensure!(said.lines().any(|line| line.split(", ").nth(4) == Some("1000")), "not 1000 records:\n{said}");
    Ok(())
}

fn reassign_partitions(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand";
    let said = bootstrap_output(stage, java, class, &["--list"], patience)?;
    expect(&said, "No partition reassignments found.")
}

fn replica_verification(stage: &Stage, java: &Java, _patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-verified", 1)?;
    fill(java, &stage.bootstrap, "tool-verified", 50)?;
    let class = "org.apache.kafka.tools.ReplicaVerificationTool";
    let arguments = [
        "--broker-list",
        &stage.bootstrap,
        "--topics-include",
        "tool-verified",
        "--report-interval-ms",
        "500",
    ];
    // It runs until it is ended.
    let said = prints(java, class, &arguments, "max lag is 0", Duration::from_secs(30))?;
    expect(&said, "verification process is started")
}

fn share_groups(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.consumer.group.ShareGroupCommand";
    create_topic(java, &stage.bootstrap, "tool-share-groups", 1)?;
    let reset = [
        "--reset-offsets",
        "--group",
        "tool-share-group",
        "--topic",
        "tool-share-groups",
        "--to-earliest",
        "--execute",
    ];
    let said = bootstrap_output(stage, java, class, &reset, patience)?;
    expect(&said, "tool-share-group")
}

fn console_share_consumer(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.consumer.ConsoleShareConsumer";
    create_topic(java, &stage.bootstrap, "tool-share", 1)?;
    let arguments = ["--topic", "tool-share", "--group", "tool-share", "--timeout-ms", "4000"];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    expect(&said, "Processed a total of 0 messages")?;
    ensure!(!said.contains("Exception: "), "{said}");
    Ok(())
}

fn share_consumer_perf(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-share-perf", 1)?;
    share_from_earliest(stage, java, "tool-share-perf")?;
    fill(java, &stage.bootstrap, "tool-share-perf", 500)?;
    let class = "org.apache.kafka.tools.ShareConsumerPerformance";
    let arguments = [
        "--topic",
        "tool-share-perf",
        "--group",
        "tool-share-perf",
        "--num-records",
        "500",
        "--timeout",
        "15000",
    ];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    ensure!(
        said.lines().any(|line| line.split(", ").any(|word| word.trim() == "500")),
        "not 500 records:\n{said}"
    );
    Ok(())
}

fn verifiable_share_consumer(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-share-verified", 1)?;
    fill(java, &stage.bootstrap, "tool-share-verified", 100)?;
    let class = "org.apache.kafka.tools.VerifiableShareConsumer";
    let arguments = [
        "--bootstrap-server",
        &stage.bootstrap,
        "--topic",
        "tool-share-verified",
        "--group-id",
        "tool-share-verified",
        "--max-messages",
        "100",
        "--offset-reset-strategy",
        "earliest",
    ];
    let said = all_output(java, class, &arguments, patience)?;
    let acknowledged: i64 = said
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|event| event["name"] == "offsets_acknowledged")
        .filter_map(|event| event["count"].as_i64())
        .sum();
    ensure!(acknowledged == 100, "{acknowledged} acknowledged, not 100:\n{said}");
    Ok(())
}

fn streams_reset(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-reset", 1)?;
    fill(java, &stage.bootstrap, "tool-reset", 10)?;
    read_with_group(stage, java, "tool-reset", "tool-application", 10)?;
    let class = "org.apache.kafka.tools.StreamsResetter";
    let arguments = ["--application-id", "tool-application", "--input-topics", "tool-reset", "--to-earliest"];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    expect(&said, "Done.")?;
    let offsets = super::shell_tools::group_offsets(java, &stage.bootstrap, "tool-application")?;
    ensure!(offsets.get(&0) == Some(&0), "after the reset {offsets:?}");
    Ok(())
}

fn streams_groups(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.streams.StreamsGroupCommand";
    let said = bootstrap_output(stage, java, class, &["--describe", "--group", "tool-no-streams"], patience)?;
    expect(&said, "Group tool-no-streams not found")
}

fn transactions(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    let class = "org.apache.kafka.tools.TransactionsCommand";
    let said = bootstrap_output(stage, java, class, &["list"], patience)?;
    expect(&said, "TransactionalId")?;
    create_topic(java, &stage.bootstrap, "tool-producers", 1)?;
    fill(java, &stage.bootstrap, "tool-producers", 5)?;
    let arguments = ["describe-producers", "--topic", "tool-producers", "--partition", "0"];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    ensure!(said.lines().count() >= 2, "no producer:\n{said}");
    Ok(())
}

fn verifiable_producer(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-verifiable", 1)?;
    let class = "org.apache.kafka.tools.VerifiableProducer";
    let said = bootstrap_output(
        stage,
        java,
        class,
        &["--topic", "tool-verifiable", "--max-messages", "200"],
        patience,
    )?;
    ensure!(said.matches("producer_send_success").count() == 200, "not 200 acknowledged");
    Ok(())
}

fn verifiable_consumer(stage: &Stage, java: &Java, patience: Duration) -> Result<()> {
    create_topic(java, &stage.bootstrap, "tool-verifiable-read", 1)?;
    fill(java, &stage.bootstrap, "tool-verifiable-read", 150)?;
    let class = "org.apache.kafka.tools.VerifiableConsumer";
    let arguments = [
        "--topic",
        "tool-verifiable-read",
        "--group-id",
        "tool-verifiable",
        "--max-messages",
        "150",
        "--reset-policy",
        "earliest",
    ];
    let said = bootstrap_output(stage, java, class, &arguments, patience)?;
    expect(&said, "offsets_committed")?;
    expect(&said, "\"offset\":150")
}

fn share_from_earliest(stage: &Stage, java: &Java, group: &str) -> Result<()> {
    let arguments = [
        "--alter",
        "--entity-type",
        "groups",
        "--entity-name",
        group,
        "--add-config",
        "share.auto.offset.reset=earliest",
    ];
    tool(java, "kafka.admin.ConfigCommand", &stage.bootstrap, &arguments).map(|_| ())
}

fn read_with_group(stage: &Stage, java: &Java, topic: &str, group: &str, count: u32) -> Result<()> {
    let count = count.to_string();
    let arguments = [
        "--topic",
        topic,
        "--group",
        group,
        "--from-beginning",
        "--max-messages",
        &count,
        "--timeout-ms",
        "20000",
    ];
    tool(java, "org.apache.kafka.tools.consumer.ConsoleConsumer", &stage.bootstrap, &arguments).map(|_| ())
}

/// Runs a tool that never ends until it has printed something.
fn prints(java: &Java, class: &str, arguments: &[&str], wanted: &str, patience: Duration) -> Result<String> {
    let file = super::scratch("endless-tool.txt")?;
    let mut child =
        java.command(class).args(arguments).stdin(Stdio::null()).stdout(fs::File::create(&file)?).spawn()?;
    let deadline = std::time::Instant::now() + patience;
    let said = loop {
        let said = fs::read_to_string(&file)?;
        if said.contains(wanted) || std::time::Instant::now() > deadline || child.try_wait()?.is_some() {
            break said;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let _already_ended = child.kill();
    child.wait()?;
    expect(&said, wanted)?;
    Ok(said)
}
