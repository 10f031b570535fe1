//! The messages that both implementations have, each with the functions of both.

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};
use headwater_codec::{Message, MessageSchema, for_each_api, messages, records};
use kafka_protocol::messages::{ApiKey, RequestKind, ResponseKind};
use kafka_protocol::protocol::{Decodable, Encodable};

/// Versions that the other implementation does not have: it stops at Kafka 4.1, and leaves out what was unstable or
/// internal there. By name.
pub(crate) const LACKING: &[(&str, i16)] = &[
    ("AddRaftVoterRequest", 1),
    ("AddRaftVoterResponse", 1),
    ("ApiVersionsRequest", 5),
    ("ApiVersionsResponse", 5),
    ("BrokerHeartbeatRequest", 2),
    ("BrokerHeartbeatResponse", 2),
    ("DeleteGroupsRequest", 3),
    ("DeleteGroupsResponse", 3),
    ("DescribeLogDirsRequest", 5),
    ("DescribeLogDirsResponse", 5),
    ("DescribeShareGroupOffsetsRequest", 1),
    ("DescribeShareGroupOffsetsResponse", 1),
    ("InitProducerIdRequest", 6),
    ("ListOffsetsRequest", 11),
    ("ListOffsetsResponse", 11),
    ("OffsetCommitRequest", 10),
    ("OffsetFetchRequest", 10),
    ("ReadShareGroupStateSummaryRequest", 1),
    ("ReadShareGroupStateSummaryResponse", 1),
    ("ShareAcknowledgeRequest", 2),
    ("ShareAcknowledgeResponse", 2),
    ("ShareFetchRequest", 2),
    ("ShareFetchResponse", 2),
    ("StreamsGroupDescribeRequest", 0),
    ("StreamsGroupDescribeRequest", 1),
    ("StreamsGroupDescribeResponse", 0),
    ("StreamsGroupDescribeResponse", 1),
    ("StreamsGroupHeartbeatRequest", 0),
    ("StreamsGroupHeartbeatRequest", 1),
    ("StreamsGroupHeartbeatResponse", 0),
    ("StreamsGroupHeartbeatResponse", 1),
    ("StreamsGroupTopologyDescriptionUpdateRequest", 0),
    ("StreamsGroupTopologyDescriptionUpdateResponse", 0),
    ("TxnOffsetCommitRequest", 6),
    ("TxnOffsetCommitResponse", 6),
    ("UnregisterControllerRequest", 0),
    ("UnregisterControllerResponse", 0),
    ("WriteShareGroupStateRequest", 1),
    ("WriteShareGroupStateResponse", 1),
    ("WriteTxnMarkersRequest", 2),
    ("WriteTxnMarkersResponse", 2),
];

/// One message, read and written by both.
pub(crate) struct Pair {
    /// What it looks like.
    pub(crate) schema: &'static MessageSchema,
    /// Reads a body and writes it again.
    pub(crate) ours: fn(Bytes, i16) -> Result<Bytes, String>,
    /// The same, done by the other one.
    pub(crate) theirs: fn(Bytes, i16) -> Result<Bytes, String>,
}

fn ours<M: Message>(body: Bytes, version: i16) -> Result<Bytes, String> {
    let message = M::decode_body(body, version).map_err(|error| error.to_string())?;
    message.encode_body(version).map_err(|error| error.to_string())
}

fn theirs<M: Debug, E: Debug>(
    mut body: Bytes,
    decode: impl FnOnce(&mut Bytes) -> Result<M, E>,
    encode: impl FnOnce(&M, &mut BytesMut) -> Result<(), E>,
) -> Result<Bytes, String> {
    let message = decode(&mut body).map_err(|error| format!("{error:?}"))?;
    if !body.is_empty() {
        return Err(format!("{} bytes are left", body.len()));
    }
    let mut encoded = BytesMut::new();
    encode(&message, &mut encoded).map_err(|error| format!("{error:?}"))?;
    Ok(encoded.freeze())
}

/// The API as the other one names it.
pub(crate) fn their_key(key: headwater_codec::ApiKey) -> Result<ApiKey, String> {
    ApiKey::try_from(key.code()).map_err(|()| format!("no {key} there"))
}

/// Every request and response.
pub(crate) fn messages() -> Vec<Pair> {
    macro_rules! pairs {
        ($($key:ident $module:ident $request:ident $response:ident;)*) => {
            vec![$(
                Pair {
                    schema: messages::$module::$request::SCHEMA,
                    ours: ours::<messages::$module::$request>,
                    theirs: |body, version| {
                        let key = their_key(headwater_codec::ApiKey::$key)?;
                        let decode = |body: &mut Bytes| RequestKind::decode(key, body, version);
                        theirs(body, decode, |message, out| message.encode(out, version))
                    },
                },
                Pair {
                    schema: messages::$module::$response::SCHEMA,
                    ours: ours::<messages::$module::$response>,
                    theirs: |body, version| {
                        let key = their_key(headwater_codec::ApiKey::$key)?;
                        let decode = |body: &mut Bytes| ResponseKind::decode(key, body, version);
                        theirs(body, decode, |message, out| message.encode(out, version))
                    },
                },
            )*]
        };
    }
    for_each_api!(pairs)
}

/// Bodies that are no RPC, as far as the other implementation has them. `LeaderChangeMessage` and `VotersRecord` are
/// not among them: the other one takes their field `Version` for the version that it decodes.
pub(crate) fn bodies() -> Vec<Pair> {
    macro_rules! pairs {
        ($($record:ident)*) => {
            vec![$(Pair {
                schema: records::$record::SCHEMA,
                ours: ours::<records::$record>,
                theirs: |body, version| {
                    let decode = |body: &mut Bytes| kafka_protocol::messages::$record::decode(body, version);
                    theirs(body, decode, |message, out| message.encode(out, version))
                },
            }),*]
        };
    }
    pairs! {
        ConsumerProtocolAssignment ConsumerProtocolSubscription EndTxnMarker KRaftVersionRecord SnapshotFooterRecord
        SnapshotHeaderRecord
    }
}
