//! The client against a broker in this process.

mod login;
mod records;
mod served;
