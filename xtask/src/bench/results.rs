//! What was measured, kept in a file after each row, so that a run can be taken up again.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::Result;
use serde_json::{Value, json};

use super::rows::Row;

/// The figures of one row on one broker in one round.
pub(crate) type Metrics = Vec<(&'static str, f64)>;

/// Row, broker, metric: one figure a round.
type Figures = BTreeMap<String, BTreeMap<String, BTreeMap<String, BTreeMap<usize, f64>>>>;

/// All that a run has found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    figures: Figures,
    /// Rows in the order in which they first ran.
    pub(crate) order: Vec<String>,
    pub(crate) machine: Vec<(String, String)>,
    pub(crate) ceilings: Vec<(String, f64, String)>,
    pub(crate) left_out: Vec<String>,
    pub(crate) seconds: f64,
}

/// One metric of one row, on both sides.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) row: String,
    pub(crate) metric: String,
    /// Broker, median, least, greatest.
    pub(crate) sides: Vec<(String, f64, f64, f64)>,
}

impl Line {
    /// Headwater's median over Apache Kafka's.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let of =
            |name: &str| self.sides.iter().find(|(side, ..)| side == name).map(|(_, median, ..)| *median);
        let (ours, theirs) = (of("Headwater")?, of("Apache Kafka")?);
        (theirs > 0.0).then(|| ours / theirs)
    }

    /// Whether a ratio below one is good.
    pub(crate) fn less_is_better(&self) -> bool {
        !self.metric.ends_with("/s")
    }
}

impl Results {
    /// What a run before this one has kept; nothing when there is none.
    pub(crate) fn read(path: &Path) -> Self {
        let Ok(text) = fs::read_to_string(path) else { return Self::default() };
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        Self {
            figures: serde_json::from_value(json["figures"].clone()).unwrap_or_default(),
            order: serde_json::from_value(json["order"].clone()).unwrap_or_default(),
            ..Self::default()
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(
            path,
            serde_json::to_string_pretty(&json!({"figures": self.figures, "order": self.order}))?,
        )?;
        Ok(())
    }

    pub(crate) fn has(&self, row: &Row, broker: &str, round: usize) -> bool {
        self.figures
            .get(&row.name)
            .and_then(|sides| sides.get(broker))
            .is_some_and(|metrics| metrics.values().any(|rounds| rounds.contains_key(&round)))
    }

    pub(crate) fn add(&mut self, row: &Row, broker: &str, round: usize, metrics: &Metrics) {
        if !self.order.contains(&row.name) {
            self.order.push(row.name.clone());
        }
        let side = self.figures.entry(row.name.clone()).or_default().entry(broker.to_owned()).or_default();
        for (metric, value) in metrics {
            side.entry((*metric).to_owned()).or_default().insert(round, *value);
        }
    }

    /// Every metric of every row, medians over the rounds.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for row in &self.order {
            let Some(sides) = self.figures.get(row) else { continue };
            let mut metrics: Vec<&String> = sides.values().flat_map(BTreeMap::keys).collect();
            metrics.sort_unstable();
            metrics.dedup();
            for metric in metrics {
                // Headwater first, whatever the alphabet says.
                let mut found: Vec<_> = sides
                    .iter()
                    .filter_map(|(broker, all)| Some((broker.clone(), spread(all.get(metric)?))))
                    .map(|(broker, (median, least, most))| (broker, median, least, most))
                    .collect();
                found.sort_by_key(|(broker, ..)| broker != "Headwater");
                lines.push(Line { row: row.clone(), metric: metric.clone(), sides: found });
            }
        }
        lines
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        println!("\n{:52} {:12} medians (least to greatest), ratio", "row", "metric");
        for line in self.lines() {
            let sides: Vec<String> = line
                .sides
                .iter()
                .map(|(broker, median, least, most)| {
                    format!("{broker} {median:.2} ({least:.2} to {most:.2})")
                })
                .collect();
            let ratio = line.ratio().map_or(String::new(), |ratio| format!("ratio {ratio:.2}"));
            println!("{:52} {:12} {}  {ratio}", line.row, line.metric, sides.join("  "));
        }
        println!(
            "left out: {}",
            if self.left_out.is_empty() { "nothing".into() } else { self.left_out.join("; ") }
        );
        println!("bench: {} rows in {:.0} s", self.order.len(), self.seconds);
    }
}

fn spread(rounds: &BTreeMap<usize, f64>) -> (f64, f64, f64) {
    let mut values: Vec<f64> = rounds.values().copied().collect();
    values.sort_by(f64::total_cmp);
    let count = values.len();
    let median =
        if count % 2 == 1 { values[count / 2] } else { (values[count / 2 - 1] + values[count / 2]) / 2.0 };
    (median, values[0], values[count - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_two_rounds_lies_between_them() {
        let rounds = BTreeMap::from([(0, 10.0), (1, 20.0)]);
        assert_eq!(spread(&rounds), (15.0, 10.0, 20.0));
    }
}
