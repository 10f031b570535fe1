//! What operators ask for: coordinators, lists, descriptions, deletions.

use headwater_codec::{
    BrokerId,
    messages::{
        delete_groups::DeleteGroupsRequest,
        leave_group::LeaveGroupRequest,
        list_groups::{ListGroupsRequest, ListGroupsResponse},
        offset_delete::{OffsetDeleteRequest, OffsetDeleteRequestPartition, OffsetDeleteRequestTopic},
    },
};

use super::*;

#[tokio::test]
async fn the_coordinator_is_this_node_under_the_address_of_the_listener() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let port = i32::from(broker.address().port());
    for version in 0..=3 {
        let request = FindCoordinatorRequest { key: Str::from("g"), ..Default::default() };
        let answer = client.call(version, &request).await;
        assert_eq!((answer.error_code, answer.host.as_str()), (ErrorCode::None, "127.0.0.1"));
        assert_eq!((answer.port, answer.node_id), (port, broker.broker().node_id()));
    }
    for version in 4..=6 {
        let coordinator_keys = vec![Str::from("g"), Str::from("h")];
        let answer =
            client.call(version, &FindCoordinatorRequest { coordinator_keys, ..Default::default() }).await;
        let keys: Vec<&str> = answer.coordinators.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["g", "h"]);
        assert!(answer.coordinators.iter().all(|one| one.error_code == ErrorCode::None && one.port == port));
    }
}

#[tokio::test]
async fn coordinators_of_other_kinds_are_refused_at_once() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    for (key_type, expected) in [(1, ErrorCode::UnsupportedVersion), (2, ErrorCode::InvalidRequest)] {
        for version in 1..=3 {
            let request = FindCoordinatorRequest { key: Str::from("x"), key_type, ..Default::default() };
            let answer = client.call(version, &request).await;
            assert_eq!((answer.error_code, answer.node_id, answer.port), (expected, BrokerId::NONE, -1));
        }
        for version in 4..=6 {
            let coordinator_keys = vec![Str::from("x")];
            let request = FindCoordinatorRequest { key_type, coordinator_keys, ..Default::default() };
            let answer = client.call(version, &request).await;
            assert_eq!((answer.error_code, answer.coordinators[0].error_code), (ErrorCode::None, expected));
        }
    }
}

#[tokio::test]
async fn a_group_that_does_not_exist_is_dead_and_from_version_6_on_an_error() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    for version in 0..=6 {
        let group = describe(&mut client, version, "unheard-of").await;
        assert_eq!(group.group_state, "Dead");
        let expected = if version == 6 { ErrorCode::GroupIdNotFound } else { ErrorCode::None };
        assert_eq!((group.error_code, group.error_message.is_some()), (expected, version == 6));
    }
}

#[tokio::test]
async fn allowed_operations_are_told_when_asked_for() {
    let broker = broker().await;
    let _members = stable(&broker, 1).await;
    let mut client = member(&broker).await;
    for (include_authorized_operations, expected) in [(false, i32::MIN), (true, 0b1101_0100_1000)] {
        let request = DescribeGroupsRequest {
            groups: vec![group()],
            include_authorized_operations,
            ..Default::default()
        };
        assert_eq!(client.call(5, &request).await.groups[0].authorized_operations, expected);
    }
}

#[tokio::test]
async fn groups_are_listed_by_state_and_type() {
    let broker = broker().await;
    let mut members = stable(&broker, 1).await;
    let client = &mut members[0].0;
    client.create_topic("t").await;
    let simple = OffsetCommitRequest {
        group_id: GroupId::from("simple"),
        ..commit(&Str::default(), -1, &[("t", 0, 1)])
    };
    assert_eq!(committed(client, &simple).await, [ErrorCode::None]);
    let listed = |answer: ListGroupsResponse| {
        assert_eq!(answer.error_code, ErrorCode::None);
        let mut groups: Vec<(String, String, String, String)> = answer
            .groups
            .iter()
            .map(|group| {
                let [kind, state, class] =
                    [&group.protocol_type, &group.group_state, &group.group_type].map(ToString::to_string);
                (group.group_id.to_string(), kind, state, class)
            })
            .collect();
        groups.sort();
        groups
    };
    let row = |id: &str, kind: &str, state: &str, class: &str| {
        (id.to_owned(), kind.to_owned(), state.to_owned(), class.to_owned())
    };
    let (stable, empty) = (row("g", "consumer", "Stable", "classic"), row("simple", "", "Empty", "classic"));
    assert_eq!(listed(client.call(5, &ListGroupsRequest::default()).await), [stable.clone(), empty.clone()]);
    let rows = listed(client.call(3, &ListGroupsRequest::default()).await);
    assert_eq!(rows, [row("g", "consumer", "", ""), row("simple", "", "", "")]);
    let filtered = |states: &[&str], types: &[&str]| ListGroupsRequest {
        states_filter: states.iter().map(|state| Str::from(*state)).collect(),
        types_filter: types.iter().map(|kind| Str::from(*kind)).collect(),
        ..Default::default()
    };
    assert_eq!(listed(client.call(4, &filtered(&["stable"], &[])).await).len(), 1);
    assert_eq!(listed(client.call(5, &filtered(&["Empty", "Dead"], &["Classic"])).await), [empty]);
    assert_eq!(listed(client.call(5, &filtered(&[], &["consumer"])).await), []);
}

