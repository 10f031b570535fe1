//! `cargo xtask measure`: start time, memory and size of the release binary, seen from outside.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};

use crate::{
    broker::{self, Kind},
    interop, tools,
};

const RUNS: usize = 20;

/// Prints the figures and the bounds they are held to; an error when one is missed.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let after_load = arguments.iter().any(|a| a == "--after-load");
    let Kind::Headwater(binary) = Kind::build_headwater()? else { return Ok(()) };
    let size = fs::metadata(&binary)?.len();
    println!("release binary: {:.1} MiB (at most 15)", mib(size));

    let (mut starts, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let data = interop::scratch("measure")?;
        let port = broker::free_port()?;
        let start = Instant::now();
        let mut child = Command::new(&binary)
            .args(["--set", &format!("listeners=PLAINTEXT://127.0.0.1:{port}")])
            .args(["--set", &format!("log.dirs={}", data.display())])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no pipe")?).read_line(&mut line)?;
        starts.push(start.elapsed().as_secs_f64() * 1000.0);
        ensure!(line.starts_with("headwater ready "), "not ready: {line}");
        thread::sleep(Duration::from_secs(1));
        memory.push(resident_bytes(child.id())?);
        child.kill()?;
        child.wait()?;
    }
    starts.sort_by(f64::total_cmp);
    memory.sort_unstable();
    println!(
        "exec to ready line: median {:.1} ms of {RUNS}, {:.1} to {:.1} (at most 50)",
        starts[RUNS / 2],
        starts[0],
        starts[RUNS - 1]
    );
    println!("resident one second later: median {:.1} MiB (at most 20)", mib(memory[RUNS / 2]));
    ensure!(size <= 15 << 20, "the binary is too large");
    ensure!(starts[RUNS / 2] <= 50.0, "the start is too slow");
    ensure!(memory[RUNS / 2] <= 20 << 20, "idle memory is too large");
    if after_load {
        memory_after_load(&Kind::Headwater(binary), memory[RUNS / 2])?;
    }
    Ok(())
}

fn memory_after_load(kind: &Kind, idle: u64) -> Result<()> {
    let python = match tools::python()? {
        Ok(python) => python,
        Err(missing) => {
            println!("SKIPPED: memory after load: {missing}");
            return Ok(());
        }
    };
    let data = interop::scratch("measure-load")?;
    let broker = kind.start(&data, broker::free_port()?, &[])?;
    let bootstrap = broker.bootstrap();
    let base_ms = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis().to_string();
    for codec in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let topic = format!("load-{codec}");
        for action in ["produce", "consume"] {
            let mut command = Command::new(&python);
            command.env("PYTHONDONTWRITEBYTECODE", "1");
            command.arg(tools::root().join("interop/python/confluent.py")).arg(action);
            command.args(["--bootstrap", &bootstrap, "--topic", &topic, "--count", "100000"]);
            command.args(["--codec", codec, "--base-ms", &base_ms]);
            tools::run(&mut command)?;
        }
    }
    let peak = resident_bytes(broker.id())?;
    println!("resident right after the load: {:.1} MiB", mib(peak));
    thread::sleep(Duration::from_secs(60));
    let later = resident_bytes(broker.id())?;
    println!("resident a minute later: {:.1} MiB (at most {:.1})", mib(later), mib(idle) + 20.0);
    broker.stop()?;
    ensure!(later <= idle + (20 << 20), "memory was not given back");
    Ok(())
}

fn resident_bytes(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    let kib: u64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
    Ok(kib * 1024)
}

#[allow(clippy::cast_precision_loss, reason = "a figure for people")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / 1024.0 / 1024.0
}
