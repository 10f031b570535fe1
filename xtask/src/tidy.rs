//! `cargo xtask tidy`: what lints cannot check.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::tools;

/// Lines of a source file, tests not counted, above which it is split.
const LINES_MAX: usize = 500;

/// The layers, lowest first: a crate may use only what stands before it.
const LAYERS: &[&str] = &[
    "headwater-codec-derive",
    "headwater-codec",
    "headwater-records",
    "headwater-import",
    "headwater-native",
    "headwater-security",
    "headwater-client",
    "headwater-lua",
    "headwater-storage",
    "headwater-coordinator",
    "headwater-iggy",
    "headwater-broker",
    "headwater",
    "headwater-iggy-gateway",
];

/// Arrows that would point down and still are not wanted: coordinators are pure, storage knows no group.
const FORBIDDEN: [(&str, &str); 2] =
    [("headwater-coordinator", "headwater-storage"), ("headwater-coordinator", "headwater-records")];

/// Files that are over the limit today, and by how much they may be: the numbers only go down.
const RATCHET: [(&str, usize); 0] = [];

/// Checks the whole repository and lists everything that is wrong.
pub(crate) fn run() -> Result<()> {
    let root = tools::root();
    let mut faults = Vec::new();
    let files = tracked_files(&root)?;
    for file in &files {
        if file.extension().is_some_and(|e| e == "rs") {
            check_size(&root, file, &mut faults)?;
            check_name(file, &mut faults);
        }
    }
    check_arrows(&root, &mut faults)?;
    if faults.is_empty() {
        println!("   {} files, nothing to tidy", files.len());
        return Ok(());
    }
    bail!("{} things to tidy:\n  {}", faults.len(), faults.join("\n  "));
}

fn tracked_files(root: &Path) -> Result<Vec<PathBuf>> {
    let list = tools::run(Command::new("git").args(["ls-files"]).current_dir(root))?;
    Ok(list.lines().map(PathBuf::from).filter(|file| root.join(file).is_file()).collect())
}

fn check_size(root: &Path, file: &Path, faults: &mut Vec<String>) -> Result<()> {
    let path = file.to_string_lossy();
    if path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/benches/") {
        return Ok(());
    }
    let text = fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {path}"))?;
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]").count();
    let allowed = RATCHET.iter().find(|(name, _)| *name == path).map_or(LINES_MAX, |(_, lines)| *lines);
    if lines > allowed {
        faults.push(format!("{path} has {lines} lines, at most {allowed}: split it by noun"));
    }
    Ok(())
}

fn check_name(file: &Path, faults: &mut Vec<String>) {
    let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if ["mod.rs", "utils.rs", "util.rs", "common.rs", "helpers.rs", "misc.rs"].contains(&name.as_str()) {
        faults.push(format!("{} is named after no thing: name it after what it holds", file.display()));
    }
}

fn check_arrows(root: &Path, faults: &mut Vec<String>) -> Result<()> {
    for (position, layer) in LAYERS.iter().enumerate() {
        let folder = ["crates", "bins"].map(|folder| root.join(folder).join(layer));
        let path = folder.iter().find(|folder| folder.is_dir()).unwrap_or(&folder[0]).join("Cargo.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let dependencies = text.split("\n[dev-dependencies]").next().unwrap_or_default();
        for line in dependencies.lines().filter(|line| line.starts_with("headwater")) {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            let Some(used_position) = LAYERS.iter().position(|name| *name == used) else { continue };
            if used_position >= position || FORBIDDEN.contains(&(*layer, used)) {
                faults.push(format!("{layer} uses {used}: the arrow points the wrong way"));
            }
        }
    }
    Ok(())
}
