//! The line that says that the broker serves. Programs wait for it.

use std::{
    io::{self, Write},
    net::SocketAddr,
    time::Duration,
};

use headwater_broker::Broker;

/// `headwater ready kafka=... data=... cluster=... startup_ms=...`, and more pairs as there are more front doors.
pub(crate) fn line(broker: &Broker, data: &[String], elapsed: Duration) -> String {
    let doors =
        Doors { kafka: broker.addresses(), native: broker.native_addresses(), admin: broker.admin_address() };
    text(doors, data, broker.cluster_id(), elapsed)
}

/// Where the broker can be reached.
#[derive(Clone, Copy)]
struct Doors<'a> {
    kafka: &'a [SocketAddr],
    native: &'a [SocketAddr],
    admin: Option<SocketAddr>,
}

fn text(doors: Doors<'_>, data: &[String], cluster: &str, elapsed: Duration) -> String {
    let mut line = format!(
        "headwater ready kafka={} data={} cluster={cluster} startup_ms={}",
        list(doors.kafka),
        data.join(","),
        elapsed.as_millis()
    );
    if !doors.native.is_empty() {
        line.push_str(&format!(" native={}", list(doors.native)));
    }
    if let Some(admin) = doors.admin {
        line.push_str(&format!(" admin={admin}"));
    }
    line
}

fn list(addresses: &[SocketAddr]) -> String {
    let texts: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    texts.join(",")
}

/// Writes one text to standard output, at once.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_addresses_data_cluster_and_time() {
        let kafka = ["127.0.0.1:9092", "[::1]:9093"].map(|address| address.parse().expect("an address"));
        let data = ["./a".to_owned(), "/b".to_owned()];
        let native = ["127.0.0.1:9094".parse().expect("an address")];
        let doors = Doors { kafka: &kafka, native: &native, admin: "127.0.0.1:9644".parse().ok() };
        assert_eq!(
            text(doors, &data, "abc", Duration::from_micros(12_900)),
            "headwater ready kafka=127.0.0.1:9092,[::1]:9093 data=./a,/b cluster=abc startup_ms=12 native=127.0.0.1:9094 admin=127.0.0.1:9644"
        );
        let doors = Doors { kafka: &kafka[..1], native: &[], admin: None };
        assert_eq!(
            text(doors, &data[..1], "abc", Duration::ZERO),
            "headwater ready kafka=127.0.0.1:9092 data=./a cluster=abc startup_ms=0"
        );
    }
}
