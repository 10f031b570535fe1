//! The native protocol's client as a Lua 5.4 module: `require "headwater"`.
//!
//! A call gives its value, or `nil`, a message and, when it was the server that refused, its code. Arguments of a wrong
//! type raise an error that names the argument. `docs/src/lua.md` describes every call.

mod arguments;
mod client;
mod connect;
mod outcome;
mod tables;

use headwater_client::DeadLetter;
use mlua::{Lua, MultiValue, Result, Table, Value};

use crate::arguments::bytes;

/// What `require "headwater"` gives.
#[mlua::lua_module(name = "headwater")]
fn headwater(lua: &Lua) -> Result<Table> {
    let module = lua.create_table()?;
    module.set("version", env!("CARGO_PKG_VERSION"))?;
    module.set("connect", lua.create_function(connect::connect)?)?;
    module.set("decode_dlq_value", lua.create_function(decode_dlq_value)?)?;
    Ok(module)
}

/// `decode_dlq_value(value)`: the envelope in a dead letter's value.
fn decode_dlq_value(lua: &Lua, value: Value) -> Result<MultiValue> {
    outcome::of(lua, DeadLetter::decode(bytes("value", &value)?), |letter| tables::dead_letter(lua, &letter))
}
