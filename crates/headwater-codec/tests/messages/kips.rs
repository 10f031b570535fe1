//! The index of KIPs is complete: what the codec's sources cite stands on it, and nothing else does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_kip_that_a_message_cites_stands_on_the_index() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cited = BTreeSet::new();
    cite(&top.join("src"), &mut cited);
    let page = fs::read_to_string(top.join("../../docs/src/kips.md")).expect("the index is there");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok());
    let listed: Vec<u32> = rows.collect();
    assert!(listed.is_sorted_by(|left, right| left < right), "{listed:?}");
    let listed: BTreeSet<u32> = listed.into_iter().collect();
    assert_eq!(cited.difference(&listed).collect::<Vec<_>>(), [] as [&u32; 0], "cited, but not listed");
    assert_eq!(listed.difference(&cited).collect::<Vec<_>>(), [] as [&u32; 0], "listed, but not cited");
}

fn cite(directory: &Path, cited: &mut BTreeSet<u32>) {
    for entry in fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            cite(&path, cited);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source is text");
        for rest in text.split("KIP-").skip(1) {
            let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
            cited.extend(rest[..digits].parse::<u32>());
        }
    }
}
