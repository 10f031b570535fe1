//! The client libraries beside Java's, each installed from its lock file.

use std::{fs, path::PathBuf, process::Command};

use anyhow::Result;

use super::{Missing, cache, exists, is_stale, mark_fresh, root, run};

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
    node("kafkajs", "client.js")
}

/// The folder with @platformatic/kafka and a Node.js that is new enough for it, or what is missing.
pub(crate) fn platformatic() -> Result<Result<PathBuf, Missing>> {
    node("platformatic", "client.mjs")
}

fn node(name: &str, program: &str) -> Result<Result<PathBuf, Missing>> {
    if !exists("node", "--version") || !exists("npm", "--version") {
        return Ok(Err(Missing { what: "node with npm", install: "apt-get install nodejs npm" }));
    }
    let dir = cache().join(name);
    let source = root().join("interop").join(name);
    let lock = source.join("package-lock.json");
    fs::create_dir_all(&dir)?;
    for file in [program, "package.json", "package-lock.json"] {
        fs::copy(source.join(file), dir.join(file))?;
    }
    if is_stale(&dir, &lock)? {
        println!("installing {name}");
        run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&dir))?;
        mark_fresh(&dir, &lock)?;
    }
    Ok(Ok(dir))
}

/// The folder with the Go client programs, or what is missing.
pub(crate) fn go() -> Result<Result<PathBuf, Missing>> {
    if !exists("go", "version") {
        return Ok(Err(Missing { what: "Go", install: "apt-get install golang" }));
    }
    let bin = cache().join("go");
    fs::create_dir_all(&bin)?;
    println!("building the Go clients");
    let mut build = Command::new("go");
    build.args(["build", "-mod=readonly", "-o"]).arg(&bin);
    build.args(["./franz-go", "./sarama", "./kafka-go"]).current_dir(root().join("interop/go"));
    run(&mut build)?;
    Ok(Ok(bin))
}

/// The folder with the Rust client programs, or what is missing.
pub(crate) fn rust() -> Result<Result<PathBuf, Missing>> {
    if !exists("make", "--version") || !exists("c++", "--version") {
        return Ok(Err(Missing {
            what: "make with a C++ compiler",
            install: "apt-get install make g++ zlib1g-dev",
        }));
    }
    let target = cache().join("rust");
    println!("building the Rust clients (librdkafka takes minutes the first time)");
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--locked", "--quiet"]).env("CARGO_TARGET_DIR", &target);
    run(build.current_dir(root().join("interop")))?;
    Ok(Ok(target.join("release")))
}

/// kcat, or what is missing.
pub(crate) fn kcat() -> Result<(), Missing> {
    if exists("kcat", "-V") { Ok(()) } else { Err(Missing { what: "kcat", install: "apt-get install kcat" }) }
}

/// kcat's version, as it tells it.
pub(crate) fn kcat_version() -> String {
    let said = run(Command::new("kcat").arg("-V")).unwrap_or_default();
    let version = said.split_once("Version ").and_then(|(_, rest)| rest.split_once(' '));
    version.map(|(version, _)| version.to_owned()).unwrap_or_default()
}
