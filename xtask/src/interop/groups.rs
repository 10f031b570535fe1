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

use super::{SETTINGS, Stage, client::Client, report::Report, shell_tools};
use crate::broker::Kind;

/// Runs the group scenarios, then restarts the broker and looks at the committed offsets again.
pub(crate) fn run(stage: Stage, kind: &Kind, data: &Path, report: &mut Report) -> Result<Stage> {
    if !stage.wants("group") {
        return Ok(stage);
    }
    let Some(java) = stage.java.clone() else {
        return Ok(stage);
    };
    let mut before = Vec::new();
    for client in &stage.clients {
        let result = rebalance(&stage, client);
        report.check(client.name, "group rebalance", result);
        before.push(shell_tools::group_offsets(&java, &stage.broker.bootstrap(), &group(client)));
    }
    let Stage { broker, java: _, clients, count, only } = stage;
    let port = broker.port;
    broker.stop()?;
    let broker = kind.start(data, port, SETTINGS)?;
    for (client, before) in clients.iter().zip(before) {
        let after = shell_tools::group_offsets(&java, &broker.bootstrap(), &group(client));
        let result = (|| {
            let before = before?;
            ensure!(before.len() == 6, "committed before the restart: {before:?}");
            let after = after?;
            ensure!(before == after, "before the restart {before:?}, after it {after:?}");
            Ok(())
        })();
        report.check(client.name, "group offsets after restart", result);
    }
    Ok(Stage { broker, java: Some(java), clients, count, only })
}

fn group(client: &Client) -> String {
    format!("group-{}", client.name)
}

fn topic(client: &Client) -> String {
    format!("six-{}", client.name)
}

fn rebalance(stage: &Stage, client: &Client) -> Result<()> {
    let java = stage.java.as_ref().context("no java")?;
    let bootstrap = stage.broker.bootstrap();
    let (topic, group) = (topic(client), group(client));
    shell_tools::create_topic(java, &bootstrap, &topic, 6)?;
    shell_tools::fill(java, &bootstrap, &topic, 600)?;
    let mut members = Vec::new();
    for _ in 0..3 {
        members.push(Member::start(
            client,
            &["member", "--bootstrap", &bootstrap, "--topic", &topic, "--group", &group],
        )?);
    }
    wait_for(&members, 3, Duration::from_secs(40)).context("three members")?;
    let mut gone = members.remove(0);
    gone.child.kill()?;
    wait_for(&members, 2, Duration::from_secs(40)).context("after one was killed")?;
    // Every record was read once at least when all is committed.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let offsets = shell_tools::group_offsets(java, &bootstrap, &group)?;
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
        let mut child = client.spawn(arguments)?;
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
