//! The line that says that the broker serves. Programs wait for it.

use std::{
    io::{self, Write},
    net::SocketAddr,
    time::Duration,
};

use headwater_broker::Broker;

/// `headwater ready kafka=... data=... cluster=... startup_ms=...`, and more pairs as there are more front doors.
pub(crate) fn line(broker: &Broker, data: &[String], elapsed: Duration) -> String {
    text(broker.addresses(), data, broker.cluster_id(), elapsed, broker.admin_address())
}

fn text(
    kafka: &[SocketAddr],
    data: &[String],
    cluster: &str,
    elapsed: Duration,
    admin: Option<SocketAddr>,
) -> String {
    let kafka: Vec<String> = kafka.iter().map(SocketAddr::to_string).collect();
    let mut line = format!(
        "headwater ready kafka={} data={} cluster={cluster} startup_ms={}",
        kafka.join(","),
        data.join(","),
        elapsed.as_millis()
    );
    if let Some(admin) = admin {
        line.push_str(&format!(" admin={admin}"));
    }
    line
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
        let admin = "127.0.0.1:9644".parse().ok();
        assert_eq!(
            text(&kafka, &data, "abc", Duration::from_micros(12_900), admin),
            "headwater ready kafka=127.0.0.1:9092,[::1]:9093 data=./a,/b cluster=abc startup_ms=12 admin=127.0.0.1:9644"
        );
        assert_eq!(
            text(&kafka[..1], &data[..1], "abc", Duration::ZERO, None),
            "headwater ready kafka=127.0.0.1:9092 data=./a cluster=abc startup_ms=0"
        );
    }
}
