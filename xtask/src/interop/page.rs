//! The page of the docs: a column for each broker against which the suite was run, from what the runs kept.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

use anyhow::{Context, Result};
use serde_json::Value;

use super::every_tool;
use crate::tools;

/// The files in which runs keep their rows, in the order of the columns.
pub(crate) const RESULTS: [&str; 3] =
    ["interop-headwater.json", "interop-kafka.json", "interop-kafka-4.4.json"];

/// Writes the page.
pub(crate) fn write(path: &Path) -> Result<()> {
    let mut runs: Vec<Value> = Vec::new();
    for name in RESULTS {
        if let Ok(text) = fs::read_to_string(tools::cache().join(name)) {
            runs.push(serde_json::from_str(&text)?);
        }
    }
    let mut text = String::from(
        "# Clients\n\nWritten by `cargo xtask interop --markdown`: what each client did against each broker. Every\n\
         scenario is the same for all clients and all brokers; one that Apache Kafka fails is a faulty scenario.\n",
    );
    clients(&mut text, &runs)?;
    table(&mut text, &runs)?;
    pending(&mut text, &runs)?;
    text.push_str(
        "\n## Kafka's command-line tools that the suite does not run\n\n| tool | reason |\n|---|---|\n",
    );
    for (tool, reason) in every_tool::listed() {
        writeln!(text, "| `{tool}` | {reason} |")?;
    }
    fs::write(path, text)?;
    Ok(())
}

fn clients(text: &mut String, runs: &[Value]) -> Result<()> {
    text.push_str("\n## Versions\n\n| client | version |\n|---|---|\n");
    let first = runs.first().context("no run has kept its rows")?;
    for client in first["clients"].as_array().into_iter().flatten() {
        let (name, version) = (word(&client[0]), word(&client[1]));
        let what = if name == "java" { "java: clients, Streams, and the tools of `console`" } else { &name };
        writeln!(text, "| {what} | {version} |")?;
    }
    writeln!(text, "| kcat | {} |", tools::kcat_version())?;
    Ok(())
}

fn table(text: &mut String, runs: &[Value]) -> Result<()> {
    text.push_str("\n## Results\n\n| client | scenario |");
    for run in runs {
        write!(text, " {} |", word(&run["title"]))?;
    }
    text.push_str(" the client cannot say |\n|---|---|");
    text.push_str(&"---|".repeat(runs.len() + 1));
    text.push('\n');
    let mut order: Vec<(String, String)> = Vec::new();
    let mut cells: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut notes: BTreeMap<(String, String), String> = BTreeMap::new();
    for (column, run) in runs.iter().enumerate() {
        for row in run["rows"].as_array().into_iter().flatten() {
            let key = (word(&row["client"]), word(&row["scenario"]));
            let row_cells = cells.entry(key.clone()).or_insert_with(|| {
                order.push(key.clone());
                vec![String::from("not run"); runs.len()]
            });
            row_cells[column] = word(&row["result"]);
            if row["result"] == "passed" && row["note"] != "" {
                notes.insert(key, word(&row["note"]));
            }
        }
    }
    for key in order {
        let (client, scenario) = &key;
        let note = notes.get(&key).map(String::as_str).unwrap_or_default();
        writeln!(text, "| {client} | {scenario} | {} | {note} |", cells[&key].join(" | "))?;
    }
    Ok(())
}

fn pending(text: &mut String, runs: &[Value]) -> Result<()> {
    text.push_str("\n## Pending\n\nThese run and must fail, until what they need is built.\n\n");
    text.push_str("| client | scenario | reason |\n|---|---|---|\n");
    for row in runs.iter().flat_map(|run| run["rows"].as_array().into_iter().flatten()) {
        if row["result"] == "pending" {
            writeln!(
                text,
                "| {} | {} | {} |",
                word(&row["client"]),
                word(&row["scenario"]),
                word(&row["note"])
            )?;
        }
    }
    Ok(())
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
