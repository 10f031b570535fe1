//! What the scenarios gave, as a table on the terminal and, by broker, in a file from which the docs are written.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Result;
use serde_json::json;

use super::pending;
use crate::tools::Missing;

/// How a scenario ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    Passed,
    /// Passed, and the client cannot say all of it.
    PassedWithout(String),
    Failed(String),
    /// Failed, as it must until what it needs is built.
    Pending(String),
    Skipped(String),
}

/// All rows, in the order in which they ran.
#[derive(Debug)]
pub(crate) struct Report {
    rows: Vec<(String, String, Outcome)>,
    marks: Marks,
    last: Instant,
}

/// Whether a scenario may be pending.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Marks {
    /// As the list of pending scenarios says.
    Apply,
    /// Never: the broker is Apache Kafka, which has everything.
    DoNotApply,
}

impl Report {
    pub(crate) fn new(marks: Marks) -> Self {
        Self { rows: Vec::new(), marks, last: Instant::now() }
    }

    /// Adds a row and prints it at once, so that a long run shows its progress.
    ///
    /// A pending scenario that fails is pending; one that passes has a mark that must go, which is a failure.
    pub(crate) fn add(&mut self, client: &str, scenario: &str, outcome: Outcome) {
        let outcome = match self.mark(client, scenario) {
            None => outcome,
            Some(reason) => match outcome {
                Outcome::Failed(why) => {
                    println!("    {}", why.lines().last().unwrap_or_default());
                    Outcome::Pending(reason.to_owned())
                }
                Outcome::Passed | Outcome::PassedWithout(_) => Outcome::Failed(format!(
                    "it passes: remove its mark from the pending scenarios ({reason})"
                )),
                other => other,
            },
        };
        let text = match &outcome {
            Outcome::Passed => "pass".to_owned(),
            Outcome::PassedWithout(what) => format!("pass, without {what}"),
            Outcome::Failed(why) => format!("FAIL {why}"),
            Outcome::Pending(why) => format!("pending: {why}"),
            Outcome::Skipped(why) => format!("SKIPPED: {why}"),
        };
        let seconds = self.last.elapsed().as_secs_f64();
        println!("{client:16} {scenario:32} {seconds:5.1} s  {text}");
        self.last = Instant::now();
        self.rows.push((client.to_owned(), scenario.to_owned(), outcome));
    }

    /// Adds a row from a result.
    pub(crate) fn check(&mut self, client: &str, scenario: &str, result: Result<()>) {
        self.outcome(client, scenario, result.map(|()| Outcome::Passed));
    }

    /// Adds a row from a result that says how it passed.
    pub(crate) fn outcome(&mut self, client: &str, scenario: &str, result: Result<Outcome>) {
        self.add(client, scenario, result.unwrap_or_else(|e| Outcome::Failed(format!("{e:#}"))));
    }

    /// Adds a loud row for a toolchain that is not here.
    pub(crate) fn missing(&mut self, client: &str, missing: &Missing) {
        self.add(client, "all", Outcome::Skipped(missing.to_string()));
    }

    /// Why this scenario may fail, if it may.
    pub(crate) fn mark(&self, client: &str, scenario: &str) -> Option<&'static str> {
        (self.marks == Marks::Apply).then(|| pending::reason(client, scenario)).flatten()
    }

    /// How long a scenario may take: a pending one is not waited for as long as one that should pass.
    pub(crate) fn patience(&self, client: &str, scenario: &str) -> Duration {
        Duration::from_secs(if self.mark(client, scenario).is_some() { 20 } else { 120 })
    }

    /// How many scenarios failed.
    pub(crate) fn failed(&self) -> usize {
        self.count(|o| matches!(o, Outcome::Failed(_)))
    }

    /// How many scenarios passed.
    pub(crate) fn passed(&self) -> usize {
        self.count(|o| matches!(o, Outcome::Passed | Outcome::PassedWithout(_)))
    }

    /// Prints what failed once more, and the last line.
    pub(crate) fn print(&self) {
        for (client, scenario, outcome) in &self.rows {
            if let Outcome::Failed(why) = outcome {
                println!("failed: {client}: {scenario}: {}", why.lines().next().unwrap_or_default());
            }
        }
        println!(
            "interop: {} passed, {} failed, {} pending, {} skipped",
            self.passed(),
            self.failed(),
            self.count(|o| matches!(o, Outcome::Pending(_))),
            self.count(|o| matches!(o, Outcome::Skipped(_)))
        );
    }

    /// Keeps the rows for the page of the docs, which has a column for each broker.
    pub(crate) fn write_json(&self, path: &Path, title: &str, clients: &[(String, String)]) -> Result<()> {
        let rows: Vec<_> = self
            .rows
            .iter()
            .map(|(client, scenario, outcome)| {
                let (result, note) = match outcome {
                    Outcome::Passed => ("passed", ""),
                    Outcome::PassedWithout(what) => ("passed", what.as_str()),
                    Outcome::Failed(_) => ("**failed**", ""),
                    Outcome::Pending(why) => ("pending", why.as_str()),
                    Outcome::Skipped(why) => ("skipped", why.as_str()),
                };
                json!({"client": client, "scenario": scenario, "result": result, "note": note})
            })
            .collect();
        let text = serde_json::to_string_pretty(&json!({"title": title, "rows": rows, "clients": clients}))?;
        fs::write(path, text)?;
        Ok(())
    }

    fn count(&self, wanted: impl Fn(&Outcome) -> bool) -> usize {
        self.rows.iter().filter(|(_, _, outcome)| wanted(outcome)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(report: &Report) -> &Outcome {
        &report.rows[0].2
    }

    #[test]
    fn a_pending_scenario_that_fails_is_pending_and_one_that_passes_fails() {
        let mut report = Report::new(Marks::Apply);
        report.add("java", "transactions", Outcome::Failed("no such API".into()));
        assert!(matches!(only(&report), Outcome::Pending(_)), "{report:?}");
        let mut report = Report::new(Marks::Apply);
        report.add("java", "transactions", Outcome::Passed);
        assert_eq!(report.failed(), 1, "{report:?}");
    }

    #[test]
    fn nothing_is_pending_against_apache_kafka() {
        let mut report = Report::new(Marks::DoNotApply);
        report.add("java", "transactions", Outcome::Failed("no such API".into()));
        assert_eq!(report.failed(), 1, "{report:?}");
    }
}
