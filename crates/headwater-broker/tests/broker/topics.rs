//! Creating, growing, deleting and describing topics (C39, C41).

use headwater_codec::{
    BrokerId, ErrorCode, Uuid,
    messages::{
        create_partitions::{CreatePartitionsAssignment, CreatePartitionsRequest, CreatePartitionsTopic},
        create_topics::{
            CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfig, CreatableTopicResult,
            CreateTopicsRequest,
        },
        delete_topics::{DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest},
        describe_topic_partitions::{Cursor, DescribeTopicPartitionsRequest, TopicRequest},
    },
};

use crate::harness::{Client, Place, TestBroker, batch};

pub(crate) fn topic(name: &str, num_partitions: i32, replication_factor: i16) -> CreatableTopic {
    CreatableTopic { name: name.into(), num_partitions, replication_factor, ..Default::default() }
}

fn assigned(name: &str, assignments: &[(i32, &[i32])]) -> CreatableTopic {
    let assignments = assignments.iter().map(|(partition_index, brokers)| CreatableReplicaAssignment {
        partition_index: *partition_index,
        broker_ids: brokers.iter().map(|id| BrokerId::new(*id)).collect(),
        ..Default::default()
    });
    CreatableTopic { assignments: assignments.collect(), ..topic(name, -1, -1) }
}

pub(crate) fn with_config(name: &str, key: &str, value: &str) -> CreatableTopic {
    let config = CreatableTopicConfig { name: key.into(), value: Some(value.into()), ..Default::default() };
    CreatableTopic { configs: vec![config], ..topic(name, 1, 1) }
}

fn request(topics: Vec<CreatableTopic>) -> CreateTopicsRequest {
    CreateTopicsRequest { topics, timeout_ms: 1000, ..Default::default() }
}

pub(crate) async fn create(client: &mut Client, topics: Vec<CreatableTopic>) -> Vec<CreatableTopicResult> {
    client.call(7, &request(topics)).await.topics
}

async fn code(client: &mut Client, topic: CreatableTopic) -> ErrorCode {
    create(client, vec![topic]).await.remove(0).error_code
}

async fn delete(client: &mut Client, topics: Vec<DeleteTopicState>) -> Vec<DeletableTopicResult> {
    client.call(6, &DeleteTopicsRequest { topics, timeout_ms: 1000, ..Default::default() }).await.responses
}

fn by_name(name: &str) -> DeleteTopicState {
    DeleteTopicState { name: Some(name.into()), ..Default::default() }
}

fn by_id(topic_id: Uuid) -> DeleteTopicState {
    DeleteTopicState { topic_id, ..Default::default() }
}

async fn partition_count(client: &mut Client, name: &str) -> usize {
    let topics = vec![TopicRequest { name: name.into(), ..Default::default() }];
    let request = DescribeTopicPartitionsRequest { topics, ..Default::default() };
    client.call(0, &request).await.topics.remove(0).partitions.len()
}

/// C39: -1 is the broker's default, and the answer tells what came of it.
#[tokio::test]
async fn answers_tell_real_counts_configs_and_ids() {
    let broker = TestBroker::with(&["num.partitions=3"]).await;
    let mut client = broker.client().await;
    for (version, name) in (2..=7).map(|version| (version, format!("v{version}"))) {
        let created = client.call(version, &request(vec![topic(&name, -1, -1)])).await.topics.remove(0);
        assert_eq!((created.error_code, created.error_message), (ErrorCode::None, None), "version {version}");
        if version >= 5 {
            assert_eq!((created.num_partitions, created.replication_factor), (3, 1));
            let configs = created.configs.expect("configs");
            let names: Vec<_> = configs.iter().map(|config| config.name.as_str()).collect();
            assert!(names.is_sorted() && names.contains(&"retention.ms"));
            let retention = configs.iter().find(|config| config.name == "retention.ms").expect("described");
            assert_eq!((retention.value.as_deref(), retention.config_source), (Some("604800000"), 5));
        }
        assert_eq!(created.topic_id.is_nil(), version < 7);
        assert_eq!(partition_count(&mut client, &name).await, 3);
    }
    let created = create(&mut client, vec![with_config("set", "retention.ms", "5")]).await.remove(0);
    let configs = created.configs.expect("configs");
    let retention = configs.iter().find(|config| config.name == "retention.ms").expect("described");
    assert_eq!((retention.value.as_deref(), retention.config_source), (Some("5"), 1));
}

