//! A broker process under test: Headwater's release binary, or Apache Kafka from its jars.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::tools::{self, Java};

/// Which broker a command runs against.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Our release binary.
    Headwater(PathBuf),
    /// Our gateway, and the setting that says where its Iggy server is.
    Iggy(PathBuf, String),
    /// Apache Kafka, one KRaft node.
    Kafka(Java),
}

/// A running broker; killed when dropped.
#[derive(Debug)]
pub(crate) struct Broker {
    child: Child,
    pub(crate) port: u16,
}

impl Kind {
    /// Builds the release binary.
    pub(crate) fn build_headwater() -> Result<Self> {
        Ok(Self::Headwater(build("headwater")?))
    }

    /// The gateway, built unless `binary` is it, over the Iggy server at `address`.
    pub(crate) fn iggy(binary: Option<PathBuf>, address: &str) -> Result<Self> {
        let binary = binary.map_or_else(|| build("headwater-iggy-gateway"), Ok)?;
        Ok(Self::Iggy(binary, format!("headwater.iggy.address={address}")))
    }

    /// Makes a data directory ready, where a broker needs that before its first start.
    pub(crate) fn format(&self, data: &Path, port: u16, settings: &[&str]) -> Result<()> {
        match self {
            Self::Headwater(_) | Self::Iggy(..) => Ok(()),
            Self::Kafka(java) => format_kafka(java, data, port, settings),
        }
    }

    /// Starts the process and does not wait until it serves; [`Kind::format`] comes before the first start.
    pub(crate) fn spawn(&self, data: &Path, port: u16, settings: &[&str]) -> Result<Broker> {
        let child = match self {
            Self::Headwater(binary) => spawn_headwater(binary, data, port, settings)?,
            Self::Iggy(binary, iggy) => spawn_headwater(binary, data, port, &with_iggy(settings, iggy))?,
            Self::Kafka(java) => spawn_kafka(java, data)?,
        };
        Ok(Broker { child, port })
    }

    /// Starts a broker on `port` with its data in `data`; `settings` are `key=value` in Kafka's names.
    pub(crate) fn start(&self, data: &Path, port: u16, settings: &[&str]) -> Result<Broker> {
        match self {
            Self::Headwater(binary) => start_headwater(binary, data, port, settings),
            Self::Iggy(binary, iggy) => start_headwater(binary, data, port, &with_iggy(settings, iggy)),
            Self::Kafka(java) => start_kafka(java, data, port, settings),
        }
    }
}

impl Broker {
    /// `host:port` for clients.
    pub(crate) fn bootstrap(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the broker with SIGTERM and waits; an error when it does not end well in 30 s.
    pub(crate) fn stop(mut self) -> Result<()> {
        tools::run(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                // A JVM that was ended by SIGTERM says 143.
                if status.success() || status.code() == Some(143) {
                    return Ok(());
                }
                bail!("the broker ended with {status}");
            }
            thread::sleep(Duration::from_millis(20));
        }
        bail!("the broker did not end in 30 s after SIGTERM")
    }

    /// Ends the broker with SIGKILL.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _already_gone = self.child.wait();
    }
}

/// Builds the release binary of a package.
pub(crate) fn build(package: &str) -> Result<PathBuf> {
    println!("building the release binary");
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", package])
        .current_dir(tools::root())
        .status()?;
    if !status.success() {
        bail!("the release build failed");
    }
    Ok(tools::target_dir().join("release").join(package))
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn with_iggy<'a>(settings: &[&'a str], iggy: &'a str) -> Vec<&'a str> {
    settings.iter().copied().chain([iggy]).collect()
}

fn spawn_headwater(binary: &Path, data: &Path, port: u16, settings: &[&str]) -> Result<Child> {
    fs::create_dir_all(data)?;
    let log = fs::OpenOptions::new().create(true).append(true).open(data.with_extension("log"))?;
    let mut command = Command::new(binary);
    command.arg("--set").arg(format!("listeners=PLAINTEXT://127.0.0.1:{port}"));
    command.arg("--set").arg(format!("log.dirs={}", data.display()));
    command.args(["--set", "admin.listener=", "--set", "native.listeners=127.0.0.1:0"]);
    for setting in settings {
        command.arg("--set").arg(setting);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .with_context(|| format!("cannot start {}", binary.display()))
}

fn start_headwater(binary: &Path, data: &Path, port: u16, settings: &[&str]) -> Result<Broker> {
    let mut child = spawn_headwater(binary, data, port, settings)?;
    let mut line = String::new();
    let stdout = child.stdout.take().context("the broker's standard output is not piped")?;
    BufReader::new(stdout).read_line(&mut line)?;
    if !line.starts_with("headwater ready ") {
        let _already_gone = child.kill();
        bail!("the broker did not become ready; its log is {}", data.with_extension("log").display());
    }
    Ok(Broker { child, port })
}

fn format_kafka(java: &Java, data: &Path, port: u16, settings: &[&str]) -> Result<()> {
    fs::create_dir_all(data)?;
    let properties = data.with_extension("properties");
    let controller = free_port()?;
    let mut text = format!(
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
         listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n\
         advertised.listeners=PLAINTEXT://127.0.0.1:{port}\ncontroller.listener.names=CONTROLLER\n\
         listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\nlog.dirs={}\n\
         offsets.topic.replication.factor=1\ntransaction.state.log.replication.factor=1\n\
         transaction.state.log.min.isr=1\nshare.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\n",
        data.display()
    );
    for setting in settings {
        text.push_str(setting);
        text.push('\n');
    }
    fs::write(&properties, text)?;
    if !data.join("meta.properties").exists() {
        let mut format = java.command("kafka.tools.StorageTool");
        format.args(["format", "--ignore-formatted", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c"]).arg(&properties);
        tools::run(&mut format)?;
    }
    Ok(())
}

fn spawn_kafka(java: &Java, data: &Path) -> Result<Child> {
    let log = fs::OpenOptions::new().create(true).append(true).open(data.with_extension("log"))?;
    let mut command = java.command("kafka.Kafka");
    command.arg(data.with_extension("properties"));
    command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .context("cannot start Apache Kafka")
}

fn start_kafka(java: &Java, data: &Path, port: u16, settings: &[&str]) -> Result<Broker> {
    format_kafka(java, data, port, settings)?;
    let broker = Broker { child: spawn_kafka(java, data)?, port };
    let deadline = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if Instant::now() > deadline {
            bail!(
                "Apache Kafka did not listen within 60 s; its log is {}",
                data.with_extension("log").display()
            );
        }
        thread::sleep(Duration::from_millis(100));
    }
    thread::sleep(Duration::from_secs(2));
    Ok(broker)
}
