//! The suite on trial: with a broker that does one thing wrong it must fail, and with a proxy that does nothing it must
//! pass.

use std::time::Duration;

use anyhow::{Result, bail, ensure};

use super::{
    Stage,
    client::Ability,
    faults::Fault,
    groups,
    proxy::Proxy,
    records,
    report::{Marks, Report},
};

/// Every fault, and whether the suite must fail.
const TRIALS: [(&str, Fault, bool); 5] = [
    ("a proxy that does nothing", Fault::None, false),
    ("bad CRC on fetch", Fault::BadCrc, true),
    ("dropped header", Fault::DroppedHeader, true),
    ("shifted offset", Fault::ShiftedOffset, true),
    ("swallowed OffsetCommit", Fault::SwallowedCommit, true),
];

/// Runs the scenarios of a few clients through each fault.
pub(crate) fn run(mut stage: Stage) -> Result<()> {
    stage.count = 500;
    stage.clients.retain(|client| ["java", "confluent-kafka", "franz-go"].contains(&client.name.as_str()));
    ensure!(!stage.clients.is_empty(), "no client to try");
    let clients = stage.clients.clone();
    let mut missed = Vec::new();
    for client in clients {
        for (name, fault, must_fail) in TRIALS {
            let proxy = Proxy::start(stage.broker.port, fault)?;
            let mut tried = client.clone();
            tried.rename(format!("{}-{fault:?}", client.slug()));
            stage.bootstrap = proxy.bootstrap();
            stage.clients = vec![tried.clone()];
            println!("-- {}: {name}", client.name);
            let mut report = Report::new(Marks::DoNotApply);
            if fault == Fault::SwallowedCommit || fault == Fault::None {
                ensure!(tried.can(Ability::Group), "{} has no groups", client.name);
                let result = groups::rebalance(&stage, &tried, "classic", Duration::from_secs(40));
                report.check(&client.name, "group rebalance", result);
            }
            if fault != Fault::SwallowedCommit {
                records::run_codec(&stage, "none", &mut report);
            }
            ensure!(fault == Fault::None || proxy.done() > 0, "the proxy found nothing to do: {name}");
            if (report.failed() > 0) != must_fail {
                missed.push(format!("{}: {name}", client.name));
            }
        }
    }
    if !missed.is_empty() {
        bail!("the suite judged wrongly: {}", missed.join("; "));
    }
    println!("interop --self-test: every fault was noticed");
    Ok(())
}
