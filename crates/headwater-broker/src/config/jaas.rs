//! Login modules of Java's authentication service, as `sasl.jaas.config` names them: the users that PLAIN knows.

use headwater_security::PlainUsers;

/// Reads `org...PlainLoginModule required username="a" password="b" user_alice="secret";` and gives the users that the
/// options named `user_<name>` list. `username` and `password` are what a Kafka would log in to others with, and mean
/// nothing here.
///
/// # Errors
/// What is wrong with the text. It never quotes a password.
pub(super) fn plain_users(text: &str) -> Result<PlainUsers, &'static str> {
    let mut words = Words { rest: text };
    let module = words.next()?.ok_or("a login module")?;
    if !module.ends_with("PlainLoginModule") {
        return Err("a login module whose name ends in PlainLoginModule");
    }
    let flag = words.next()?.unwrap_or_default();
    if !["required", "requisite", "sufficient", "optional"].contains(&flag.to_ascii_lowercase().as_str()) {
        return Err("`required` after the name of the login module");
    }
    let mut users = Vec::new();
    while let Some(name) = words.next()? {
        if !words.take('=') {
            return Err("options of the form name=\"value\"");
        }
        let value = words.next()?.ok_or("a value after each equals sign")?;
        if let Some(user) = name.strip_prefix("user_") {
            users.push((user.to_owned(), value));
        }
    }
    if !words.take(';') {
        return Err("a semicolon at the end");
    }
    if !words.is_at_end() {
        return Err("one login module");
    }
    Ok(users.into_iter().collect())
}

/// A text as Java's tokenizer cuts it.
struct Words<'a> {
    rest: &'a str,
}

impl Words<'_> {
    /// The next word, bare or quoted; `None` before a semicolon and at the end.
    fn next(&mut self) -> Result<Option<String>, &'static str> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        if first == '"' || first == '\'' {
            return self.quoted(first).map(Some);
        }
        let end =
            self.rest.find(|c: char| c.is_whitespace() || "=;\"'".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "" if first == ';' => Ok(None),
            "" => Err("a name before each equals sign"),
            word => Ok(Some(word.to_owned())),
        }
    }

    /// A word in quotes; a backslash stands before a quote or another backslash.
    fn quoted(&mut self, quote: char) -> Result<String, &'static str> {
        let mut word = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => word.extend(characters.next().map(|(_, escaped)| escaped)),
                end if end == quote => {
                    self.rest = self.rest.get(at + 1..).unwrap_or_default();
                    return Ok(word);
                }
                other => word.push(other),
            }
        }
        Err("a closing quote")
    }

    /// Takes that character, if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn is_at_end(&self) -> bool {
        self.rest.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_users_of_a_plain_login_module() {
        let text = r#"org.apache.kafka.common.security.plain.PlainLoginModule required
            username="admin" password="admin-secret"
            user_admin = "admin-secret" user_alice='a"b=;' user_bob=plain user_carol="q\"\\";"#;
        let users = plain_users(text).unwrap();
        for (user, password) in
            [("admin", "admin-secret"), ("alice", "a\"b=;"), ("bob", "plain"), ("carol", "q\"\\")]
        {
            assert!(users.accept(user, password), "{user}");
        }
        assert_eq!(format!("{users:?}"), r#"{"admin", "alice", "bob", "carol"}"#);
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, expected) in [
            ("", "a login module"),
            ("x.ScramLoginModule required;", "a login module whose name ends in PlainLoginModule"),
            ("x.PlainLoginModule;", "`required` after the name of the login module"),
            ("x.PlainLoginModule required user_a=\"b\"", "a semicolon at the end"),
            ("x.PlainLoginModule required user_a;", "options of the form name=\"value\""),
            ("x.PlainLoginModule required user_a=;", "a value after each equals sign"),
            ("x.PlainLoginModule required =\"b\";", "a name before each equals sign"),
            ("x.PlainLoginModule required user_a=\"b;", "a closing quote"),
            ("x.PlainLoginModule required; y.PlainLoginModule required;", "one login module"),
        ] {
            assert_eq!(plain_users(text), Err(expected), "{text}");
        }
    }
}
