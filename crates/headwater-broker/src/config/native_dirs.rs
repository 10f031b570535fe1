//! Where native topics are kept.

use std::path::{Path, PathBuf};

use super::{ConfigError, key::split_list, values::Values};

/// `headwater.native.dirs`, else the first log directory with `-native` at its end. Kafka takes no other directory
/// among its partitions, so they lie outside.
pub(super) fn native_dirs(values: &Values, log_dirs: &[PathBuf]) -> Result<Vec<PathBuf>, ConfigError> {
    const KEY: &str = "headwater.native.dirs";
    let Some(text) = values.get(KEY) else {
        let Some(first) = log_dirs.first() else { return Ok(Vec::new()) };
        let mut dir = beside(first);
        while log_dirs.contains(&dir) {
            dir = beside(&dir);
        }
        return Ok(vec![dir]);
    };
    let refused = |expected: &str| {
        let (key, value) = (KEY.to_owned(), text.to_owned());
        Err(ConfigError::InvalidValue { key, value, expected: expected.to_owned() })
    };
    let dirs: Vec<PathBuf> =
        split_list(text).into_iter().filter(|dir| !dir.is_empty()).map(PathBuf::from).collect();
    if dirs.is_empty() {
        return refused("at least one directory");
    }
    if dirs.iter().any(|dir| log_dirs.iter().any(|log_dir| dir.starts_with(log_dir))) {
        return refused("directories outside of log.dirs");
    }
    Ok(dirs)
}

/// `<dir>-native`.
fn beside(dir: &Path) -> PathBuf {
    match dir.file_name() {
        Some(name) => {
            let mut name = name.to_owned();
            name.push("-native");
            dir.with_file_name(name)
        }
        // A root or `..` has no name to add to.
        None => dir.join("../headwater-native"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use crate::config::Config;

    fn dirs(text: &str) -> Option<Vec<PathBuf>> {
        Config::builder().properties(text).build().ok().map(|config| config.native_dirs)
    }

    #[test]
    fn native_directories_lie_outside_of_log_dirs() {
        let some = |dirs: &[&str]| Some(dirs.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(dirs(""), some(&["./data-native"]));
        assert_eq!(dirs("log.dirs=/srv/a,/srv/b"), some(&["/srv/a-native"]));
        assert_eq!(dirs("log.dirs=/srv/a/,/srv/a-native"), some(&["/srv/a-native-native"]));
        assert_eq!(
            dirs("log.dirs=/srv/a\nheadwater.native.dirs=/srv/n, /srv/m"),
            some(&["/srv/n", "/srv/m"])
        );
        assert_eq!(dirs("log.dirs=/srv/a\nheadwater.native.dirs=/srv/a/native"), None);
        assert_eq!(dirs("headwater.native.dirs=,"), None);
    }
}
