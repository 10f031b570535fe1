//! `connect(options)`.

use headwater_client::{
    Client, ClientError, ConnectOptions, Ended, Isolation, Login, Mechanism, ProducerKind, ValueCodec,
};
use mlua::{Lua, MultiValue, Result, Table, Value};

use crate::{
    arguments::{bad, boolean, count, optional, seconds, table, text, wrong},
    client::LuaClient,
    outcome,
};

/// Connects and logs in; gives a client.
pub(crate) fn connect(lua: &Lua, options: Value) -> Result<MultiValue> {
    let options = match &options {
        Value::Nil => ConnectOptions::default(),
        options => read(table("options", options)?)?,
    };
    // One thread, which answers heartbeats while Lua does other things. It ends with the client: Lua unloads this
    // module when it ends, and no thread may be in it then.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let connected = match runtime {
        Ok(runtime) => {
            let kind = options.producer.clone();
            runtime.block_on(Client::connect(options)).map(|client| LuaClient::new(runtime, client, kind))
        }
        Err(error) => Err(ClientError::Ended(Ended::Io(error.into()))),
    };
    outcome::of(lua, connected, |client| lua.create_userdata(client))
}

fn read(options: &Table) -> Result<ConnectOptions> {
    for key in options.pairs::<Value, Value>() {
        let (key, value) = key?;
        match key.as_string().map(|key| key.to_string_lossy()) {
            Some(key) if KNOWN.contains(&&*key) => {}
            // They are off here, and may be said to be.
            Some(key) if UNSUPPORTED.contains(&&*key) && value == Value::Boolean(false) => {}
            Some(key) if UNSUPPORTED.contains(&&*key) => return Err(bad(&key, "it is not supported")),
            Some(key) => return Err(bad(&key, "there is no such option")),
            None => return Err(wrong("options", "table with names", &key)),
        }
    }
    let get = |name: &str| options.get::<Value>(name);
    let of_text = |name: &str| optional(name, &get(name)?, text);
    let defaults = ConnectOptions::default();
    Ok(ConnectOptions {
        hosts: hosts(options)?,
        login: login(options)?,
        client_name: of_text("client_name")?.unwrap_or_else(|| "headwater-lua".to_owned()),
        client_version: of_text("client_version")?.unwrap_or(defaults.client_version),
        producer: producer(options)?,
        codec: of_text("compression")?.map_or(Ok(ValueCodec::None), |name| codec(&name))?,
        isolation: of_text("isolation")?.map_or(Ok(Isolation::ReadUncommitted), |name| isolation(&name))?,
        timeout: optional("timeout", &get("timeout")?, seconds)?.unwrap_or(defaults.timeout),
    })
}

fn hosts(options: &Table) -> Result<Vec<String>> {
    let hosts: Value = options.get("hosts")?;
    let Some(hosts) = optional("hosts", &hosts, |name, hosts| table(name, hosts).cloned())? else {
        let host = optional("host", &options.get("host")?, text)?.unwrap_or_else(|| "127.0.0.1".to_owned());
        let port = optional("port", &options.get("port")?, count::<u16>)?.unwrap_or(PORT);
        // An IPv6 address needs brackets before a port.
        let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host };
        return Ok(vec![format!("{host}:{port}")]);
    };
    let named = |(index, host): (usize, Result<Value>)| text(&format!("hosts[{}]", index + 1), &host?);
    hosts.sequence_values().enumerate().map(named).collect()
}

fn login(options: &Table) -> Result<Option<Login>> {
    let mechanism = match optional("mechanism", &options.get("mechanism")?, text)? {
        None => Mechanism::Password,
        Some(name) => match name.to_ascii_lowercase().as_str() {
            "plain" => Mechanism::Password,
            "scram" | "scram-sha-256" => Mechanism::ScramSha256,
            _ => return Err(bad("mechanism", "it is 'plain', 'scram' or 'scram-sha-256'")),
        },
    };
    let user = optional("username", &options.get("username")?, text)?;
    let password = optional("password", &options.get("password")?, text)?.unwrap_or_default();
    Ok(user.map(|user| Login { user, password, mechanism }))
}

fn producer(options: &Table) -> Result<ProducerKind> {
    let name = optional("producer_name", &options.get("producer_name")?, text)?;
    let idempotent = optional("idempotent", &options.get("idempotent")?, boolean)?.unwrap_or(false);
    Ok(match name {
        Some(name) => ProducerKind::Named(name),
        None if idempotent => ProducerKind::Idempotent,
        None => ProducerKind::Plain,
    })
}

fn codec(name: &str) -> Result<ValueCodec> {
    match name.to_ascii_lowercase().as_str() {
        "none" => Ok(ValueCodec::None),
        "gzip" => Ok(ValueCodec::Gzip),
        "snappy" => Ok(ValueCodec::Snappy),
        "zstd" => Ok(ValueCodec::Zstd),
        _ => Err(bad("compression", "it is 'none', 'gzip', 'snappy' or 'zstd'")),
    }
}

fn isolation(name: &str) -> Result<Isolation> {
    match name {
        "read_uncommitted" => Ok(Isolation::ReadUncommitted),
        "read_committed" => Ok(Isolation::ReadCommitted),
        _ => Err(bad("isolation", "it is 'read_uncommitted' or 'read_committed'")),
    }
}

/// Where the server listens unless it is told otherwise.
const PORT: u16 = 9094;

const KNOWN: [&str; 13] = [
    "host",
    "port",
    "hosts",
    "username",
    "password",
    "mechanism",
    "client_name",
    "client_version",
    "producer_name",
    "idempotent",
    "compression",
    "isolation",
    "timeout",
];

/// What the original client has beyond these.
const UNSUPPORTED: [&str; 3] = ["tls", "channel_binding", "reactor"];
