//! `headwater users`: who may log in by SCRAM. Offline in the data directories, or through a broker that runs.

mod arguments;
mod remote;

use std::io::{self, BufRead, IsTerminal, Write};

use headwater_broker::{Config, ScramMechanism, UserDirectory};

pub(crate) use arguments::{Action, UsersArguments, parse};

/// What goes wrong is told in one line.
type Failure = Box<dyn std::error::Error>;

/// Does what the command line asks for.
pub(crate) fn run(arguments: &UsersArguments) -> Result<(), Failure> {
    match &arguments.bootstrap_server {
        Some(server) => remote::run(server, arguments),
        None => {
            let config = crate::configuration(&arguments.run)?;
            tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()?
                .block_on(offline(config, &arguments.action))
        }
    }
}

/// Opens the directories, which no broker must be using.
async fn offline(config: Config, action: &Action) -> Result<(), Failure> {
    let directory = UserDirectory::open(config).await?;
    let done = act(&directory, action).await;
    directory.close().await?;
    done
}

async fn act(directory: &UserDirectory, action: &Action) -> Result<(), Failure> {
    match action {
        Action::Add { user, mechanism, iterations } => {
            let password = password(user)?;
            directory.set_password(user, *mechanism, &password, *iterations).await?;
            say(&format!("{user} can log in by {mechanism}"))?;
        }
        Action::Remove { user, mechanism } => match directory.remove(user, *mechanism).await? {
            0 => return Err(format!("there is no such credential of {user}").into()),
            _ => say(&format!("{user} is removed"))?,
        },
        Action::List => {
            for credential in directory.credentials() {
                let mechanism = credential.mechanism.map_or("unknown", ScramMechanism::name);
                say(&row(&credential.user, mechanism, credential.iterations))?;
            }
        }
    }
    Ok(())
}

/// One credential as `list` shows it.
fn row(user: &str, mechanism: &str, iterations: i32) -> String {
    format!("{user}\t{mechanism}\titerations={iterations}")
}

/// Asks for a password where somebody can type it, or takes the first line of standard input.
fn password(user: &str) -> Result<String, Failure> {
    let password = if io::stdin().is_terminal() {
        let first = rpassword::prompt_password(format!("password of {user}: "))?;
        if first != rpassword::prompt_password("once more: ")? {
            return Err("the passwords differ".into());
        }
        first
    } else {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        line.trim_end_matches(['\r', '\n']).to_owned()
    };
    if password.is_empty() {
        return Err("the password is empty".into());
    }
    Ok(password)
}

fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{line}")
}