#[tokio::test]
async fn only_groups_without_members_are_deleted() {
    let broker = broker().await;
    let mut members = stable(&broker, 1).await;
    let (client, reply) = &mut members[0];
    client.create_topic("t").await;
    let request = commit(&reply.member_id, reply.generation_id, &[("t", 0, 1)]);
    assert_eq!(committed(client, &request).await, [ErrorCode::None]);
    let both = DeleteGroupsRequest {
        groups_names: vec![group(), GroupId::from("unheard-of")],
        ..Default::default()
    };
    for version in 0..=2 {
        let answer = client.call(version, &both).await;
        let errors: Vec<ErrorCode> = answer.results.iter().map(|result| result.error_code).collect();
        assert_eq!(errors, [ErrorCode::NonEmptyGroup, ErrorCode::GroupIdNotFound]);
    }
    let leaving =
        LeaveGroupRequest { group_id: group(), member_id: reply.member_id.clone(), ..Default::default() };
    assert_eq!(client.call(0, &leaving).await.error_code, ErrorCode::None);
    assert_eq!(client.call(2, &both).await.results[0].error_code, ErrorCode::None);
    assert_eq!(describe(client, 5, "g").await.group_state, "Dead");
    assert_eq!(told(&client.call(5, &fetch_offsets(None)).await), []);
    assert!(client.call(5, &ListGroupsRequest::default()).await.groups.is_empty());
}

#[tokio::test]
async fn offsets_are_deleted_unless_a_member_reads_the_topic() {
    let broker = broker().await;
    let mut members = stable(&broker, 1).await;
    let (client, reply) = &mut members[0];
    client.create_topic("t").await;
    client.create_topic("u").await;
    let request = commit(&reply.member_id, reply.generation_id, &[("t", 0, 1), ("u", 0, 2)]);
    assert_eq!(committed(client, &request).await, [ErrorCode::None; 2]);
    let topic = |name: &str| OffsetDeleteRequestTopic {
        name: TopicName::from(name),
        partitions: vec![OffsetDeleteRequestPartition { partition_index: 0 }],
    };
    let topics = vec![topic("t"), topic("u"), topic("missing")];
    let answer = client.call(0, &OffsetDeleteRequest { group_id: group(), topics: topics.clone() }).await;
    let errors: Vec<ErrorCode> = answer.topics.iter().map(|topic| topic.partitions[0].error_code).collect();
    let expected = [ErrorCode::GroupSubscribedToTopic, ErrorCode::None, ErrorCode::UnknownTopicOrPartition];
    assert_eq!((answer.error_code, errors), (ErrorCode::None, expected.to_vec()));
    assert_eq!(told(&client.call(5, &fetch_offsets(None)).await), [("t", 0, 1)]);
    let mut no_such_partition = topic("u");
    no_such_partition.partitions[0].partition_index = 7;
    let request = OffsetDeleteRequest { group_id: group(), topics: vec![no_such_partition] };
    let answer = client.call(0, &request).await;
    assert_eq!(answer.topics[0].partitions[0].error_code, ErrorCode::UnknownTopicOrPartition);
    let nameless = OffsetDeleteRequest { topics: topics.clone(), ..Default::default() };
    assert_eq!(client.call(0, &nameless).await.error_code, ErrorCode::InvalidGroupId);
    let unknown = OffsetDeleteRequest { group_id: GroupId::from("unheard-of"), topics };
    let answer = client.call(0, &unknown).await;
    assert_eq!((answer.error_code, answer.topics.len()), (ErrorCode::GroupIdNotFound, 0));
}