/// C39.
#[tokio::test]
async fn assignments_are_judged_by_kafkas_rules() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let node = broker.broker().node_id().get();
    let good: &[(i32, &[i32])] = &[(1, &[node]), (0, &[node])];
    let created = create(&mut client, vec![assigned("good", good)]).await.remove(0);
    assert_eq!((created.error_code, created.num_partitions), (ErrorCode::None, 2));
    let counted = CreatableTopic { num_partitions: 2, ..assigned("a", good) };
    assert_eq!(code(&mut client, counted).await, ErrorCode::InvalidRequest);
    let replicated = CreatableTopic { replication_factor: 1, ..assigned("a", good) };
    assert_eq!(code(&mut client, replicated).await, ErrorCode::InvalidRequest);
    let bad: [&[(i32, &[i32])]; 6] = [
        &[(0, &[node]), (2, &[node])],
        &[(1, &[node])],
        &[(0, &[node]), (0, &[node])],
        &[(0, &[node + 1])],
        &[(0, &[])],
        &[(0, &[node, node])],
    ];
    for assignments in bad {
        let code = code(&mut client, assigned("a", assignments)).await;
        assert_eq!(code, ErrorCode::InvalidReplicaAssignment, "{assignments:?}");
    }
}

#[tokio::test]
async fn counts_out_of_range_are_refused() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    for (partitions, factor, expected) in [
        (0, 1, ErrorCode::InvalidPartitions),
        (-2, 1, ErrorCode::InvalidPartitions),
        (1, 0, ErrorCode::InvalidReplicationFactor),
        (1, -2, ErrorCode::InvalidReplicationFactor),
        (1, 3, ErrorCode::InvalidReplicationFactor),
        (10_001, 1, ErrorCode::PolicyViolation),
        (i32::MAX, 1, ErrorCode::PolicyViolation),
    ] {
        assert_eq!(
            code(&mut client, topic("t", partitions, factor)).await,
            expected,
            "{partitions}, {factor}"
        );
    }
    let created = create(&mut client, vec![topic("a", i32::MAX, 1), topic("b", i32::MAX, 1)]).await;
    assert!(created.iter().all(|topic| topic.error_code == ErrorCode::PolicyViolation));
    assert_eq!(code(&mut client, topic("t", 1, 1)).await, ErrorCode::None, "nothing was created before");
}

/// C39.
#[tokio::test]
async fn each_topic_of_a_request_is_judged_alone() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    assert_eq!(code(&mut client, topic("old", 1, 1)).await, ErrorCode::None);
    let topics = vec![
        topic("twice", 1, 1),
        topic("old", 1, 1),
        with_config("bad", "retention.msx", "5"),
        topic("new", 1, 1),
        topic("twice", 1, 1),
        topic("", 1, 1),
        topic("__cluster_metadata", 1, 1),
    ];
    let created = create(&mut client, topics).await;
    let codes: Vec<_> = created.iter().map(|topic| (topic.name.as_str(), topic.error_code)).collect();
    assert_eq!(
        codes,
        [
            ("twice", ErrorCode::InvalidRequest),
            ("old", ErrorCode::TopicAlreadyExists),
            ("bad", ErrorCode::InvalidConfig),
            ("new", ErrorCode::None),
            ("", ErrorCode::InvalidTopicException),
            ("__cluster_metadata", ErrorCode::TopicAuthorizationFailed),
        ]
    );
    assert!(
        created.iter().all(|topic| topic.error_message.is_some() == (topic.error_code != ErrorCode::None))
    );
    assert_eq!(code(&mut client, topic("twice", 1, 1)).await, ErrorCode::None, "it was not created before");
}

