//! The project's chores: `cargo xtask <verb>`. `cargo xtask help` lists them.

#![allow(clippy::print_stdout, reason = "printing is what these commands do")]

mod bench;
mod broker;
mod ci;
mod crash;
mod docs;
mod fuzz;
mod interop;
mod kafka_dir;
mod measure;
mod semver;
mod tidy;
mod tools;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask <verb>

  ci                     everything CI checks: formatting, lints, tests, docs, tidy
  docs                   writes the pages that are generated from the code
  fuzz [target]          the fuzz targets, 60 s each (--seconds N)
  tidy                   what lints cannot check: file sizes, dependency arrows, stray words
  interop [options]      real clients and Kafka's own tools against the release binary
      --broker NAME      headwater (default), or Apache Kafka from its jars: kafka, kafka-4.4
      --binary PATH      a broker binary that is there, instead of building one
      --only PART        only scenarios whose client and name contain PART
      --count N          records a data scenario moves (100000)
      --iggy ADDRESS     the gateway over the Iggy server there instead, or over `double`
      --markdown         also write docs/src/interop.md, a column for each broker that was run
      --page             only write it, from what runs have kept
      --self-test        the suite on trial, with a faulty proxy before the broker
  bench [options]        the same load on Headwater and Apache Kafka in turn
      --quick            twelve rows in less than ten minutes
      --only PART        only rows whose name contains PART
      --rounds N         how often each side has its turn (2)
      --address NAME=H:P one more broker, which is already there; repeatable
      --resume           takes up the run that was broken off
      --markdown         also write docs/src/performance.md and its plots
  crash [--rounds N]     kill -9 under acks=all load; nothing acknowledged may be missing or twice
  kafka-dir [options]    our data directory under Apache Kafka, and back
      --kafka VERSION    a version beside the locked one; repeatable (4.0.0)
      --binary PATH      a broker binary that is there, instead of building one
  measure [--after-load] start time, memory and size of the release binary
  semver [revision]      what has changed in the public API of the codec since a revision (the newest release)
";

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let verb = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match verb.as_str() {
        "ci" => ci::run(),
        "tidy" => tidy::run(),
        "docs" => docs::run(),
        "fuzz" => fuzz::run(rest),
        "crash" => crash::run(rest),
        "kafka-dir" => kafka_dir::run(rest),
        "measure" => measure::run(rest),
        "semver" => semver::run(rest),
        "interop" => interop::run(rest),
        "bench" => bench::run(rest),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("no such verb: {other}\n\n{HELP}"),
    }
}
