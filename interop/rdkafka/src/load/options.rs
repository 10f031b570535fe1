//! The command line of the load.

use std::error::Error;

/// What is asked for; what an action does not need is left at its default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub action: String,
    pub bootstrap: String,
    pub topic: String,
    pub codec: String,
    pub partitions: u32,
    pub size: usize,
    pub seconds: u64,
    /// Records a second; 0 is as fast as it goes.
    pub rate: u64,
    pub bytes: u64,
    pub connections: usize,
    pub groups: usize,
}

impl Options {
    /// Reads the command line.
    pub fn parse() -> Result<Self, Box<dyn Error>> {
        let mut words = std::env::args().skip(1);
        let action = words.next().ok_or("no action")?;
        let mut o =
            Self { action, codec: "none".into(), partitions: 1, size: 100, seconds: 5, ..Self::default() };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} has no value"))?;
            match name.as_str() {
                "--bootstrap" => o.bootstrap = value,
                "--topic" => o.topic = value,
                "--codec" => o.codec = value,
                "--partitions" => o.partitions = value.parse()?,
                "--size" => o.size = value.parse()?,
                "--seconds" => o.seconds = value.parse()?,
                "--rate" => o.rate = value.parse()?,
                "--bytes" => o.bytes = value.parse()?,
                "--connections" => o.connections = value.parse()?,
                "--groups" => o.groups = value.parse()?,
                other => return Err(format!("no such argument: {other}").into()),
            }
        }
        Ok(o)
    }
}