#[tokio::test]
async fn validation_alone_creates_nothing() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let asked =
        CreateTopicsRequest { validate_only: true, ..request(vec![topic("t", 4, 1), topic("u", 0, 1)]) };
    let answer = client.call(7, &asked).await.topics;
    assert_eq!((answer[0].error_code, answer[0].num_partitions), (ErrorCode::None, 4));
    assert_eq!(answer[1].error_code, ErrorCode::InvalidPartitions);
    let deleted = delete(&mut client, vec![by_name("t")]).await;
    assert_eq!(deleted[0].error_code, ErrorCode::UnknownTopicOrPartition);
}

/// C41.
#[tokio::test]
async fn names_are_judged_and_collisions_with_existing_topics_refused() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let longest = "x".repeat(249);
    assert_eq!(code(&mut client, topic(&longest, 100, 1)).await, ErrorCode::None);
    assert_eq!(partition_count(&mut client, &longest).await, 100);
    for bad in ["", ".", "..", "a/b", "a b", "\u{fc}", &"x".repeat(250)] {
        assert_eq!(code(&mut client, topic(bad, 1, 1)).await, ErrorCode::InvalidTopicException, "{bad}");
    }
    assert_eq!(code(&mut client, topic("a.b", 1, 1)).await, ErrorCode::None);
    assert_eq!(code(&mut client, topic("a_b", 1, 1)).await, ErrorCode::InvalidTopicException);
    assert_eq!(code(&mut client, topic("A.b", 1, 1)).await, ErrorCode::None, "case matters");
    let both = create(&mut client, vec![topic("c.d", 1, 1), topic("c_d", 1, 1)]).await;
    assert!(both.iter().all(|topic| topic.error_code == ErrorCode::None), "only existing topics count");
    assert_eq!(delete(&mut client, vec![by_name("a.b")]).await[0].error_code, ErrorCode::None);
    assert_eq!(code(&mut client, topic("a_b", 1, 1)).await, ErrorCode::None);
}

#[tokio::test]
async fn deletes_by_name_and_by_id() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let created = create(&mut client, vec![topic("a", 1, 1), topic("b", 1, 1), topic("c", 1, 1)]).await;
    let unknown = Uuid::from_u128(4711);
    let both = DeleteTopicState { topic_id: created[2].topic_id, ..by_name("c") };
    let asked = vec![
        by_name("a"),
        by_id(created[1].topic_id),
        by_name("none"),
        by_id(unknown),
        both,
        DeleteTopicState::default(),
    ];
    let answer = delete(&mut client, asked).await;
    let codes: Vec<_> = answer.iter().map(|topic| topic.error_code).collect();
    assert_eq!(
        codes,
        [
            ErrorCode::None,
            ErrorCode::None,
            ErrorCode::UnknownTopicOrPartition,
            ErrorCode::UnknownTopicId,
            ErrorCode::InvalidRequest,
            ErrorCode::InvalidRequest,
        ]
    );
    for (told, created) in answer.iter().zip(&created[..2]) {
        assert_eq!((told.name.as_ref(), told.topic_id), (Some(&created.name), created.topic_id));
    }
    for version in 1..=5 {
        let topic_names = vec!["c".into(), "none".into()];
        let asked = DeleteTopicsRequest { topic_names, timeout_ms: 1000, ..Default::default() };
        let answer = client.call(version, &asked).await.responses;
        assert_eq!(answer[0].error_code, ErrorCode::None, "version {version}");
        assert_eq!(answer[1].error_code, ErrorCode::UnknownTopicOrPartition);
        assert_eq!(code(&mut client, topic("c", 1, 1)).await, ErrorCode::None);
    }
}

#[tokio::test]
async fn a_topic_named_twice_is_not_deleted() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let id = create(&mut client, vec![topic("t", 1, 1)]).await[0].topic_id;
    for asked in [vec![by_name("t"), by_name("t")], vec![by_id(id), by_id(id)], vec![by_name("t"), by_id(id)]]
    {
        let answer = delete(&mut client, asked).await;
        assert!(answer.iter().all(|topic| topic.error_code == ErrorCode::InvalidRequest));
    }
    assert_eq!(delete(&mut client, vec![by_name("t")]).await[0].error_code, ErrorCode::None);
}

