//! `cargo xtask interop`: real clients and Kafka's own tools against a broker, the same scenarios for all.

mod client;
mod dataset;
mod groups;
mod records;
mod report;
mod shell_tools;

use std::path::PathBuf;

use anyhow::{Result, bail};

use self::{
    client::{Client, clients},
    report::Report,
};
use crate::{
    broker::{self, Broker, Kind},
    tools,
};

/// What the command line asks for.
#[derive(Clone, Debug)]
struct Options {
    broker: String,
    only: String,
    count: u32,
    markdown: bool,
}

/// What a scenario gets.
struct Stage {
    broker: Broker,
    java: Option<tools::Java>,
    clients: Vec<Client>,
    count: u32,
    only: String,
}

/// Runs every scenario that the options leave in and prints the table; an error when one failed.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let options = parse(arguments)?;
    let mut report = Report::default();
    let java = match tools::java(None)? {
        Ok(java) => Some(java),
        Err(missing) => {
            report.missing("java", &missing);
            None
        }
    };
    let kind = match options.broker.as_str() {
        "headwater" => Kind::build_headwater()?,
        "kafka" => match &java {
            Some(java) => Kind::Kafka(java.clone()),
            None => bail!("Apache Kafka needs a JDK with Maven"),
        },
        other => bail!("--broker is headwater or kafka, not {other}"),
    };
    let data = scratch("interop")?;
    let clients = clients(java.as_ref(), &mut report)?;
    let broker = kind.start(&data, broker::free_port()?, SETTINGS)?;
    let stage = Stage { broker, java, clients, count: options.count, only: options.only.clone() };

    records::run(&stage, &mut report);
    shell_tools::run(&stage, &mut report);
    let stage = groups::run(stage, &kind, &data, &mut report)?;
    stage.broker.stop()?;

    report.print();
    if options.markdown {
        report.write_markdown(&tools::root().join("docs/src/interop.md"))?;
    }
    if report.failed() > 0 {
        bail!("{} scenarios failed", report.failed());
    }
    Ok(())
}

impl Stage {
    fn wants(&self, scenario: &str) -> bool {
        scenario.contains(&self.only)
    }
}

/// An empty folder of this name under the target directory.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let path = tools::target_dir().join("xtask").join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path)?;
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    Ok(path)
}

fn parse(arguments: Vec<String>) -> Result<Options> {
    let mut options =
        Options { broker: "headwater".into(), only: String::new(), count: 100_000, markdown: false };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("broker") => options.broker = parser.value()?.string()?,
            lexopt::Arg::Long("only") => options.only = parser.value()?.string()?,
            lexopt::Arg::Long("count") => options.count = parser.value()?.parse()?,
            lexopt::Arg::Long("markdown") => options.markdown = true,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

use lexopt::ValueExt;

/// Both brokers run with these.
const SETTINGS: &[&str] = &["group.initial.rebalance.delay.ms=500", "num.partitions=1"];
