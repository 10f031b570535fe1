//! The command line.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt};

/// What the command line asks for.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Command {
    /// Serve.
    Run(Arguments),
    /// Print this and end.
    Print(String),
}

/// How to serve.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Arguments {
    /// A `.properties` file.
    pub(crate) config: Option<PathBuf>,
    /// `KEY=VALUE` pairs, in order.
    pub(crate) set: Vec<String>,
}

impl Command {
    /// Reads the command line, the program's own name first.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let mut parser = Parser::from_iter(arguments);
        let mut run = Arguments::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("config") | Arg::Short('c') => run.config = Some(PathBuf::from(parser.value()?)),
                Arg::Long("set") | Arg::Short('s') => run.set.push(parser.value()?.string()?),
                Arg::Long("help") | Arg::Short('h') => return Ok(Self::Print(HELP.trim_end().to_owned())),
                Arg::Long("version") | Arg::Short('V') => return Ok(Self::Print(VERSION.to_owned())),
                other => return Err(other.unexpected()),
            }
        }
        Ok(Self::Run(run))
    }
}

/// The environment as text; a variable that is none is nobody's key.
pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

const VERSION: &str = concat!("headwater-iggy-gateway ", env!("CARGO_PKG_VERSION"));

const HELP: &str = "\
Kafka's protocol in front of an Apache Iggy server.

Usage: headwater-iggy-gateway [--config FILE] [--set KEY=VALUE]...

Without any, it listens on 127.0.0.1:9092, speaks to Iggy at 127.0.0.1:8090 as iggy/iggy, and keeps what is its own under
./data. See headwater.iggy.* among the settings.

  -c, --config FILE      settings as in Kafka's server.properties
  -s, --set KEY=VALUE    one setting; wins over the environment and the file
  -h, --help             this text
  -V, --version          the version

Environment:
  KAFKA_LOG_RETENTION_MS=...   sets log.retention.ms, and so on: _ is a dot, __ an underscore, ___ a dash
  HEADWATER_LOG=debug          how much is logged to standard error; info by default
";

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Command, String> {
        let arguments = ["headwater"].iter().chain(arguments).map(OsString::from);
        Command::parse(arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_file_and_settings_in_order() {
        let run = Arguments {
            config: Some(PathBuf::from("a.properties")),
            set: vec!["log.dirs=/x".to_owned(), "num.partitions=3".to_owned()],
        };
        let arguments = ["--set", "log.dirs=/x", "--config=a.properties", "-s", "num.partitions=3"];
        assert_eq!(parse(&arguments), Ok(Command::Run(run)));
        assert_eq!(parse(&[]), Ok(Command::Run(Arguments::default())));
    }

    #[test]
    fn prints_help_and_version() {
        assert!(matches!(parse(&["--help"]), Ok(Command::Print(text)) if text.contains("--set KEY=VALUE")));
        assert!(
            matches!(parse(&["-V"]), Ok(Command::Print(text)) if text.starts_with("headwater-iggy-gateway "))
        );
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        assert!(parse(&["--what"]).is_err());
        assert!(parse(&["server.properties"]).is_err());
        assert!(parse(&["--set"]).is_err());
    }
}
