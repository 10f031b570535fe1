//! The broker's configuration: Kafka's names and defaults, typed.
//!
//! Settings come from a `.properties` file, from the environment and from arguments, each stronger than the one before
//! ([`ConfigBuilder`]). Every key that Kafka knows is known here: it works, or it is accepted and says why it does
//! nothing (`config/ignored.rs`). Topic defaults (`log.retention.ms` and the like) stand in the table of topic configs.

mod builder;
pub(crate) mod entries;
mod env;
pub(crate) mod error;
mod ignored;
mod jaas;
pub(crate) mod key;
pub(crate) mod known;
mod listener;
mod native_dirs;
mod notice;
mod properties;
mod reference;
mod sasl;
mod setting;
mod settings;
mod values;

use std::{ops::Deref, path::PathBuf};

use headwater_security::QuotaKind;
use headwater_storage::{QuotaEntity, uuid_from_text};

pub use builder::ConfigBuilder;
pub use error::{ConfigError, Origin};
pub(crate) use key::ConfigType;
pub use key::NoticeLevel;
pub use listener::{HostPort, Listener};
pub use notice::Notice;
pub use reference::config_reference;
pub use sasl::SaslListener;
pub use settings::Settings;

use self::{key::split_list, values::Values};
use crate::{native, quotas, topic_config};

/// A broker's configuration, judged as a whole. Settings with one value of their own are those of [`Settings`].
///
/// ```
/// use headwater_broker::Config;
///
/// let config = Config::builder().properties("num.partitions=3").set("log.dirs=/srv/a,/srv/b").build()?;
/// assert_eq!(config.num_partitions, 3);
/// assert_eq!(config.log_dirs.len(), 2);
/// # Ok::<(), headwater_broker::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    settings: Settings,
    /// Where clients connect; at least one.
    pub listeners: Vec<Listener>,
    /// Quotas that hold unless the metadata has others: whom for, which, how much.
    pub(crate) client_quotas: Vec<(QuotaEntity, QuotaKind, f64)>,
    /// Where clients of the native protocol connect; none turns it off.
    pub native_listeners: Vec<Listener>,
    /// Where partitions are kept; at least one.
    pub log_dirs: Vec<PathBuf>,
    /// Where native topics are kept; at least one, outside of `log_dirs`. Made with the first native topic.
    pub native_dirs: Vec<PathBuf>,
    values: Values,
    notices: Vec<Notice>,
}

impl Config {
    /// Starts from Kafka's defaults, but for `listeners` (`127.0.0.1:9092`) and `log.dirs` (`./data`).
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    /// Whether somebody set `key`, and did not leave it to its default.
    pub fn is_set(&self, key: &str) -> bool {
        self.values.get(key).is_some()
    }

    /// The text that `key` was set to.
    pub(crate) fn set_value(&self, key: &str) -> Option<&str> {
        self.values.get(key)
    }

    /// What there is to say about the configuration, in order of importance.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Logs every notice at its level.
    pub fn log_notices(&self) {
        self.notices.iter().for_each(Notice::log);
    }

    /// Types and cross-checks what was set.
    fn assemble(values: Values, mut notices: Vec<Notice>) -> Result<Self, ConfigError> {
        let mut settings = Settings::read(&values)?;
        settings.node_id = node_id(&values, settings.node_id)?;
        // The default bound on queued bytes gives way to one large request; a bound that was set does not.
        if values.get("queued.max.request.bytes").is_none() {
            let request_max = settings.socket_request_max_bytes as u64;
            settings.queued_max_request_bytes =
                settings.queued_max_request_bytes.map(|bytes| bytes.max(request_max));
        }
        check_pairs(&settings)?;
        check_cluster_id(&settings)?;
        let listeners = listener::listeners(&values)?;
        let native_listeners = native_listeners(&settings)?;
        check_dlq_suffix(&settings)?;
        let log_dirs = log_dirs(&values)?;
        let native_dirs = native_dirs::native_dirs(&values, &log_dirs)?;
        let client_quotas = client_quotas(&values)?;
        notices.extend(notice::about(&values));
        notices.sort_by_key(|notice| std::cmp::Reverse(notice.level));
        let config = Self {
            settings,
            listeners,
            native_listeners,
            client_quotas,
            log_dirs,
            native_dirs,
            values,
            notices,
        };
        topic_config::check_defaults(&config)?;
        Ok(config)
    }
}

