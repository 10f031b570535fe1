//! Three members over six partitions; one is killed; the other two take over; committed offsets survive a restart.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
    process::Child,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use super::{
    SETTINGS, Stage,
    client::{Ability, Client},
    report::Report,
    scratch_file, shell_tools,
};
use crate::broker::Kind;

/// Runs the group scenarios, then restarts the broker and looks at the committed offsets again.
pub(crate) fn run(stage: Stage, kind: &Kind, data: &Path, report: &mut Report) -> Result<Stage> {
    let Some(java) = stage.java.clone() else {
        return Ok(stage);
    };
    let able = |ability| stage.clients.iter().filter(move |client| client.can(ability));
    for client in able(Ability::ConsumerProtocol).filter(|c| stage.wants(&c.name, "group.protocol=consumer"))
    {
        let patience = report.patience(&client.name, "group.protocol=consumer");
        let result = rebalance(&stage, client, "consumer", patience);
        report.check(&client.name, "group.protocol=consumer", result);
    }
    let mut before = Vec::new();
    for client in able(Ability::Group).filter(|client| stage.wants(&client.name, "group rebalance")) {
        let result = rebalance(&stage, client, "classic", Duration::from_secs(40));
        report.check(&client.name, "group rebalance", result);
        let offsets = shell_tools::group_offsets(&java, &stage.bootstrap, &group(client, "classic"));
        before.push((client.clone(), offsets));
    }
    if before.is_empty() {
        return Ok(stage);
    }
    let Stage { broker, bootstrap, java: _, clients, count, only, data: folder } = stage;
    let port = broker.port;
    broker.stop()?;
    let broker = kind.start(data, port, SETTINGS)?;
    for (client, before) in before {
        let after = shell_tools::group_offsets(&java, &bootstrap, &group(&client, "classic"));
        let result = (|| {
            let before = before?;
            ensure!(before.len() == 6, "committed before the restart: {before:?}");
            let after = after?;
            ensure!(before == after, "before the restart {before:?}, after it {after:?}");
            Ok(())
        })();
        report.check(&client.name, "group offsets after restart", result);
    }
    Ok(Stage { broker, bootstrap, java: Some(java), clients, count, only, data: folder })
}

fn group(client: &Client, protocol: &str) -> String {
    format!("group-{protocol}-{}", client.slug())
}

/// Three members over six partitions; one is killed.
pub(crate) fn rebalance(stage: &Stage, client: &Client, protocol: &str, patience: Duration) -> Result<()> {
    let java = stage.java.as_ref().context("no java")?;
    let bootstrap = &stage.bootstrap;
    let (topic, group) = (format!("six-{protocol}-{}", client.slug()), group(client, protocol));
    shell_tools::create_topic(java, bootstrap, &topic, 6)?;
    shell_tools::fill(java, bootstrap, &topic, 600)?;
    let mut arguments = vec!["member", "--bootstrap", bootstrap, "--topic", &topic, "--group", &group];
    if protocol != "classic" {
        arguments.extend(["--protocol", protocol]);
    }
    let mut members = Vec::new();
    for _ in 0..3 {
        members.push(Member::start(client, &arguments)?);
    }
    wait_for(&members, 3, patience).context("three members")?;
    let mut gone = members.remove(0);
    gone.child.kill()?;
    // The consumer protocol's session timeout is the broker's, 45 s.
    let patience = if protocol == "classic" { patience } else { patience + Duration::from_secs(50) };
    wait_for(&members, 2, patience).context("after one was killed")?;
    // Every record was read once at least when all is committed.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let offsets = shell_tools::group_offsets(java, bootstrap, &group)?;
        let committed: i64 = offsets.values().sum();
        if committed == 600 {
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!("600 records were written, committed are {offsets:?}");
        }
    }
}

/// A group member's process and the partitions it said it has.
struct Member {
    child: Child,
    assigned: Arc<Mutex<BTreeSet<u32>>>,
}

impl Member {
    fn start(client: &Client, arguments: &[&str]) -> Result<Self> {
        let errors = scratch_file(&format!("member-{}.log", client.slug()))?;
        let mut child = client.spawn(arguments, errors)?;
        let stdout = child.stdout.take().context("no pipe from the member")?;
        let assigned = Arc::new(Mutex::new(BTreeSet::new()));
        let shared = Arc::clone(&assigned);
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Some(list) = line.strip_prefix("assigned") {
                    let partitions = list.trim().split(',').filter_map(|p| p.parse().ok()).collect();
                    if let Ok(mut assigned) = shared.lock() {
                        *assigned = partitions;
                    }
                }
            }
        });
        Ok(Self { child, assigned })
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _already_gone = self.child.wait();
    }
}

/// Waits until `members` share all six partitions evenly, none twice.
fn wait_for(members: &[Member], count: usize, patience: Duration) -> Result<()> {
    let deadline = Instant::now() + patience;
    loop {
        let sets: Vec<BTreeSet<u32>> =
            members.iter().map(|m| m.assigned.lock().map(|set| set.clone()).unwrap_or_default()).collect();
        let all: BTreeSet<u32> = sets.iter().flatten().copied().collect();
        if all.len() == 6 && sets.iter().all(|set| set.len() == 6 / count) {
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!("six partitions over {count} members, got {sets:?}");
        }
        thread::sleep(Duration::from_millis(50));
    }
}
