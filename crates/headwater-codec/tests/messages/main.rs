//! Every message and record, held against facts about the protocol, against bytes from real clients, and against
//! random bodies.

mod facts;
mod golden;
mod kips;
mod random_body;
mod round_trip;
mod schemas;
mod subject;
mod vectors;
