//! Arguments: of the right type, or an error that names them.

use std::time::Duration;

use bytes::Bytes;
use headwater_client::{Headers, Offset, PartitionId};
use mlua::{Error, Result, Table, Value};

/// The error of an argument that is not what it should be.
pub(crate) fn wrong(name: &str, expected: &str, got: &Value) -> Error {
    Error::external(format!("bad argument '{name}' ({expected} expected, got {})", got.type_name()))
}

/// The error of an argument that has the right type.
pub(crate) fn bad(name: &str, why: impl std::fmt::Display) -> Error {
    Error::external(format!("bad argument '{name}' ({why})"))
}

/// A string of any bytes.
pub(crate) fn bytes(name: &str, value: &Value) -> Result<Bytes> {
    let Value::String(string) = value else { return Err(wrong(name, "string", value)) };
    Ok(Bytes::copy_from_slice(&string.as_bytes()))
}

/// A string of UTF-8.
pub(crate) fn text(name: &str, value: &Value) -> Result<String> {
    let Value::String(string) = value else { return Err(wrong(name, "string", value)) };
    let text = string.to_str().map_err(|_| bad(name, "it is not UTF-8"))?;
    Ok(text.to_owned())
}

/// What `read` makes of a value; nothing of nil.
pub(crate) fn optional<T>(
    name: &str,
    value: &Value,
    read: impl FnOnce(&str, &Value) -> Result<T>,
) -> Result<Option<T>> {
    if value.is_nil() { Ok(None) } else { read(name, value).map(Some) }
}

/// A boolean.
pub(crate) fn boolean(name: &str, value: &Value) -> Result<bool> {
    value.as_boolean().ok_or_else(|| wrong(name, "boolean", value))
}

/// A table.
pub(crate) fn table<'v>(name: &str, value: &'v Value) -> Result<&'v Table> {
    value.as_table().ok_or_else(|| wrong(name, "table", value))
}

/// An integer that is not negative and fits `T`.
pub(crate) fn count<T: TryFrom<i64>>(name: &str, value: &Value) -> Result<T> {
    let whole = match *value {
        Value::Integer(integer) => Some(integer),
        // 2^53 and below: every integer that a float says without doubt.
        Value::Number(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
            Some(number as i64)
        }
        _ => None,
    };
    let whole = whole.ok_or_else(|| wrong(name, "integer", value))?;
    if whole < 0 {
        return Err(bad(name, "it is negative"));
    }
    T::try_from(whole).map_err(|_| bad(name, "it is too large"))
}

/// A partition's number, counted from 1.
pub(crate) fn partition(name: &str, value: &Value) -> Result<PartitionId> {
    count(name, value).map(PartitionId::new)
}

/// An offset.
pub(crate) fn offset(name: &str, value: &Value) -> Result<Offset> {
    Offset::new(count(name, value)?).ok_or_else(|| bad(name, "it is negative"))
}

/// Seconds, with fractions.
pub(crate) fn seconds(name: &str, value: &Value) -> Result<Duration> {
    let number = match *value {
        Value::Integer(integer) => integer as f64,
        Value::Number(number) => number,
        _ => return Err(wrong(name, "number", value)),
    };
    Duration::try_from_secs_f64(number).map_err(|_| bad(name, "it is no span of time"))
}

/// Headers: a map, which is sorted by name, or a list of pairs of name and value.
pub(crate) fn headers(name: &str, value: &Value) -> Result<Headers> {
    let table = table(name, value)?;
    let listed = table.raw_len();
    let mut pairs = Vec::new();
    if listed > 0 {
        for index in 1..=listed {
            let name = &format!("{name}[{index}]");
            let pair: Value = table.raw_get(index)?;
            let pair = self::table(name, &pair)?;
            pairs.push((part(name, pair, 1, "name")?, part(name, pair, 2, "value")?));
        }
    }
    for entry in table.pairs::<Value, Value>() {
        let (key, value) = entry?;
        match key {
            Value::Integer(index) if usize::try_from(index).is_ok_and(|at| (1..=listed).contains(&at)) => {}
            Value::String(_) if listed == 0 => {
                let header = bytes(name, &key)?;
                let shown = format!("{name}['{}']", String::from_utf8_lossy(&header));
                pairs.push((header, bytes(&shown, &value)?));
            }
            _ => return Err(bad(name, "it is neither a map of strings nor a list of pairs")),
        }
    }
    if listed == 0 {
        pairs.sort();
    }
    Headers::encode(pairs).map_err(|fault| bad(name, fault))
}

/// One half of a pair: `{ "a", "1" }`, or `{ name = "a", value = "1" }` as delivered records have it.
fn part(name: &str, pair: &Table, index: usize, key: &str) -> Result<Bytes> {
    let by_index: Value = pair.raw_get(index)?;
    let value = if by_index.is_nil() { pair.raw_get(key)? } else { by_index };
    bytes(&format!("{name}.{key}"), &value)
}
