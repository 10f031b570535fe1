//! `headwater import-native`: a bar while it works, a summary at the end.

use std::{
    error::Error,
    fmt::{self, Write},
    time::{SystemTime, UNIX_EPOCH},
};

use headwater_import::{Damage, ImportOptions, Progress, Scan, Summary, TopicSummary, import};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{arguments::ImportNative, ready};

/// Imports, and prints what was imported.
pub(crate) fn run(arguments: &ImportNative) -> Result<(), Box<dyn Error>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let options = ImportOptions {
        bootstrap_server: (!arguments.dry_run).then(|| arguments.bootstrap_server.clone()),
        topics: arguments.topics.clone(),
        record_format: arguments.record_format.clone(),
        now_ms: i64::try_from(now.as_millis())?,
    };
    let mut bar = Bar::new()?;
    let summary = import(&arguments.source, &options, &mut bar);
    bar.bar.finish_and_clear();
    let mut text = String::new();
    describe(&summary?, arguments.dry_run, &mut text)?;
    Ok(ready::print(text.trim_end())?)
}

/// Shows one partition at a time, on a terminal only.
struct Bar {
    bar: ProgressBar,
    counting: ProgressStyle,
    scanning: ProgressStyle,
}

impl Bar {
    fn new() -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            bar: ProgressBar::no_length(),
            counting: ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} records, {per_sec}")?,
            scanning: ProgressStyle::with_template("{msg} {spinner}")?,
        })
    }
}

impl Progress for Bar {
    fn scanning(&mut self, topic: &str, partition: usize, bytes: u64) {
        self.bar.set_style(self.scanning.clone());
        self.bar.set_message(format!("{topic}-{partition}: reading {} MiB", bytes >> 20));
        self.bar.tick();
    }

    fn copying(&mut self, topic: &str, partition: usize, records: u64, present: u64) {
        self.bar.reset();
        self.bar.set_style(self.counting.clone());
        self.bar.set_message(format!("{topic}-{partition}"));
        self.bar.set_length(records);
        self.bar.set_position(present);
    }

    fn copied(&mut self, records: u64) {
        self.bar.inc(records);
    }
}

fn describe(summary: &Summary, dry_run: bool, text: &mut String) -> fmt::Result {
    for topic in &summary.topics {
        describe_topic(topic, dry_run, text)?;
    }
    if !summary.internal.is_empty() {
        writeln!(text, "not imported as topics: {}", summary.internal.join(", "))?;
    }
    Ok(())
}

fn describe_topic(topic: &TopicSummary, dry_run: bool, text: &mut String) -> fmt::Result {
    let found = topic.found;
    write!(text, "{}: {} partitions, {} records", topic.name, topic.partitions, found.importable)?;
    if !dry_run {
        write!(text, ", {} copied, {} there before", topic.copied, topic.present)?;
    }
    writeln!(text)?;
    for (count, what) in [
        (topic.positions, "positions of groups set"),
        (found.control, "control records left out"),
        (found.aborted, "records of aborted transactions left out"),
        (
            found.unfinished,
            "records of transactions without an end left out; if they should count, start and stop the other broker once, which ends them",
        ),
        (topic.damage_count, "damaged places passed over"),
    ] {
        if count > 0 {
            writeln!(text, "  {count} {what}")?;
        }
    }
    for damage in &topic.damages {
        describe_damage(damage, text)?;
    }
    if topic.damage_count > topic.damages.len() as u64 {
        writeln!(text, "    and more; {} of a partition are listed", Scan::DAMAGES_KEPT)?;
    }
    let settings = topic.settings.as_topic_configs();
    if !settings.is_empty() {
        let settings: Vec<_> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        writeln!(text, "  settings there, not taken over: {}", settings.join(" "))?;
    }
    Ok(())
}

fn describe_damage(damage: &Damage, text: &mut String) -> fmt::Result {
    let what = if damage.is_tail { "the rest" } else { "then sound records again" };
    let path = damage.path.display();
    writeln!(text, "    {path}, byte {}: {} ({} bytes, {what})", damage.at, damage.error, damage.bytes)
}
