//! What a configuration has to say about itself.

use super::{
    ignored::REPLICATION_FACTORS,
    key::{Effect, NoticeLevel},
    known,
    values::Values,
};

/// One remark about the configuration, to be logged once logging is on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Notice {
    /// How much it matters.
    pub level: NoticeLevel,
    /// The remark.
    pub text: String,
}

impl Notice {
    /// A warning.
    pub(super) fn warn(text: String) -> Self {
        Self { level: NoticeLevel::Warn, text }
    }

    /// Logs the remark at its level.
    pub(super) fn log(&self) {
        match self.level {
            NoticeLevel::Debug => tracing::debug!("{}", self.text),
            NoticeLevel::Info => tracing::info!("{}", self.text),
            NoticeLevel::Warn => tracing::warn!("{}", self.text),
        }
    }
}

/// Says of each key that was set and does nothing why, and once that replication factors mean 1.
pub(super) fn about(values: &Values) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut factors = Vec::new();
    for (name, value, _) in values.iter() {
        if REPLICATION_FACTORS.contains(&name) {
            if value.trim().parse::<i64>().is_ok_and(|factor| factor > 1) {
                factors.push(format!("{name}={value}"));
            }
            continue;
        }
        let reason = match known::key(name).map(|key| key.effect) {
            Some(Effect::Works { .. }) => None,
            Some(Effect::Ignored(reason)) => Some(reason),
            None => known::family(name),
        };
        if let Some(reason) = reason {
            notices
                .push(Notice { level: reason.level, text: format!("{name} has no effect: {}", reason.text) });
        }
    }
    if !factors.is_empty() {
        let text = format!("replication factors above 1 mean 1 on a single node: {}", factors.join(", "));
        notices.push(Notice::warn(text));
    }
    notices
}
