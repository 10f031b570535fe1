//! Java's `.properties` syntax: comments, continued lines, escapes, three ways to separate a key from its value.

use super::ConfigError;

/// Reads key and value pairs in the order of the text. A key may come twice; the caller lets the last one win.
///
/// # Errors
/// [`ConfigError::UnicodeEscape`] when `\u` is not followed by four hexadecimal digits.
pub(crate) fn parse(text: &str) -> Result<Vec<(String, String)>, ConfigError> {
    let mut pairs = Vec::new();
    for (line, logical) in logical_lines(text) {
        let (key, value) = split(&logical);
        pairs.push((unescape(key, line)?, unescape(value, line)?));
    }
    Ok(pairs)
}

/// Lines without comments and blank ones, continued ones joined, each with the number of its first line.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut natural = split_lines(text).enumerate();
    while let Some((index, line)) = natural.next() {
        let start = line.trim_start_matches(is_blank);
        if start.is_empty() || start.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = start.to_owned();
        while ends_in_odd_backslashes(&logical) {
            logical.pop();
            match natural.next() {
                Some((_, next)) => logical.push_str(next.trim_start_matches(is_blank)),
                None => break,
            }
        }
        lines.push((index + 1, logical));
    }
    lines
}

/// Lines end in LF, CR or both.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Whether the last character escapes the line's end.
fn ends_in_odd_backslashes(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// Cuts at the first `=`, `:` or blank that no backslash escapes.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let mut key_end = line.len();
    for (at, character) in line.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if is_blank(character) || character == '=' || character == ':' {
            key_end = at;
            break;
        }
    }
    let (key, rest) = line.split_at(key_end);
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(is_blank))
}

/// Resolves `\t`, `\n`, `\r`, `\f`, `\uXXXX` (surrogate pairs too); a backslash before anything else falls away.
fn unescape(text: &str, line: usize) -> Result<String, ConfigError> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut pair = [0; 2];
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let unescaped = match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some('u') => {
                    units.push(hex_unit(&mut characters).ok_or(ConfigError::UnicodeEscape { line })?);
                    continue;
                }
                Some(other) => other,
                None => continue,
            },
            other => other,
        };
        units.extend_from_slice(unescaped.encode_utf16(&mut pair));
    }
    Ok(String::from_utf16_lossy(&units))
}

/// Four hexadecimal digits.
fn hex_unit(characters: &mut std::str::Chars<'_>) -> Option<u16> {
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit << 4 | u16::try_from(characters.next()?.to_digit(16)?).ok()?;
    }
    Some(unit)
}

/// What Java takes for white space in a properties text.
const fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\u{c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let pairs = parse(text).expect("parses");
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn separates_keys_from_values_in_three_ways() {
        check(
            "a=1\nb:2\nc 3\nd = 4 \ne\t:\t5\nf",
            &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4 "), ("e", "5"), ("f", "")],
        );
    }

    #[test]
    fn keeps_later_separators_in_the_value() {
        check("listeners=PLAINTEXT://:9092", &[("listeners", "PLAINTEXT://:9092")]);
        check("a==b", &[("a", "=b")]);
    }

    #[test]
    fn skips_comments_and_blank_lines() {
        check("# one\n  ! two\n\n \t\na=#3\r\n#b=\\\nc=4", &[("a", "#3"), ("c", "4")]);
    }

    #[test]
    fn joins_continued_lines_and_drops_their_indent() {
        check("a=1,\\\n    2,\\\r\n\t3\nb=x\\\\\nc=end\\", &[("a", "1,2,3"), ("b", "x\\"), ("c", "end")]);
    }

    #[test]
    fn resolves_escapes() {
        check("a\\ b\\=c=\\t\\n\\q\\u00e4\\uD83D\\ude00", &[("a b=c", "\t\nq\u{e4}\u{1f600}")]);
    }

    #[test]
    fn refuses_a_broken_unicode_escape_and_names_its_line() {
        let error = parse("a=1\nb=\\u12").expect_err("broken");
        assert_eq!(
            error.to_string(),
            "configuration line 2: \\u must be followed by four hexadecimal digits"
        );
    }
}
