//! Prints a captured frame as readable text: every field with the byte that it begins at.
//!
//! ```text
//! cargo run -p headwater-codec --example dump -- request 0000001a00030009...
//! tcpdump ... | xxd -p | cargo run -p headwater-codec --example dump -- response Metadata 9
//! cargo run -p headwater-codec --example dump -- record 0102000374...
//! ```
//!
//! A request says itself what it is; of a response one has to know the API and the version. A frame may have its
//! length before it. `record` is the value of a record of the metadata log. Without hexadecimal digits on the command
//! line they are read from the standard input; spaces and line ends between them do not matter.

#![allow(clippy::print_stdout, reason = "printing is what this program does")]

mod walk;

use std::error::Error;
use std::io::Read;
use std::process::ExitCode;

use bytes::Bytes;
use headwater_codec::records::MetadataLogRecord;
use headwater_codec::registry::{self, Api};
use headwater_codec::{ApiKey, DecodeError, Reader, RequestHeaderVersion, ResponseHeaderVersion};

use walk::Walk;

const USAGE: &str =
    "dump request [hex] | dump response <api name or key> <version> [hex] | dump record [hex]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Whatever could be read stands above; the error says where it ends, and in which field.
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["request", ref rest @ ..] => request(frame(rest)?)?,
        ["response", api, version, ref rest @ ..] => {
            let api = find(api).ok_or("no such API")?;
            response(frame(rest)?, api, version.parse()?)?;
        }
        ["record", ref rest @ ..] => record(bytes(rest)?)?,
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn request(frame: Bytes) -> Result<(), DecodeError> {
    let mut walk = Walk::new(Reader::new(frame, 0, false));
    walk.line(0, "header");
    let key = walk.field("ApiKey", Reader::int16)?;
    let version = walk.field("ApiVersion", Reader::int16)?;
    walk.field("CorrelationId", Reader::int32)?;
    walk.field("ClientId", Reader::classic_nullable_string)?;
    let Some(api) = ApiKey::from_code(key).and_then(registry::api) else {
        println!("      key {key} is no API that is known");
        return Ok(());
    };
    walk.begin(version, api.is_flexible(version));
    if api.request_header_version(version) == RequestHeaderVersion::V2 {
        walk.unknown_tags(1)?;
    }
    walk.body(api.request())
}

fn response(frame: Bytes, api: &Api, version: i16) -> Result<(), DecodeError> {
    let mut walk = Walk::new(Reader::new(frame, version, api.response().flexible.contains(version)));
    walk.line(0, "header");
    walk.field("CorrelationId", Reader::int32)?;
    if api.response_header_version(version) == ResponseHeaderVersion::V1 {
        walk.unknown_tags(1)?;
    }
    walk.body(api.response())
}

fn record(value: Bytes) -> Result<(), DecodeError> {
    let (version, record) = MetadataLogRecord::decode_with_version(value)?;
    println!("version {version} of {record:#?}");
    Ok(())
}

fn find(api: &str) -> Option<&'static Api> {
    let key = api.parse().ok();
    registry::apis().iter().find(|known| known.name() == api || Some(known.key().code()) == key)
}

/// A frame, without the length that may stand before it.
fn frame(words: &[&str]) -> Result<Bytes, Box<dyn Error>> {
    let mut frame = bytes(words)?;
    if let Some((length, rest)) = frame.split_first_chunk()
        && u32::from_be_bytes(*length) as usize == rest.len()
    {
        frame = frame.slice(length.len()..);
    }
    Ok(frame)
}

fn bytes(words: &[&str]) -> Result<Bytes, Box<dyn Error>> {
    let mut text = words.concat();
    if text.is_empty() {
        std::io::stdin().read_to_string(&mut text)?;
    }
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|char| !char.is_whitespace())
        .map(|char| Some(char.to_digit(16)? as u8))
        .collect();
    let digits = digits.ok_or("what is no hexadecimal digit stands among the digits")?;
    if !digits.len().is_multiple_of(2) {
        return Err("half a byte is left".into());
    }
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
