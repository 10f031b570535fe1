//! The Iggy server behind the gateway under test: a real one, or the double as a process of its own.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};

use crate::broker;

/// A server that the gateway may use; the double ends with it.
pub(super) struct IggyServer {
    pub(super) address: String,
    double: Option<Child>,
}

impl IggyServer {
    /// The server at `place`, or for `double` a double of one.
    pub(super) fn at(place: &str) -> Result<Self> {
        if place != "double" {
            return Ok(Self { address: place.to_owned(), double: None });
        }
        let binary = broker::build("headwater-iggy-double")?;
        let mut child =
            Command::new(binary).arg("127.0.0.1:0").stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("its output is piped")?).read_line(&mut line)?;
        let address = line.split_whitespace().last().context("the double does not listen")?.to_owned();
        Ok(Self { address, double: Some(child) })
    }
}

impl Drop for IggyServer {
    fn drop(&mut self) {
        if let Some(double) = &mut self.double {
            let _already_gone = double.kill();
            let _already_gone = double.wait();
        }
    }
}
