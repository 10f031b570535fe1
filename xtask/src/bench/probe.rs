//! What is seen of a broker from outside: its processor time, its memory, and whether it answers.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

/// Processor seconds that a process has used.
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let rest = text.rsplit_once(')').context("no name in stat")?.1;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ticks: f64 = words[11].parse::<f64>()? + words[12].parse::<f64>()?;
    // The kernel counts in hundredths for every program, whatever its own tick.
    Ok(ticks / 100.0)
}

/// Resident memory in MiB.
pub(crate) fn resident_mib(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    Ok(line.split_whitespace().nth(1).context("no figure")?.parse::<f64>()? / 1024.0)
}

/// Waits until the broker tells at least one broker in Metadata, and with a topic, until partition 0 of it can be read.
pub(crate) fn wait_until_serving(address: &str, topic: Option<&str>, patience: Duration) -> Result<()> {
    let deadline = Instant::now() + patience;
    loop {
        let answer = match topic {
            None => metadata_has_a_broker(address),
            Some(topic) => first_fetch(address, topic),
        };
        match answer {
            Ok(()) => return Ok(()),
            Err(error) if Instant::now() > deadline => bail!("{address} does not serve: {error:#}"),
            Err(_) => thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn metadata_has_a_broker(address: &str) -> Result<()> {
    // Metadata, version 1, no topics.
    let answer = ask(address, &[0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0, 0, 0, 0])?;
    let count = answer.get(4..8).context("a short answer")?;
    ensure!(count != [0; 4], "no broker yet");
    Ok(())
}

fn first_fetch(address: &str, topic: &str) -> Result<()> {
    let found = crate::interop::first_batch(address, topic)?;
    ensure!(found, "nothing to read yet");
    Ok(())
}

fn ask(address: &str, request: &[u8]) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut frame = u32::try_from(request.len())?.to_be_bytes().to_vec();
    frame.extend(request);
    stream.write_all(&frame)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length))?];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}
