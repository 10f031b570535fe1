//! The module under stock Lua 5.4, against a broker in this process: the examples of the documentation as they stand there,
//! and what they do not show.

use std::{
    env, fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use headwater_broker::{Broker, Config};
use tokio::runtime::Runtime;

/// A broker, and the Lua that talks to it.
struct Lua {
    runtime: Runtime,
    broker: Option<Broker>,
    lua: &'static str,
    dir: tempfile::TempDir,
}

impl Lua {
    /// `None`, loudly, when there is no Lua.
    fn start() -> Option<Self> {
        let Some(lua) = interpreter() else {
            eprintln!("SKIPPED: no lua5.4 to run the module with; install it with `apt-get install lua5.4`");
            return None;
        };
        let dir = tempfile::tempdir().unwrap();
        let config = Config::builder()
            .set("listeners=PLAINTEXT://127.0.0.1:0")
            .set("native.listeners=127.0.0.1:0")
            .set("admin.listener=")
            .set(&format!("log.dirs={}", dir.path().join("data").display()))
            .build()
            .unwrap();
        let runtime = Runtime::new().unwrap();
        let broker = runtime.block_on(Broker::start(config)).unwrap();
        Some(Self { runtime, broker: Some(broker), lua, dir })
    }

    fn address(&self) -> SocketAddr {
        self.broker.as_ref().unwrap().native_addresses()[0]
    }

    /// Runs a script and gives what it prints.
    fn run(&self, name: &str, script: &str) -> String {
        let prelude = PRELUDE.replace("PORT", &self.address().port().to_string());
        let file = self.dir.path().join("script.lua");
        fs::write(&file, script).unwrap();
        let output = Command::new(self.lua)
            .args(["-e", &prelude])
            .arg(&file)
            .env("LUA_CPATH", module_pattern())
            .env_remove("LUA_CPATH_5_4")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {}\n{errors}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Lua {
    fn drop(&mut self) {
        if let Some(broker) = self.broker.take() {
            self.runtime.block_on(broker.shutdown()).unwrap();
        }
    }
}

/// The port that this test's broker has instead of the default one, and what the first example takes as given.
const PRELUDE: &str = r#"
    headwater = require "headwater"
    payload = '{"total": 12.5}'
    local connect = headwater.connect
    function headwater.connect(options)
        if options == nil then options = {} end
        if type(options) == "table" and not options.hosts then options.port = PORT end
        return connect(options)
    end
"#;

fn interpreter() -> Option<&'static str> {
    ["lua5.4", "lua"].into_iter().find(|lua| {
        let version = Command::new(lua).arg("-v").output();
        version.is_ok_and(|output| output.stdout.starts_with(b"Lua 5.4"))
    })
}

/// Where Lua finds the module that was built with this test. `?` is what is required, `headwater`.
fn module_pattern() -> String {
    let built = env::current_exe().unwrap();
    let places = built.ancestors().skip(1).take(2);
    let name = |stem: &str| format!("{}{stem}_lua{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let found: Vec<&Path> = places.filter(|place| place.join(name("headwater")).is_file()).collect();
    assert!(!found.is_empty(), "the module is not beside {}", built.display());
    found.iter().map(|place| place.join(name("?")).display().to_string()).collect::<Vec<_>>().join(";")
}

fn documentation() -> String {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/lua.md");
    fs::read_to_string(page).unwrap()
}

/// The examples of a page, and what each says that it prints.
fn examples(page: &str) -> Vec<(String, Vec<String>)> {
    let blocks = page.split("```lua\n").skip(1).filter_map(|block| block.split("```").next());
    let printed = |block: &str| {
        let arrows = block.lines().filter_map(|line| line.split_once("--> "));
        arrows.map(|(_, text)| text.to_owned()).collect()
    };
    blocks.map(|block| (block.to_owned(), printed(block))).collect()
}

#[test]
fn the_examples_of_the_documentation_print_what_they_say() {
    let Some(lua) = Lua::start() else { return };
    let examples = examples(&documentation());
    assert!(examples.len() >= 8, "{} examples", examples.len());
    for (number, (script, expected)) in examples.into_iter().enumerate() {
        let printed = lua.run(&format!("example {}", number + 1), &script);
        assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{script}");
    }
}

#[test]
fn the_calls_keep_their_conventions() {
    let Some(lua) = Lua::start() else { return };
    for script in ["conventions", "headers", "consuming"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/lua/{script}.lua"));
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(lua.run(script, &text), format!("{script}: ok\n"));
    }
}

/// A client that Lua never closed, and one whose server is gone, do not keep Lua from ending.
#[test]
fn lua_ends_with_clients_open() -> io::Result<()> {
    let Some(lua) = Lua::start() else { return Ok(()) };
    let script = r#"
        local c = assert(headwater.connect())
        kept = assert(headwater.connect{ idempotent = true })
        assert(c:create_topic("t", 1))
        assert(c:subscribe("t", "g"))
        print("open")
    "#;
    assert_eq!(lua.run("open clients", script), "open\n");
    Ok(())
}
