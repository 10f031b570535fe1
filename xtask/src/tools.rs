//! Finds or installs what the clients need, under `target/interop`. What is missing is told, with the command
//! that would install it; it never passes in silence.

mod clients;
mod java;

use std::{
    fmt, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

pub(crate) use self::{
    clients::{go, kafkajs, kcat, kcat_version, platformatic, python, rust},
    java::{Java, java},
};

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

/// Runs a command for at most `patience`, after which it is ended and that is its failure.
pub(crate) fn run_for(command: &mut Command, patience: Duration) -> Result<String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let Some(status) = wait_for(&mut child, patience)? else {
        child.kill()?;
        child.wait()?;
        bail!(
            "{} did not end in {} s\n{}{}",
            name_of(command),
            patience.as_secs(),
            tail_of(&stdout.join().unwrap_or_default()),
            tail_of(&stderr.join().unwrap_or_default())
        );
    };
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    if !status.success() {
        bail!("{} ended with {status}\n{}{}", name_of(command), tail_of(&stdout), tail_of(&stderr));
    }
    Ok(stdout)
}

/// Waits for a child to end; nothing when it still runs after `patience`.
pub(crate) fn wait_for(child: &mut Child, patience: Duration) -> Result<Option<std::process::ExitStatus>> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _cut_short = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn name_of(command: &Command) -> String {
    Path::new(command.get_program()).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The last lines of a long output: what a person reads first.
fn tail_of(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].iter().map(|line| format!("{line}\n")).collect()
}

fn exists(program: &str, argument: &str) -> bool {
    Command::new(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
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
