//! Consumer groups: membership, offsets, and what operators see of them.

mod administration;
mod membership;
mod offsets;
mod static_members;

use bytes::Bytes;
use headwater_codec::{
    CorrelationId, ErrorCode, GroupId, Str, TopicName,
    messages::{
        describe_groups::{DescribeGroupsRequest, DescribedGroup},
        find_coordinator::FindCoordinatorRequest,
        heartbeat::HeartbeatRequest,
        join_group::{JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse},
        offset_commit::{OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic},
        offset_fetch::{OffsetFetchRequest, OffsetFetchRequestTopic, OffsetFetchResponse},
        sync_group::{SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse},
    },
    records::{ConsumerProtocolSubscription, encode_versioned},
};

use crate::harness::{Client, TestBroker};

/// A broker whose groups do not wait for more members.
async fn broker() -> TestBroker {
    TestBroker::with(&["group.initial.rebalance.delay.ms=0"]).await
}

/// A connection whose coordinator was found.
async fn member(broker: &TestBroker) -> Client {
    let mut client = broker.client().await;
    let request = FindCoordinatorRequest { key: Str::from("g"), ..Default::default() };
    assert_eq!(client.call(0, &request).await.error_code, ErrorCode::None);
    client
}

fn group() -> GroupId {
    GroupId::from("g")
}

fn protocol(name: &str, topics: &[&str]) -> JoinGroupRequestProtocol {
    let subscription = ConsumerProtocolSubscription {
        topics: topics.iter().map(|topic| TopicName::from(*topic)).collect(),
        ..Default::default()
    };
    JoinGroupRequestProtocol {
        name: Str::from(name),
        metadata: encode_versioned(&subscription, 1).unwrap(),
        ..Default::default()
    }
}

/// A consumer that reads `t`, with the `range` assignor.
fn join(member_id: &Str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: group(),
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 20_000,
        member_id: member_id.clone(),
        protocol_type: Str::from("consumer"),
        protocols: vec![protocol("range", &["t"])],
        ..Default::default()
    }
}

fn join_as(instance_id: &str, member_id: &Str) -> JoinGroupRequest {
    JoinGroupRequest { group_instance_id: Some(Str::from(instance_id)), ..join(member_id) }
}

