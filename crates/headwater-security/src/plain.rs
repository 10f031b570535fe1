//! PLAIN (RFC 4616): one message with a name and a password.

use std::{collections::BTreeMap, fmt};

use subtle::ConstantTimeEq;

/// What a PLAIN message says.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct PlainLogin<'a> {
    /// Whom the client wants to act for; `None` for itself.
    pub authorization_id: Option<&'a str>,
    /// Who logs in.
    pub user: &'a str,
    /// The password.
    pub password: &'a str,
}

/// Why a PLAIN message is none.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PlainError {
    /// Not UTF-8, or not three parts with a zero byte between each.
    #[error("a PLAIN message has three parts in UTF-8 with a zero byte between them")]
    Form,
    /// The user's name is empty.
    #[error("username not specified")]
    NoUser,
    /// The password is empty.
    #[error("password not specified")]
    NoPassword,
}

impl<'a> PlainLogin<'a> {
    /// Reads `authorization id NUL user NUL password`.
    ///
    /// # Errors
    /// [`PlainError`].
    pub fn parse(message: &'a [u8]) -> Result<Self, PlainError> {
        let text = std::str::from_utf8(message).map_err(|_| PlainError::Form)?;
        let mut parts = text.split('\0');
        let (Some(authorization_id), Some(user), Some(password), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(PlainError::Form);
        };
        if user.is_empty() {
            return Err(PlainError::NoUser);
        }
        if password.is_empty() {
            return Err(PlainError::NoPassword);
        }
        let authorization_id = Some(authorization_id).filter(|id| !id.is_empty());
        Ok(Self { authorization_id, user, password })
    }
}

impl fmt::Debug for PlainLogin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainLogin").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Users with their passwords, as a configuration lists them.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct PlainUsers(BTreeMap<String, String>);

impl PlainUsers {
    /// Whether `password` is the user's. Takes as long for a wrong password as for the right one.
    pub fn accept(&self, user: &str, password: &str) -> bool {
        let known = self.0.get(user);
        // Compared in either case, so that the time does not tell who exists.
        let expected = known.map_or(password, String::as_str);
        let is_equal = bool::from(expected.as_bytes().ct_eq(password.as_bytes()));
        is_equal & known.is_some()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, String)> for PlainUsers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(users: I) -> Self {
        Self(users.into_iter().collect())
    }
}

impl fmt::Debug for PlainUsers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first two are the examples of RFC 4616, section 4.
    #[test]
    fn reads_three_parts() {
        let tim = PlainLogin::parse(b"\0tim\0tanstaaftanstaaf").unwrap();
        assert_eq!((tim.authorization_id, tim.user, tim.password), (None, "tim", "tanstaaftanstaaf"));
        let ursel = PlainLogin::parse(b"Ursel\0Kurt\0xipj3plmq").unwrap();
        assert_eq!((ursel.authorization_id, ursel.user), (Some("Ursel"), "Kurt"));
        for (message, error) in [
            (&b""[..], PlainError::Form),
            (b"tim\0secret", PlainError::Form),
            (b"\0a\0b\0c", PlainError::Form),
            (b"\0\xff\0b", PlainError::Form),
            (b"\0\0b", PlainError::NoUser),
            (b"\0a\0", PlainError::NoPassword),
        ] {
            assert_eq!(PlainLogin::parse(message), Err(error), "{message:?}");
        }
    }

    #[test]
    fn users_have_one_password_each() {
        let users: PlainUsers = [("a", "1"), ("b", "22")]
            .map(|(user, password)| (user.into(), password.into()))
            .into_iter()
            .collect();
        assert!(users.accept("a", "1") && users.accept("b", "22"));
        for (user, password) in [("a", "22"), ("a", ""), ("a", "11"), ("c", "1"), ("", "")] {
            assert!(!users.accept(user, password), "{user} {password}");
        }
        assert_eq!(format!("{users:?}"), r#"{"a", "b"}"#);
    }
}
