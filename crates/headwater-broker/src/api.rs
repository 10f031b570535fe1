//! Every API that is served: one file and one line of the table each.
//!
//! A handler is `async fn handle(cx: &Context, request: XRequest) -> XResponse`. It judges, does and answers; decoding,
//! the version check and encoding are done here, once. To serve one more API, add its module and its line in
//! [`APIS`]: `api!(XRequest, x::handle)`; ApiVersions tells of it from then on.

use std::{future::Future, pin::Pin};

use bytes::{Bytes, BytesMut};
use headwater_codec::{
    ApiKey, DecodeError, EncodeError, EncodedFrame, Message, MessageSchema, Request, Versions,
    decode_request_prefix, encode_response,
    messages::{
        alter_client_quotas::AlterClientQuotasRequest, alter_configs::AlterConfigsRequest,
        alter_user_scram_credentials::AlterUserScramCredentialsRequest, api_versions::ApiVersionsRequest,
        create_partitions::CreatePartitionsRequest, create_topics::CreateTopicsRequest,
        delete_groups::DeleteGroupsRequest, delete_records::DeleteRecordsRequest,
        delete_topics::DeleteTopicsRequest, describe_client_quotas::DescribeClientQuotasRequest,
        describe_cluster::DescribeClusterRequest, describe_configs::DescribeConfigsRequest,
        describe_groups::DescribeGroupsRequest, describe_log_dirs::DescribeLogDirsRequest,
        describe_topic_partitions::DescribeTopicPartitionsRequest,
        describe_user_scram_credentials::DescribeUserScramCredentialsRequest, fetch::FetchRequest,
        find_coordinator::FindCoordinatorRequest, heartbeat::HeartbeatRequest,
        incremental_alter_configs::IncrementalAlterConfigsRequest, init_producer_id::InitProducerIdRequest,
        join_group::JoinGroupRequest, leave_group::LeaveGroupRequest, list_groups::ListGroupsRequest,
        list_offsets::ListOffsetsRequest, metadata::MetadataRequest, offset_commit::OffsetCommitRequest,
        offset_delete::OffsetDeleteRequest, offset_fetch::OffsetFetchRequest,
        offset_for_leader_epoch::OffsetForLeaderEpochRequest, produce::ProduceRequest,
        sasl_authenticate::SaslAuthenticateRequest, sasl_handshake::SaslHandshakeRequest,
        sync_group::SyncGroupRequest,
    },
};
use headwater_storage::{Capabilities, LogSlice};

use crate::context::Context;

mod alter_client_quotas;
mod alter_configs;
mod alter_user_scram_credentials;
mod api_versions;
mod config_resource;
mod create_partitions;
mod create_topics;
mod delete_groups;
mod delete_records;
mod delete_topics;
mod describe_client_quotas;
mod describe_cluster;
mod describe_configs;
mod describe_groups;
mod describe_log_dirs;
mod describe_topic_partitions;
mod describe_user_scram_credentials;
mod fetch;
mod find_coordinator;
mod heartbeat;
mod incremental_alter_configs;
mod init_producer_id;
mod join_group;
mod leave_group;
mod list_groups;
mod list_offsets;
mod metadata;
mod not_served;
mod offset_commit;
mod offset_delete;
mod offset_fetch;
mod offset_for_leader_epoch;
mod produce;
mod reference;
mod refusal;
mod replica_assignment;
mod sasl_authenticate;
mod sasl_handshake;
mod sync_group;

pub use reference::api_reference;

pub(crate) use api_versions::unsupported as unsupported_api_versions;
pub(crate) use sasl_authenticate::answer_bare_token;

/// One served API.
pub(crate) struct Api {
    /// The request's reflection: key, versions, name.
    pub(crate) schema: &'static MessageSchema,
    /// Which API.
    pub(crate) key: ApiKey,
    /// How its requests go with others on the same connection.
    pub(crate) order: Order,
    /// Whether a request may wait for what others do, and for how long they like: it is given up when the broker stops.
    /// One that notices the stop by itself needs this not.
    pub(crate) parks: bool,
    /// Whether a store with these capabilities can do what it asks for.
    needs: fn(&Capabilities) -> bool,
    call: fn(Context, Bytes) -> Result<Answering, DecodeError>,
}

