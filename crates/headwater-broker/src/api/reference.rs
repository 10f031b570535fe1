//! The matrix of served APIs, as a page of the book.

use std::fmt::Write;

use super::APIS;

/// The served APIs with their versions in Markdown, made from the table that dispatch uses.
pub fn api_reference() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("\n| key | API | versions | flexible from |\n|---|---|---|---|\n");
    let mut apis: Vec<_> = APIS.iter().collect();
    apis.sort_by_key(|api| api.key.code());
    for api in apis {
        let flexible = api.schema.flexible.first().map_or("never".to_owned(), |version| version.to_string());
        let _ = writeln!(page, "| {} | {} | {} | {flexible} |", api.key.code(), api.key.name(), api.served());
    }
    page
}

const INTRODUCTION: &str = "\
# APIs served

<!-- Made from the table of handlers; `cargo xtask docs` writes it again. -->

These are the requests of Kafka's protocol that are answered, with their versions. `ApiVersions` tells clients the same,
so they speak versions that both know. Transactions are not served: a transactional id gets UNSUPPORTED_VERSION (35).
";