#[tokio::test]
async fn deletion_can_be_turned_off() {
    let broker = TestBroker::with(&["delete.topic.enable=false"]).await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("t", 1, 1)]).await;
    assert_eq!(delete(&mut client, vec![by_name("t")]).await[0].error_code, ErrorCode::TopicDeletionDisabled);
    let asked = DeleteTopicsRequest { topic_names: vec!["t".into()], ..Default::default() };
    assert_eq!(client.call(2, &asked).await.responses[0].error_code, ErrorCode::InvalidRequest);
    assert_eq!(partition_count(&mut client, "t").await, 1);
}

#[tokio::test]
async fn a_topic_made_again_is_a_new_one() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let first = client.create_topic("t").await;
    let answer = client.produce(9, &Place::new(&first, 0), batch(&["a", "b"])).await;
    assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::None, 0));
    assert_eq!(delete(&mut client, vec![by_name("t")]).await[0].error_code, ErrorCode::None);
    let second = client.create_topic("t").await;
    assert_ne!(first.topic_id, second.topic_id);
    let answer = client.produce(9, &Place::new(&second, 0), batch(&["c"])).await;
    assert_eq!((answer.error_code, answer.base_offset), (ErrorCode::None, 0));
    assert_eq!(delete(&mut client, vec![by_name("t")]).await[0].error_code, ErrorCode::None);
    broker.restart().await;
    let mut client = broker.client().await;
    let answer = delete(&mut client, vec![by_name("t")]).await;
    assert_eq!(answer[0].error_code, ErrorCode::UnknownTopicOrPartition, "it stays deleted");
}

fn more(name: &str, count: i32) -> CreatePartitionsTopic {
    CreatePartitionsTopic { name: name.into(), count, assignments: None, ..Default::default() }
}

#[tokio::test]
async fn partitions_are_added_and_never_taken_away() {
    let mut broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let node = broker.broker().node_id();
    for name in ["t", "u", "v", "w"] {
        assert_eq!(code(&mut client, topic(name, 2, 1)).await, ErrorCode::None);
    }
    let by_hand = |name: &str, count, replicas: &[BrokerId]| CreatePartitionsTopic {
        assignments: Some(
            replicas
                .iter()
                .map(|id| CreatePartitionsAssignment { broker_ids: vec![*id], ..Default::default() })
                .collect(),
        ),
        ..more(name, count)
    };
    let other = BrokerId::new(node.get() + 1);
    for (asked, expected) in [
        (more("t", 2), ErrorCode::InvalidPartitions),
        (more("t", 1), ErrorCode::InvalidPartitions),
        (more("t", -1), ErrorCode::InvalidPartitions),
        (more("none", 3), ErrorCode::UnknownTopicOrPartition),
        (more("t", 20_000), ErrorCode::PolicyViolation),
        (by_hand("u", 4, &[node]), ErrorCode::InvalidReplicaAssignment),
        (by_hand("u", 3, &[other]), ErrorCode::InvalidReplicaAssignment),
        (by_hand("u", 4, &[node, node]), ErrorCode::None),
        (more("t", 5), ErrorCode::None),
    ] {
        let request = CreatePartitionsRequest { topics: vec![asked.clone()], ..Default::default() };
        let answer = client.call(3, &request).await.results.remove(0);
        assert_eq!(answer.error_code, expected, "{asked:?}");
    }
    let topics = vec![more("v", 3), more("w", 3), more("v", 3)];
    let answer = client.call(0, &CreatePartitionsRequest { topics, ..Default::default() }).await.results;
    let codes: Vec<_> = answer.iter().map(|topic| topic.error_code).collect();
    assert_eq!(codes, [ErrorCode::InvalidRequest, ErrorCode::None], "a topic that is there twice is refused");
    let only =
        CreatePartitionsRequest { topics: vec![more("v", 9)], validate_only: true, ..Default::default() };
    assert_eq!(client.call(1, &only).await.results[0].error_code, ErrorCode::None);
    broker.restart().await;
    let mut client = broker.client().await;
    for (name, count) in [("t", 5), ("u", 4), ("v", 2), ("w", 3)] {
        assert_eq!(partition_count(&mut client, name).await, count, "{name}");
    }
    let last = client.create_topic("t").await;
    let answer = client.produce(9, &Place::new(&last, 4), batch(&["a"])).await;
    assert_eq!(
        (answer.error_code, answer.base_offset),
        (ErrorCode::None, 0),
        "a new partition takes records"
    );
}

