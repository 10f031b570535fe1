//! Quotas as the configuration writes them (`headwater.client.quotas`).

use headwater_security::QuotaKind;
use headwater_storage::QuotaEntity;

use super::{CLIENT_ID, USER};

/// Reads `user=alice,client-id=c1:producer_byte_rate=1048576,consumer_byte_rate=2097152; user=:...`: entities and quotas,
/// separated by semicolons. An empty name stands for everybody without a quota of their own.
///
/// # Errors
/// What was expected.
pub(crate) fn parse(text: &str) -> Result<Vec<(QuotaEntity, QuotaKind, f64)>, String> {
    let mut quotas = Vec::new();
    for entry in text.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
        // Names may have colons, quotas have none.
        let (entity, values) = entry.rsplit_once(':').ok_or_else(|| expected(entry))?;
        let parts: Option<Vec<_>> = entity.split(',').map(part).collect();
        let mut parts = parts.ok_or_else(|| expected(entry))?;
        parts.sort();
        if parts.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("one name for each type in {entry}"));
        }
        let entity = QuotaEntity::new(parts);
        for value in values.split(',') {
            let (name, value) = value.split_once('=').ok_or_else(|| expected(entry))?;
            let kind = QuotaKind::parse(name.trim())
                .ok_or_else(|| format!("producer_byte_rate or consumer_byte_rate in {entry}"))?;
            let rate: f64 = value.trim().parse().map_err(|_| format!("bytes a second in {entry}"))?;
            if !(rate.is_finite() && rate > 0.0) {
                return Err(format!("more than 0 bytes a second in {entry}"));
            }
            quotas.push((entity.clone(), kind, rate));
        }
    }
    Ok(quotas)
}

fn part(text: &str) -> Option<(String, Option<String>)> {
    let (entity_type, name) = text.split_once('=')?;
    let entity_type = entity_type.trim();
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    [USER, CLIENT_ID].contains(&entity_type).then(|| (entity_type.to_owned(), name))
}

fn expected(entry: &str) -> String {
    format!("user=NAME,client-id=NAME:producer_byte_rate=N,consumer_byte_rate=N instead of {entry}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_entities_with_their_quotas() {
        let text = "user=alice,client-id=a:b : producer_byte_rate=10, consumer_byte_rate=20.5; client-id=:producer_byte_rate=1e6;";
        let user = |name: Option<&str>| (USER.to_owned(), name.map(str::to_owned));
        let client = |name: Option<&str>| (CLIENT_ID.to_owned(), name.map(str::to_owned));
        let pair = QuotaEntity::new([user(Some("alice")), client(Some("a:b"))]);
        assert_eq!(
            parse(text).unwrap(),
            [
                (pair.clone(), QuotaKind::ProducerByteRate, 10.0),
                (pair, QuotaKind::ConsumerByteRate, 20.5),
                (QuotaEntity::new([client(None)]), QuotaKind::ProducerByteRate, 1e6),
            ]
        );
        assert_eq!(parse(" ; "), Ok(Vec::new()));
    }

    #[test]
    fn says_what_it_expects() {
        for (text, expected) in [
            (
                "user=alice",
                "user=NAME,client-id=NAME:producer_byte_rate=N,consumer_byte_rate=N instead of user=alice",
            ),
            ("ip=1:producer_byte_rate=1", "instead of ip=1:producer_byte_rate=1"),
            ("user=a,user=b:producer_byte_rate=1", "one name for each type"),
            ("user=a:request_percentage=1", "producer_byte_rate or consumer_byte_rate"),
            ("user=a:producer_byte_rate=x", "bytes a second"),
            ("user=a:producer_byte_rate=0", "more than 0 bytes a second"),
            ("user=a:producer_byte_rate", "instead of"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
