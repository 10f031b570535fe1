//! What clients do beside moving records: offsets by time, admin, idempotence, transactions, exactly-once, share groups.

use anyhow::{Context, Result, ensure};

use super::{
    Stage, batches,
    client::{Ability, Client},
    dataset,
    faults::Fault,
    proxy::Proxy,
    report::{Outcome, Report},
    shell_tools,
};

type Scenario = fn(&Stage, &Client, std::time::Duration) -> Result<Outcome>;

/// Runs each scenario with every client that can do it.
pub(crate) fn run(stage: &Stage, report: &mut Report) {
    let scenarios: [(&str, Ability, Scenario); 4] = [
        ("offsets by time", Ability::Offsets, offsets),
        ("admin", Ability::Admin, admin),
        ("idempotence", Ability::Idempotence, idempotence),
        ("transactions", Ability::Transactions, transactions),
    ];
    for (name, ability, scenario) in scenarios {
        for client in stage.clients.iter().filter(|client| client.can(ability)) {
            if stage.wants(&client.name, name) {
                let patience = report.patience(&client.name, name);
                report.outcome(&client.name, name, scenario(stage, client, patience));
            }
        }
    }
    let Some(java) = stage.clients.iter().find(|client| client.name == "java") else { return };
    for (name, scenario) in [("streams exactly-once", streams as Scenario), ("share group", share)] {
        if stage.wants("java", name) {
            let patience = report.patience("java", name);
            report.outcome("java", name, scenario(stage, java, patience));
        }
    }
}

fn offsets(stage: &Stage, client: &Client, patience: std::time::Duration) -> Result<Outcome> {
    let topic = format!("offsets-{}", client.slug());
    let base_ms = super::now_ms()? - 3_600_000;
    produce(client, &stage.bootstrap, &topic, 300, base_ms)?;
    let times: Vec<String> =
        [base_ms + 150, base_ms, base_ms - 5000, base_ms + 299, -2, -1].iter().map(i64::to_string).collect();
    let times = times.join(",");
    let said = client.run_for(
        &["offsets", "--bootstrap", &stage.bootstrap, "--topic", &topic, "--times", &times],
        patience,
    )?;
    let wanted = "offsets=150,0,0,299,0,300";
    ensure!(said.lines().any(|line| line == wanted), "expected {wanted}, got {}", said.trim());
    Ok(Outcome::Passed)
}

fn admin(stage: &Stage, client: &Client, patience: std::time::Duration) -> Result<Outcome> {
    let topic = format!("admin-{}", client.slug());
    let said = client.run_for(&["admin", "--bootstrap", &stage.bootstrap, "--topic", &topic], patience)?;
    let cannot = said.lines().find_map(|line| line.strip_prefix("cannot: "));
    let got: Vec<&str> = said.lines().filter(|line| !line.starts_with("cannot: ")).collect();
    let wanted: &[&str] = match cannot {
        None => &["partitions=3", "retention.ms=86400000", "retention.ms=3600000", "deleted"],
        Some("topic configs") => &["partitions=3", "deleted"],
        Some(_) => &["partitions=3", "retention.ms=86400000", "deleted"],
    };
    ensure!(got == wanted, "expected {wanted:?}, got {got:?}");
    Ok(cannot.map_or(Outcome::Passed, |what| Outcome::PassedWithout(what.to_owned())))
}

/// Two acknowledgements are lost with their connections; what the client sends again must not be stored again.
fn idempotence(stage: &Stage, client: &Client, _patience: std::time::Duration) -> Result<Outcome> {
    let topic = format!("idempotence-{}", client.slug());
    let count = stage.count.min(5000);
    let base_ms = super::now_ms()? - 3_600_000;
    let proxy = Proxy::start(stage.broker.port, Fault::LostAcks(2))?;
    produce(client, &proxy.bootstrap(), &topic, count, base_ms)?;
    ensure!(proxy.done() > 0, "no acknowledgement went through the proxy");
    let stored = batches::of(&stage.bootstrap, &topic)?;
    ensure!(stored.iter().all(|batch| batch.producer_id >= 0), "a batch without a producer id");
    let read = ["consume", "--bootstrap", &stage.bootstrap, "--topic", &topic, "--count", &count.to_string()];
    let said = client.run(&read)?;
    let expected = dataset::expected(count, base_ms, client.writes.seen_by(client.reads));
    ensure!(said.contains(&expected), "read {}, expected {expected}", said.trim());
    let end = stored.last().context("nothing is stored")?.next_offset;
    ensure!(end == i64::from(count), "{count} records were sent, {end} are stored");
    Ok(Outcome::Passed)
}

fn transactions(stage: &Stage, client: &Client, patience: std::time::Duration) -> Result<Outcome> {
    let java = stage.java.as_ref().context("no java")?;
    let topic = format!("transactions-{}", client.slug());
    shell_tools::create_topic(java, &stage.bootstrap, &topic, 1)?;
    let id = format!("transactional-{}", client.slug());
    let arguments =
        ["transact", "--bootstrap", &stage.bootstrap, "--topic", &topic, "--transactional-id", &id];
    let said = client.run_for(&[&arguments[..], &["--count", "200"]].concat(), patience)?;
    ensure!(
        said.contains("committed=200 aborted=0"),
        "200 were committed and 200 aborted; read {}",
        said.trim()
    );
    let markers = batches::of(&stage.bootstrap, &topic)?.iter().filter(|batch| batch.is_control()).count();
    ensure!(markers == 2, "{markers} markers are stored, not 2");
    Ok(Outcome::Passed)
}

fn streams(stage: &Stage, client: &Client, patience: std::time::Duration) -> Result<Outcome> {
    let java = stage.java.as_ref().context("no java")?;
    for topic in ["streams", "streams-out"] {
        shell_tools::create_topic(java, &stage.bootstrap, topic, 1)?;
    }
    let said = client.run_for(
        &["streams", "--bootstrap", &stage.bootstrap, "--topic", "streams", "--count", "1000"],
        patience,
    )?;
    ensure!(said.contains("streamed=1000"), "1000 records went in, out came {}", said.trim());
    Ok(Outcome::Passed)
}

fn share(stage: &Stage, client: &Client, patience: std::time::Duration) -> Result<Outcome> {
    let java = stage.java.as_ref().context("no java")?;
    shell_tools::create_topic(java, &stage.bootstrap, "share", 1)?;
    shell_tools::fill(java, &stage.bootstrap, "share", 500)?;
    let said = client.run_for(
        &[
            "share",
            "--bootstrap",
            &stage.bootstrap,
            "--topic",
            "share",
            "--group",
            "shared",
            "--count",
            "500",
        ],
        patience,
    )?;
    ensure!(said.contains("shared=500"), "500 records, shared were {}", said.trim());
    Ok(Outcome::Passed)
}

fn produce(client: &Client, bootstrap: &str, topic: &str, count: u32, base_ms: i64) -> Result<()> {
    let (count, base_ms) = (count.to_string(), base_ms.to_string());
    client
        .run(&[
            "produce",
            "--bootstrap",
            bootstrap,
            "--topic",
            topic,
            "--count",
            &count,
            "--base-ms",
            &base_ms,
        ])
        .map(|_| ())
}
