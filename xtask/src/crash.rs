//! `cargo xtask crash`: kill -9 at random moments under `acks=all` load; every acknowledged record must be there,
//! once, at its offset.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use lexopt::ValueExt;

use crate::{
    broker::{self, Kind},
    interop, tools,
};

const TOPIC: &str = "crash";
const PARTITIONS: u32 = 3;

/// Kills the broker `--rounds` times (50) under one producer's load, then compares.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let (mut rounds, mut seed) = (50_u32, 1_u64);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("rounds") => rounds = parser.value()?.parse()?,
            lexopt::Arg::Long("seed") => seed = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let python = match tools::python()? {
        Ok(python) => python,
        Err(missing) => {
            println!("SKIPPED: {missing}");
            return Ok(());
        }
    };
    let kind = Kind::build_headwater()?;
    let data = interop::scratch("crash")?;
    let port = broker::free_port()?;
    let settings = [format!("num.partitions={PARTITIONS}"), "log.segment.bytes=1048576".to_owned()];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let acknowledged = data.with_extension("acknowledged");

    let mut broker = kind.start(&data, port, &settings)?;
    let mut load = start_load(&python, &broker.bootstrap(), &acknowledged)?;
    let mut slowest = Duration::ZERO;
    for round in 1..=rounds {
        seed = next_random(seed);
        thread::sleep(Duration::from_millis(10 + seed % 900));
        broker.kill()?;
        if let Some(status) = load.try_wait()? {
            bail!("round {round}: the producer ended with {status}");
        }
        let start = Instant::now();
        broker = kind.start(&data, port, &settings).with_context(|| format!("start after kill {round}"))?;
        slowest = slowest.max(start.elapsed());
        if round % 10 == 0 {
            let lines = fs::read_to_string(&acknowledged)?.lines().count();
            println!("{round} of {rounds} kills, {lines} records acknowledged");
        }
    }
    tools::run(Command::new("kill").args(["-TERM", &load.id().to_string()]))?;
    ensure!(load.wait()?.success(), "the producer could not deliver everything it had taken");
    compare(&python, &broker.bootstrap(), &acknowledged)?;
    broker.stop()?;
    println!("crash: {rounds} kills, slowest restart {} ms", slowest.as_millis());
    Ok(())
}

fn start_load(python: &Path, bootstrap: &str, acknowledged: &Path) -> Result<Child> {
    Command::new(python)
        .arg(script())
        .args(["produce", bootstrap, TOPIC, &PARTITIONS.to_string()])
        .stdin(Stdio::null())
        .stdout(File::create(acknowledged)?)
        .spawn()
        .context("cannot start the producer")
}

fn compare(python: &Path, bootstrap: &str, acknowledged: &Path) -> Result<()> {
    let stored = tools::run(Command::new(python).arg(script()).args([
        "dump",
        bootstrap,
        TOPIC,
        &PARTITIONS.to_string(),
    ]))?;
    let mut by_offset = HashMap::new();
    let mut values = HashSet::new();
    for line in stored.lines() {
        let (position, value) = line.rsplit_once(' ').context("a line of the dump")?;
        ensure!(values.insert(value.to_owned()), "value {value} is stored twice, again at {position}");
        by_offset.insert(position.to_owned(), value.to_owned());
    }
    let text = fs::read_to_string(acknowledged)?;
    let mut count = 0_usize;
    for line in text.lines() {
        let (position, value) = line.rsplit_once(' ').context("a line of the producer")?;
        let found = by_offset.get(position).map(String::as_str);
        ensure!(found == Some(value), "acknowledged {value} at {position}, stored there is {found:?}");
        count += 1;
    }
    ensure!(count > 0, "nothing was acknowledged");
    println!("{count} acknowledged records, none missing, none twice; {} stored", values.len());
    Ok(())
}

fn script() -> std::path::PathBuf {
    tools::root().join("interop/python/crash.py")
}

/// A step of xorshift: the same seed gives the same moments.
fn next_random(seed: u64) -> u64 {
    let mut x = seed.max(1);
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    x
}
