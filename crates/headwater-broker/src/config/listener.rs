//! Listeners: where to listen, and what clients are told.

use std::{collections::BTreeSet, fmt, sync::Arc};

use super::{
    ConfigError, SaslListener, key::split_list, sasl::sasl_listener, settings::COMPOSED, values::Values,
};

/// A host and a port.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct HostPort {
    /// A name or an address, without brackets; empty for every interface.
    pub host: String,
    /// The port; 0 for a free one.
    pub port: u16,
}

impl HostPort {
    /// Reads `host:port`, `[v6]:port` or `:port`.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = match host.strip_prefix('[') {
            Some(bracketed) => bracketed.strip_suffix(']')?,
            None => host,
        };
        if host.contains(['[', ']', '/', ' ']) {
            return None;
        }
        Some(Self { host: host.to_owned(), port: port.parse().ok()? })
    }

    /// Whether the host stands for every interface, so that nobody can connect to it from elsewhere.
    pub fn is_any_host(&self) -> bool {
        matches!(self.host.as_str(), "" | "0.0.0.0" | "::" | "0:0:0:0:0:0:0:0")
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// One place where clients connect. Nothing is encrypted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Listener {
    /// Its name, in capitals.
    pub name: String,
    /// Where to listen.
    pub bind: HostPort,
    /// What clients are told. `None`: where the listener listens, or, when that is every interface, the address that
    /// the client reached.
    pub advertised: Option<HostPort>,
    /// How clients log in (security protocol SASL_PLAINTEXT); `None`: they need not (PLAINTEXT).
    pub sasl: Option<Arc<SaslListener>>,
}

/// Puts the listeners together from `listeners`, `advertised.listeners`, `listener.security.protocol.map` and
/// `controller.listener.names`.
pub(super) fn listeners(values: &Values) -> Result<Vec<Listener>, ConfigError> {
    let text = |name: &str| {
        let default = COMPOSED.iter().find(|key| key.name == name).and_then(|key| key.default);
        values.get(name).or(default).unwrap_or_default()
    };
    let controllers: Vec<String> =
        split_list(text("controller.listener.names")).iter().map(|name| name.to_uppercase()).collect();
    let is_client_side = |(name, _): &(String, HostPort)| !controllers.contains(name);

    let bound = parse_all("listeners", text("listeners"))?;
    let mut advertised = parse_all("advertised.listeners", text("advertised.listeners"))?;
    check_addresses(&bound)?;
    advertised.retain(is_client_side);

    let protocols = protocol_map(text("listener.security.protocol.map"));
    let mut listeners = Vec::new();
    for (name, bind) in bound.into_iter().filter(is_client_side) {
        let sasl = match protocol(&name, &protocols)? {
            Protocol::Plaintext => None,
            Protocol::SaslPlaintext => Some(Arc::new(sasl_listener(values, &name)?)),
        };
        let position = advertised.iter().position(|(other, _)| *other == name);
        let advertised = position.map(|at| advertised.swap_remove(at).1);
        if let Some(unreachable) = advertised.as_ref().filter(|address| address.is_any_host()) {
            let listener = format!("{name}://{unreachable}");
            return Err(ConfigError::AdvertisedUnreachable { listener });
        }
        listeners.push(Listener { name, bind, advertised, sasl });
    }
    if let Some((listener, _)) = advertised.pop() {
        return Err(ConfigError::AdvertisedUnknown { listener });
    }
    if listeners.is_empty() {
        return Err(ConfigError::NoListener);
    }
    Ok(listeners)
}

/// Reads `NAME://host:port` items; a name may stand once.
fn parse_all(key: &'static str, text: &str) -> Result<Vec<(String, HostPort)>, ConfigError> {
    let mut names = BTreeSet::new();
    let mut listeners = Vec::new();
    for item in split_list(text) {
        let parsed = item
            .split_once("://")
            .filter(|(name, _)| !name.is_empty())
            .and_then(|(name, address)| Some((name.to_uppercase(), HostPort::parse(address)?)));
        let Some((name, address)) = parsed else {
            return Err(ConfigError::ListenerForm { key, listener: item });
        };
        if !names.insert(name.clone()) {
            return Err(ConfigError::ListenerTwice { key, listener: name });
        }
        listeners.push((name, address));
    }
    Ok(listeners)
}

/// No two listeners may have the same address, unless each picks a free port.
fn check_addresses(bound: &[(String, HostPort)]) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    match bound.iter().map(|(_, address)| address).find(|address| address.port != 0 && !seen.insert(*address))
    {
        None => Ok(()),
        Some(address) => Err(ConfigError::ListenerTwice { key: "listeners", listener: address.to_string() }),
    }
}

/// Reads `NAME:PROTOCOL` pairs.
fn protocol_map(text: &str) -> Vec<(String, String)> {
    let pair = |item: &String| {
        let (name, protocol) = item.split_once(':')?;
        Some((name.trim().to_uppercase(), protocol.trim().to_uppercase()))
    };
    split_list(text).iter().filter_map(pair).collect()
}

/// A security protocol that is served.
enum Protocol {
    Plaintext,
    SaslPlaintext,
}

/// The listener's protocol. One that asks for encryption is refused rather than served without.
fn protocol(listener: &str, protocols: &[(String, String)]) -> Result<Protocol, ConfigError> {
    match protocols.iter().find(|(name, _)| name == listener) {
        Some((_, protocol)) if protocol == "PLAINTEXT" => Ok(Protocol::Plaintext),
        Some((_, protocol)) if protocol == "SASL_PLAINTEXT" => Ok(Protocol::SaslPlaintext),
        Some((_, protocol)) => {
            Err(ConfigError::ListenerProtection { listener: listener.to_owned(), protocol: protocol.clone() })
        }
        None => Err(ConfigError::ListenerProtocol { listener: listener.to_owned() }),
    }
}
