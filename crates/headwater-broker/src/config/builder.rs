//! Gathers settings from a file, the environment and arguments, and judges their names.

use std::{fs, path::Path};

use super::{
    Config, ConfigError, Notice, Origin,
    env::{self, Variable},
    known, properties,
    values::Values,
};

/// Gathers settings. Whatever the order of the calls, `--set` wins over the environment and that over the file.
///
/// The first thing that is wrong is told by [`build`](Self::build), so that calls can be chained.
#[derive(Debug, Default)]
pub struct ConfigBuilder {
    values: Values,
    notices: Vec<Notice>,
    failure: Option<ConfigError>,
}

impl ConfigBuilder {
    /// Reads a `.properties` file, such as Kafka's `server.properties`.
    #[must_use]
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        match fs::read(path.as_ref()) {
            Ok(bytes) => self.properties(&decode(bytes)),
            Err(source) => {
                self.fail(ConfigError::File { path: path.as_ref().to_owned(), source });
                self
            }
        }
    }

    /// Reads `.properties` text. An unknown key is a warning.
    #[must_use]
    pub fn properties(mut self, text: &str) -> Self {
        match properties::parse(text) {
            Ok(pairs) => {
                for (key, value) in pairs {
                    self.put(Origin::File, key, value);
                }
            }
            Err(error) => self.fail(error),
        }
        self
    }

    /// Takes the variables that begin with `KAFKA_`: `_` is a dot, `__` an underscore, `___` a dash. Those of Kafka's
    /// launch scripts are left alone; any other that names no key is an error.
    #[must_use]
    pub fn env(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            match env::interpret(&name) {
                Variable::Foreign => {}
                Variable::Key(key) => self.put(Origin::Environment, key, value),
            }
        }
        self
    }

    /// Takes one `KEY=VALUE`. An unknown key is an error.
    #[must_use]
    pub fn set(mut self, argument: &str) -> Self {
        match argument.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                self.put(Origin::Set, key.trim().to_owned(), value.trim().to_owned());
            }
            _ => self.fail(ConfigError::NotAPair { argument: argument.to_owned() }),
        }
        self
    }

    /// Judges everything together.
    ///
    /// # Errors
    /// [`ConfigError`]: the first thing that was wrong.
    pub fn build(self) -> Result<Config, ConfigError> {
        match self.failure {
            Some(error) => Err(error),
            None => Config::assemble(self.values, self.notices),
        }
    }

    fn put(&mut self, origin: Origin, key: String, value: String) {
        if known::key(&key).is_some() || known::is_listener_key(&key) || known::family(&key).is_some() {
            self.values.put(key, value, origin);
            return;
        }
        let error = ConfigError::UnknownKey { origin, nearest: known::nearest(&key), key };
        match origin {
            Origin::File => self.notices.push(Notice::warn(error.to_string())),
            Origin::Environment | Origin::Set => self.fail(error),
        }
    }

    fn fail(&mut self, error: ConfigError) {
        self.failure.get_or_insert(error);
    }
}

/// A file's text. Java takes `.properties` files for Latin-1, and most people write UTF-8: what is not UTF-8 is Latin-1.
fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(other) => other.into_bytes().into_iter().map(char::from).collect(),
    }
}
