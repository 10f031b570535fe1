//! `cargo xtask ci`: what CI checks, in the order in which it fails fastest.

use std::{process::Command, time::Instant};

use anyhow::{Result, bail};

use crate::tools;

/// Runs every check and stops at the first that fails.
pub(crate) fn run() -> Result<()> {
    step("formatting", &["fmt", "--all", "--check"], &[])?;
    let start = Instant::now();
    println!("== tidy");
    crate::tidy::run()?;
    println!("   {:.0} s", start.elapsed().as_secs_f64());
    step("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], &[])?;
    step("tests", &["test", "--workspace", "--quiet"], &[])?;
    step(
        "documentation",
        &["doc", "--workspace", "--no-deps", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    println!("ci: all checks passed");
    Ok(())
}

fn step(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    println!("== {name}: cargo {}", arguments.join(" "));
    let start = Instant::now();
    let status = Command::new("cargo")
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(tools::root())
        .status()?;
    println!("   {:.0} s", start.elapsed().as_secs_f64());
    if !status.success() {
        bail!("{name} failed");
    }
    Ok(())
}
