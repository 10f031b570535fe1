//! On what the figures were taken: without that they mean nothing.

use std::{fs, process::Command};

use anyhow::Result;

use super::{rows::Durability, subject::Subject};
use crate::tools;

/// Name and value of each fact.
pub(crate) fn facts(subjects: &[Subject]) -> Result<Vec<(String, String)>> {
    let first = |text: &str, name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(|rest| rest.trim_start_matches([':', ' ', '\t']).to_owned())
            .unwrap_or_default()
    };
    let cpu = fs::read_to_string("/proc/cpuinfo")?;
    let memory = fs::read_to_string("/proc/meminfo")?;
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let mut facts = vec![
        ("processor".into(), format!("{} ({cores} cores)", first(&cpu, "model name"))),
        ("memory".into(), first(&memory, "MemTotal")),
        ("kernel".into(), fs::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned()),
        ("file system".into(), file_system()),
        (
            "load average as the run began, of all that ran beside it".into(),
            fs::read_to_string("/proc/loadavg")?.split(' ').next().unwrap_or_default().to_owned(),
        ),
        ("Rust".into(), said("rustc", "--version")),
        ("Java".into(), said("java", "--version").lines().next().unwrap_or_default().to_owned()),
        ("Headwater".into(), said_in_root("git", &["describe", "--always", "--tags"])),
    ];
    if let Ok(java) = tools::java(None)? {
        facts.push(("Apache Kafka".into(), java.version));
    }
    for subject in subjects {
        for durability in [Durability::Disk, Durability::PageCache] {
            let settings = subject.settings(durability).join(" ");
            facts.push((format!("{}, {}", subject.name, durability.text()), settings));
        }
    }
    Ok(facts)
}

fn file_system() -> String {
    let folder = tools::target_dir();
    let said = tools::run(Command::new("df").args(["--output=fstype"]).arg(folder)).unwrap_or_default();
    said.lines().last().unwrap_or_default().trim().to_owned()
}

fn said(program: &str, argument: &str) -> String {
    tools::run(Command::new(program).arg(argument)).unwrap_or_default().trim().to_owned()
}

fn said_in_root(program: &str, arguments: &[&str]) -> String {
    tools::run(Command::new(program).args(arguments).current_dir(tools::root()))
        .unwrap_or_default()
        .trim()
        .to_owned()
}
