//! One connection to a broker's Kafka listener: a request, then its answer.

use std::{
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use headwater_codec::{CorrelationId, Request, Str, decode_response, encode_request};

use crate::ImportError;

/// A connection that waits for each answer before it asks again.
#[derive(Debug)]
pub(crate) struct Connection {
    address: String,
    stream: TcpStream,
    correlation_id: i32,
    buffer: BytesMut,
}

impl Connection {
    /// Connects to `address`, a host and a port.
    pub(crate) fn open(address: &str) -> Result<Self, ImportError> {
        let failed = |source| ImportError::Connection { address: address.to_owned(), source };
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for candidate in address.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&candidate, CONNECT_TIMEOUT) {
                Ok(stream) => {
                    stream.set_nodelay(true).map_err(failed)?;
                    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).map_err(failed)?;
                    stream.set_write_timeout(Some(ANSWER_TIMEOUT)).map_err(failed)?;
                    let buffer = BytesMut::new();
                    return Ok(Self { address: address.to_owned(), stream, correlation_id: 0, buffer });
                }
                Err(error) => last = error,
            }
        }
        Err(failed(last))
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call<R: Request>(&mut self, version: i16, request: &R) -> Result<R::Response, ImportError> {
        self.correlation_id = self.correlation_id.wrapping_add(1);
        let id = CorrelationId::new(self.correlation_id);
        let frame = encode_request(id, Some(Str::from(CLIENT_ID)), version, request, &mut self.buffer)?;
        let answer = frame
            .to_bytes()
            .ok_or_else(|| io::Error::other("the request lies elsewhere"))
            .and_then(|frame| self.exchange(&frame));
        let answer =
            answer.map_err(|source| ImportError::Connection { address: self.address.clone(), source })?;
        let (answered, response) = decode_response::<R::Response>(R::KEY, version, answer)?;
        if answered != id {
            return Err(ImportError::Incomplete { request: R::SCHEMA.name });
        }
        Ok(response)
    }

    fn exchange(&mut self, frame: &[u8]) -> io::Result<Bytes> {
        self.stream.write_all(frame)?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > ANSWER_LEN_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "an answer is not that long"));
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok(answer.into())
    }
}

const CLIENT_ID: &str = "headwater-import";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A broker may sync for long before it answers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// More than one batch, which is all that is ever asked for.
const ANSWER_LEN_MAX: usize = 256 << 20;
