//! `headwater users`: in the directories of a broker that does not run, and through one that runs.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
};

fn headwater(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_headwater"));
    command.current_dir(dir).env_remove("HEADWATER_LOG").env_remove("HEADWATER_PASSWORD");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("KAFKA_")) {
        command.env_remove(name);
    }
    command
}

/// Runs a command with a password on its standard input; gives whether it went well, and what it said.
fn run(mut command: Command, arguments: &[&str], password: &str) -> (bool, String) {
    let command = command.arg("users").args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    // A command that asks for no password may be gone by now.
    let _ = writeln!(child.stdin.take().expect("piped"), "{password}");
    let output = child.wait_with_output().expect("ends");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).expect("text"))
}

/// A broker; killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn first_user_is_added_offline_and_others_through_the_broker() {
    let dir = tempfile::tempdir().expect("a directory");
    let offline = |arguments: &[&str], password: &str| run(headwater(dir.path()), arguments, password);
    assert_eq!(offline(&["list"], ""), (true, String::new()));
    assert_eq!(offline(&["add", "admin"], "pw"), (true, "admin can log in by SCRAM-SHA-256\n".to_owned()));
    let add = ["add", "bob", "--mechanism", "SCRAM-SHA-512", "--iterations", "8192"];
    assert!(offline(&add, "pw").0);
    let both = "admin\tSCRAM-SHA-256\titerations=4096\nbob\tSCRAM-SHA-512\titerations=8192\n";
    assert_eq!(offline(&["list"], ""), (true, both.to_owned()));
    assert_eq!(offline(&["add", "carol"], ""), (false, "headwater: the password is empty\n".to_owned()));
    assert_eq!(offline(&["remove", "bob"], ""), (true, "bob is removed\n".to_owned()));
    assert!(!offline(&["remove", "bob"], "").0, "there is none any more");

    let mut command = headwater(dir.path());
    command.args(["--set", "listeners=SASL_PLAINTEXT://127.0.0.1:0", "--set", "admin.listener="]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut ready = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut ready).expect("a line");
    let _broker = Running(child);
    let address = ready.split_whitespace().find_map(|pair| pair.strip_prefix("kafka=")).expect("an address");

    let (done, said) = offline(&["list"], "");
    assert!(!done && said.contains(".lock"), "the directories are in use: {said}");
    let online = |login: &str, arguments: &[&str], password: &str| {
        let mut command = headwater(dir.path());
        command.env("HEADWATER_PASSWORD", login);
        let server = ["--bootstrap-server", address, "--login", "admin"];
        run(command, &[arguments, &server].concat(), password)
    };
    assert!(!online("wrong", &["list"], "").0);
    assert!(online("pw", &["add", "dora"], "secret").0);
    let both = "admin\tSCRAM-SHA-256\titerations=4096\ndora\tSCRAM-SHA-256\titerations=4096\n";
    assert_eq!(online("pw", &["list"], ""), (true, both.to_owned()));
    assert!(online("pw", &["remove", "dora"], "").0);
    assert_eq!(online("pw", &["list"], ""), (true, both.lines().next().expect("one").to_owned() + "\n"));
    assert!(!online("pw", &["remove", "dora"], "").0);
}
