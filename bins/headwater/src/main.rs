//! The Headwater broker: arguments in, exit code out.
//!
//! Everything that serves is in `headwater-broker`. Here are the command line, where logs go, signals, and the one line
//! on standard output that says that the broker serves.

mod arguments;
mod import_native;
mod logging;
mod ready;
mod signals;
mod users;

use std::{process::ExitCode, time::Instant};

use headwater_broker::{Broker, Config, ConfigError};

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let started = Instant::now();
    let arguments = match Command::parse(std::env::args_os()) {
        Ok(Command::Run(arguments)) => arguments,
        Ok(Command::Print(text)) => {
            return ready::print(&text).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
        }
        Ok(Command::Users(arguments)) => return exit_code(users::run(&arguments)),
        Ok(Command::ImportNative(arguments)) => return exit_code(import_native::run(&arguments)),
        Err(error) => {
            eprintln!("headwater: {error}\ntry 'headwater --help'");
            return ExitCode::from(EXIT_USAGE);
        }
    };
    logging::start();
    exit_code(run(&arguments, started))
}

fn exit_code(result: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("headwater: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until a signal comes.
fn run(arguments: &Arguments, started: Instant) -> Result<(), Box<dyn std::error::Error>> {
    let config = configuration(arguments)?;
    let data: Vec<String> = config.log_dirs.iter().map(|dir| dir.display().to_string()).collect();

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("headwater")
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .build()?;
    runtime.block_on(async move {
        // Before anything is opened, so that no signal is missed while it is.
        let mut signals = signals::Signals::listen()?;
        let broker = Broker::start(config).await?;
        ready::print(&ready::line(&broker, &data, started.elapsed()))?;
        let signal = signals.next().await;
        tracing::info!(signal, "stopping");
        let mut stopping = std::pin::pin!(broker.shutdown());
        loop {
            tokio::select! {
                stopped = &mut stopping => break stopped?,
                signal = signals.next() => tracing::info!(signal, "still stopping"),
            }
        }
        tracing::info!("stopped");
        Ok(())
    })
}

/// The configuration that the command line, the environment and the file make.
fn configuration(arguments: &Arguments) -> Result<Config, ConfigError> {
    let mut builder = Config::builder();
    if let Some(path) = &arguments.config {
        builder = builder.file(path);
    }
    builder = builder.env(arguments::environment());
    for pair in &arguments.set {
        builder = builder.set(pair);
    }
    builder.build()
}

/// The exit code of a command line that cannot be understood.
const EXIT_USAGE: u8 = 2;
/// Files are opened, and cold parts of them read, on threads of their own.
const BLOCKING_THREADS_MAX: usize = 32;
