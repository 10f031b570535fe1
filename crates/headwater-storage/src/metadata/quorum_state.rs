//! `quorum-state`: the metadata log's epoch and who leads in it, one line of JSON.

use std::path::Path;

use headwater_codec::Offset;

use super::error::{CorruptMetadata, MetadataError};

/// The file's name, in the metadata log's directory.
pub(crate) const FILE_NAME: &str = "quorum-state";

/// What `quorum-state` says, as far as a quorum of one needs it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct QuorumState {
    /// The epoch last seen.
    pub(crate) leader_epoch: i32,
    /// The form of the file: 0 for a quorum fixed by configuration, 1 for one that stands in the log (KIP-853).
    pub(crate) data_version: i16,
    /// The voters that form 0 lists.
    pub(crate) voters: Vec<i32>,
}

impl QuorumState {
    /// Reads the file's text. Unknown keys are passed over.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, MetadataError> {
        let corrupt = || MetadataError::Corrupt {
            path: path.to_path_buf(),
            offset: Offset::ZERO,
            reason: CorruptMetadata::Format,
        };
        let voters = text.match_indices(VOTER_ID).filter_map(|(at, _)| integer_after(&text[at..], VOTER_ID));
        Ok(Self {
            leader_epoch: integer_after(text, "\"leaderEpoch\":").ok_or_else(corrupt)?,
            data_version: integer_after(text, "\"data_version\":")
                .and_then(|version| i16::try_from(version).ok())
                .unwrap_or(0),
            voters: voters.collect(),
        })
    }

    /// The file's text with `node` as the leader.
    pub(crate) fn to_text(&self, node: i32) -> String {
        let epoch = self.leader_epoch;
        if self.data_version >= 1 {
            return format!(
                "{{\"leaderId\":{node},\"leaderEpoch\":{epoch},\"votedId\":-1,\
                 \"votedDirectoryId\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"data_version\":1}}"
            );
        }
        format!(
            "{{\"clusterId\":\"\",\"leaderId\":{node},\"leaderEpoch\":{epoch},\"votedId\":-1,\"appliedOffset\":0,\
             \"currentVoters\":[{{\"voterId\":{node}}}],\"data_version\":0}}"
        )
    }
}

/// The integer that follows the first `key`, if one does.
fn integer_after(text: &str, key: &str) -> Option<i32> {
    let rest = text[text.find(key)? + key.len()..].trim_start();
    let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The key of a voter's id.
const VOTER_ID: &str = "\"voterId\":";

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<QuorumState, MetadataError> {
        QuorumState::parse(Path::new("/data/__cluster_metadata-0/quorum-state"), text)
    }

    /// Written by Apache Kafka 4.3.0.
    #[test]
    fn reads_and_writes_the_form_of_apache_kafka() {
        let text = "{\"leaderId\":1,\"leaderEpoch\":2,\"votedId\":-1,\
                    \"votedDirectoryId\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"data_version\":1}";
        let state = parse(text).unwrap();
        assert_eq!(state, QuorumState { leader_epoch: 2, data_version: 1, voters: vec![] });
        assert_eq!(state.to_text(1), text);
    }

    #[test]
    fn the_older_form_lists_the_voters() {
        let state = QuorumState { leader_epoch: 9, data_version: 0, voters: vec![3] };
        assert_eq!(parse(&state.to_text(3)).unwrap(), state);
    }

    #[test]
    fn text_without_an_epoch_is_refused() {
        for text in ["", "{}", "{\"leaderEpoch\":x}", "\u{0}\u{0}\u{0}"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
