//! `cargo xtask interop`: real clients and Kafka's own tools against a broker, the same scenarios for all.

mod batches;
mod client;
mod dataset;
mod every_tool;
mod faults;
mod features;
mod groups;
mod iggy;
mod page;
mod pending;
mod proxy;
mod records;
mod report;
mod self_test;
mod shell_tools;
mod wire;

use std::{
    fs::File,
    path::PathBuf,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Result, bail};
use lexopt::ValueExt;

use self::{
    client::{Client, clients},
    report::{Marks, Report},
};
use crate::{
    broker::{self, Broker, Kind},
    tools,
};

/// What the command line asks for.
#[derive(Clone, Debug)]
struct Options {
    broker: String,
    binary: Option<PathBuf>,
    /// The gateway instead, over the Iggy server at that address, or over `double`.
    iggy: Option<String>,
    only: String,
    count: u32,
    markdown: bool,
    /// Only write the page from what runs before this one have kept.
    page: bool,
    self_test: bool,
}

/// What a scenario gets.
struct Stage {
    broker: Broker,
    /// What clients are told: the broker's own address, or a proxy's before it.
    bootstrap: String,
    java: Option<tools::Java>,
    clients: Vec<Client>,
    count: u32,
    only: String,
    data: PathBuf,
}

/// Runs every scenario that the options leave in and prints the table; an error when one failed.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let options = parse(arguments)?;
    let page = tools::root().join("docs/src/interop.md");
    if options.page {
        return page::write(&page);
    }
    let start = Instant::now();
    let marks = if options.broker == "headwater" { Marks::Apply } else { Marks::DoNotApply };
    let mut report = Report::new(marks);
    let java = match tools::java(None)? {
        Ok(java) => Some(java),
        Err(missing) => {
            report.missing("java", &missing);
            None
        }
    };
    let iggy = options.iggy.as_deref().map(iggy::IggyServer::at).transpose()?;
    let (kind, title) = match &iggy {
        Some(server) => {
            (Kind::iggy(options.binary.clone(), &server.address)?, "Headwater over Apache Iggy".to_owned())
        }
        None => kind(&options, java.as_ref())?,
    };
    // Several runs go on side by side.
    let data = scratch(&format!("interop-{}-{}", options.broker, std::process::id()))?;
    let clients = clients(java.as_ref(), &mut report)?;
    let broker = kind.start(&data, broker::free_port()?, SETTINGS)?;
    let bootstrap = broker.bootstrap();
    let (count, only) = (options.count, options.only.clone());
    let stage = Stage { broker, bootstrap, java, clients, count, only, data: data.clone() };
    println!("{title} is on {}", stage.bootstrap);
    if options.self_test {
        return self_test::run(stage);
    }

    records::run(&stage, &mut report);
    features::run(&stage, &mut report);
    shell_tools::run(&stage, &mut report);
    every_tool::run(&stage, &mut report);
    let stage = groups::run(stage, &kind, &data, &mut report)?;
    let versions: Vec<_> = stage.clients.iter().map(|c| (c.name.clone(), c.version.clone())).collect();
    stage.broker.stop()?;

    report.print();
    println!("{title}, {:.0} s", start.elapsed().as_secs_f64());
    if options.only.is_empty() {
        let file = tools::cache().join(format!("interop-{}.json", options.broker));
        report.write_json(&file, &title, &versions)?;
    }
    if options.markdown {
        page::write(&page)?;
    }
    if report.failed() > 0 {
        bail!("{} scenarios failed; the broker's data is {}", report.failed(), data.display());
    }
    std::fs::remove_dir_all(&data)?;
    Ok(())
}

fn kind(options: &Options, java: Option<&tools::Java>) -> Result<(Kind, String)> {
    let kafka = |java: &tools::Java| (Kind::Kafka(java.clone()), format!("Apache Kafka {}", java.version));
    match (options.broker.as_str(), java) {
        ("headwater", _) => {
            let kind = match &options.binary {
                Some(binary) => Kind::Headwater(binary.clone()),
                None => Kind::build_headwater()?,
            };
            Ok((kind, "Headwater".to_owned()))
        }
        ("kafka", Some(java)) => Ok(kafka(java)),
        ("kafka-4.4", Some(_)) => match tools::java(Some(KAFKA_NEXT))? {
            Ok(java) => Ok(kafka(&java)),
            Err(missing) => bail!("{missing}"),
        },
        ("kafka" | "kafka-4.4", None) => bail!("Apache Kafka needs a JDK with Maven"),
        (other, _) => bail!("--broker is headwater, kafka or kafka-4.4, not {other}"),
    }
}

impl Stage {
    fn wants(&self, client: &str, scenario: &str) -> bool {
        format!("{client} {scenario}").contains(&self.only)
    }
}

/// Milliseconds since 1970.
fn now_ms() -> Result<i64> {
    Ok(i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?)
}

/// A file of this name under the target directory, to append to.
fn scratch_file(name: &str) -> Result<File> {
    let path = tools::target_dir().join("xtask").join(name);
    Ok(File::options().create(true).append(true).open(path)?)
}

/// Whether partition 0 of a topic gives a batch at its start.
pub(crate) fn first_batch(bootstrap: &str, topic: &str) -> Result<bool> {
    batches::first(bootstrap, topic)
}

/// An empty folder of this name under the target directory.
pub(crate) fn scratch(name: &str) -> Result<PathBuf> {
    let path = tools::target_dir().join("xtask").join(name);
    if path.is_dir() {
        std::fs::remove_dir_all(&path)?;
    } else if path.exists() {
        std::fs::remove_file(&path)?;
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    Ok(path)
}

fn parse(arguments: Vec<String>) -> Result<Options> {
    let mut options = Options {
        broker: "headwater".into(),
        binary: None,
        iggy: None,
        only: String::new(),
        count: 100_000,
        markdown: false,
        page: false,
        self_test: false,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("broker") => options.broker = parser.value()?.string()?,
            lexopt::Arg::Long("only") => options.only = parser.value()?.string()?,
            lexopt::Arg::Long("count") => options.count = parser.value()?.parse()?,
            lexopt::Arg::Long("binary") => options.binary = Some(PathBuf::from(parser.value()?)),
            lexopt::Arg::Long("iggy") => {
                options.iggy = Some(parser.value()?.string()?);
                options.broker = "iggy".into();
            }
            lexopt::Arg::Long("page") => options.page = true,
            lexopt::Arg::Long("self-test") => options.self_test = true,
            lexopt::Arg::Long("markdown") => options.markdown = true,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

/// Every broker runs with these.
const SETTINGS: &[&str] = &["group.initial.rebalance.delay.ms=500", "num.partitions=1"];

/// The version of Apache Kafka after the locked one: a second column of the table.
const KAFKA_NEXT: &str = "4.4.0";
