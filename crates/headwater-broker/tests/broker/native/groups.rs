//! Groups of native members, seen from both doors.

use std::time::Duration;

use headwater_codec::{
    ErrorCode as KafkaCode,
    messages::{
        describe_groups::{DescribeGroupsRequest, DescribedGroup},
        join_group::{JoinGroupRequest, JoinGroupRequestProtocol},
        offset_fetch::{OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics},
    },
    records::{ConsumerProtocolAssignment, ConsumerProtocolSubscription, decode_versioned, encode_versioned},
};
use headwater_native::{
    ErrorCode, Reply,
    messages::{
        CreatePartitions, DeleteGroup, DescribeGroup, GroupHeartbeat, JoinGroup, LeaveGroup, ListGroups,
        Subscribe, TopicAssignment,
    },
};

use super::{NativeClient, at, record, values};
use crate::harness::{Client, PATIENCE, TestBroker};

impl NativeClient {
    async fn join(
        &mut self,
        group: &str,
        member: &str,
        topics: &[&str],
    ) -> (String, Vec<(String, Vec<u32>)>) {
        let topics = topics.iter().map(|topic| (*topic).into()).collect();
        match self.call(&JoinGroup { group: group.into(), member: member.into(), topics }).await {
            Reply::GroupAssignment(assigned) => {
                (assigned.member.as_str().to_owned(), plain(&assigned.assignment))
            }
            other => panic!("not joined: {other:?}"),
        }
    }

    async fn assigned(&mut self, group: &str, member: &str, topics: &[&str]) -> Vec<(String, Vec<u32>)> {
        self.join(group, member, topics).await.1
    }
}

fn plain(assignment: &[TopicAssignment]) -> Vec<(String, Vec<u32>)> {
    let topic = |topic: &TopicAssignment| {
        let partitions = topic.partitions.iter().map(|partition| partition.get()).collect();
        (topic.topic.as_str().to_owned(), partitions)
    };
    assignment.iter().map(topic).collect()
}

fn of(topic: &str, partitions: &[u32]) -> Vec<(String, Vec<u32>)> {
    vec![(topic.to_owned(), partitions.to_vec())]
}

/// A Kafka consumer with the `range` assignor.
fn kafka_join(group: &str) -> JoinGroupRequest {
    let subscription = ConsumerProtocolSubscription { topics: vec!["t".into()], ..Default::default() };
    let protocol = JoinGroupRequestProtocol {
        name: "range".into(),
        metadata: encode_versioned(&subscription, 1).unwrap(),
        ..Default::default()
    };
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 20_000,
        protocol_type: "consumer".into(),
        protocols: vec![protocol],
        ..Default::default()
    }
}

async fn describe(kafka: &mut Client, group: &str) -> DescribedGroup {
    let request = DescribeGroupsRequest { groups: vec![group.into()], ..Default::default() };
    kafka.call(5, &request).await.groups.remove(0)
}

/// The offsets that a group committed for the first two partitions of a topic, as Kafka's door tells them; 0 for none.
pub(super) async fn committed(kafka: &mut Client, group: &str, topic: &str) -> Vec<i64> {
    let topics = vec![OffsetFetchRequestTopics {
        name: topic.into(),
        partition_indexes: vec![0, 1],
        ..Default::default()
    }];
    let group =
        OffsetFetchRequestGroup { group_id: group.into(), topics: Some(topics), ..Default::default() };
    let request = OffsetFetchRequest { groups: vec![group], ..Default::default() };
    let answer = kafka.call(8, &request).await.groups.remove(0);
    assert_eq!(answer.error_code, KafkaCode::None);
    let partitions = answer.topics.into_iter().flat_map(|topic| topic.partitions);
    partitions.map(|partition| partition.committed_offset.max(0)).collect()
}

#[tokio::test]
async fn who_could_not_join_a_group_may_join_another() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    let join = JoinGroup { group: "a".into(), member: "m".into(), topics: vec!["none".into()] };
    assert_eq!(client.refused(&join).await.code, ErrorCode::TOPIC_MISSING);
    assert_eq!(client.assigned("b", "m", &["t"]).await, of("t", &[1]));
    let join = JoinGroup { group: "a".into(), member: "m".into(), topics: vec!["t".into()] };
    assert_eq!(client.refused(&join).await.code, ErrorCode::GROUP_CONFLICT, "now it belongs to b");
}

