//! Apache Kafka's jars, through Maven, and our Java client program.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result};

use super::{Missing, cache, exists, is_stale, mark_fresh, root, run};

/// Apache Kafka's jars and our Java client.
#[derive(Clone, Debug)]
pub(crate) struct Java {
    classes: PathBuf,
    libs: PathBuf,
    /// Kafka's version.
    pub(crate) version: String,
    /// Flags for the virtual machine.
    pub(crate) flags: &'static [&'static str],
}

/// For tools that run for seconds.
const TOOL: &[&str] = &["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/// What Kafka's own start script gives a broker.
const SERVER: &[&str] = &[
    "-Xmx1G",
    "-Xms1G",
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-Djava.awt.headless=true",
];

impl Java {
    /// The same, with the flags that Kafka's own start script gives a broker.
    pub(crate) fn as_a_server(&self) -> Self {
        Self { flags: SERVER, ..self.clone() }
    }

    /// A `java` command with Kafka's classes on its path.
    pub(crate) fn command(&self, class: &str) -> Command {
        let mut command = Command::new("java");
        command
            .args(self.flags)
            .arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
            .arg("-cp")
            .arg(format!("{}:{}/*", self.classes.display(), self.libs.display()))
            .arg(class);
        command
    }
}

/// Java with Apache Kafka's jars through Maven, or what is missing; without a version, the one that the clients are
/// locked to.
pub(crate) fn java(version: Option<&str>) -> Result<Result<Java, Missing>> {
    if !exists("javac", "-version") || !exists("mvn", "--version") {
        return Ok(Err(Missing {
            what: "a JDK with Maven",
            install: "apt-get install default-jdk-headless maven",
        }));
    }
    let source = root().join("interop/java");
    let dir = cache().join(format!("java-{}", version.unwrap_or("locked")));
    let pom = source.join("pom.xml");
    let text = fs::read_to_string(&pom)?;
    let locked = text
        .split_once("<kafka.version>")
        .and_then(|(_, rest)| rest.split_once('<'))
        .map(|(version, _)| version.to_owned())
        .context("no kafka.version in interop/java/pom.xml")?;
    let java = Java {
        classes: dir.join("classes"),
        libs: dir.join("libs"),
        version: version.map_or(locked, str::to_owned),
        flags: TOOL,
    };
    if is_stale(&dir, &pom)? {
        println!("fetching Apache Kafka's jars, version {}", java.version);
        if java.libs.exists() {
            fs::remove_dir_all(&java.libs)?;
        }
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-f"]).arg(&pom).arg("dependency:copy-dependencies");
        maven.arg(format!("-DoutputDirectory={}", java.libs.display()));
        maven.arg(format!("-Dkafka.version={}", java.version));
        run(&mut maven)?;
        mark_fresh(&dir, &pom)?;
    }
    // The client program is compiled against the locked version only; other versions are there as brokers.
    if version.is_none() {
        fs::create_dir_all(&java.classes)?;
        let mut javac = Command::new("javac");
        javac.arg("-cp").arg(format!("{}/*", java.libs.display())).arg("-d").arg(&java.classes);
        for file in fs::read_dir(source.join("src"))? {
            javac.arg(file?.path());
        }
        run(&mut javac)?;
    }
    Ok(Ok(java))
}