impl Deref for Config {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

/// `broker.id` is an older name of `node.id`; both at once must agree. -1 leaves the choice to us.
fn node_id(values: &Values, node_id: Option<i32>) -> Result<Option<i32>, ConfigError> {
    let Some(text) = values.get("broker.id") else { return Ok(node_id) };
    let broker_id: i32 = text.trim().parse().map_err(|_| ConfigError::InvalidValue {
        key: "broker.id".to_owned(),
        value: text.to_owned(),
        expected: "an integer".to_owned(),
    })?;
    match node_id {
        Some(node_id) if broker_id >= 0 && broker_id != node_id => Err(ConfigError::Contradiction {
            first: "broker.id",
            first_value: broker_id.to_string(),
            second: "node.id",
            second_value: node_id.to_string(),
        }),
        None if broker_id >= 0 => Ok(Some(broker_id)),
        other => Ok(other),
    }
}

/// `log.dirs`, else `log.dir`, else `./data`.
fn log_dirs(values: &Values) -> Result<Vec<PathBuf>, ConfigError> {
    let (key, text) = match (values.get("log.dirs"), values.get("log.dir")) {
        (Some(text), _) => ("log.dirs", text),
        (None, Some(text)) => ("log.dir", text),
        (None, None) => ("log.dir", DEFAULT_LOG_DIR),
    };
    let dirs: Vec<PathBuf> =
        split_list(text).into_iter().filter(|dir| !dir.is_empty()).map(PathBuf::from).collect();
    if dirs.is_empty() {
        let (key, value) = (key.to_owned(), text.to_owned());
        return Err(ConfigError::InvalidValue { key, value, expected: "at least one directory".to_owned() });
    }
    Ok(dirs)
}

/// `native.listeners`.
fn native_listeners(settings: &Settings) -> Result<Vec<Listener>, ConfigError> {
    let Some(text) = &settings.native_listeners_text else { return Ok(Vec::new()) };
    native::parse_listeners(text).ok_or_else(|| ConfigError::InvalidValue {
        key: "native.listeners".to_owned(),
        value: text.clone(),
        expected: "host:port or NAME://host:port, separated by commas".to_owned(),
    })
}

/// The names of dead-letter topics have to be names of topics.
fn check_dlq_suffix(settings: &Settings) -> Result<(), ConfigError> {
    let suffix = &settings.headwater_dlq_suffix;
    if !suffix.is_empty() && topic_config::TopicNameRules::check(suffix.trim_start_matches('.')).is_ok() {
        return Ok(());
    }
    Err(ConfigError::InvalidValue {
        key: "headwater.dlq.suffix".to_owned(),
        value: suffix.clone(),
        expected: "an ending that topic names may have".to_owned(),
    })
}

/// `headwater.client.quotas`.
fn client_quotas(values: &Values) -> Result<Vec<(QuotaEntity, QuotaKind, f64)>, ConfigError> {
    let text = values.get(CLIENT_QUOTAS).unwrap_or_default();
    quotas::parse_configured(text).map_err(|expected| ConfigError::InvalidValue {
        key: CLIENT_QUOTAS.to_owned(),
        value: text.to_owned(),
        expected,
    })
}

/// The form in which Kafka's own storage tool makes cluster ids, and the only one that it takes.
fn check_cluster_id(settings: &Settings) -> Result<(), ConfigError> {
    match &settings.cluster_id {
        Some(id) if uuid_from_text(id).is_none() => Err(ConfigError::InvalidValue {
            key: "cluster.id".to_owned(),
            value: id.clone(),
            expected: "22 characters of base64url".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Settings that bound each other.
fn check_pairs(settings: &Settings) -> Result<(), ConfigError> {
    if settings.group_min_session_timeout_ms > settings.group_max_session_timeout_ms {
        return Err(ConfigError::Contradiction {
            first: "group.min.session.timeout.ms",
            first_value: settings.group_min_session_timeout_ms.to_string(),
            second: "group.max.session.timeout.ms",
            second_value: settings.group_max_session_timeout_ms.to_string(),
        });
    }
    match settings.queued_max_request_bytes {
        Some(queued) if queued < settings.socket_request_max_bytes as u64 => {
            Err(ConfigError::Contradiction {
                first: "queued.max.request.bytes",
                first_value: queued.to_string(),
                second: "socket.request.max.bytes",
                second_value: settings.socket_request_max_bytes.to_string(),
            })
        }
        _ => Ok(()),
    }
}

const CLIENT_QUOTAS: &str = "headwater.client.quotas";
const DEFAULT_LOG_DIR: &str = "./data";

#[cfg(test)]
mod tests;
