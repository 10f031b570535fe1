//! `cargo xtask fuzz [target] [--seconds n]`: the fuzz targets, with the nightly toolchain and cargo-fuzz.

use std::{
    fs,
    process::{Command, Stdio},
};

use anyhow::{Result, bail};
use lexopt::ValueExt;

use crate::tools;

/// Runs one target, or all in turn, for `--seconds` each (60).
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let (mut wanted, mut seconds) = (None, 60_u32);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("seconds") => seconds = parser.value()?.parse()?,
            lexopt::Arg::Value(target) => wanted = Some(target.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let here = Command::new("cargo")
        .args(["+nightly", "fuzz", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !here {
        println!(
            "SKIPPED: cargo-fuzz is missing; install it with \
             `rustup toolchain install nightly && cargo install cargo-fuzz --locked`"
        );
        return Ok(());
    }
    let fuzz = tools::root().join("fuzz");
    let mut targets: Vec<String> = fs::read_dir(fuzz.join("fuzz_targets"))?
        .filter_map(|entry| entry.ok()?.path().file_stem().map(|name| name.to_string_lossy().into_owned()))
        .collect();
    targets.sort();
    if let Some(wanted) = wanted {
        targets.retain(|name| *name == wanted);
    }
    if targets.is_empty() {
        bail!("no such fuzz target");
    }
    for (index, target) in targets.iter().enumerate() {
        println!("== {} of {}: {target}, {seconds} s", index + 1, targets.len());
        let status = Command::new("cargo")
            .args(["+nightly", "fuzz", "run", target, "--"])
            .args([&format!("-max_total_time={seconds}"), "-rss_limit_mb=2048", "-print_final_stats=1"])
            .current_dir(tools::root())
            .status()?;
        if !status.success() {
            bail!("{target} found something; the input is under fuzz/artifacts/{target}");
        }
    }
    Ok(())
}
