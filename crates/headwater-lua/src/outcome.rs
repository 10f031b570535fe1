//! What a call gives: its value, or nil and why not.

use std::{error::Error, iter};

use headwater_client::{ClientError, DecodeError};
use mlua::{IntoLua, IntoLuaMulti, Lua, MultiValue, Result};

/// Why a call has no value.
pub(crate) trait Failed: Error + Sized {
    /// The server's number, if it was the server.
    fn code(&self) -> Option<u16>;

    /// What went wrong, with what was behind it.
    fn message(&self) -> String {
        let causes = iter::successors(self.source(), |&error| error.source());
        causes.fold(self.to_string(), |message, cause| {
            let cause = cause.to_string();
            if message.ends_with(&cause) { message } else { format!("{message}: {cause}") }
        })
    }
}

impl Failed for ClientError {
    fn code(&self) -> Option<u16> {
        self.code().map(|code| code.get())
    }
}

impl Failed for DecodeError {
    fn code(&self) -> Option<u16> {
        None
    }
}

/// The value as Lua has it; or nil, a message, and the server's code if it has one.
pub(crate) fn of<T, E: Failed, L: IntoLua>(
    lua: &Lua,
    result: std::result::Result<T, E>,
    value: impl FnOnce(T) -> Result<L>,
) -> Result<MultiValue> {
    match result {
        Ok(found) => value(found)?.into_lua_multi(lua),
        Err(error) => nothing(lua, &error),
    }
}

/// True; or nil, a message, and the server's code if it has one.
pub(crate) fn done<E: Failed>(lua: &Lua, result: std::result::Result<(), E>) -> Result<MultiValue> {
    of(lua, result, |()| Ok(true))
}

/// Nil, a message, and the server's code if it has one.
pub(crate) fn nothing(lua: &Lua, error: &impl Failed) -> Result<MultiValue> {
    (mlua::Nil, error.message(), error.code()).into_lua_multi(lua)
}
