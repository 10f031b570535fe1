//! The binary as a process: its one line of output, its exit codes, its signals.

use std::{
    io::{BufRead, BufReader, Read},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use tempfile::TempDir;

fn headwater(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_headwater"));
    command.current_dir(dir).env_remove("HEADWATER_LOG");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("KAFKA_")) {
        command.env_remove(name);
    }
    command
}

/// A broker that said that it is ready.
struct Running {
    child: Child,
    ready: String,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut ready = String::new();
        stdout.read_line(&mut ready).expect("a line");
        Self { child, ready, stdout }
    }

    /// The value of one pair of the ready line.
    fn pair(&self, key: &str) -> Option<&str> {
        self.ready.split_whitespace().find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().expect("kill runs").success());
    }

    /// Waits for the end; gives the exit code, what more was written, and the log.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut log) = (String::new(), String::new());
        self.stdout.read_to_string(&mut out).expect("text");
        self.child.stderr.take().expect("piped").read_to_string(&mut log).expect("text");
        (self.child.wait().expect("ends").code(), out, log)
    }
}

fn serving(dir: &Path) -> Command {
    let mut command = headwater(dir);
    command.args([
        "--set",
        "listeners=PLAINTEXT://127.0.0.1:0",
        "--set",
        "admin.listener=",
        "--set",
        "native.listeners=",
    ]);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(command: &mut Command) -> Output {
    command.output().expect("runs")
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

#[test]
fn tells_that_it_serves_in_one_line_and_stops_cleanly_on_either_signal() {
    for signal in ["TERM", "INT"] {
        let dir = scratch();
        let broker = Running::start(&mut serving(dir.path()));
        assert!(broker.ready.starts_with("headwater ready kafka=127.0.0.1:"), "{}", broker.ready);
        assert_eq!(broker.pair("data"), Some("./data"));
        assert_eq!(broker.pair("cluster").map(str::len), Some(22));
        assert!(broker.pair("startup_ms").is_some_and(|ms| ms.parse::<u64>().is_ok()));
        assert_eq!(broker.pair("admin"), None);
        TcpStream::connect(broker.pair("kafka").expect("an address")).expect("it serves");
        broker.signal(signal);
        let (code, out, log) = broker.end();
        assert_eq!((code, out.as_str()), (Some(0), ""), "{log}");
        assert!(!log.contains("WARN") && !log.contains("ERROR"), "a clean start logs no warning:\n{log}");
        assert!(dir.path().join("data/.kafka_cleanshutdown").exists());
    }
}

#[test]
fn settings_come_from_file_environment_and_arguments() {
    let dir = scratch();
    let text =
        "listeners=PLAINTEXT://127.0.0.1:0\nlog.dirs=./from-file\nadmin.listener=\nnative.listeners=\n";
    std::fs::write(dir.path().join("server.properties"), text).expect("written");
    let broker = Running::start(headwater(dir.path()).args(["--config", "server.properties"]));
    assert_eq!(broker.pair("data"), Some("./from-file"));
    broker.signal("TERM");
    assert_eq!(broker.end().0, Some(0));
    let mut command = headwater(dir.path());
    command.args(["--config", "server.properties"]).env("KAFKA_LOG_DIRS", "./from-env");
    let broker = Running::start(&mut command);
    assert_eq!(broker.pair("data"), Some("./from-env"));
    broker.signal("TERM");
    assert_eq!(broker.end().0, Some(0));
    let broker = Running::start(command.args(["--set", "log.dirs=./from-set"]));
    assert_eq!(broker.pair("data"), Some("./from-set"));
    broker.signal("TERM");
    assert_eq!(broker.end().0, Some(0));
}

#[test]
fn a_second_instance_is_told_which_lock_is_held() {
    let dir = scratch();
    let first = Running::start(&mut serving(dir.path()));
    let second = run(&mut serving(dir.path()));
    assert_eq!(second.status.code(), Some(1));
    assert!(text(&second.stderr).contains("data/.lock"), "{}", text(&second.stderr));
    assert!(second.stdout.is_empty());
    first.signal("TERM");
    assert_eq!(first.end().0, Some(0));
}

#[test]
fn a_default_admin_address_that_is_taken_is_skipped_with_a_warning() {
    let dir = scratch();
    // Whoever holds it, it is taken from here on.
    let _held = TcpListener::bind("127.0.0.1:9644");
    let broker = Running::start(headwater(dir.path()).args(["--set", "listeners=PLAINTEXT://127.0.0.1:0"]));
    assert!(broker.pair("kafka").is_some(), "it serves");
    assert_eq!(broker.pair("admin"), None);
    broker.signal("TERM");
    let (code, _, log) = broker.end();
    assert_eq!(code, Some(0));
    assert!(log.contains("WARN") && log.contains("127.0.0.1:9644"), "{log}");
}

#[test]
fn bad_settings_end_it_with_one_line() {
    let dir = scratch();
    for (setting, message) in [
        ("num.partition=3", "headwater: --set: unknown key num.partition; did you mean num.partitions?\n"),
        (
            "num.partitions=x",
            "headwater: num.partitions=x: expected an integer from -2147483648 to 2147483647\n",
        ),
        (
            "listeners=SSL://:0",
            "headwater: listener SSL: security protocol SSL is not served; only PLAINTEXT and SASL_PLAINTEXT are\n",
        ),
    ] {
        let output = run(headwater(dir.path()).args(["--set", setting]));
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), message.to_owned()));
        assert!(output.stdout.is_empty());
    }
    let output = run(headwater(dir.path()).args(["--config", "none.properties"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("headwater: configuration file none.properties: "));
    assert!(!dir.path().join("data").exists(), "nothing was made");
}

#[test]
fn a_command_line_that_cannot_be_understood_is_told_apart() {
    let dir = scratch();
    for arguments in [&["--what"][..], &["server.properties"], &["--set"]] {
        let output = run(headwater(dir.path()).args(arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).ends_with("try 'headwater --help'\n"));
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let dir = scratch();
    let help = run(headwater(dir.path()).arg("--help"));
    assert!(help.status.success() && text(&help.stdout).contains("--set KEY=VALUE"));
    let version = run(headwater(dir.path()).arg("--version"));
    assert_eq!(text(&version.stdout), format!("headwater {}\n", env!("CARGO_PKG_VERSION")));
}