#[tokio::test]
async fn members_share_partitions_by_range_at_once() {
    let broker = TestBroker::start().await;
    let (mut one, mut two) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    one.create_topic("t", 5).await;
    let began = std::time::Instant::now();
    assert_eq!(one.join("g", "a", &["t"]).await, ("a".to_owned(), of("t", &[1, 2, 3, 4, 5])));
    assert_eq!(two.join("g", "b", &["t"]).await, ("b".to_owned(), of("t", &[4, 5])));
    assert!(began.elapsed() < Duration::from_secs(3), "nobody waits for more members");
    assert_eq!(one.assigned("g", "a", &["t"]).await, of("t", &[1, 2, 3]), "told at its next request");
    two.done(&LeaveGroup { group: "g".into(), member: "b".into() }).await;
    assert_eq!(one.assigned("g", "a", &["t"]).await, of("t", &[1, 2, 3, 4, 5]));
}

#[tokio::test]
async fn a_member_reads_what_it_is_assigned_and_kafka_sees_it() {
    let broker = TestBroker::start().await;
    let (mut one, mut two) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    let mut kafka = broker.client().await;
    one.create_topic("t", 2).await;
    for number in 0..20 {
        one.produce("t", &record(&number.to_string(), "v")).await;
    }
    one.join("g", "a", &["t"]).await;
    two.join("g", "b", &["t"]).await;
    let (mine, others) = (one.fetch("t", "g", 100).await, two.fetch("t", "g", 100).await);
    assert!(mine.iter().all(|record| record.partition.get() == 1));
    assert!(others.iter().all(|record| record.partition.get() == 2));
    assert_eq!(mine.len() + others.len(), 20);
    let expected = vec![mine.len() as i64, others.len() as i64];
    assert_eq!(committed(&mut kafka, "g", "t").await, expected);

    let described = describe(&mut kafka, "g").await;
    assert_eq!((described.group_state.as_str(), described.protocol_type.as_str()), ("Stable", "consumer"));
    assert_eq!(described.protocol_data.as_str(), "headwater-range");
    let mut assigned: Vec<(String, Vec<i32>)> = described
        .members
        .iter()
        .map(|member| {
            let (_, assignment): (_, ConsumerProtocolAssignment) =
                decode_versioned(member.member_assignment.clone()).unwrap();
            (member.client_id.as_str().to_owned(), assignment.assigned_partitions[0].partitions.clone())
        })
        .collect();
    assigned.sort();
    assert_eq!(assigned, [("native-a".to_owned(), vec![0]), ("native-b".to_owned(), vec![1])]);
}

#[tokio::test]
async fn a_member_without_an_id_gets_one_and_the_group_is_described_and_deleted() {
    let broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.produce("t", &record("k", "v")).await;
    let (member, _) = client.join("g", "", &["t"]).await;
    assert!(member.len() == 8 && member.bytes().all(|byte| byte.is_ascii_hexdigit()), "{member}");
    assert_eq!(client.fetch("t", "g", 1).await.len(), 1);
    let Reply::GroupList(list) = client.call(&ListGroups {}).await else { panic!("no list") };
    assert_eq!((list.groups[0].group.as_str(), list.groups[0].state.as_str()), ("g", "stable"));
    assert_eq!(list.groups[0].members, 1);
    let Reply::GroupDescription(group) = client.call(&DescribeGroup { group: "g".into() }).await else {
        panic!()
    };
    assert_eq!(
        (group.members[0].member.as_str(), plain(&group.members[0].assignment)),
        (member.as_str(), of("t", &[1]))
    );
    assert_eq!((group.offsets[0].partition.get(), group.offsets[0].offset.get()), (1, 1));
    assert_eq!(client.refused(&DeleteGroup { group: "g".into() }).await.code, ErrorCode::GROUP_NOT_EMPTY);
    client.done(&LeaveGroup { group: "g".into(), member: member.as_str().into() }).await;
    let Reply::GroupList(list) = client.call(&ListGroups {}).await else { panic!("no list") };
    assert_eq!((list.groups[0].state.as_str(), list.groups[0].members), ("empty", 0));
    client.done(&DeleteGroup { group: "g".into() }).await;
    assert_eq!(client.refused(&DescribeGroup { group: "g".into() }).await.code, ErrorCode::GROUP_MISSING);
}

