//! The reference of every key, as a page of the book.

use std::fmt::Write;

use super::{
    ignored::{FAMILIES, IGNORED},
    key::{ConfigKey, Effect},
    settings::{COMPOSED, SETTINGS},
};
use crate::topic_config::TOPIC_KEYS;

/// The configuration reference in Markdown, made from the tables that the broker itself uses.
pub fn config_reference() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("\n## Broker keys\n\n| key | type | default | meaning |\n|---|---|---|---|\n");
    let mut broker: Vec<&ConfigKey> = SETTINGS.iter().chain(COMPOSED).collect();
    broker.sort_by_key(|key| key.name);
    for key in broker {
        row(&mut page, key, &[]);
    }
    page.push_str(TOPICS);
    page.push_str("| config | type | default | broker key | meaning |\n|---|---|---|---|---|\n");
    for topic in TOPIC_KEYS {
        let names: Vec<&str> = topic.synonyms.iter().map(|synonym| synonym.name).collect();
        row(&mut page, &topic.key, &[names]);
    }
    page.push_str(WITHOUT_EFFECT);
    for (reason, names) in by_reason() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "- {reason} {}", names.join(", "));
    }
    page
}

/// One line of a table; `columns` stand between default and meaning.
fn row(page: &mut String, key: &ConfigKey, columns: &[Vec<&str>]) {
    let default = match key.default {
        None => "none".to_owned(),
        Some("") => "empty".to_owned(),
        Some(default) => format!("`{default}`"),
    };
    let _ = write!(page, "| `{}` | {} | {default} |", key.name, key.kind.name());
    for names in columns {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(page, " {} |", names.join(", "));
    }
    let _ = writeln!(page, " {} |", key.documentation());
}

/// The keys without effect, gathered by reason in the order in which the reasons first appear.
fn by_reason() -> Vec<(&'static str, Vec<String>)> {
    let mut reasons: Vec<(&'static str, Vec<String>)> = Vec::new();
    let mut add =
        |reason: &'static str, name: String| match reasons.iter_mut().find(|(text, _)| *text == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        };
    for key in IGNORED.iter().copied().flatten() {
        if let Effect::Ignored(reason) = key.effect {
            add(reason.text, key.name.to_owned());
        }
    }
    for (prefix, reason) in FAMILIES {
        add(reason.text, format!("{prefix}*"));
    }
    reasons
}

const INTRODUCTION: &str = "\
# Configuration

<!-- Made from the tables in the broker; `cargo xtask docs` writes it again. -->

No configuration is needed: `headwater` alone listens on 127.0.0.1:9092 and keeps its data under `./data`. Keys are
Kafka's, so a `server.properties` can be used as it is. A key is looked for in three places, the later ones winning:

1. the file given with `--config`, in Java's `.properties` syntax;
2. the environment: `KAFKA_LOG_RETENTION_MS` is `log.retention.ms`; `_` stands for a dot, `__` for an underscore, `___`
   for a dash. Variables of Kafka's launch scripts (`KAFKA_HEAP_OPTS` and the like) are left alone;
3. `--set KEY=VALUE`, as often as needed.

A key that nobody knows is a warning in the file, and an error in the environment or on `--set`; both name the known key
that is spelt most like it. Replication factors above 1 mean 1, with one warning. How much is logged is decided by the
environment variable `HEADWATER_LOG` (`info` by default, `debug`, `headwater_broker=debug`, ...).
";

const TOPICS: &str = "
## Topic configs, and the broker keys that give their defaults

A topic's own value wins over the broker's, which can be changed for the whole cluster while it runs
(`kafka-configs --entity-type brokers --entity-default --alter`).

";

const WITHOUT_EFFECT: &str = "
## Keys of Kafka without effect

They are accepted, so that a `server.properties` can be used as it is, and do nothing:

";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_every_known_key() {
        let page = config_reference();
        for name in super::super::known::keys().keys() {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
