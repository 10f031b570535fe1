//! `meta.properties`: whose directory this is. Version 1, as Kafka writes it since 3.7.

use std::{collections::BTreeMap, path::Path};

use uuid::Uuid;

use super::{
    error::MetadataError,
    kafka_uuid::{uuid_from_text, uuid_to_text},
};

/// The file's name, in each log directory.
pub(crate) const FILE_NAME: &str = "meta.properties";

/// What `meta.properties` says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MetaProperties {
    /// The cluster that the directory belongs to.
    pub cluster_id: String,
    /// The node that the directory belongs to.
    pub node_id: i32,
    /// The directory's own id (KIP-858); `None` in a directory of a Kafka before 3.7.
    pub directory_id: Option<Uuid>,
}

impl MetaProperties {
    /// Reads the file's text. `path` is only for the error.
    ///
    /// # Errors
    /// [`MetadataError::Properties`] names the first property that is missing or not what it should be.
    pub fn parse(path: &Path, text: &str) -> Result<Self, MetadataError> {
        let values = parse_lines(text);
        let wrong = |key, expected: &str| MetadataError::Properties {
            path: path.to_path_buf(),
            key,
            found: values.get(key).map_or_else(|| "missing".into(), |found| format!("\"{found}\"")),
            expected: expected.into(),
        };
        let text_of = |key| values.get(key).map(String::as_str);
        let version = text_of("version").ok_or_else(|| wrong("version", "1"))?;
        // Version 0 was written by a broker that kept its metadata in ZooKeeper.
        if version != "1" {
            return Err(wrong("version", "1"));
        }
        let cluster_id = text_of("cluster.id").filter(|id| !id.is_empty());
        let node_id = text_of("node.id").and_then(|id| id.parse().ok()).filter(|id: &i32| *id >= 0);
        let directory_id = match text_of("directory.id") {
            None => None,
            Some(id) => {
                Some(uuid_from_text(id).ok_or_else(|| wrong("directory.id", "22 characters of base64url"))?)
            }
        };
        Ok(Self {
            cluster_id: cluster_id.ok_or_else(|| wrong("cluster.id", "the cluster's id"))?.into(),
            node_id: node_id.ok_or_else(|| wrong("node.id", "a node id, 0 or more"))?,
            directory_id,
        })
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let directory =
            self.directory_id.map_or_else(String::new, |id| format!("directory.id={}\n", uuid_to_text(id)));
        format!(
            "#\nnode.id={}\n{directory}version=1\ncluster.id={}\n",
            self.node_id,
            escape(&self.cluster_id)
        )
    }
}

/// The lines of a Java properties file as far as this one uses the syntax: comments, blanks, `key=value`, backslashes.
fn parse_lines(text: &str) -> BTreeMap<&str, String> {
    let mut values = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let (key, value) = line.split_once(['=', ':']).unwrap_or((line, ""));
        values.insert(key.trim_end(), unescape(value.trim_start()));
    }
    values
}

/// Kafka's writer puts a backslash before `=`, `:`, `#`, `!` and the backslash.
fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        if matches!(character, '=' | ':' | '#' | '!' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn unescape(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.extend(characters.next()),
            _ => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by Apache Kafka 4.3.0's storage tool.
    const FROM_KAFKA: &str = "#\n#Mon Nov 30 08:37:06 UTC 2026\nnode.id=1\ndirectory.id=_nQ-D7I2S_mce-n2ubgj7A\nversion=1\n\
                              cluster.id=AAAAAAAAAAAAAAAAAAAAAQ\n";

    fn parse(text: &str) -> Result<MetaProperties, MetadataError> {
        MetaProperties::parse(Path::new("/data/meta.properties"), text)
    }

    #[test]
    fn reads_what_apache_kafka_wrote() {
        let properties = parse(FROM_KAFKA).unwrap();
        assert_eq!(properties.cluster_id, "AAAAAAAAAAAAAAAAAAAAAQ");
        assert_eq!(properties.node_id, 1);
        assert_eq!(properties.directory_id, uuid_from_text("_nQ-D7I2S_mce-n2ubgj7A"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let properties = MetaProperties {
            cluster_id: "odd=cluster:\\id".into(),
            node_id: 7,
            directory_id: Some(Uuid::from_u128(0x1234_5678)),
        };
        assert_eq!(parse(&properties.to_text()).unwrap(), properties);
    }

    #[test]
    fn errors_name_file_and_property() {
        for (text, message) in [
            ("", "/data/meta.properties: version is missing, but should be 1"),
            ("version=0\nbroker.id=1\n", "/data/meta.properties: version is \"0\", but should be 1"),
            (
                "version=1\nnode.id=1\n",
                "/data/meta.properties: cluster.id is missing, but should be the cluster's id",
            ),
            (
                "version=1\ncluster.id=x\nnode.id=-4\n",
                "/data/meta.properties: node.id is \"-4\", but should be a node id, 0 or more",
            ),
            (
                "version=1\ncluster.id=x\nnode.id=1\ndirectory.id=?\n",
                "/data/meta.properties: directory.id is \"?\", but should be 22 characters of base64url",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
    }
}