#[tokio::test]
async fn a_silent_member_is_evicted_and_has_to_join_again() {
    let broker = TestBroker::with(&["native.group.session.timeout.ms=300"]).await;
    let (mut one, mut two) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    one.create_topic("t", 2).await;
    one.join("g", "a", &["t"]).await;
    two.join("g", "b", &["t"]).await;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while two.assigned("g", "b", &["t"]).await != of("t", &[1, 2]) {
        assert!(tokio::time::Instant::now() < deadline, "the silent member stays");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let beat = GroupHeartbeat { group: "g".into(), member: "a".into() };
    assert_eq!(one.refused(&beat).await.code, ErrorCode::GROUP_MEMBER_UNKNOWN);
    two.produce("t", &record("k", "v")).await;
    assert!(one.fetch("t", "g", 10).await.is_empty(), "it owns nothing");
    let Reply::Failure(nack) = one.nack("t", 1, 0, "").await else { panic!("a nack of the evicted") };
    assert_eq!(nack.code, ErrorCode::GROUP_MEMBER_UNKNOWN);
    assert_eq!(one.assigned("g", "a", &["t"]).await, of("t", &[1]));
}

#[tokio::test]
async fn members_follow_a_topic_that_grows() {
    let broker = TestBroker::with(&["native.group.session.timeout.ms=1200"]).await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    client.join("g", "a", &["t"]).await;
    client.done(&CreatePartitions { name: "t".into(), total: 3 }).await;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while client.assigned("g", "a", &["t"]).await != of("t", &[1, 2, 3]) {
        assert!(tokio::time::Instant::now() < deadline, "the new partitions are nobody's");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn other_topics_are_assigned_when_a_member_wants_them() {
    let broker = TestBroker::start().await;
    let (mut one, mut two) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    one.create_topic("t", 2).await;
    one.create_topic("u", 2).await;
    one.join("g", "a", &["t"]).await;
    two.join("g", "b", &["t"]).await;
    assert_eq!(two.assigned("g", "b", &["u"]).await, of("u", &[1, 2]));
    assert_eq!(one.assigned("g", "a", &["t"]).await, of("t", &[1, 2]));
}

#[tokio::test]
async fn kafka_members_and_native_ones_do_not_mix() {
    let broker = TestBroker::with(&["group.initial.rebalance.delay.ms=0"]).await;
    let mut native = NativeClient::open(&broker).await;
    let mut kafka = broker.client().await;
    native.create_topic("t", 1).await;
    native.join("ours", "a", &["t"]).await;
    let refused = kafka.call(3, &kafka_join("ours")).await;
    assert_eq!(refused.error_code, KafkaCode::InconsistentGroupProtocol);
    let asked = kafka.call(3, &kafka_join("theirs")).await;
    assert_eq!(asked.error_code, KafkaCode::None);
    let join = JoinGroup { group: "theirs".into(), member: "a".into(), topics: vec!["t".into()] };
    let mut other = NativeClient::open(&broker).await;
    assert_eq!(other.refused(&join).await.code, ErrorCode::GROUP_CONFLICT);
}

#[tokio::test]
async fn whoever_has_not_joined_reads_only_while_nobody_has() {
    let broker = TestBroker::start().await;
    let (mut member, mut outsider) = (NativeClient::open(&broker).await, NativeClient::open(&broker).await);
    member.create_topic("t", 1).await;
    member.produce("t", &record("k", "v")).await;
    member.join("g", "a", &["t"]).await;
    let fetch = super::fetch("t", "g", 1, super::FetchFlags::BATCHED);
    assert_eq!(outsider.refused(&fetch).await.code, ErrorCode::GROUP_MEMBER_UNKNOWN);
    let mut pushed = NativeClient::open(&broker).await;
    let subscribe = Subscribe { topic: "t".into(), group: "g".into(), ..Subscribe::default() };
    assert_eq!(pushed.refused(&subscribe).await.code, ErrorCode::GROUP_MEMBER_UNKNOWN);
    member.done(&LeaveGroup { group: "g".into(), member: "a".into() }).await;
    assert_eq!(values(&outsider.fetch("t", "g", 1).await), ["v"]);
}

#[tokio::test]
async fn a_group_outlives_the_broker_without_its_members() {
    let mut broker = TestBroker::start().await;
    let mut client = NativeClient::open(&broker).await;
    client.create_topic("t", 1).await;
    for value in ["a", "b", "c"] {
        assert_eq!(client.produce("t", &record("k", value)).await.partition, at(1, 0).partition);
    }
    client.join("g", "a", &["t"]).await;
    assert_eq!(values(&client.fetch("t", "g", 2).await), ["a", "b"]);
    broker.restart().await;
    let mut again = NativeClient::open(&broker).await;
    let began = std::time::Instant::now();
    let deadline = tokio::time::Instant::now() + PATIENCE;
    // Groups may still be loading.
    let join = JoinGroup { group: "g".into(), member: "b".into(), topics: vec!["t".into()] };
    while let Reply::Failure(failure) = again.call(&join).await {
        assert!(tokio::time::Instant::now() < deadline, "{failure:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(began.elapsed() < Duration::from_secs(10), "members of before do not hold it up");
    assert_eq!(values(&again.fetch("t", "g", 10).await), ["c"]);
    broker.restart().await;
    let mut outsider = NativeClient::open(&broker).await;
    assert_eq!(outsider.produce("t", &record("k", "d")).await, at(1, 3));
    assert_eq!(values(&outsider.fetch("t", "g", 10).await), ["d"], "nor do they keep outsiders away");
}