fn sync(reply: &JoinGroupResponse, assignments: &[(&Str, &'static [u8])]) -> SyncGroupRequest {
    SyncGroupRequest {
        group_id: group(),
        generation_id: reply.generation_id,
        member_id: reply.member_id.clone(),
        assignments: assignments
            .iter()
            .map(|(member_id, assignment)| SyncGroupRequestAssignment {
                member_id: (*member_id).clone(),
                assignment: Bytes::from_static(assignment),
                ..Default::default()
            })
            .collect(),
        ..Default::default()
    }
}

async fn heartbeat(
    client: &mut Client,
    member_id: &Str,
    instance_id: Option<&str>,
    generation_id: i32,
) -> ErrorCode {
    let request = HeartbeatRequest {
        group_id: group(),
        generation_id,
        member_id: member_id.clone(),
        group_instance_id: instance_id.map(Str::from),
        ..Default::default()
    };
    client.call(4, &request).await.error_code
}

/// Joins in that version, taking the round for an id where there is one; gives the number of the answer to come.
async fn begin_join(client: &mut Client, version: i16) -> CorrelationId {
    let mut request = join(&Str::default());
    if version >= 4 {
        let first = client.call(version, &request).await;
        assert_eq!(first.error_code, ErrorCode::MemberIdRequired);
        assert_eq!(first.generation_id, -1);
        request.member_id = first.member_id;
    }
    client.send(version, &request).await
}

/// A stable group of `count` members, the first of which leads; their connections and what they were told.
async fn stable(broker: &TestBroker, count: usize) -> Vec<(Client, JoinGroupResponse)> {
    let mut clients = vec![member(broker).await];
    let first = begin_join(&mut clients[0], 9).await;
    let mut leader = clients[0].receive::<JoinGroupRequest>(9, first).await;
    if count > 1 {
        let mut waiting = Vec::new();
        for _ in 1..count {
            let mut client = member(broker).await;
            let id = begin_join(&mut client, 9).await;
            clients.push(client);
            waiting.push(id);
        }
        let again = clients[0].send(9, &join(&leader.member_id)).await;
        leader = clients[0].receive::<JoinGroupRequest>(9, again).await;
        let mut replies = vec![leader];
        for (client, id) in clients[1..].iter_mut().zip(waiting) {
            replies.push(client.receive::<JoinGroupRequest>(9, id).await);
        }
        return synced(clients, replies).await;
    }
    synced(clients, vec![leader]).await
}

async fn synced(clients: Vec<Client>, replies: Vec<JoinGroupResponse>) -> Vec<(Client, JoinGroupResponse)> {
    let ids: Vec<Str> = replies.iter().map(|reply| reply.member_id.clone()).collect();
    let assignments: Vec<(&Str, &'static [u8])> = ids.iter().map(|id| (id, &b"mine"[..])).collect();
    let mut members: Vec<_> = clients.into_iter().zip(replies).collect();
    for (client, reply) in &mut members {
        assert_eq!((reply.error_code, &reply.leader), (ErrorCode::None, &ids[0]));
        let own = if reply.member_id == ids[0] { assignments.as_slice() } else { &[] };
        let answer: SyncGroupResponse = client.call(4, &sync(reply, own)).await;
        assert_eq!((answer.error_code, &answer.assignment[..]), (ErrorCode::None, &b"mine"[..]));
    }
    members
}

fn commit(member_id: &Str, generation: i32, offsets: &[(&str, i32, i64)]) -> OffsetCommitRequest {
    OffsetCommitRequest {
        group_id: group(),
        generation_id_or_member_epoch: generation,
        member_id: member_id.clone(),
        topics: offsets
            .iter()
            .map(|(topic, partition_index, committed_offset)| OffsetCommitRequestTopic {
                name: TopicName::from(*topic),
                partitions: vec![OffsetCommitRequestPartition {
                    partition_index: *partition_index,
                    committed_offset: *committed_offset,
                    committed_metadata: Some(Str::from("note")),
                    ..Default::default()
                }],
                ..Default::default()
            })
            .collect(),
        ..Default::default()
    }
}

/// Commits in version 8 and gives the error of each offset.
async fn committed(client: &mut Client, request: &OffsetCommitRequest) -> Vec<ErrorCode> {
    let response = client.call(8, request).await;
    response.topics.iter().flat_map(|topic| topic.partitions.iter().map(|one| one.error_code)).collect()
}

fn fetch_offsets(topics: Option<&[(&str, &[i32])]>) -> OffsetFetchRequest {
    let topic = |(name, indexes): &(&str, &[i32])| OffsetFetchRequestTopic {
        name: TopicName::from(*name),
        partition_indexes: indexes.to_vec(),
        ..Default::default()
    };
    OffsetFetchRequest {
        group_id: group(),
        topics: topics.map(|topics| topics.iter().map(topic).collect()),
        ..Default::default()
    }
}

/// Topic, partition and offset of everything in an answer of version 7 or below.
fn told(response: &OffsetFetchResponse) -> Vec<(&str, i32, i64)> {
    assert_eq!(response.error_code, ErrorCode::None);
    let topics = response.topics.iter();
    topics
        .flat_map(|topic| {
            topic.partitions.iter().map(|one| {
                assert_eq!(one.error_code, ErrorCode::None);
                (topic.name.as_str(), one.partition_index, one.committed_offset)
            })
        })
        .collect()
}

async fn describe(client: &mut Client, version: i16, group: &str) -> DescribedGroup {
    let request = DescribeGroupsRequest { groups: vec![GroupId::from(group)], ..Default::default() };
    client.call(version, &request).await.groups.remove(0)
}
