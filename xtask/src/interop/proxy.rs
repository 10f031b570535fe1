//! A proxy between clients and a broker that does one thing wrong. Clients stay on it, since the broker's own address in
//! Metadata and the like is replaced by the proxy's.

use std::{
    collections::HashMap,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use anyhow::{Context, Result};

use super::faults::{self, Fault};

/// A running proxy; its threads end with the connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    done: Arc<AtomicU32>,
}

/// What was sent on one connection and is not answered yet.
type Outstanding = Arc<Mutex<HashMap<i32, Sent>>>;

/// One request under way.
#[derive(Debug)]
struct Sent {
    key: i16,
    version: i16,
    /// What the client gets whatever the broker answers.
    answer: Option<Vec<u8>>,
}

#[derive(Clone)]
struct Link {
    fault: Fault,
    done: Arc<AtomicU32>,
    outstanding: Outstanding,
    ports: (u16, u16),
}

impl Proxy {
    /// Starts a proxy before the broker on `broker_port`.
    pub(crate) fn start(broker_port: u16, fault: Fault) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let done = Arc::new(AtomicU32::new(0));
        let shared = Arc::clone(&done);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(broker) = TcpStream::connect(("127.0.0.1", broker_port)) else { continue };
                let link = Link {
                    fault,
                    done: Arc::clone(&shared),
                    outstanding: Outstanding::default(),
                    ports: (broker_port, port),
                };
                let _client_gone = link.join(client, broker);
            }
        });
        Ok(Self { port, done })
    }

    /// `host:port` for clients.
    pub(crate) fn bootstrap(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How often it did its wrong.
    pub(crate) fn done(&self) -> u32 {
        self.done.load(Ordering::SeqCst)
    }
}

impl Link {
    fn join(self, client: TcpStream, broker: TcpStream) -> Result<()> {
        client.set_nodelay(true)?;
        broker.set_nodelay(true)?;
        let (mut from_client, mut to_broker) = (client.try_clone()?, broker.try_clone()?);
        let (mut from_broker, mut to_client) = (broker, client);
        let requests = self.clone();
        thread::spawn(move || {
            while let Ok(frame) = read(&mut from_client) {
                if requests.request(frame, &mut to_broker).is_err() {
                    break;
                }
            }
            let _already_closed = to_broker.shutdown(Shutdown::Both);
        });
        thread::spawn(move || {
            while let Ok(frame) = read(&mut from_broker) {
                if self.response(frame, &mut to_client).is_err() {
                    break;
                }
            }
            let _already_closed = to_client.shutdown(Shutdown::Both);
            let _already_closed = from_broker.shutdown(Shutdown::Both);
        });
        Ok(())
    }

    fn request(&self, frame: Vec<u8>, broker: &mut TcpStream) -> Result<()> {
        let (key, version, correlation) = faults::header(&frame)?;
        let mut sent = Sent { key, version, answer: None };
        let mut frame = frame;
        if self.fault == Fault::SwallowedCommit && key == faults::OFFSET_COMMIT {
            sent.answer = Some(faults::committed(&frame)?);
            // Something harmless goes in its place, so that answers stay in order.
            frame = faults::api_versions(correlation);
            self.done.fetch_add(1, Ordering::SeqCst);
        }
        if let Ok(mut outstanding) = self.outstanding.lock() {
            outstanding.insert(correlation, sent);
        }
        write(broker, &frame)
    }

    fn response(&self, frame: Vec<u8>, client: &mut TcpStream) -> Result<()> {
        let correlation = i32::from_be_bytes(frame.get(..4).context("a short response")?.try_into()?);
        let sent = self.outstanding.lock().ok().and_then(|mut all| all.remove(&correlation));
        let Some(sent) = sent else { return write(client, &frame) };
        if let Some(answer) = sent.answer {
            return write(client, &answer);
        }
        let mut frame = frame;
        match (self.fault, sent.key) {
            (Fault::LostAcks(count), faults::PRODUCE) if self.done() < count => {
                self.done.fetch_add(1, Ordering::SeqCst);
                anyhow::bail!("the connection is cut instead of acknowledging");
            }
            (fault, faults::FETCH) => {
                if let Some(wrong) = faults::spoil_fetch(fault, &frame, sent.version)? {
                    self.done.fetch_add(1, Ordering::SeqCst);
                    frame = wrong;
                }
            }
            (_, key) if faults::TELLS_ADDRESSES.contains(&key) => {
                faults::replace_port(&mut frame, self.ports.0, self.ports.1);
            }
            _ => {}
        }
        write(client, &frame)
    }

    fn done(&self) -> u32 {
        self.done.load(Ordering::SeqCst)
    }
}

/// One frame, without its length.
fn read(stream: &mut TcpStream) -> Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut frame = vec![0; usize::try_from(i32::from_be_bytes(length))?];
    stream.read_exact(&mut frame)?;
    Ok(frame)
}

fn write(stream: &mut TcpStream, frame: &[u8]) -> Result<()> {
    let mut whole = i32::try_from(frame.len())?.to_be_bytes().to_vec();
    whole.extend(frame);
    stream.write_all(&whole)?;
    Ok(())
}
