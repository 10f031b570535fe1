//! A topic's own settings.

use std::path::Path;

use crate::{ImportError, source::read_if_there};

/// How the segments of a topic count offsets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Backend {
    /// In bytes: a record's offset is where it begins.
    Segmented,
    /// In records.
    CommitLog,
}

/// What `topic.config` says; lines are `key=value`, and unknown keys are passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicSettings {
    /// `backend`, if it is said and known.
    pub backend: Option<Backend>,
    /// `cleanup_policy`: `delete`, or whatever else for compaction.
    pub cleanup_policy: Option<String>,
    /// `retention`, in seconds.
    pub retention_s: Option<f64>,
    /// `max_log_bytes` of a partition.
    pub max_log_bytes: Option<f64>,
    /// `max_segment_size`, in bytes.
    pub max_segment_size: Option<f64>,
}

impl TopicSettings {
    pub(super) fn read(path: &Path) -> Result<Self, ImportError> {
        let text = read_if_there(path)?.unwrap_or_default();
        Self::parse(&text).map_err(|line| ImportError::BadSettings { path: path.to_owned(), line })
    }

    /// Gives the number of the line that is no setting.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut settings = Self::default();
        for (line, text) in text.lines().enumerate() {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (key, value) = text.split_once('=').ok_or(line + 1)?;
            let value = value.trim();
            let number = || value.parse::<f64>().map(Some).map_err(|_| line + 1);
            match key.trim() {
                "backend" => settings.backend = backend(value),
                "cleanup_policy" => settings.cleanup_policy = Some(value.to_owned()),
                "retention" => settings.retention_s = number()?,
                "max_log_bytes" => settings.max_log_bytes = number()?,
                "max_segment_size" => settings.max_segment_size = number()?,
                _ => {}
            }
        }
        Ok(settings)
    }

    /// The same in Kafka's words: a topic config's name and value each.
    pub fn as_topic_configs(&self) -> Vec<(&'static str, String)> {
        let mut configs = Vec::new();
        let whole = |number: f64| format!("{:.0}", number.max(0.0));
        if let Some(policy) = &self.cleanup_policy {
            let policy = if policy == "delete" { "delete" } else { "compact" };
            configs.push(("cleanup.policy", policy.to_owned()));
        }
        if let Some(seconds) = self.retention_s {
            configs.push(("retention.ms", whole(seconds * 1000.0)));
        }
        if let Some(bytes) = self.max_log_bytes {
            configs.push(("retention.bytes", whole(bytes)));
        }
        if let Some(bytes) = self.max_segment_size {
            configs.push(("segment.bytes", whole(bytes)));
        }
        configs
    }
}

fn backend(name: &str) -> Option<Backend> {
    match name {
        "segmented" => Some(Backend::Segmented),
        "commitlog" => Some(Backend::CommitLog),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_settings_between_comments_and_blank_lines() {
        let text = "# made by hand\r\n\r\nbackend=commitlog\r\nretention = 86400\r\nfuture_key=x\ncleanup_policy=compact\n";
        let settings = TopicSettings::parse(text).expect("settings");
        let expected = TopicSettings {
            backend: Some(Backend::CommitLog),
            cleanup_policy: Some("compact".to_owned()),
            retention_s: Some(86_400.0),
            ..TopicSettings::default()
        };
        assert_eq!(settings, expected);
        let configs = settings.as_topic_configs();
        assert_eq!(
            configs,
            [("cleanup.policy", "compact".to_owned()), ("retention.ms", "86400000".to_owned())]
        );
    }

    #[test]
    fn tells_the_line_that_is_none() {
        assert_eq!(TopicSettings::parse("backend=segmented\nnonsense\n"), Err(2));
        assert_eq!(TopicSettings::parse("retention=soon\n"), Err(1));
    }
}
