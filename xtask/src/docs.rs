//! `cargo xtask docs`: writes the pages that are generated from the code. The test suite fails when one is stale.

use std::process::Command;

use anyhow::{Result, bail};

use crate::tools;

/// Writes the API matrix and the configuration reference.
pub(crate) fn run() -> Result<()> {
    let status = Command::new("cargo")
        .args(["test", "--quiet", "--package", "headwater-broker", "--test", "docs"])
        .env("HEADWATER_WRITE_DOCS", "1")
        .current_dir(tools::root())
        .status()?;
    if !status.success() {
        bail!("the generated pages could not be written");
    }
    println!("docs/src/apis.md and docs/src/configuration.md are fresh");
    Ok(())
}
