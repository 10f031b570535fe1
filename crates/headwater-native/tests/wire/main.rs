//! The whole codec from outside: golden frames, round trips, hostile bytes, and a reader of the original layout.

mod golden;
mod hostile;
mod old_reader;
mod round_trip;
