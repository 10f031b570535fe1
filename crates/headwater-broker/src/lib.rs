//! The broker: listeners, connections, dispatch, one file for each API, configuration.
//!
//! [`Broker::start`] takes a [`Config`], opens the stores, binds the listeners and serves until
//! [`Broker::shutdown`]. It needs a tokio runtime with I/O and time, and nothing else: the binary is this and an
//! argument parser.
//!
//! What goes where: `api` has the table of served APIs and their handlers; a handler sees a `context` and nothing
//! behind it. `net` reads frames and writes answers. Records, metadata and groups are decided in the crates below.

mod admin;
mod api;
mod authentication;
mod broker;
mod cluster;
mod config;
mod context;
mod error_code;
mod fetch_sessions;
mod groups;
mod metrics;
mod native;
mod net;
mod producer_ids;
mod quotas;
mod security;
mod stopping;
mod throttle;
mod topic_config;
mod topics;
mod user_directory;
mod users;

pub use api::api_reference;
pub use broker::{Broker, ServedStores, StartError};
pub use config::{
    Config, ConfigBuilder, ConfigError, HostPort, Listener, Notice, NoticeLevel, Origin, SaslListener,
    Settings, config_reference,
};
pub use headwater_security::{ITERATIONS_MAX, ITERATIONS_MIN, Mechanism, ScramMechanism};
pub use net::BindError;
pub use user_directory::{UserCredential, UserDirectory};
