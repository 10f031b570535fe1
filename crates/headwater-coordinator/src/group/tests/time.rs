use super::*;

#[test]
fn a_silent_member_is_removed_when_its_session_ends() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(2);
    bench.pass(Duration::from_secs(29));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    bench.pass(Duration::from_secs(1));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
    assert_eq!(bench.heartbeat(&ids[1], generation), ErrorCode::UnknownMemberId);
    let rejoined = bench.join(dynamic(&ids[0]));
    assert_eq!(bench.joined(rejoined).members.len(), 1);
}

#[test]
fn the_parked_join_of_an_expired_new_member_is_answered_and_a_new_leader_elected() {
    let config = GroupConfig { new_member_join_timeout: Duration::from_secs(2), ..GroupConfig::default() };
    let mut bench = Bench::with(config);
    let first = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(1));
    let second = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(1));
    assert_eq!(bench.joined(first).error, ErrorCode::UnknownMemberId);
    assert!(bench.waits(second));
    let third = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(1));
    assert_eq!(bench.joined(second).error, ErrorCode::UnknownMemberId);
    bench.pass(Duration::from_millis(500));
    assert!(bench.waits(third));
}

#[test]
fn dynamic_members_that_do_not_join_again_are_out_when_the_rebalance_times_out() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(3);
    let back = bench.join(dynamic(&ids[1]));
    assert_eq!(bench.joined(back).error, ErrorCode::None, "a follower with nothing new");
    let leaver = bench.leave(&[(&ids[0], None)]);
    assert_eq!(bench.left(leaver), [ErrorCode::None]);
    let rejoined = bench.join(dynamic(&ids[1]));
    for _ in 0..5 {
        bench.pass(Duration::from_secs(10));
        assert_eq!(
            bench.heartbeat(&ids[2], generation),
            ErrorCode::RebalanceInProgress,
            "alive, but not joining"
        );
        assert!(bench.waits(rejoined));
    }
    bench.pass(Duration::from_secs(10));
    let reply = bench.joined(rejoined);
    assert_eq!((reply.generation, reply.members.len(), &reply.leader), (generation + 1, 1, &ids[1]));
    assert_eq!(bench.heartbeat(&ids[2], generation + 1), ErrorCode::UnknownMemberId);
}

#[test]
fn members_that_never_sync_are_out_after_the_rebalance_timeout() {
    let mut bench = Bench::new();
    let tokens = [bench.join(dynamic("")), bench.join(dynamic(""))];
    bench.pass(Duration::from_secs(10));
    let ids: Vec<Str> = tokens.iter().map(|token| bench.joined(*token).member_id.clone()).collect();
    let generation = bench.joined(tokens[0]).generation;
    let follower = bench.sync(&ids[1], generation, &[]);
    for _ in 0..12 {
        assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
        bench.pass(Duration::from_secs(5));
    }
    assert_eq!(bench.synced(follower).error, ErrorCode::RebalanceInProgress);
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::UnknownMemberId, "the leader never synced");
}

#[test]
fn a_member_whose_join_is_parked_needs_no_heartbeats() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(2);
    let parked = bench.join(JoinRequest { session_timeout: Duration::from_secs(6), ..dynamic(&ids[0]) });
    for _ in 0..5 {
        bench.pass(Duration::from_secs(10));
        bench.heartbeat(&ids[1], generation);
        assert!(bench.waits(parked));
    }
    let other = bench.join(dynamic(&ids[1]));
    assert_eq!(bench.joined(parked).members.len(), 2);
    assert_eq!(bench.joined(other).error, ErrorCode::None);
}

#[test]
fn heartbeats_are_judged_by_member_and_generation() {
    let mut bench = Bench::new();
    assert_eq!(bench.heartbeat(&Str::from("m"), 0), ErrorCode::UnknownMemberId, "no group");
    let (ids, generation) = bench.stable(1);
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    assert_eq!(bench.heartbeat(&ids[0], generation - 1), ErrorCode::IllegalGeneration);
    assert_eq!(bench.heartbeat(&Str::from("m"), generation), ErrorCode::UnknownMemberId);
    assert_eq!(bench.heartbeat_as(&ids[0], Some("nobody"), generation), ErrorCode::UnknownMemberId);
}

#[test]
fn a_group_without_members_is_empty_in_the_next_generation_and_remembers_it() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(1);
    bench.hold();
    let leaver = bench.leave(&[(&ids[0], None)]);
    assert!(bench.waits(leaver), "not durable yet");
    bench.persist_held();
    assert_eq!(bench.left(leaver), [ErrorCode::None]);
    bench.held = None;
    assert_eq!(bench.state(), GroupState::Empty);
    bench.restart();
    assert_eq!(bench.state(), GroupState::Empty);
    let next = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(3));
    assert_eq!(bench.joined(next).generation, generation + 2);
}

#[test]
fn leaving_is_judged_member_by_member() {
    let mut bench = Bench::new();
    let nobody = bench.leave(&[("m", None)]);
    assert_eq!(bench.left(nobody), [ErrorCode::UnknownMemberId], "no group");
    let tokens = [bench.join(dynamic("")), bench.join(named("i1", ""))];
    bench.pass(Duration::from_secs(10));
    let (ids, generation) = bench.settle(&tokens);
    let asked = bench.join(JoinRequest { requires_known_member_id: true, ..dynamic("") });
    let pending = bench.joined(asked).member_id.clone();
    let leaver = bench.leave(&[
        ("stranger", None),
        ("", Some("i2")),
        ("old", Some("i1")),
        ("", Some("i1")),
        (&pending, None),
    ]);
    let expected = [
        ErrorCode::UnknownMemberId,
        ErrorCode::UnknownMemberId,
        ErrorCode::FencedInstanceId,
        ErrorCode::None,
        ErrorCode::None,
    ];
    assert_eq!(bench.left(leaver), expected);
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
    assert_eq!(bench.heartbeat(&ids[1], generation), ErrorCode::UnknownMemberId);
}

#[test]
fn a_member_that_leaves_while_its_join_is_parked_gets_its_answer() {
    let mut bench = Bench::new();
    let (ids, _) = bench.stable(2);
    let parked = bench.join(dynamic(&ids[0]));
    bench.leave(&[(&ids[0], None)]);
    assert_eq!(bench.joined(parked).error, ErrorCode::UnknownMemberId);
}
