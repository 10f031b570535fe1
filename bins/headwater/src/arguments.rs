//! The command line.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt};

use crate::users::{self, UsersArguments};

/// What the command line asks for.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Command {
    /// Serve.
    Run(Arguments),
    /// Copy the topics of another broker's directory into one that serves.
    ImportNative(ImportNative),
    /// Look after users.
    Users(UsersArguments),
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

/// What to import, and where to.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct ImportNative {
    /// The directory.
    pub(crate) source: PathBuf,
    /// The broker's Kafka listener.
    pub(crate) bootstrap_server: String,
    /// Only these topics.
    pub(crate) topics: Vec<String>,
    /// What topics that are created keep their records as.
    pub(crate) record_format: Option<String>,
    /// Whether to look only.
    pub(crate) dry_run: bool,
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
                Arg::Value(verb) if verb == IMPORT_NATIVE && run == Arguments::default() => {
                    return import_native(&mut parser);
                }
                Arg::Value(verb) if verb == USERS => {
                    let Some(mut arguments) = users::parse(&mut parser)? else {
                        return Ok(Self::Print(HELP.trim_end().to_owned()));
                    };
                    run.set.append(&mut arguments.run.set);
                    arguments.run = Arguments { config: arguments.run.config.or(run.config), set: run.set };
                    return Ok(Self::Users(arguments));
                }
                other => return Err(other.unexpected()),
            }
        }
        Ok(Self::Run(run))
    }
}

/// Reads what follows the verb.
fn import_native(parser: &mut Parser) -> Result<Command, lexopt::Error> {
    let (mut source, mut bootstrap_server) = (None, "127.0.0.1:9092".to_owned());
    let (mut topics, mut record_format, mut dry_run) = (Vec::new(), None, false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("bootstrap-server") => bootstrap_server = parser.value()?.string()?,
            Arg::Long("topic") => topics.push(parser.value()?.string()?),
            Arg::Long("record-format") => record_format = Some(parser.value()?.string()?),
            Arg::Long("dry-run") => dry_run = true,
            Arg::Long("help") | Arg::Short('h') => {
                return Ok(Command::Print(IMPORT_NATIVE_HELP.trim_end().to_owned()));
            }
            Arg::Value(path) if source.is_none() => source = Some(PathBuf::from(path)),
            other => return Err(other.unexpected()),
        }
    }
    let source = source.ok_or("import-native needs the directory to import")?;
    Ok(Command::ImportNative(ImportNative { source, bootstrap_server, topics, record_format, dry_run }))
}

/// The environment as text; a variable that is none is nobody's key.
pub(crate) fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

const VERSION: &str = concat!("headwater ", env!("CARGO_PKG_VERSION"));

const USERS: &str = "users";

const IMPORT_NATIVE: &str = "import-native";

const IMPORT_NATIVE_HELP: &str = "\
Copies the topics in a MoonMQ data directory into a broker that serves. Stop the other broker first; its directory is only read.
A second run goes on where the first one ended, and copies nothing twice.

Usage: headwater import-native DIR [OPTION]...

      --bootstrap-server HOST:PORT   the broker's Kafka listener; 127.0.0.1:9092 by default
      --topic NAME                   only this topic; may be given more than once
      --record-format FORMAT         headwater.record.format of topics that are created: kafka or native
      --dry-run                      tell what is there, and copy nothing
  -h, --help                         this text
";

const HELP: &str = "\
A Kafka-compatible event streaming broker.

Usage: headwater [--config FILE] [--set KEY=VALUE]...
       headwater users add NAME [--mechanism SCRAM-SHA-256|SCRAM-SHA-512] [--iterations 4096]
       headwater users list
       headwater users remove NAME [--mechanism ...]
       headwater import-native DIR [--help]

Without any, it listens on 127.0.0.1:9092 and keeps its data under ./data.

  -c, --config FILE      settings as in Kafka's server.properties
  -s, --set KEY=VALUE    one setting; wins over the environment and the file
  -h, --help             this text
  -V, --version          the version

