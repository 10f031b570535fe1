//! The form of SCRAM's messages: attributes in a fixed order, with commas between them (RFC 5802, section 7).

use base64::{Engine, engine::general_purpose::STANDARD};

use super::{error::ScramError, nonce::is_nonce};

/// Takes `name=value` from the front, up to a comma that is taken too, or the end.
pub(super) fn attribute<'a>(text: &mut &'a str, name: char) -> Result<&'a str, ScramError> {
    let (first, rest) = match text.split_once(',') {
        // A comma stands between two attributes, never behind the last.
        Some((_, "")) => return Err(ScramError::Malformed),
        Some((first, rest)) => (first, rest),
        None => (*text, ""),
    };
    let value = first.strip_prefix(name).and_then(|value| value.strip_prefix('=')).ok_or(
        if first.starts_with("m=") { ScramError::MandatoryExtension } else { ScramError::Malformed },
    )?;
    *text = rest;
    Ok(value)
}

/// Takes a nonce from the front.
pub(super) fn nonce<'a>(text: &mut &'a str) -> Result<&'a str, ScramError> {
    let nonce = attribute(text, 'r')?;
    if is_nonce(nonce) { Ok(nonce) } else { Err(ScramError::Malformed) }
}

/// Judges what may stand behind the attributes that are known: extensions, none of them mandatory.
pub(super) fn extensions(text: &str) -> Result<(), ScramError> {
    if text.is_empty() {
        return Ok(());
    }
    for extension in text.split(',') {
        let (name, value) = extension.split_once('=').ok_or(ScramError::Malformed)?;
        if name == "m" {
            return Err(ScramError::MandatoryExtension);
        }
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) || value.contains('\0') {
            return Err(ScramError::Malformed);
        }
    }
    Ok(())
}

/// Reads a name: `=2C` is a comma, `=3D` an equals sign, and no other equals sign may be there.
pub(super) fn unescape(name: &str) -> Result<String, ScramError> {
    if name.is_empty() || name.contains('\0') {
        return Err(ScramError::Malformed);
    }
    let mut parts = name.split('=');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (character, rest) = match (part.strip_prefix("2C"), part.strip_prefix("3D")) {
            (Some(rest), _) => (',', rest),
            (_, Some(rest)) => ('=', rest),
            _ => return Err(ScramError::Malformed),
        };
        text.push(character);
        text.push_str(rest);
    }
    Ok(text)
}

/// Writes a name.
pub(super) fn escape(name: &str) -> String {
    name.replace('=', "=3D").replace(',', "=2C")
}

/// Reads base64 in its only canonical form.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, ScramError> {
    STANDARD.decode(text).map_err(|_| ScramError::Malformed)
}

/// Writes base64.
pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A message as text.
pub(super) fn text(message: &[u8]) -> Result<&str, ScramError> {
    std::str::from_utf8(message).map_err(|_| ScramError::Malformed)
}
