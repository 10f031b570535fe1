//! `cargo xtask semver [revision]`: what has changed in the public API of the crates that others embed.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::tools;

/// The crates whose public API is a promise.
const PUBLISHED: [&str; 1] = ["headwater-codec"];

/// Compares the public API with that of `revision`: by default that of the newest release, or, before there is one,
/// of the commit before.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let here = Command::new("cargo")
        .args(["semver-checks", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !here {
        println!(
            "SKIPPED: cargo-semver-checks is missing; install it with `cargo install cargo-semver-checks --locked`"
        );
        return Ok(());
    }
    let baseline = match arguments.into_iter().next() {
        Some(revision) => revision,
        None => newest_release()?.unwrap_or_else(|| "HEAD^".to_owned()),
    };
    for name in PUBLISHED {
        println!("== {name} since {baseline}");
        let status = Command::new("cargo")
            .args(["semver-checks", "--package", name, "--baseline-rev", &baseline])
            .current_dir(tools::root())
            .status()?;
        if !status.success() {
            bail!("the public API of {name} has broken with {baseline}");
        }
    }
    Ok(())
}

/// The newest tag of a release below the present commit.
fn newest_release() -> Result<Option<String>> {
    let described = Command::new("git")
        .args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"])
        .stderr(Stdio::null())
        .current_dir(tools::root())
        .output()?;
    let tag = String::from_utf8_lossy(&described.stdout).trim().to_owned();
    Ok((described.status.success() && !tag.is_empty()).then_some(tag))
}
