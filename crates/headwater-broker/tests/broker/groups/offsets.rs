//! Offsets: committed, fetched, kept.

use headwater_codec::Uuid;
use headwater_codec::messages::{
    delete_topics::{DeleteTopicState, DeleteTopicsRequest},
    offset_fetch::{OffsetFetchRequestGroup, OffsetFetchRequestTopics},
};

use super::*;

fn outside() -> Str {
    Str::default()
}

/// C31.
#[tokio::test]
async fn null_topics_mean_every_offset_and_an_empty_list_means_none() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    let (a, b) = (client.create_topic("a").await, client.create_topic("b").await);
    let errors = committed(&mut client, &commit(&outside(), -1, &[("a", 0, 5), ("b", 0, 7)])).await;
    assert_eq!(errors, [ErrorCode::None; 2]);
    for version in 1..=7 {
        let none = client.call(version, &fetch_offsets(Some(&[]))).await;
        assert_eq!(told(&none), [], "version {version}");
        let some = client.call(version, &fetch_offsets(Some(&[("a", &[0, 7]), ("nothing", &[0])]))).await;
        assert_eq!(told(&some), [("a", 0, 5), ("a", 7, -1), ("nothing", 0, -1)]);
        let [found, missing] = [0, 1].map(|index| &some.topics[0].partitions[index]);
        assert_eq!((found.metadata.as_deref(), missing.metadata.as_deref()), (Some("note"), Some("")));
        assert_eq!(missing.committed_leader_epoch, -1);
        if version >= 2 {
            let all = client.call(version, &fetch_offsets(None)).await;
            assert_eq!(told(&all), [("a", 0, 5), ("b", 0, 7)], "version {version}");
        }
    }
    let topic = |name: &str, topic_id, indexes: &[i32]| OffsetFetchRequestTopics {
        name: TopicName::from(name),
        topic_id,
        partition_indexes: indexes.to_vec(),
        ..Default::default()
    };
    for version in 8..=10 {
        let asked = |group: &str, topics| OffsetFetchRequestGroup {
            group_id: GroupId::from(group),
            topics,
            ..Default::default()
        };
        let groups = vec![
            asked("g", None),
            asked("g", Some(vec![topic("b", b.topic_id, &[0]), topic("x", Uuid::from_u128(1), &[3])])),
            asked("unheard-of", None),
            asked("g", Some(vec![])),
        ];
        let answer = client.call(version, &OffsetFetchRequest { groups, ..Default::default() }).await;
        assert!(answer.groups.iter().all(|group| group.error_code == ErrorCode::None));
        let [all, some, unknown, none] = &answer.groups[..] else { panic!("{answer:?}") };
        let offsets: Vec<i64> = all.topics.iter().map(|topic| topic.partitions[0].committed_offset).collect();
        assert_eq!(offsets, [5, 7]);
        assert_eq!((unknown.topics.len(), none.topics.len()), (0, 0));
        assert_eq!(some.topics[0].partitions[0].committed_offset, 7);
        let missing = &some.topics[1].partitions[0];
        assert_eq!((missing.partition_index, missing.committed_offset), (3, -1));
        let expected = if version == 10 { ErrorCode::UnknownTopicId } else { ErrorCode::None };
        assert_eq!(missing.error_code, expected);
        if version == 10 {
            assert_eq!([all.topics[0].topic_id, all.topics[1].topic_id], [a.topic_id, b.topic_id]);
        }
    }
}

#[tokio::test]
async fn every_version_of_commit_is_served() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    let topic = client.create_topic("t").await;
    for version in 2..=10 {
        let mut request =
            commit(&outside(), -1, &[("t", 0, version.into()), ("t", 99, 1), ("missing", 0, 1)]);
        request.topics[0].topic_id = topic.topic_id;
        request.topics[1].topic_id = topic.topic_id;
        request.topics[2].topic_id = Uuid::from_u128(1);
        let answer = client.call(version, &request).await;
        let errors: Vec<ErrorCode> =
            answer.topics.iter().map(|topic| topic.partitions[0].error_code).collect();
        let unknown =
            if version == 10 { ErrorCode::UnknownTopicId } else { ErrorCode::UnknownTopicOrPartition };
        assert_eq!(
            errors,
            [ErrorCode::None, ErrorCode::UnknownTopicOrPartition, unknown],
            "version {version}"
        );
        assert_eq!(answer.topics[0].topic_id.is_nil(), version < 10);
        let fetched = client.call(5, &fetch_offsets(Some(&[("t", &[0])]))).await;
        assert_eq!(told(&fetched), [("t", 0, version.into())]);
    }
}

#[tokio::test]
async fn commits_are_judged_by_member_and_generation() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    client.create_topic("t").await;
    let unheard_of = commit(&Str::from("m"), 3, &[("t", 0, 1)]);
    assert_eq!(committed(&mut client, &unheard_of).await, [ErrorCode::IllegalGeneration]);
    let newer = client.call(9, &unheard_of).await;
    assert_eq!(newer.topics[0].partitions[0].error_code, ErrorCode::GroupIdNotFound);
    let mut members = stable(&broker, 1).await;
    let (client, reply) = &mut members[0];
    let (id, generation) = (reply.member_id.clone(), reply.generation_id);
    let judged = [
        (commit(&id, generation, &[("t", 0, 9)]), ErrorCode::None),
        (commit(&id, generation + 1, &[("t", 0, 1)]), ErrorCode::IllegalGeneration),
        (commit(&Str::from("m"), generation, &[("t", 0, 1)]), ErrorCode::UnknownMemberId),
        (commit(&outside(), -1, &[("t", 0, 1)]), ErrorCode::UnknownMemberId),
    ];
    for (request, expected) in judged {
        assert_eq!(committed(client, &request).await, [expected]);
    }
    assert_eq!(told(&client.call(5, &fetch_offsets(None)).await), [("t", 0, 9)]);
}

