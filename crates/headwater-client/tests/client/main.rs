//! The client against a server that does what a test says, in this process.

mod consuming;
mod handshake;
mod idempotence;
mod keeping;
mod scripted;
