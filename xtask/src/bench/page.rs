//! The page of the docs with tables and plots. It holds no figure that the run did not produce.

use std::fmt::Write;

use anyhow::Result;

use super::{
    plots,
    results::{Line, Results},
};
use crate::tools;

/// Writes `docs/src/performance.md` and its plots.
pub(crate) fn write(results: &Results, quick: bool) -> Result<()> {
    let folder = tools::root().join("docs/src");
    let lines = results.lines();
    let mut text = String::from(
        "# Performance\n\nWritten by `cargo xtask bench --markdown`: the same load on Headwater and on Apache Kafka, in turn\n\
         (A B A B), on one machine, with one client and the same durability on both sides. Figures are medians over the\n\
         rounds, with the least and the greatest behind them. The ratio is Headwater's median over Apache Kafka's: for\n\
         rates more is better, for everything else less is.\n\n\
         The load and the broker share the machine's cores, so a throughput here is that of both together; the broker's\n\
         own cost is its processor seconds per GB.\n",
    );
    writeln!(
        text,
        "\nRerun: `cargo xtask bench{} --markdown`. This run: {} rows in {:.0} s.",
        if quick { " --quick" } else { "" },
        results.order.len(),
        results.seconds
    )?;
    text.push_str("\n## Where we lose\n\n");
    let losses: Vec<&Line> = lines.iter().filter(|line| lost(line)).collect();
    if losses.is_empty() {
        text.push_str("Nowhere in this run.\n");
    }
    for line in losses {
        writeln!(text, "- {}: {}, ratio {:.2}", line.row, line.metric, line.ratio().unwrap_or_default())?;
    }
    for (title, file, metric) in [
        ("Throughput", "performance-throughput.svg", "MB/s"),
        ("Broker's processor time", "performance-cpu.svg", "CPU s/GB"),
        ("Latency, 99 of 100 below", "performance-latency.svg", "p99 ms"),
    ] {
        let shown: Vec<&Line> = lines.iter().filter(|line| line.metric == metric).collect();
        if !shown.is_empty() {
            plots::bars(&folder.join(file), title, metric, &shown)?;
            writeln!(text, "\n![{title}, {metric}]({file})")?;
        }
    }
    table(&mut text, &lines)?;
    text.push_str("\n## Ceilings\n\nWhat this machine can do at most, measured in the same run.\n\n");
    text.push_str("| | figure | unit |\n|---|---:|---|\n");
    for (name, figure, unit) in &results.ceilings {
        writeln!(text, "| {name} | {figure:.0} | {unit} |")?;
    }
    from_the_ceilings(&mut text, results, &lines)?;
    text.push_str("\n## Machine, versions, configuration\n\n| | |\n|---|---|\n");
    for (name, value) in &results.machine {
        writeln!(text, "| {name} | {value} |")?;
    }
    text.push_str(
        "\nApache Kafka runs with the flags of its own start script (`-Xmx1G -Xms1G -XX:+UseG1GC ...`).\n",
    );
    if !results.left_out.is_empty() {
        writeln!(text, "\n## Left out\n\n{}.", results.left_out.join("; "))?;
    }
    std::fs::write(folder.join("performance.md"), text)?;
    Ok(())
}

/// By more than five in a hundred: less is noise on a machine that is shared.
fn lost(line: &Line) -> bool {
    line.ratio().is_some_and(|ratio| if line.less_is_better() { ratio > 1.05 } else { ratio < 0.95 })
}

fn table(text: &mut String, lines: &[Line]) -> Result<()> {
    text.push_str(
        "\n## All rows\n\n| row | metric | Headwater | Apache Kafka | ratio |\n|---|---|---:|---:|---:|\n",
    );
    for line in lines {
        let side = |name: &str| {
            line.sides.iter().find(|(side, ..)| side == name).map_or_else(
                || "-".to_owned(),
                |(_, median, least, most)| {
                    format!("{} ({} to {})", short(*median), short(*least), short(*most))
                },
            )
        };
        let ratio = line.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let (ours, theirs) = (side("Headwater"), side("Apache Kafka"));
        writeln!(text, "| {} | {} | {ours} | {theirs} | {ratio} |", line.row, line.metric)?;
    }
    Ok(())
}

/// How much of what the machine can do the best row reaches.
fn from_the_ceilings(text: &mut String, results: &Results, lines: &[Line]) -> Result<()> {
    let best = |start: &str| {
        lines
            .iter()
            .filter(|line| line.row.starts_with(start) && line.row.contains("none") && line.metric == "MB/s")
            .filter_map(|line| {
                line.sides.iter().find(|(side, ..)| side == "Headwater").map(|s| (s.1, &line.row))
            })
            .max_by(|one, other| one.0.total_cmp(&other.0))
    };
    let ceiling =
        |start: &str| results.ceilings.iter().find(|(name, ..)| name.starts_with(start)).map(|c| c.1);
    text.push('\n');
    for (what, bound) in [("produce", "write to the page cache"), ("consume", "loopback with sendfile")] {
        if let (Some((rate, row)), Some(bound_rate)) = (best(what), ceiling(bound)) {
            let percent = rate / bound_rate * 100.0;
            writeln!(text, "- Headwater's best `{what}` ({row}) is {percent:.0} % of \"{bound}\".")?;
        }
    }
    Ok(())
}

fn short(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