#[tokio::test]
async fn metadata_above_the_limit_is_refused_for_its_offset_alone() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    client.create_topic("t").await;
    client.create_topic("u").await;
    let mut request = commit(&outside(), -1, &[("t", 0, 1), ("u", 0, 2)]);
    request.topics[0].partitions[0].committed_metadata = Some(Str::from("x".repeat(4097)));
    request.topics[1].partitions[0].committed_metadata = None;
    let errors = committed(&mut client, &request).await;
    assert_eq!(errors, [ErrorCode::OffsetMetadataTooLarge, ErrorCode::None]);
    assert_eq!(told(&client.call(5, &fetch_offsets(None)).await), [("u", 0, 2)]);
}

#[tokio::test]
async fn groups_and_offsets_survive_a_restart() {
    let mut broker = broker().await;
    let mut members = stable(&broker, 1).await;
    let (client, reply) = &mut members[0];
    client.create_topic("t").await;
    let request = commit(&reply.member_id, reply.generation_id, &[("t", 0, 42)]);
    assert_eq!(committed(client, &request).await, [ErrorCode::None]);
    broker.restart().await;
    let mut client = broker.client().await;
    let began = std::time::Instant::now();
    let fetched = loop {
        let answer = client.call(7, &fetch_offsets(None)).await;
        if answer.error_code != ErrorCode::CoordinatorLoadInProgress {
            break answer;
        }
        assert!(began.elapsed() < crate::harness::PATIENCE, "never loaded");
    };
    assert_eq!(told(&fetched), [("t", 0, 42)]);
    let reply = &members[0].1;
    let alive = heartbeat(&mut client, &reply.member_id, None, reply.generation_id).await;
    assert_eq!(alive, ErrorCode::None, "the member goes on as if nothing had happened");
    let group = describe(&mut client, 5, "g").await;
    assert_eq!(
        (group.group_state.as_str(), &group.members[0].member_assignment[..]),
        ("Stable", &b"mine"[..])
    );
}

#[tokio::test]
async fn a_topic_made_anew_inherits_no_offsets() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    client.create_topic("t").await;
    client.create_topic("u").await;
    let errors = committed(&mut client, &commit(&outside(), -1, &[("t", 0, 42), ("u", 0, 1)])).await;
    assert_eq!(errors, [ErrorCode::None; 2]);
    let request = DeleteTopicsRequest {
        topics: vec![DeleteTopicState { name: Some(TopicName::from("t")), ..Default::default() }],
        timeout_ms: 10_000,
        ..Default::default()
    };
    let deleted = client.call(6, &request).await;
    assert_eq!(deleted.responses[0].error_code, ErrorCode::None);
    client.create_topic("t").await;
    assert_eq!(told(&client.call(5, &fetch_offsets(None)).await), [("u", 0, 1)]);
    assert_eq!(committed(&mut client, &commit(&outside(), -1, &[("t", 0, 3)])).await, [ErrorCode::None]);
    for _ in 0..20 {
        let fetched = client.call(5, &fetch_offsets(Some(&[("t", &[0])]))).await;
        assert_eq!(
            told(&fetched),
            [("t", 0, 3)],
            "the new topic's offset stays when the old one's is forgotten"
        );
        tokio::task::yield_now().await;
    }
}

/// The offsets topic is compacted like any other, so that there is less to load.
#[tokio::test]
async fn commits_that_were_replaced_are_compacted_and_the_last_one_stays() {
    let mut broker = TestBroker::with(&[
        "offsets.topic.num.partitions=1",
        "log.cleaner.backoff.ms=20",
        "log.cleaner.min.cleanable.ratio=0",
    ])
    .await;
    let mut client = member(&broker).await;
    client.create_topic("t").await;
    client.set_topic_config(&"__consumer_offsets".into(), "internal.segment.bytes", "2000").await;
    for offset in 1..=100 {
        let errors = committed(&mut client, &commit(&outside(), -1, &[("t", 0, offset)])).await;
        assert_eq!(errors, [ErrorCode::None]);
    }
    let dir = broker.dir().join("data/__consumer_offsets-0");
    let bytes_of_logs = || -> u64 {
        let files = std::fs::read_dir(&dir).unwrap().map(|file| file.unwrap());
        let logs = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "log"));
        logs.map(|file| file.metadata().map_or(0, |stat| stat.len())).sum()
    };
    let mut rounds = 0;
    // A hundred commits are 14 kB; the active segment and the last commit are at most 2 kB and some empty batches.
    while bytes_of_logs() > 4000 {
        rounds += 1;
        assert!(rounds < 500, "{} bytes are left", bytes_of_logs());
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    broker.restart().await;
    let mut client = member(&broker).await;
    let mut answer = client.call(7, &fetch_offsets(Some(&[("t", &[0])]))).await;
    while answer.error_code == ErrorCode::CoordinatorLoadInProgress {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        answer = client.call(7, &fetch_offsets(Some(&[("t", &[0])]))).await;
    }
    assert_eq!(told(&answer), [("t", 0, 100)]);
}