fn page(
    topics: &[&str],
    response_partition_limit: i32,
    cursor: Option<(&str, i32)>,
) -> DescribeTopicPartitionsRequest {
    DescribeTopicPartitionsRequest {
        topics: topics
            .iter()
            .map(|name| TopicRequest { name: (*name).into(), ..Default::default() })
            .collect(),
        response_partition_limit,
        cursor: cursor.map(|(topic_name, partition_index)| Cursor {
            topic_name: topic_name.into(),
            partition_index,
            ..Default::default()
        }),
        ..Default::default()
    }
}

#[tokio::test]
async fn partitions_are_told_page_by_page_in_the_order_of_names() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("b", 3, 1), topic("a", 2, 1), topic("c", 1, 1)]).await;
    let mut seen = Vec::new();
    let mut cursor: Option<(String, i32)> = None;
    loop {
        let from = cursor.as_ref().map(|(name, index)| (name.as_str(), *index));
        let answer = client.call(0, &page(&[], 2, from)).await;
        let told = answer.topics.iter().flat_map(|topic| {
            let name = topic.name.as_ref().expect("a name").as_str().to_owned();
            topic.partitions.iter().map(move |partition| (name.clone(), partition.partition_index))
        });
        let told: Vec<_> = told.collect();
        assert!(told.len() <= 2);
        seen.extend(told);
        match answer.next_cursor {
            Some(next) => cursor = Some((next.topic_name.as_str().to_owned(), next.partition_index)),
            None => break,
        }
    }
    let expected = [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2), ("c", 0)];
    assert_eq!(seen, expected.map(|(name, index)| (name.to_owned(), index)));

    let answer = client.call(0, &page(&["c", "none", "a/b", "a", "a"], 2000, None)).await;
    let told: Vec<_> = answer
        .topics
        .iter()
        .map(|topic| {
            (topic.name.as_ref().map(|name| name.as_str()), topic.error_code, topic.partitions.len())
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("a"), ErrorCode::None, 2),
            (Some("a/b"), ErrorCode::InvalidTopicException, 0),
            (Some("c"), ErrorCode::None, 1),
            (Some("none"), ErrorCode::UnknownTopicOrPartition, 0),
        ]
    );
    assert_eq!(answer.topics[0].topic_authorized_operations, 0b1101_1111_1000);
    for bad in [page(&["a"], 1, Some(("b", 0))), page(&["a"], 1, Some(("a", -1)))] {
        let answer = client.call(0, &bad).await;
        assert_eq!(answer.topics[0].error_code, ErrorCode::InvalidRequest);
    }
    let gone = client.call(0, &page(&[], 2000, Some(("aa", 7)))).await;
    assert_eq!(
        gone.topics[0].name.as_ref().map(|name| name.as_str()),
        Some("b"),
        "a topic that is gone is skipped"
    );
    let past = client.call(0, &page(&["a"], 2000, Some(("a", i32::MAX)))).await;
    assert!(past.topics[0].partitions.is_empty() && past.next_cursor.is_none());
}

#[tokio::test]
async fn a_page_is_bounded_by_the_broker_too() {
    let broker = TestBroker::with(&["max.request.partition.size.limit=2"]).await;
    let mut client = broker.client().await;
    create(&mut client, vec![topic("a", 3, 1)]).await;
    for limit in [i32::MAX, 0, -5] {
        let answer = client.call(0, &page(&[], limit, None)).await;
        assert_eq!(answer.topics[0].partitions.len(), if limit > 0 { 2 } else { 1 }, "limit {limit}");
        assert!(answer.next_cursor.is_some());
    }
}
