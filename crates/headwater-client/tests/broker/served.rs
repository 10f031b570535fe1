//! A broker on free ports with a directory of its own.

use std::net::SocketAddr;

use headwater_broker::{Broker, Config};
use headwater_client::{Client, ClientError, ConnectOptions, FetchOptions, Record};
use tempfile::TempDir;

pub(crate) struct Served {
    broker: Option<Broker>,
    dir: TempDir,
}

impl Served {
    pub(crate) async fn start() -> Self {
        let mut served = Self { broker: None, dir: tempfile::tempdir().unwrap() };
        served.broker = Some(served.launch().await);
        served
    }

    async fn launch(&self) -> Broker {
        let config = Config::builder()
            .set("listeners=PLAINTEXT://127.0.0.1:0")
            .set("native.listeners=127.0.0.1:0")
            .set("admin.listener=")
            .set(&format!("log.dirs={}", self.dir.path().join("data").display()));
        Broker::start(config.build().unwrap()).await.unwrap()
    }

    /// Stops the broker in good order and starts another one on the same directory.
    pub(crate) async fn restart(&mut self) {
        self.broker.take().unwrap().shutdown().await.unwrap();
        self.broker = Some(self.launch().await);
    }

    /// Where Kafka's clients connect.
    pub(crate) fn kafka(&self) -> SocketAddr {
        self.broker.as_ref().unwrap().addresses()[0]
    }

    pub(crate) async fn connect(&self, options: ConnectOptions) -> Result<Client, ClientError> {
        let address = self.broker.as_ref().unwrap().native_addresses()[0];
        Client::connect(ConnectOptions { hosts: vec![address.to_string()], ..options }).await
    }

    pub(crate) async fn client(&self) -> Client {
        self.connect(ConnectOptions::default()).await.unwrap()
    }
}

/// All that the group has not read yet.
pub(crate) async fn drain(client: &Client, topic: &str, group: &str) -> Vec<Record> {
    let mut all = Vec::new();
    loop {
        let records = client.fetch(topic, group, FetchOptions::default()).await.unwrap();
        if records.is_empty() {
            return all;
        }
        all.extend(records);
    }
}