Users are kept in the data directories, which no broker must be using then, or are changed through one that runs. The
password is asked for, or read from standard input.

      --bootstrap-server HOST:PORT   a broker that runs
      --login NAME                   who logs in to it, by SCRAM-SHA-256; the password is in HEADWATER_PASSWORD

Environment:
  KAFKA_LOG_RETENTION_MS=...   sets log.retention.ms, and so on: _ is a dot, __ an underscore, ___ a dash
  HEADWATER_LOG=debug          how much is logged to standard error; info by default
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::users::Action;

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
    fn reads_what_to_import() {
        let import = ImportNative {
            source: PathBuf::from("old"),
            bootstrap_server: "h:1".to_owned(),
            topics: vec!["a".to_owned(), "b".to_owned()],
            record_format: Some("native".to_owned()),
            dry_run: true,
        };
        let arguments = [
            "import-native",
            "old",
            "--bootstrap-server=h:1",
            "--topic=a",
            "--topic",
            "b",
            "--record-format=native",
            "--dry-run",
        ];
        assert_eq!(parse(&arguments), Ok(Command::ImportNative(import)));
        assert!(parse(&["import-native"]).is_err_and(|error| error.contains("directory")));
        assert!(parse(&["import-native", "old", "more"]).is_err());
        assert!(parse(&["--set", "a=b", "import-native", "old"]).is_err());
        assert!(
            matches!(parse(&["import-native", "-h"]), Ok(Command::Print(text)) if text.contains("--dry-run"))
        );
    }

    #[test]
    fn reads_what_to_do_with_users() {
        use headwater_broker::ScramMechanism::{Sha256, Sha512};

        let users = |arguments: &[&str]| match parse(arguments) {
            Ok(Command::Users(arguments)) => Ok(arguments),
            other => Err(format!("{other:?}")),
        };
        let add = users(&["users", "add", "alice", "--set", "log.dirs=/x"]).unwrap();
        assert_eq!(add.run.set, ["log.dirs=/x"]);
        assert_eq!(add.action, Action::Add { user: "alice".into(), mechanism: Sha256, iterations: 4096 });
        let add =
            ["-s", "a=b", "users", "add", "bob", "--mechanism", "scram-sha-512", "--iterations", "8192"];
        let add = users(&add).unwrap();
        assert_eq!(add.run.set, ["a=b"]);
        assert_eq!(add.action, Action::Add { user: "bob".into(), mechanism: Sha512, iterations: 8192 });
        let list = users(&["users", "list", "--bootstrap-server", "h:1", "--login", "admin"]).unwrap();
        assert_eq!((list.action, list.bootstrap_server.as_deref()), (Action::List, Some("h:1")));
        assert_eq!(list.login.as_deref(), Some("admin"));
        let remove = users(&["users", "remove", "alice"]).unwrap();
        assert_eq!(remove.action, Action::Remove { user: "alice".into(), mechanism: None });
        for help in [&["users", "--help"][..], &["users", "add", "alice", "-h"]] {
            assert!(matches!(parse(help), Ok(Command::Print(text)) if text.contains("users add NAME")));
        }
        for wrong in [
            &["users"][..],
            &["users", "add"],
            &["users", "add", ""],
            &["users", "add", "a", "b"],
            &["users", "add", "a", "--iterations", "4095"],
            &["users", "add", "a", "--iterations", "16385"],
            &["users", "add", "a", "--mechanism", "PLAIN"],
            &["users", "list", "--what"],
        ] {
            assert!(users(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn prints_help_and_version() {
        assert!(matches!(parse(&["--help"]), Ok(Command::Print(text)) if text.contains("--set KEY=VALUE")));
        assert!(matches!(parse(&["-V"]), Ok(Command::Print(text)) if text.starts_with("headwater ")));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        assert!(parse(&["--what"]).is_err());
        assert!(parse(&["server.properties"]).is_err());
        assert!(parse(&["--set"]).is_err());
    }
}
