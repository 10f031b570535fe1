//! The command line of `headwater users`.

use headwater_broker::{ITERATIONS_MAX, ITERATIONS_MIN, Mechanism, ScramMechanism};
use lexopt::{Arg, Parser, ValueExt};

use crate::arguments::Arguments;

/// What `headwater users` is asked for.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct UsersArguments {
    /// What to do.
    pub(crate) action: Action,
    /// Which configuration says where the data is.
    pub(crate) run: Arguments,
    /// A broker that runs, as `host:port`.
    pub(crate) bootstrap_server: Option<String>,
    /// Who logs in to it; the password is in an environment variable.
    pub(crate) login: Option<String>,
}

/// What to do.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Action {
    /// Set a password.
    Add { user: String, mechanism: ScramMechanism, iterations: u32 },
    /// Show who there is.
    List,
    /// Remove credentials.
    Remove { user: String, mechanism: Option<ScramMechanism> },
}

/// Reads what follows `users`; `None` when that asks for help.
pub(crate) fn parse(parser: &mut Parser) -> Result<Option<UsersArguments>, lexopt::Error> {
    let mut words: Vec<String> = Vec::new();
    let mut run = Arguments::default();
    let (mut bootstrap_server, mut login, mut mechanism, mut iterations) = (None, None, None, ITERATIONS_MIN);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(word) => words.push(word.string()?),
            Arg::Long("bootstrap-server") => bootstrap_server = Some(parser.value()?.string()?),
            Arg::Long("login") => login = Some(parser.value()?.string()?),
            Arg::Long("mechanism") => mechanism = Some(scram(&parser.value()?.string()?)?),
            Arg::Long("iterations") => {
                iterations = parser.value()?.parse()?;
                if !(ITERATIONS_MIN..=ITERATIONS_MAX).contains(&iterations) {
                    return Err(format!("--iterations: from {ITERATIONS_MIN} to {ITERATIONS_MAX}").into());
                }
            }
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            Arg::Long("config") | Arg::Short('c') => run.config = Some(parser.value()?.into()),
            Arg::Long("set") | Arg::Short('s') => run.set.push(parser.value()?.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let action = match words[..] {
        ["add", user] if !user.is_empty() => {
            let mechanism = mechanism.unwrap_or(ScramMechanism::Sha256);
            Action::Add { user: user.to_owned(), mechanism, iterations }
        }
        ["list"] => Action::List,
        ["remove", user] => Action::Remove { user: user.to_owned(), mechanism },
        _ => return Err("users: expected `add NAME`, `list` or `remove NAME`".into()),
    };
    Ok(Some(UsersArguments { action, run, bootstrap_server, login }))
}

fn scram(name: &str) -> Result<ScramMechanism, lexopt::Error> {
    match Mechanism::parse(&name.to_uppercase()) {
        Some(Mechanism::Scram(mechanism)) => Ok(mechanism),
        _ => Err("--mechanism: SCRAM-SHA-256 or SCRAM-SHA-512".into()),
    }
}
