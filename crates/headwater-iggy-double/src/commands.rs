//! What each command does.

use bytes::{BufMut, Bytes, BytesMut};
use iggy_binary_protocol::{
    WireDecode, WireEncode, WireName, WirePartitioning,
    codes::{
        CREATE_PARTITIONS_CODE, CREATE_STREAM_CODE, CREATE_TOPIC_CODE, DELETE_TOPIC_CODE,
        GET_CLUSTER_METADATA_CODE, GET_STREAM_CODE, GET_TOPIC_CODE, LOGIN_REGISTER_CODE, LOGOUT_USER_CODE,
        PING_CODE, POLL_MESSAGES_CODE, SEND_MESSAGES_CODE,
    },
    requests::{
        messages::{PollMessagesRequest, SendMessagesHeader},
        partitions::CreatePartitionsRequest,
        streams::{CreateStreamRequest, GetStreamRequest},
        topics::{CreateTopicRequest, DeleteTopicRequest, GetTopicRequest},
        users::LoginRegisterRequest,
    },
    responses::{
        messages::{SendMessagesConfirmationResponse, SendMessagesResponse},
        system::get_cluster_metadata::{ClusterMetadataResponse, ClusterNodeResponse},
        users::LoginRegisterResponse,
    },
    version::IGGY_PROTOCOL_VERSION,
};

use secrecy::ExposeSecret;

use crate::{
    connection::Session,
    errors::{FEATURE_UNAVAILABLE, Failure, INVALID_COMMAND, INVALID_CREDENTIALS, UNAUTHENTICATED},
    state::State,
};

/// Does a command and gives the payload of its answer.
pub(crate) fn run(
    state: &mut State,
    session: &mut Session,
    code: u32,
    body: &Bytes,
) -> Result<Bytes, Failure> {
    match code {
        LOGIN_REGISTER_CODE => return login(session, body),
        PING_CODE => return Ok(Bytes::new()),
        LOGOUT_USER_CODE => {
            session.signed_in = false;
            return Ok(Bytes::new());
        }
        _ if !session.signed_in => return Err(UNAUTHENTICATED),
        _ => {}
    }
    match code {
        GET_CLUSTER_METADATA_CODE => Ok(cluster(session).to_bytes()),
        CREATE_STREAM_CODE => {
            let request = CreateStreamRequest::decode_from(body)?;
            Ok(state.create_stream(&request.name)?.to_bytes())
        }
        GET_STREAM_CODE => {
            let request = GetStreamRequest::decode_from(body)?;
            Ok(state.stream(&request.stream_id).map(|stream| stream.to_bytes()).unwrap_or_default())
        }
        CREATE_TOPIC_CODE => {
            let request = CreateTopicRequest::decode_from(body)?;
            let topic = state.create_topic(&request.stream_id, &request.name, request.partitions_count)?;
            Ok(topic.to_bytes())
        }
        GET_TOPIC_CODE => {
            let request = GetTopicRequest::decode_from(body)?;
            let topic = state.topic_mut(&request.stream_id, &request.topic_id);
            Ok(topic.map(|topic| topic.response().to_bytes()).unwrap_or_default())
        }
        DELETE_TOPIC_CODE => {
            let request = DeleteTopicRequest::decode_from(body)?;
            state.delete_topic(&request.stream_id, &request.topic_id).map(|()| Bytes::new())
        }
        CREATE_PARTITIONS_CODE => {
            let request = CreatePartitionsRequest::decode_from(body)?;
            state.topic_mut(&request.stream_id, &request.topic_id)?.grow(request.partitions_count);
            Ok(Bytes::new())
        }
        SEND_MESSAGES_CODE => send(state, body),
        POLL_MESSAGES_CODE => poll(state, body),
        _ => Err(FEATURE_UNAVAILABLE),
    }
}

fn login(session: &mut Session, body: &Bytes) -> Result<Bytes, Failure> {
    let request = LoginRegisterRequest::decode_from(body)?;
    let (user, password) = crate::CREDENTIALS;
    if *request.username != *user || request.password.expose_secret() != password {
        return Err(INVALID_CREDENTIALS);
    }
    session.signed_in = true;
    let server_version = WireName::new("0.11.0-double").map_err(|_| INVALID_COMMAND)?;
    let response = LoginRegisterResponse {
        user_id: 1,
        session: 1,
        server_protocol_version: IGGY_PROTOCOL_VERSION,
        server_version,
    };
    Ok(response.to_bytes())
}

/// One node: the client stays where it is.
fn cluster(session: &Session) -> ClusterMetadataResponse {
    ClusterMetadataResponse {
        name: "double".to_owned(),
        nodes: vec![ClusterNodeResponse {
            name: "double".to_owned(),
            ip: session.address.ip().to_string(),
            tcp_port: session.address.port(),
            quic_port: 0,
            http_port: 0,
            websocket_port: 0,
            role: LEADER,
            status: HEALTHY,
        }],
    }
}

fn send(state: &mut State, body: &Bytes) -> Result<Bytes, Failure> {
    let (length, rest) = body.split_first_chunk().ok_or(INVALID_COMMAND)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (head, _) = rest.split_at_checked(length).ok_or(INVALID_COMMAND)?;
    let head = SendMessagesHeader::decode_from(head)?;
    let WirePartitioning::PartitionId(number) = head.partitioning else { return Err(INVALID_COMMAND) };
    let (now_us, (stream_id, topic_id)) = (state.now_us(), state.numbers(&head.stream_id, &head.topic_id)?);
    let partition = state.topic_mut(&head.stream_id, &head.topic_id)?.partition_mut(number)?;
    let base_offset = partition.send(number, now_us, &body.slice(size_of::<u32>() + length..))?;
    let confirmation =
        SendMessagesConfirmationResponse { stream_id, topic_id, partition_id: number, base_offset };
    Ok(SendMessagesResponse { confirmations: vec![confirmation] }.to_bytes())
}

fn poll(state: &mut State, body: &Bytes) -> Result<Bytes, Failure> {
    let request = PollMessagesRequest::decode_from(body)?;
    let number = request.partition_id.ok_or(INVALID_COMMAND)?;
    let partition = state.topic_mut(&request.stream_id, &request.topic_id)?.partition_mut(number)?;
    let from = match request.strategy.kind {
        BY_OFFSET => request.strategy.value,
        BY_TIMESTAMP => partition.at(request.strategy.value),
        FIRST => partition.start(),
        _ => return Err(INVALID_COMMAND),
    };
    let (count, batches) = partition.poll(from, request.count);
    let mut response = BytesMut::new();
    response.put_u32_le(number);
    response.put_u64_le(partition.current_offset());
    response.put_u32_le(count);
    response.put_slice(&batches);
    Ok(response.freeze())
}

const BY_OFFSET: u8 = 1;
const BY_TIMESTAMP: u8 = 2;
const FIRST: u8 = 3;
const LEADER: u8 = 0;
const HEALTHY: u8 = 0;
