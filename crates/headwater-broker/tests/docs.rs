//! The pages that are made from the broker's own tables are those in the book.
//!
//! `cargo xtask docs` writes them again: it runs this with `HEADWATER_WRITE_DOCS` set.

use std::{env, fs, path::Path};

#[track_caller]
fn is_fresh(page: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(page);
    if env::var_os("HEADWATER_WRITE_DOCS").is_some() {
        fs::write(&path, text).expect("the page is written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/src/{page} is stale: run `cargo xtask docs`");
}

#[test]
fn configuration_page_is_fresh() {
    is_fresh("configuration.md", &headwater_broker::config_reference());
}

#[test]
fn apis_page_is_fresh() {
    is_fresh("apis.md", &headwater_broker::api_reference());
}
