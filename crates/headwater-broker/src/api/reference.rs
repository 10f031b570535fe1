//! The matrix of APIs, as a page of the book: the codec's registry joined with the table of handlers.

use std::fmt::Write;

use headwater_codec::registry::{self, Api};
use headwater_codec::{RequestHeaderVersion, ResponseHeaderVersion};

use super::not_served;

/// Every API that the codec knows, in Markdown: its versions, and whether it is served or why it is not. It is made
/// from the registry and from the table that dispatch uses.
pub fn api_reference() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("\n| key | API | versions | flexible from | request header | response header | served |\n");
    page.push_str("|---:|---|---|---|---|---|---|\n");
    for api in registry::apis() {
        let served = match super::find(api.key().code()) {
            Some(served) => served.served().to_string(),
            None => format!("no: {}", not_served::reason(api.key()).unwrap_or("nobody says why")),
        };
        let flexible = api.min_flexible().map_or("never".to_owned(), |version| version.to_string());
        let (request, response) = (headers(api, request_header), headers(api, response_header));
        let (key, name, versions) = (api.key().code(), api.name(), api.versions());
        let _ = writeln!(
            page,
            "| {key} | {name} | {versions} | {flexible} | {request} | {response} | {served} |"
        );
    }
    page
}

/// The header versions that go with the versions of the API, in that order.
fn headers(api: &Api, of: fn(&Api, i16) -> i16) -> String {
    let mut versions: Vec<_> = api.versions().iter().map(|version| of(api, version)).collect();
    versions.dedup();
    let versions: Vec<_> = versions.iter().map(i16::to_string).collect();
    versions.join(", ")
}

fn request_header(api: &Api, version: i16) -> i16 {
    match api.request_header_version(version) {
        RequestHeaderVersion::V0 => 0,
        RequestHeaderVersion::V1 => 1,
        RequestHeaderVersion::V2 => 2,
    }
}

fn response_header(api: &Api, version: i16) -> i16 {
    match api.response_header_version(version) {
        ResponseHeaderVersion::V0 => 0,
        ResponseHeaderVersion::V1 => 1,
    }
}

const INTRODUCTION: &str = "\
# APIs

<!-- Made from the codec's registry and the table of handlers; `cargo xtask docs` writes it again. -->

Every request of Kafka's protocol that the codec reads and writes, in which versions, and what the broker does with it.
`ApiVersions` tells clients what is served, so that they speak versions that both know. Versions that are there but not
served are unstable in Kafka 4.3, or new in 4.4.

- *flexible from*: the first version with compact lengths and tagged fields (KIP-482).
- *request header*, *response header*: their versions, before and from the first flexible version if they differ.
- *served*: the versions that are answered, or why there is no answer. A transactional id gets UNSUPPORTED_VERSION (35).
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_joins_what_the_codec_and_the_broker_say() {
        let page = api_reference();
        for row in [
            "| 18 | ApiVersions | 0-5 | 3 | 1, 2 | 0 | 0-5 |",
            "| 22 | InitProducerId | 0-6 | 2 | 1, 2 | 0, 1 | 0-5 |",
            "| 47 | OffsetDelete | 0 | never | 1 | 0 | 0 |",
        ] {
            assert!(page.lines().any(|line| line == row), "{row} in {page}");
        }
        assert_eq!(page.lines().filter(|line| line.starts_with("| ")).count(), 1 + registry::apis().len());
    }
}
