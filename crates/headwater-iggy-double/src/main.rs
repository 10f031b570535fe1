//! The double as a process: `headwater-iggy-double [host:port]`, until it is killed.

use std::io::Write;

use headwater_iggy_double::{Double, Kept};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8090".to_owned());
    let double = Double::start(&address, Kept::default()).await?;
    writeln!(std::io::stdout(), "iggy double ready {}", double.address())?;
    tokio::signal::ctrl_c().await
}
