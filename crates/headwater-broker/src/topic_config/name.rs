//! Which names a topic may have.

use headwater_codec::ErrorCode;

/// Kafka's rules for topic names; creation by request and by Metadata follow the same.
pub(crate) struct TopicNameRules;

/// Why a name is refused.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum TopicNameError {
    /// Nothing.
    #[error("topic name is invalid: the empty string is not allowed")]
    Empty,
    /// `.` or `..`, which name directories.
    #[error("topic name is invalid: '.' and '..' are not allowed")]
    Dots,
    /// More than 249 characters, which would make a directory name too long.
    #[error("topic name is invalid: {length} characters are more than {LENGTH_MAX}")]
    TooLong {
        /// Its length.
        length: usize,
    },
    /// A character other than ASCII letters, digits, `.`, `_` and `-`.
    #[error("topic name is invalid: {character:?} is none of the ASCII letters, digits, '.', '_' and '-'")]
    Character {
        /// The first such character.
        character: char,
    },
    /// It differs from an existing topic's name only in `.` and `_`, which metrics do not tell apart.
    #[error("topic {name} collides with the existing topic {existing}: '.' and '_' count as the same")]
    Collision {
        /// The name.
        name: String,
        /// The topic that exists.
        existing: String,
    },
}

impl TopicNameError {
    /// The code that tells a client.
    pub(crate) const fn code(&self) -> ErrorCode {
        ErrorCode::InvalidTopicException
    }
}

impl TopicNameRules {
    /// Judges length and alphabet.
    pub(crate) fn check(name: &str) -> Result<(), TopicNameError> {
        if name.is_empty() {
            return Err(TopicNameError::Empty);
        }
        if name == "." || name == ".." {
            return Err(TopicNameError::Dots);
        }
        let length = name.chars().count();
        if length > LENGTH_MAX {
            return Err(TopicNameError::TooLong { length });
        }
        match name.chars().find(|character| !is_allowed(*character)) {
            Some(character) => Err(TopicNameError::Character { character }),
            None => Ok(()),
        }
    }

    /// Judges a name for creation: length and alphabet, then that no existing topic's name differs from it only in `.`
    /// and `_`. A topic of the very name is not told here; the caller answers that it exists.
    pub(crate) fn check_new<'a>(
        name: &str,
        existing: impl Iterator<Item = &'a str>,
    ) -> Result<(), TopicNameError> {
        Self::check(name)?;
        if !has_collision_characters(name) {
            return Ok(());
        }
        let mut collision = None;
        for other in existing {
            if other == name {
                return Ok(());
            }
            if has_collision_characters(other) && collides(name, other) {
                collision = Some(other.to_owned());
            }
        }
        match collision {
            Some(existing) => Err(TopicNameError::Collision { name: name.to_owned(), existing }),
            None => Ok(()),
        }
    }
}

/// Whether the names are equal when `.` and `_` count as the same.
fn collides(one: &str, other: &str) -> bool {
    let alike = |byte: u8| if byte == b'.' { b'_' } else { byte };
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(|(one, other)| alike(one) == alike(other))
}

fn has_collision_characters(name: &str) -> bool {
    name.contains(['.', '_'])
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
}

const LENGTH_MAX: usize = 249;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_length_and_alphabet() {
        for good in ["a", "A-b_c.9", "...", &"x".repeat(249)] {
            assert_eq!(TopicNameRules::check(good), Ok(()), "{good}");
        }
        assert_eq!(TopicNameRules::check(""), Err(TopicNameError::Empty));
        for dots in [".", ".."] {
            assert_eq!(TopicNameRules::check(dots), Err(TopicNameError::Dots));
        }
        assert_eq!(TopicNameRules::check(&"x".repeat(250)), Err(TopicNameError::TooLong { length: 250 }));
        for (bad, character) in [("a/b", '/'), ("a b", ' '), ("\u{fc}", '\u{fc}'), ("a\0", '\0')] {
            assert_eq!(TopicNameRules::check(bad), Err(TopicNameError::Character { character }));
        }
    }

    #[test]
    fn refuses_names_that_differ_only_in_dots_and_underscores() {
        let check = |name: &str, existing: &[&str]| TopicNameRules::check_new(name, existing.iter().copied());
        let collision = TopicNameError::Collision { name: "a_b".to_owned(), existing: "a.b".to_owned() };
        assert_eq!(check("a_b", &["a", "a.b"]), Err(collision));
        assert_eq!(check("a_b", &["A.b", "a-b", "a.bc"]), Ok(()), "case and other characters matter");
        assert_eq!(check("ab", &["a.b"]), Ok(()));
        assert_eq!(check("a_b", &["a.b", "a_b"]), Ok(()), "the caller tells that it exists");
    }
}
