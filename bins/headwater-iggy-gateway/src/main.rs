//! Kafka's protocol in front of an Apache Iggy server: arguments in, exit code out.
//!
//! The broker is Headwater's; topics and records are Iggy's, through the stores of `headwater-iggy`. `log.dirs` holds what
//! belongs to the gateway itself: its ids, users, and the offsets of groups.

mod arguments;
mod options;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    time::{Duration, Instant},
};

use headwater_broker::{Broker, Config, ServedStores};
use headwater_iggy::IggyStores;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let started = Instant::now();
    let arguments = match Command::parse(std::env::args_os()) {
        Ok(Command::Run(arguments)) => arguments,
        Ok(Command::Print(text)) => return print(&text).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("headwater-iggy-gateway: {error}\ntry 'headwater-iggy-gateway --help'");
            return ExitCode::from(EXIT_USAGE);
        }
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_from_env("HEADWATER_LOG").unwrap_or_else(|_| EnvFilter::new(LOGGED)))
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
    match run(arguments, started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("headwater-iggy-gateway: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until a signal comes.
fn run(arguments: Arguments, started: Instant) -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = Config::builder();
    if let Some(path) = &arguments.config {
        builder = builder.file(path);
    }
    builder = builder.env(arguments::environment());
    for pair in &arguments.set {
        builder = builder.set(pair);
    }
    // The native protocol keeps its state in topics that Iggy has no place for.
    let config = builder.set("native.listeners=").build()?;
    let options = options::of(&config)?;
    let address = options.server.address.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("headwater-iggy")
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .build()?;
    runtime.block_on(async move {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let broker = Broker::start_with(config, |local| {
            let stores = IggyStores::over(options, local.metadata, local.logs);
            ServedStores { metadata: stores.metadata, logs: stores.logs, ready: Some(stores.ready) }
        })
        .await?;
        print(&ready_line(&broker, &address, started.elapsed()))?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
        broker.shutdown().await?;
        Ok(())
    })
}

/// As the broker's own, with the Iggy server in place of the data.
fn ready_line(broker: &Broker, iggy: &str, elapsed: Duration) -> String {
    let kafka: Vec<String> = broker.addresses().iter().map(ToString::to_string).collect();
    let mut line = format!(
        "headwater ready kafka={} iggy={iggy} cluster={} startup_ms={}",
        kafka.join(","),
        broker.cluster_id(),
        elapsed.as_millis()
    );
    if let Some(admin) = broker.admin_address() {
        line.push_str(&format!(" admin={admin}"));
    }
    line
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// The exit code of a command line that cannot be understood.
const EXIT_USAGE: u8 = 2;
/// Large batches are unfolded on threads of their own, and local files opened.
const BLOCKING_THREADS_MAX: usize = 32;
/// The SDK tells of every attempt to connect; the stores tell of the first and the last.
const LOGGED: &str = "info,iggy=off,iggy_common=off";
