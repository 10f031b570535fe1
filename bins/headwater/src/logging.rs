//! Logs go to standard error; `HEADWATER_LOG` says how much.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

/// Logs from now on. A filter that cannot be read is told, and `info` holds.
pub(crate) fn start() {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let (filter, problem) = match EnvFilter::builder().parse(&wanted) {
        Ok(filter) if !wanted.is_empty() => (filter, None),
        Ok(_) => (EnvFilter::new(DEFAULT), None),
        Err(error) => (EnvFilter::new(DEFAULT), Some(error)),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .init();
    if let Some(error) = problem {
        tracing::warn!(%error, "{VARIABLE} cannot be read; logging at {DEFAULT}");
    }
}

const VARIABLE: &str = "HEADWATER_LOG";
const DEFAULT: &str = "info";
