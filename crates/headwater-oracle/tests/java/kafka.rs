//! Kafka's classes in a Java process of their own.

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// The jars of one release.
pub(crate) struct Kafka {
    pub(crate) version: &'static str,
    jars: PathBuf,
}

impl Kafka {
    /// The jars of that release; `None`, said loudly, when they cannot be had.
    pub(crate) fn find(version: &'static str) -> Option<Self> {
        match jars(version) {
            Ok(jars) => Some(Self { version, jars }),
            Err(reason) => {
                eprintln!("SKIPPED: Kafka {version} as an oracle: {reason}");
                None
            }
        }
    }

    /// One answer for each question.
    pub(crate) fn ask(&self, questions: Vec<String>) -> Vec<String> {
        let mut java = Command::new("java")
            .args(["-Xmx512m", "-XX:+UseSerialGC", "-cp"])
            .arg(self.jars.join("*"))
            .arg(repository().join("interop/java/src/Codec.java"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java was there a moment ago");
        let mut stdin = java.stdin.take().expect("it is piped");
        let count = questions.len();
        let asking = thread::spawn(move || stdin.write_all((questions.join("\n") + "\n").as_bytes()));
        let mut text = String::new();
        java.stdout.take().expect("it is piped").read_to_string(&mut text).expect("answers are text");
        assert!(java.wait().expect("it is our child").success(), "java failed");
        asking.join().expect("it does not panic").expect("java reads to the end");
        let answers: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(answers.len(), count, "an answer for each question");
        answers
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn jars(version: &str) -> Result<PathBuf, String> {
    runs("java", "-version")?;
    if let Some(named) = env::var_os("HEADWATER_KAFKA_JARS") {
        let named = named.to_string_lossy().into_owned();
        let named = named.split(',').find_map(|entry| entry.strip_prefix(version)?.strip_prefix('='));
        return named.map(PathBuf::from).ok_or_else(|| "HEADWATER_KAFKA_JARS does not name it".to_owned());
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kafka-{version}"));
    let complete = directory.join("complete");
    if complete.is_file() {
        return Ok(directory);
    }
    runs("mvn", "--version")?;
    let status = Command::new("mvn")
        .args(["-q", "-B", "dependency:copy-dependencies", "-f"])
        .arg(repository().join("interop/java/pom.xml"))
        .arg(format!("-Dkafka.version={version}"))
        .arg(format!("-DoutputDirectory={}", directory.display()))
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {
            fs::write(complete, "").map_err(|error| error.to_string())?;
            Ok(directory)
        }
        Ok(status) => Err(format!("Maven ended with {status}")),
        Err(error) => Err(format!("Maven: {error}")),
    }
}

fn runs(program: &str, flag: &str) -> Result<(), String> {
    let status = Command::new(program).arg(flag).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(format!("{program} is missing")) }
}
