//! C29: static members restart without disturbing anybody (KIP-345, KIP-814).

use super::*;

/// A stable group of `i1`, who leads, and `i2`.
async fn stable_pair(broker: &TestBroker) -> Vec<(Client, JoinGroupResponse)> {
    let mut first = member(broker).await;
    let one = first.call(9, &join_as("i1", &Str::default())).await;
    assert_eq!(one.error_code, ErrorCode::None, "no round for an id");
    let mut second = member(broker).await;
    let two = second.send(9, &join_as("i2", &Str::default())).await;
    let one = first.call(9, &join_as("i1", &one.member_id)).await;
    let two = second.receive::<JoinGroupRequest>(9, two).await;
    assert_eq!(one.members.len(), 2);
    synced(vec![first, second], vec![one, two]).await
}

#[tokio::test]
async fn a_follower_that_restarts_keeps_generation_and_assignment_and_its_old_id_is_fenced() {
    let broker = broker().await;
    let mut members = stable_pair(&broker).await;
    let old = members[1].1.clone();
    let mut restarted = member(&broker).await;
    let reply = restarted.call(9, &join_as("i2", &Str::default())).await;
    assert_eq!((reply.error_code, reply.generation_id), (ErrorCode::None, old.generation_id));
    assert_ne!(reply.member_id, old.member_id);
    let answer = restarted
        .call(4, &SyncGroupRequest { group_instance_id: Some(Str::from("i2")), ..sync(&reply, &[]) })
        .await;
    assert_eq!((answer.error_code, &answer.assignment[..]), (ErrorCode::None, &b"mine"[..]));
    let (client, leader) = &mut members[0];
    assert_eq!(
        heartbeat(client, &leader.member_id, Some("i1"), leader.generation_id).await,
        ErrorCode::None,
        "the other one sees no rebalance"
    );
    let (client, _) = &mut members[1];
    let fenced = ErrorCode::FencedInstanceId;
    assert_eq!(heartbeat(client, &old.member_id, Some("i2"), old.generation_id).await, fenced);
    let stale_sync = SyncGroupRequest { group_instance_id: Some(Str::from("i2")), ..sync(&old, &[]) };
    assert_eq!(client.call(4, &stale_sync).await.error_code, fenced);
    client.create_topic("t").await;
    let stale_commit = OffsetCommitRequest {
        group_instance_id: Some(Str::from("i2")),
        ..commit(&old.member_id, old.generation_id, &[("t", 0, 1)])
    };
    assert_eq!(committed(client, &stale_commit).await, [fenced]);
}

#[tokio::test]
async fn a_leader_that_restarts_is_told_to_skip_the_assignment() {
    let broker = broker().await;
    let mut members = stable_pair(&broker).await;
    let mut restarted = member(&broker).await;
    let generation = members[0].1.generation_id;
    let reply = restarted.call(9, &join_as("i1", &Str::default())).await;
    assert_eq!((reply.generation_id, reply.skip_assignment, reply.members.len()), (generation, true, 2));
    assert_eq!(reply.leader, reply.member_id);
    let older = restarted.call(8, &join_as("i1", &Str::default())).await;
    assert_eq!((older.generation_id, older.members.len()), (generation, 0));
    assert_ne!(older.leader, older.member_id, "an older client does not assign then");
    let (client, follower) = &mut members[1];
    assert_eq!(heartbeat(client, &follower.member_id, Some("i2"), generation).await, ErrorCode::None);
}

#[tokio::test]
async fn a_running_static_member_that_changes_its_subscription_rebalances() {
    let broker = broker().await;
    let mut members = stable_pair(&broker).await;
    let (id, generation) = (members[1].1.member_id.clone(), members[1].1.generation_id);
    let changed = JoinGroupRequest { protocols: vec![protocol("range", &["t", "u"])], ..join_as("i2", &id) };
    let waiting = members[1].0.send(9, &changed).await;
    let (client, leader) = &mut members[0];
    let began = std::time::Instant::now();
    while heartbeat(client, &leader.member_id, Some("i1"), generation).await != ErrorCode::RebalanceInProgress
    {
        assert!(began.elapsed() < crate::harness::PATIENCE, "no rebalance");
    }
    let reply = client.call(9, &join_as("i1", &leader.member_id.clone())).await;
    assert_eq!((reply.generation_id, reply.members.len()), (generation + 1, 2));
    let follower = members[1].0.receive::<JoinGroupRequest>(9, waiting).await;
    assert_eq!(follower.generation_id, generation + 1);
}
