//! Finds or installs what the clients need, under `target/interop`. What is missing is told, with the command
//! that would install it; it never passes in silence.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// A toolchain that is not on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    pub(crate) what: &'static str,
    pub(crate) install: &'static str,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is missing; install it with `{}`", self.what, self.install)
    }
}

/// The repository's top folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Where the clients' packages are kept between runs.
pub(crate) fn cache() -> PathBuf {
    target_dir().join("interop")
}

/// Cargo's target directory.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs a command to its end; its output is shown only when it fails.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("{command:?} ended with {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(text)
}

fn exists(program: &str, argument: &str) -> bool {
    Command::new(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// Python with the client packages of `interop/python`, or what is missing.
pub(crate) fn python() -> Result<Result<PathBuf, Missing>> {
    if !exists("python3", "--version") {
        return Ok(Err(Missing { what: "python3", install: "apt-get install python3 python3-venv" }));
    }
    let venv = cache().join("python");
    let python = venv.join("bin/python");
    let wanted = root().join("interop/python/requirements.txt");
    if is_stale(&venv, &wanted)? {
        println!("installing the Python clients");
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&wanted))?;
        mark_fresh(&venv, &wanted)?;
    }
    Ok(Ok(python))
}

/// The folder with KafkaJS installed, or what is missing.
pub(crate) fn kafkajs() -> Result<Result<PathBuf, Missing>> {
    if !exists("node", "--version") || !exists("npm", "--version") {
        return Ok(Err(Missing { what: "node with npm", install: "apt-get install nodejs npm" }));
    }
    let dir = cache().join("kafkajs");
    let source = root().join("interop/kafkajs");
    let lock = source.join("package-lock.json");
    fs::create_dir_all(&dir)?;
    for name in ["client.js", "package.json", "package-lock.json"] {
        fs::copy(source.join(name), dir.join(name))?;
    }
    if is_stale(&dir, &lock)? {
        println!("installing KafkaJS");
        run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&dir))?;
        mark_fresh(&dir, &lock)?;
    }
    Ok(Ok(dir))
}

/// Apache Kafka's jars and our Java client.
#[derive(Clone, Debug)]
pub(crate) struct Java {
    classes: PathBuf,
    libs: PathBuf,
}

impl Java {
    /// A `java` command with Kafka's classes on its path.
    pub(crate) fn command(&self, class: &str) -> Command {
        let mut command = Command::new("java");
        command
            .args(["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
            .arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
            .arg("-cp")
            .arg(format!("{}:{}/*", self.classes.display(), self.libs.display()))
            .arg(class);
        command
    }
}

/// Java with Apache Kafka's jars through Maven, or what is missing.
pub(crate) fn java(version: Option<&str>) -> Result<Result<Java, Missing>> {
    if !exists("javac", "-version") || !exists("mvn", "--version") {
        return Ok(Err(Missing {
            what: "a JDK with Maven",
            install: "apt-get install default-jdk-headless maven",
        }));
    }
    let source = root().join("interop/java");
    let dir = cache().join(format!("java-{}", version.unwrap_or("locked")));
    let java = Java { classes: dir.join("classes"), libs: dir.join("libs") };
    let pom = source.join("pom.xml");
    if is_stale(&dir, &pom)? {
        println!("fetching Apache Kafka's jars");
        let mut maven = Command::new("mvn");
        maven.args(["-q", "-B", "-f"]).arg(&pom).arg("dependency:copy-dependencies");
        maven.arg(format!("-DoutputDirectory={}", java.libs.display()));
        if let Some(version) = version {
            maven.arg(format!("-Dkafka.version={version}"));
        }
        run(&mut maven)?;
        mark_fresh(&dir, &pom)?;
    }
    fs::create_dir_all(&java.classes)?;
    run(Command::new("javac")
        .arg("-cp")
        .arg(format!("{}/*", java.libs.display()))
        .arg("-d")
        .arg(&java.classes)
        .arg(source.join("src/Client.java")))?;
    Ok(Ok(java))
}

/// kcat, or what is missing.
pub(crate) fn kcat() -> Result<(), Missing> {
    if exists("kcat", "-V") { Ok(()) } else { Err(Missing { what: "kcat", install: "apt-get install kcat" }) }
}

fn is_stale(dir: &Path, source: &Path) -> Result<bool> {
    let wanted = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
    Ok(fs::read(dir.join("installed-from")).map(|have| have != wanted).unwrap_or(true))
}

fn mark_fresh(dir: &Path, source: &Path) -> Result<()> {
    fs::create_dir_all(dir)?;
    fs::copy(source, dir.join("installed-from"))?;
    Ok(())
}
