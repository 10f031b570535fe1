use super::*;

#[test]
fn followers_get_their_assignment_when_the_leaders_is_durable() {
    let mut bench = Bench::new();
    let tokens = [bench.join(dynamic("")), bench.join(dynamic(""))];
    bench.pass(Duration::from_secs(10));
    let (leader, follower) =
        (bench.joined(tokens[0]).member_id.clone(), bench.joined(tokens[1]).member_id.clone());
    bench.hold();
    let early = bench.sync(&follower, 1, &[]);
    assert!(bench.waits(early));
    let leading =
        bench.sync(&leader, 1, &[(&leader, b"a"), (&follower, b"b"), (&Str::from("stranger"), b"c")]);
    assert!(bench.waits(leading) && bench.waits(early), "nothing is durable yet");
    bench.persist_held();
    assert_eq!(bench.synced(leading).assignment, "a");
    assert_eq!(bench.synced(early).assignment, "b");
    let late = bench.sync(&follower, 1, &[]);
    assert_eq!(bench.synced(late).assignment, "b", "the one that was cached");
    assert_eq!(bench.synced(late).protocol.as_deref(), Some("range"));
    assert_eq!(bench.synced(late).protocol_type.as_deref(), Some("consumer"));
}

#[test]
fn members_that_the_leader_leaves_out_get_an_empty_assignment() {
    let mut bench = Bench::new();
    let tokens = [bench.join(dynamic("")), bench.join(dynamic("")), bench.join(dynamic(""))];
    bench.pass(Duration::from_secs(20));
    let ids: Vec<Str> = tokens.iter().map(|token| bench.joined(*token).member_id.clone()).collect();
    let followers = [bench.sync(&ids[1], 1, &[]), bench.sync(&ids[2], 1, &[])];
    bench.sync(&ids[0], 1, &[(&ids[0], b"everything")]);
    for follower in followers {
        assert_eq!(
            (bench.synced(follower).error, bench.synced(follower).assignment.len()),
            (ErrorCode::None, 0)
        );
    }
    assert_eq!(bench.state(), GroupState::Stable);
}

#[test]
fn a_failed_write_of_the_assignment_is_told_to_all_and_they_join_again() {
    let mut bench = Bench::new();
    let tokens = [bench.join(dynamic("")), bench.join(dynamic(""))];
    bench.pass(Duration::from_secs(10));
    let ids: Vec<Str> = tokens.iter().map(|token| bench.joined(*token).member_id.clone()).collect();
    bench.hold();
    let syncs = [bench.sync(&ids[1], 1, &[]), bench.sync(&ids[0], 1, &[(&ids[1], b"b")])];
    bench.fail_held(ErrorCode::CoordinatorNotAvailable);
    for sync in syncs {
        assert_eq!(bench.synced(sync).error, ErrorCode::CoordinatorNotAvailable);
        assert!(bench.synced(sync).assignment.is_empty());
    }
    assert_eq!(bench.state(), GroupState::PreparingRebalance);
}

#[test]
fn a_cancelled_round_tells_those_who_wait_to_join_again() {
    let mut bench = Bench::new();
    let tokens = [bench.join(dynamic("")), bench.join(dynamic(""))];
    bench.pass(Duration::from_secs(10));
    let follower = bench.joined(tokens[1]).member_id.clone();
    let waiting = bench.sync(&follower, 1, &[]);
    bench.join(dynamic(""));
    assert_eq!(bench.synced(waiting).error, ErrorCode::RebalanceInProgress);
    let again = bench.sync(&follower, 1, &[]);
    assert_eq!(bench.synced(again).error, ErrorCode::RebalanceInProgress);
}

#[test]
fn syncs_that_cannot_be_are_refused() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(1);
    let request = SyncRequest {
        member_id: ids[0].clone(),
        instance_id: None,
        generation,
        protocol_type: None,
        protocol: None,
        assignments: Vec::new(),
    };
    let refused = [
        (SyncRequest { member_id: Str::from("stranger"), ..request.clone() }, ErrorCode::UnknownMemberId),
        (SyncRequest { generation: generation + 1, ..request.clone() }, ErrorCode::IllegalGeneration),
        (
            SyncRequest { protocol: Some(Str::from("sticky")), ..request.clone() },
            ErrorCode::InconsistentGroupProtocol,
        ),
        (
            SyncRequest { protocol_type: Some(Str::from("connect")), ..request.clone() },
            ErrorCode::InconsistentGroupProtocol,
        ),
        (
            SyncRequest {
                protocol: Some(Str::from("range")),
                protocol_type: Some(Str::from("consumer")),
                ..request
            },
            ErrorCode::None,
        ),
    ];
    for (request, expected) in refused {
        let token = bench.send(|token| GroupEvent::Sync(token, request));
        assert_eq!(bench.synced(token).error, expected);
    }
}

#[test]
fn describe_shows_metadata_and_assignment_only_when_stable() {
    let mut bench = Bench::new();
    let token = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(3));
    let before = bench.shard.describe("g").unwrap();
    assert_eq!((before.state, before.protocol.as_str()), (GroupState::CompletingRebalance, ""));
    assert!(before.members[0].metadata.is_empty() && before.members[0].assignment.is_empty());
    bench.settle(&[token]);
    let stable = bench.shard.describe("g").unwrap();
    assert_eq!((stable.protocol.as_str(), stable.protocol_type.as_str()), ("range", "consumer"));
    assert_eq!(stable.members[0].metadata, protocol("range", &["t"]).metadata);
    assert_eq!(stable.members[0].assignment, "partitions");
    assert_eq!(stable.members[0].client_host, "/127.0.0.1");
}

#[test]
fn events_wait_while_the_membership_is_being_written() {
    let mut bench = Bench::new();
    let token = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(3));
    let id = bench.joined(token).member_id.clone();
    bench.hold();
    let sync = bench.sync(&id, 1, &[(&id, b"a")]);
    let second = bench.join(dynamic(""));
    assert!(bench.waits(sync) && bench.waits(second));
    bench.persist_held();
    assert_eq!(bench.synced(sync).error, ErrorCode::None);
    assert_eq!(bench.state(), GroupState::PreparingRebalance, "the join came after the assignment");
}
