//! What the scenarios gave, as a table on the terminal and in the docs.

use std::{fmt::Write, fs, path::Path};

use anyhow::Result;

use crate::tools::Missing;

/// How a scenario ended.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Passed,
    /// Passed, and the client cannot say all of it.
    PassedWithout(String),
    Failed(String),
    Skipped(String),
}

/// All rows, in the order in which they ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    rows: Vec<(String, String, Outcome)>,
}

impl Report {
    /// Adds a row and prints it at once, so that a long run shows its progress.
    pub(crate) fn add(&mut self, client: &str, scenario: &str, outcome: Outcome) {
        let text = match &outcome {
            Outcome::Passed => "pass".to_owned(),
            Outcome::PassedWithout(what) => format!("pass, without {what}"),
            Outcome::Failed(why) => format!("FAIL {why}"),
            Outcome::Skipped(why) => format!("SKIPPED: {why}"),
        };
        println!("{client:14} {scenario:32} {text}");
        self.rows.push((client.to_owned(), scenario.to_owned(), outcome));
    }

    /// Adds a row from a result.
    pub(crate) fn check(&mut self, client: &str, scenario: &str, result: Result<()>) {
        let outcome = result.map_or_else(|e| Outcome::Failed(format!("{e:#}")), |()| Outcome::Passed);
        self.add(client, scenario, outcome);
    }

    /// Adds a loud row for a toolchain that is not here.
    pub(crate) fn missing(&mut self, client: &str, missing: &Missing) {
        self.add(client, "all", Outcome::Skipped(missing.to_string()));
    }

    /// How many scenarios failed.
    pub(crate) fn failed(&self) -> usize {
        self.count(|o| matches!(o, Outcome::Failed(_)))
    }

    /// Prints the last line.
    pub(crate) fn print(&self) {
        println!(
            "interop: {} passed, {} failed, 0 pending, {} skipped",
            self.count(|o| matches!(o, Outcome::Passed | Outcome::PassedWithout(_))),
            self.failed(),
            self.count(|o| matches!(o, Outcome::Skipped(_)))
        );
    }

    /// Writes the table as a page of the docs.
    pub(crate) fn write_markdown(&self, path: &Path) -> Result<()> {
        let mut text = String::from(
            "# Clients\n\nWritten by `cargo xtask interop --markdown`: what each client did against this broker.\n\n\
             | client | scenario | result |\n|---|---|---|\n",
        );
        for (client, scenario, outcome) in &self.rows {
            let result = match outcome {
                Outcome::Passed => "passed".to_owned(),
                Outcome::PassedWithout(what) => format!("passed; the client cannot say: {what}"),
                Outcome::Failed(_) => "failed".to_owned(),
                Outcome::Skipped(why) => format!("skipped: {why}"),
            };
            writeln!(text, "| {client} | {scenario} | {result} |")?;
        }
        fs::write(path, text)?;
        Ok(())
    }

    fn count(&self, wanted: impl Fn(&Outcome) -> bool) -> usize {
        self.rows.iter().filter(|(_, _, outcome)| wanted(outcome)).count()
    }
}
