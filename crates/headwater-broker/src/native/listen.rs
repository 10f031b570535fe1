//! Where the native door listens.

use crate::{
    config::{Config, HostPort, Listener},
    net::{BindError, Bound},
};

/// Binds `native.listeners`. A default address that is taken is left out with a warning: several brokers on one machine
/// are nothing unusual.
///
/// # Errors
/// [`BindError`] when a configured address cannot be listened on.
pub(crate) fn bind(config: &Config) -> Result<Vec<Bound>, BindError> {
    let is_default = !config.is_set("native.listeners");
    let mut bound = Vec::with_capacity(config.native_listeners.len());
    for listener in &config.native_listeners {
        match Bound::bind(listener, config.socket_listen_backlog_size) {
            Ok(one) => bound.push(one),
            Err(BindError { address, source, .. }) if is_default => {
                tracing::warn!(%address, error = %source, "no native listener: its default address cannot be listened on; set native.listeners to another one, or to nothing");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(bound)
}

/// Reads `native.listeners`: `host:port`, or `NAME://host:port` as Kafka's listeners have it.
pub(crate) fn parse(text: &str) -> Option<Vec<Listener>> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    items
        .map(|item| {
            let (name, address) = item.split_once("://").unwrap_or((DEFAULT_NAME, item));
            let bind = HostPort::parse(address).filter(|_| !name.is_empty())?;
            Some(Listener { name: name.to_uppercase(), bind, advertised: None, sasl: None })
        })
        .collect()
}

/// The name of a listener that has none.
const DEFAULT_NAME: &str = "NATIVE";
