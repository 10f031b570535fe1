//! What the machine can do at most, measured in the same run: nothing can be faster than these.

use std::{
    fs::File,
    hint::black_box,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    thread,
    time::Instant,
};

use anyhow::{Context, Result};

use super::data_folder;
use crate::tools;

/// Name, figure, unit.
pub(crate) type Ceiling = (String, f64, String);

const CHUNK: usize = 1 << 20;
const FILE_CHUNKS: usize = 512;

/// Measures all of them.
pub(crate) fn measure(load: &Path) -> Result<Vec<Ceiling>> {
    let folder = data_folder("ceilings")?;
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("file");
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
    let chunk: Vec<u8> = (0..CHUNK).map(|i| u8::try_from(i % 251).unwrap_or_default()).collect();
    let rows = vec![
        row("write to the page cache, 1 MiB at a time", write(&mut file, &chunk)?, "MB/s"),
        row("write and fdatasync, 64 MiB at a time", write_and_sync(&mut file, &chunk)?, "MB/s"),
        row("fdatasync after 4 KiB", syncs(&mut file)?, "a second"),
        row("loopback with sendfile", sendfile(&file)?, "MB/s"),
        row("CRC-32C", crc(load)?, "MB/s"),
        row("memcpy", memcpy(&chunk), "MB/s"),
    ];
    drop(file);
    std::fs::remove_dir_all(&folder)?;
    Ok(rows)
}

fn row(name: &str, figure: f64, unit: &str) -> Ceiling {
    (name.to_owned(), figure, unit.to_owned())
}

fn write(file: &mut File, chunk: &[u8]) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..FILE_CHUNKS {
        file.write_all(chunk)?;
    }
    Ok(megabytes(FILE_CHUNKS) / start.elapsed().as_secs_f64())
}

fn write_and_sync(file: &mut File, chunk: &[u8]) -> Result<f64> {
    file.sync_data()?;
    let start = Instant::now();
    for _ in 0..4 {
        for _ in 0..64 {
            file.write_all(chunk)?;
        }
        file.sync_data()?;
    }
    Ok(megabytes(4 * 64) / start.elapsed().as_secs_f64())
}

fn syncs(file: &mut File) -> Result<f64> {
    let start = Instant::now();
    let count = 200;
    for _ in 0..count {
        file.write_all(&[1; 4096])?;
        file.sync_data()?;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

fn sendfile(file: &File) -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut reading = TcpStream::connect(listener.local_addr()?)?;
    let (sending, _) = listener.accept()?;
    let total = FILE_CHUNKS * CHUNK;
    let reader = thread::spawn(move || -> std::io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        let mut left = total;
        while left > 0 {
            left -= reading.read(&mut buffer)?;
        }
        Ok(())
    });
    let start = Instant::now();
    let mut offset = 0_u64;
    while offset < total as u64 {
        let left = total - usize::try_from(offset)?;
        let sent = rustix::fs::sendfile(&sending, file, Some(&mut offset), left)?;
        anyhow::ensure!(sent > 0, "sendfile sent nothing");
    }
    reader.join().ok().context("the reader panicked")??;
    Ok(megabytes(FILE_CHUNKS) / start.elapsed().as_secs_f64())
}

fn memcpy(chunk: &[u8]) -> f64 {
    // Larger than the caches, so that memory is what is measured.
    let from: Vec<u8> = chunk.iter().copied().cycle().take(64 * CHUNK).collect();
    let mut to = vec![0; from.len()];
    to.copy_from_slice(&from);
    let start = Instant::now();
    for _ in 0..8 {
        to.copy_from_slice(black_box(&from));
        black_box(&to);
    }
    megabytes(8 * 64) / start.elapsed().as_secs_f64()
}

/// In the load, which is optimized; this program may not be.
fn crc(load: &Path) -> Result<f64> {
    let said = tools::run(Command::new(load).arg("crc"))?;
    Ok(said.trim().strip_prefix("mb_per_s=").context("no figure")?.parse()?)
}

fn megabytes(chunks: usize) -> f64 {
    (chunks * CHUNK) as f64 / 1e6
}
