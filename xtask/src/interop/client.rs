//! The client programs of `interop/`, each behind the same few calls.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};

use super::{dataset::Shape, report::Report};
use crate::tools::{self, Java};

/// One client library, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    program: Program,
    /// What it can say of a record.
    pub(crate) shape: Shape,
}

#[derive(Clone, Debug)]
enum Program {
    Python { python: PathBuf, script: &'static str },
    Node(PathBuf),
    Java(Java),
}

impl Client {
    /// Runs the program to its end and gives what it printed.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String> {
        tools::run(self.command().args(arguments))
    }

    /// Starts the program and leaves it running; its standard output is piped.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Result<Child> {
        self.command()
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", self.name))
    }

    fn command(&self) -> Command {
        match &self.program {
            Program::Python { python, script } => {
                let mut command = Command::new(python);
                command.arg(tools::root().join("interop/python").join(script));
                command.env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
            Program::Node(dir) => {
                let mut command = Command::new("node");
                command.arg(dir.join("client.js"));
                command
            }
            Program::Java(java) => java.command("Client"),
        }
    }
}

/// Every client whose toolchain is here; the others are told to the report.
pub(crate) fn clients(java: Option<&Java>, report: &mut Report) -> Result<Vec<Client>> {
    let mut found = Vec::new();
    if let Some(java) = java {
        found.push(Client { name: "java", program: Program::Java(java.clone()), shape: Shape::FULL });
    }
    match tools::python()? {
        Ok(python) => {
            for (name, script, null_headers) in
                [("confluent-kafka", "confluent.py", true), ("kafka-python", "kafkapython.py", false)]
            {
                let program = Program::Python { python: python.clone(), script };
                found.push(Client { name, program, shape: Shape { null_headers, ..Shape::FULL } });
            }
        }
        Err(missing) => report.missing("python clients", &missing),
    }
    match tools::kafkajs()? {
        Ok(dir) => {
            let shape = Shape { null_headers: false, ..Shape::FULL };
            found.push(Client { name: "kafkajs", program: Program::Node(dir), shape });
        }
        Err(missing) => report.missing("kafkajs", &missing),
    }
    Ok(found)
}
