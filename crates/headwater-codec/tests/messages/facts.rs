//! Where the facts about the protocol lie: a directory beside the repository that is not part of it.

use std::env;
use std::path::PathBuf;

/// The directory with the facts; `None`, said loudly, when it is not there.
pub(crate) fn directory(test: &str) -> Option<PathBuf> {
    let path = match env::var_os("HEADWATER_PROTOCOL_FACTS") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/protocol")),
    };
    if path.join("messages").is_dir() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: {test}: no protocol facts in {}; set HEADWATER_PROTOCOL_FACTS to their directory",
        path.display()
    );
    None
}
