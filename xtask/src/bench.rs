//! `cargo xtask bench`: the same load against Headwater and Apache Kafka in turn, on the same disk, with the same client
//! and the same durability on both sides.

mod ceilings;
mod machine;
mod native;
mod page;
mod plots;
mod probe;
mod results;
mod rows;
mod subject;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use lexopt::ValueExt;

use self::{
    results::Results,
    rows::{Durability, Row},
    subject::Subject,
};
use crate::{broker::Kind, interop, tools};

/// What the command line asks for.
#[derive(Clone, Debug)]
struct Options {
    quick: bool,
    only: String,
    rounds: usize,
    seconds: u64,
    binary: Option<PathBuf>,
    addresses: Vec<(String, String)>,
    markdown: bool,
    resume: bool,
}

/// The programs that put load on a broker, one for each of its doors.
#[derive(Clone, Debug)]
struct Loads {
    kafka: PathBuf,
    native: PathBuf,
}

/// Runs the rows and prints medians, spread and ratio.
pub(crate) fn run(arguments: Vec<String>) -> Result<()> {
    let options = parse(arguments)?;
    let start = Instant::now();
    let load = match tools::rust()? {
        Ok(bin) => bin.join("load"),
        Err(missing) => bail!("the load needs {missing}"),
    };
    let loads = Loads { kafka: load, native: native::build_load()? };
    let subjects = subjects(&options)?;
    let all = rows::all();
    let (chosen, left_out): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|row| (row.quick || !options.quick) && row.name.contains(&options.only));
    let file = tools::target_dir().join("bench").join(if options.quick { "quick.json" } else { "full.json" });
    let mut results = if options.resume { Results::read(&file) } else { Results::default() };
    results.machine = machine::facts(&subjects)?;

    println!("ceilings of this machine");
    let ceilings = ceilings::measure(&loads.kafka)?;
    for (name, value, unit) in &ceilings {
        println!("  {name:44} {value:12.1} {unit}");
    }
    results.ceilings = ceilings;
    for round in 0..options.rounds {
        for subject in &subjects {
            for durability in [Durability::Disk, Durability::PageCache] {
                let todo: Vec<&Row> = chosen
                    .iter()
                    .filter(|row| row.durability == durability && !results.has(row, &subject.name, round))
                    .collect();
                println!("round {}, {}, {}: {} rows", round + 1, subject.name, durability.text(), todo.len());
                subject.measure(&todo, durability, &loads, options.seconds, |row, metrics| {
                    let shown: Vec<String> =
                        metrics.iter().map(|(name, v)| format!("{name} {v:.2}")).collect();
                    println!(
                        "  {:44} {}  [{:.0} s]",
                        row.name,
                        shown.join(", "),
                        start.elapsed().as_secs_f64()
                    );
                    results.add(row, &subject.name, round, metrics);
                    results.write(&file)
                })?;
            }
        }
    }
    results.seconds = start.elapsed().as_secs_f64();
    results.left_out = left_out.iter().map(|row| row.name.clone()).collect();
    results.print();
    results.write(&file)?;
    if options.markdown {
        page::write(&results, options.quick)?;
    }
    Ok(())
}

fn subjects(options: &Options) -> Result<Vec<Subject>> {
    let headwater = match &options.binary {
        Some(binary) => Kind::Headwater(binary.clone()),
        None => Kind::build_headwater()?,
    };
    let mut subjects = vec![Subject::started("Headwater", headwater)];
    match tools::java(None)? {
        Ok(java) => subjects.push(Subject::started("Apache Kafka", Kind::Kafka(java.as_a_server()))),
        Err(missing) => println!("SKIPPED Apache Kafka: {missing}"),
    }
    subjects.extend(options.addresses.iter().map(|(name, address)| Subject::at_address(name, address)));
    Ok(subjects)
}

/// Touches memory, so that neither side pays for the first touch of pages that the machine has to find.
fn warm_memory() {
    let mut pages = vec![0_u8; 3 << 30];
    for page in pages.chunks_mut(4096) {
        page[0] = 1;
    }
    std::hint::black_box(&pages);
}

/// An empty folder for one broker's data.
fn data_folder(name: &str) -> Result<PathBuf> {
    interop::scratch(&format!("bench-{}", name.to_lowercase().replace(' ', "-")))
}

/// How long a broker may take to come up.
const START_PATIENCE: Duration = Duration::from_secs(120);

fn parse(arguments: Vec<String>) -> Result<Options> {
    let mut options = Options {
        quick: false,
        only: String::new(),
        rounds: 2,
        seconds: 0,
        binary: None,
        addresses: Vec::new(),
        markdown: false,
        resume: false,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Long("quick") => options.quick = true,
            lexopt::Arg::Long("only") => options.only = parser.value()?.string()?,
            lexopt::Arg::Long("rounds") => options.rounds = parser.value()?.parse()?,
            lexopt::Arg::Long("seconds") => options.seconds = parser.value()?.parse()?,
            lexopt::Arg::Long("binary") => options.binary = Some(PathBuf::from(parser.value()?)),
            lexopt::Arg::Long("address") => {
                let text = parser.value()?.string()?;
                let Some((name, address)) = text.split_once('=') else {
                    bail!("--address is NAME=HOST:PORT")
                };
                options.addresses.push((name.to_owned(), address.to_owned()));
            }
            lexopt::Arg::Long("markdown") => options.markdown = true,
            lexopt::Arg::Long("resume") => options.resume = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if options.seconds == 0 {
        options.seconds = if options.quick { 4 } else { 8 };
    }
    Ok(options)
}