/// A request under way. Its first poll does everything that later requests of the connection must find done.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Reply, EncodeError>> + Send>>;

/// How requests of one API go with others on the same connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Order {
    /// Waits for those before it, and those after it wait for it.
    Alone,
    /// May begin while others like it wait for their acknowledgement (Produce).
    Overlaps,
}

/// What goes back to the client.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A frame. Its external chunks are slices of logs: a chunk's token is the index of its slices.
    Frame {
        /// The frame, length and header included.
        frame: EncodedFrame,
        /// What its external chunks stand for.
        slices: Vec<Vec<LogSlice>>,
    },
    /// A frame, after which the connection is closed: the end of a login that failed.
    Last {
        /// The frame, length and header included.
        frame: EncodedFrame,
        /// Why the connection is closed.
        reason: &'static str,
    },
    /// Nothing: the request asked for none (`acks=0`).
    Nothing,
    /// Nothing, and the connection is closed: the only way to tell a client of a failure that wants no answer.
    Close(&'static str),
}

/// What Fetch gives: the token of external records is the index of their slices.
#[derive(Debug)]
pub(crate) struct FetchReply<R> {
    /// The response.
    pub(crate) response: R,
    /// What its external records stand for.
    pub(crate) slices: Vec<Vec<LogSlice>>,
}

/// What the parts of a login give.
#[derive(Debug)]
pub(crate) struct SaslReply<R> {
    /// The response.
    pub(crate) response: R,
    /// Why the connection is closed after it, when it is.
    pub(crate) closes: Option<&'static str>,
}

/// What Produce gives.
#[derive(Debug)]
pub(crate) enum ProduceReply<R> {
    /// An answer.
    Response(R),
    /// `acks=0`, and all is well.
    Nothing,
    /// `acks=0`, and it failed.
    Close(&'static str),
}

impl Api {
    /// Decodes `frame` as this request in the context's version, and begins with it at the first poll.
    ///
    /// # Errors
    /// [`DecodeError`] when the frame is no such request.
    pub(crate) fn call(&self, cx: Context, frame: Bytes) -> Result<Answering, DecodeError> {
        (self.call)(cx, frame)
    }

    /// The versions that are served.
    pub(crate) fn served(&self) -> Versions {
        self.schema.stable
    }

    const fn overlaps(mut self) -> Self {
        self.order = Order::Overlaps;
        self
    }

    const fn needs(mut self, needs: fn(&Capabilities) -> bool) -> Self {
        self.needs = needs;
        self
    }

    const fn parks(mut self) -> Self {
        self.parks = true;
        self
    }
}

/// The APIs that a broker serves: of the table those that its stores can do.
pub(crate) struct ServedApis(Vec<&'static Api>);

impl ServedApis {
    /// Those that a store with these capabilities can do.
    pub(crate) fn new(capabilities: &Capabilities) -> Self {
        Self(APIS.iter().filter(|api| (api.needs)(capabilities)).collect())
    }

    /// Finds the API with that key.
    pub(crate) fn find(&self, key: i16) -> Option<&'static Api> {
        self.iter().find(|api| api.key.code() == key)
    }

    /// Every one, in the order of their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static Api> {
        self.0.iter().copied()
    }
}

/// Finds the API with that key in the table, whatever the stores can do.
pub(crate) fn find(key: i16) -> Option<&'static Api> {
    APIS.iter().find(|api| api.key.code() == key)
}

fn encode<T: Message>(
    key: ApiKey,
    cx: &Context,
    response: &T,
    slices: Vec<Vec<LogSlice>>,
) -> Result<Reply, EncodeError> {
    let mut buf = BytesMut::new();
    let frame = encode_response(cx.correlation_id(), key, cx.api_version(), response, &mut buf)?;
    Ok(Reply::Frame { frame, slices })
}

fn encode_fetch<T: Message>(key: ApiKey, cx: &Context, reply: FetchReply<T>) -> Result<Reply, EncodeError> {
    encode(key, cx, &reply.response, reply.slices)
}

