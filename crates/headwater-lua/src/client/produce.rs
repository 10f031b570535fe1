//! `produce`, `produce_batch` and `produce_at_seq`.

use headwater_client::{BatchOutcome, RecordToProduce};
use mlua::{IntoLua, IntoLuaMulti, Lua, MultiValue, Result, UserDataMethods, Value};

use super::LuaClient;
use crate::{
    arguments::{bytes, count, headers, optional, table, text, wrong},
    outcome::{self, Failed},
    tables,
};

pub(super) fn add<M: UserDataMethods<LuaClient>>(methods: &mut M) {
    methods.add_method("produce", |lua, this, (topic, key, value, given): (Value, Value, Value, Value)| {
        let topic = text("topic", &topic)?;
        let record = record(&key, &value, &given)?;
        let produced = this.wait(this.client.produce(&topic, record));
        outcome::of(lua, produced, |produced| tables::produced(lua, &produced))
    });
    methods.add_method(
        "produce_at_seq",
        |lua, this, (topic, key, value, seq, given): (Value, Value, Value, Value, Value)| {
            let topic = text("topic", &topic)?;
            let record = record(&key, &value, &given)?;
            let seq = count("seq", &seq)?;
            let produced = this.wait(this.client.produce_at_sequence(&topic, record, seq));
            outcome::of(lua, produced, |produced| tables::produced(lua, &produced))
        },
    );
    methods.add_method("produce_batch", |lua, this, (topic, records): (Value, Value)| {
        let topic = text("topic", &topic)?;
        let records = batch(&records)?;
        match this.wait(this.client.produce_batch(&topic, records)) {
            Ok(outcome) => appended(lua, outcome),
            Err(error) => outcome::nothing(lua, &error),
        }
    });
}

/// Where the appended records are, and why not all were. Nil when none was.
fn appended(lua: &Lua, outcome: BatchOutcome) -> Result<MultiValue> {
    let Some(error) = outcome.failure else {
        return tables::list(lua, outcome.produced, tables::produced)?.into_lua_multi(lua);
    };
    if outcome.produced.is_empty() {
        return outcome::nothing(lua, &error);
    }
    let produced = tables::list(lua, outcome.produced, tables::produced)?.into_lua(lua)?;
    (produced, error.message(), error.code().map(|code| code.get())).into_lua_multi(lua)
}

/// A record without a key has nil or an empty string for it.
fn record(key: &Value, value: &Value, given: &Value) -> Result<RecordToProduce> {
    Ok(RecordToProduce {
        key: optional("key", key, bytes)?.unwrap_or_default(),
        value: bytes("value", value)?,
        headers: optional("headers", given, headers)?.unwrap_or_default(),
    })
}

/// A list of values, or of tables with key, value and headers.
fn batch(records: &Value) -> Result<Vec<RecordToProduce>> {
    let list = table("records", records)?;
    let mut batch = Vec::with_capacity(list.raw_len());
    for (index, element) in list.sequence_values::<Value>().enumerate() {
        let name = format!("records[{}]", index + 1);
        batch.push(match element? {
            Value::String(value) => RecordToProduce::new("", value.as_bytes().to_vec()),
            Value::Table(fields) => {
                let field = |field: &str| fields.get::<Value>(field);
                let given = field("headers")?;
                RecordToProduce {
                    key: optional(&format!("{name}.key"), &field("key")?, bytes)?.unwrap_or_default(),
                    value: optional(&format!("{name}.value"), &field("value")?, bytes)?.unwrap_or_default(),
                    headers: optional(&format!("{name}.headers"), &given, headers)?.unwrap_or_default(),
                }
            }
            other => return Err(wrong(&name, "string or table", &other)),
        });
    }
    Ok(batch)
}
