//! The native protocol beside Kafka's on the same broker: its own load, since no other client speaks it.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Result, bail};

use super::rows::Shape;
use crate::tools;

/// Builds the load, an example of the client.
pub(crate) fn build_load() -> Result<PathBuf> {
    println!("building the native load");
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "headwater-client", "--example", "load"])
        .current_dir(tools::root())
        .status()?;
    if !status.success() {
        bail!("the native load does not build");
    }
    Ok(tools::target_dir().join("release/examples/load"))
}

/// Appends records of a shape for some seconds; gives what the load says.
pub(crate) fn produce(
    load: &Path,
    address: &str,
    topic: &str,
    shape: &Shape,
    seconds: u64,
) -> Result<String> {
    let (size, seconds) = (shape.size.to_string(), seconds.to_string());
    let arguments = ["produce", "--size", &size, "--codec", shape.codec, "--seconds", &seconds];
    run(load, address, topic, &arguments)
}

/// Reads so many bytes of a topic; gives what the load says.
pub(crate) fn consume(load: &Path, address: &str, topic: &str, bytes: &str) -> Result<String> {
    run(load, address, topic, &["consume", "--bytes", bytes])
}

fn run(load: &Path, address: &str, topic: &str, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(load);
    command.args(arguments).args(["--address", address, "--topic", topic]);
    tools::run_for(&mut command, Duration::from_secs(300))
}
