//! The project's chores: `cargo xtask <verb>`. `cargo xtask help` lists them.

#![allow(clippy::print_stdout, reason = "printing is what these commands do")]

mod broker;
mod ci;
mod crash;
mod docs;
mod fuzz;
mod interop;
mod kafka_dir;
mod measure;
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
      --broker NAME      headwater (default) or kafka (Apache Kafka from its jars)
      --only PART        only scenarios whose name contains PART
      --count N          records a data scenario moves (100000)
      --markdown         also write docs/src/interop.md
  crash [--rounds N]     kill -9 under acks=all load; nothing acknowledged may be missing or twice
  kafka-dir [options]    our data directory under Apache Kafka, and back
      --kafka VERSION    a version beside the locked one; repeatable (4.0.0)
      --binary PATH      a broker binary that is there, instead of building one
  measure [--after-load] start time, memory and size of the release binary
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
        "interop" => interop::run(rest),
        "" | "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => bail!("no such verb: {other}\n\n{HELP}"),
    }
}