fn encode_produce<T: Message>(
    key: ApiKey,
    cx: &Context,
    reply: ProduceReply<T>,
) -> Result<Reply, EncodeError> {
    match reply {
        ProduceReply::Response(response) => encode(key, cx, &response, Vec::new()),
        ProduceReply::Nothing => Ok(Reply::Nothing),
        ProduceReply::Close(reason) => Ok(Reply::Close(reason)),
    }
}

fn encode_sasl<T: Message>(key: ApiKey, cx: &Context, reply: SaslReply<T>) -> Result<Reply, EncodeError> {
    let encoded = encode(key, cx, &reply.response, Vec::new())?;
    Ok(match (encoded, reply.closes) {
        (Reply::Frame { frame, .. }, Some(reason)) => Reply::Last { frame, reason },
        (encoded, _) => encoded,
    })
}

fn encode_plain<T: Message>(key: ApiKey, cx: &Context, response: T) -> Result<Reply, EncodeError> {
    encode(key, cx, &response, Vec::new())
}

/// The line of one API in the table.
macro_rules! api {
    ($request:ty, $handler:path) => {
        api!($request, $handler, encode_plain)
    };
    ($request:ty, $handler:path, $encode:path) => {
        Api {
            schema: <$request as Message>::SCHEMA,
            key: <$request as Request>::KEY,
            order: Order::Alone,
            parks: false,
            needs: |_| true,
            call: |cx, frame| {
                let (_, request) = decode_request_prefix::<$request>(frame)?;
                Ok(Box::pin(async move {
                    let response = $handler(&cx, request).await;
                    $encode(<$request as Request>::KEY, &cx, response)
                }))
            },
        }
    };
}

/// The table of served APIs, in the order of their keys.
pub(crate) static APIS: &[Api] = &[
    api!(ProduceRequest, produce::handle, encode_produce).overlaps(),
    api!(FetchRequest, fetch::handle, encode_fetch),
    api!(ListOffsetsRequest, list_offsets::handle),
    api!(MetadataRequest, metadata::handle),
    api!(OffsetCommitRequest, offset_commit::handle),
    api!(OffsetFetchRequest, offset_fetch::handle),
    api!(FindCoordinatorRequest, find_coordinator::handle),
    api!(JoinGroupRequest, join_group::handle).parks(),
    api!(HeartbeatRequest, heartbeat::handle),
    api!(LeaveGroupRequest, leave_group::handle),
    api!(SyncGroupRequest, sync_group::handle).parks(),
    api!(DescribeGroupsRequest, describe_groups::handle),
    api!(ListGroupsRequest, list_groups::handle),
    api!(SaslHandshakeRequest, sasl_handshake::handle, encode_sasl),
    api!(ApiVersionsRequest, api_versions::handle),
    api!(CreateTopicsRequest, create_topics::handle),
    api!(DeleteTopicsRequest, delete_topics::handle),
    api!(DeleteRecordsRequest, delete_records::handle).needs(|store| store.delete_records),
    api!(InitProducerIdRequest, init_producer_id::handle),
    api!(OffsetForLeaderEpochRequest, offset_for_leader_epoch::handle),
    api!(DescribeConfigsRequest, describe_configs::handle),
    api!(AlterConfigsRequest, alter_configs::handle).needs(|store| store.topic_configs),
    api!(DescribeLogDirsRequest, describe_log_dirs::handle),
    api!(SaslAuthenticateRequest, sasl_authenticate::handle, encode_sasl),
    api!(CreatePartitionsRequest, create_partitions::handle).needs(|store| store.create_partitions),
    api!(DeleteGroupsRequest, delete_groups::handle),
    api!(IncrementalAlterConfigsRequest, incremental_alter_configs::handle)
        .needs(|store| store.topic_configs),
    api!(OffsetDeleteRequest, offset_delete::handle),
    api!(DescribeClientQuotasRequest, describe_client_quotas::handle),
    api!(AlterClientQuotasRequest, alter_client_quotas::handle),
    api!(DescribeUserScramCredentialsRequest, describe_user_scram_credentials::handle),
    api!(AlterUserScramCredentialsRequest, alter_user_scram_credentials::handle),
    api!(DescribeClusterRequest, describe_cluster::handle),
    api!(DescribeTopicPartitionsRequest, describe_topic_partitions::handle),
];
