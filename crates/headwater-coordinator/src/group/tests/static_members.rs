use super::*;

/// A stable group of the static members `i1` (leads) and `i2`.
fn stable_pair(bench: &mut Bench) -> (Vec<Str>, i32) {
    let tokens = [bench.join(named("i1", "")), bench.join(named("i2", ""))];
    bench.pass(Duration::from_secs(10));
    bench.settle(&tokens)
}

#[test]
fn a_static_member_is_never_sent_for_an_id() {
    let mut bench = Bench::new();
    let token = bench.join(JoinRequest { requires_known_member_id: true, ..named("i1", "") });
    bench.pass(Duration::from_secs(3));
    assert_eq!(bench.joined(token).error, ErrorCode::None);
    assert!(bench.joined(token).member_id.starts_with("i1-"));
    assert_eq!(bench.joined(token).members[0].instance_id.as_deref(), Some("i1"));
}

#[test]
fn a_static_member_that_comes_back_goes_on_where_it_stopped_and_nobody_notices() {
    let mut bench = Bench::new();
    let (ids, generation) = stable_pair(&mut bench);
    let back = bench.join(named("i2", ""));
    let reply = bench.joined(back).clone();
    assert_eq!((reply.error, reply.generation, reply.members.len()), (ErrorCode::None, generation, 0));
    assert_ne!(reply.member_id, ids[1]);
    assert_eq!((&reply.leader, reply.skip_assignment), (&ids[0], false));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    let sync = bench.sync(&reply.member_id, generation, &[]);
    assert_eq!(bench.synced(sync).assignment, "partitions");
    assert_eq!(bench.heartbeat_as(&ids[1], Some("i2"), generation), ErrorCode::FencedInstanceId);
    assert_eq!(bench.heartbeat(&ids[1], generation), ErrorCode::UnknownMemberId);
}

#[test]
fn the_old_id_of_a_static_member_is_fenced_everywhere() {
    let mut bench = Bench::new();
    let (ids, generation) = stable_pair(&mut bench);
    bench.join(named("i2", ""));
    let sync = SyncRequest {
        member_id: ids[1].clone(),
        instance_id: Some(Str::from("i2")),
        generation,
        protocol_type: None,
        protocol: None,
        assignments: Vec::new(),
    };
    let sync = bench.send(|token| GroupEvent::Sync(token, sync));
    assert_eq!(bench.synced(sync).error, ErrorCode::FencedInstanceId);
    let commit = CommitRequest {
        member_id: ids[1].clone(),
        instance_id: Some(Str::from("i2")),
        generation,
        ..simple(vec![to_commit("t", 0, 1)])
    };
    let commit = bench.commit(commit);
    assert_eq!(bench.committed(commit), [ErrorCode::FencedInstanceId]);
    let join = bench.join(named("i2", &ids[1]));
    assert_eq!(bench.joined(join).error, ErrorCode::FencedInstanceId);
    let leave = bench.leave(&[(&ids[1], Some("i2"))]);
    assert_eq!(bench.left(leave), [ErrorCode::FencedInstanceId]);
}

#[test]
fn a_leader_that_comes_back_is_told_to_skip_the_assignment() {
    let mut bench = Bench::new();
    let (_, generation) = stable_pair(&mut bench);
    let back = bench.join(JoinRequest { supports_skip_assignment: true, ..named("i1", "") });
    let reply = bench.joined(back);
    assert_eq!((reply.generation, reply.skip_assignment, reply.members.len()), (generation, true, 2));
    assert_eq!(reply.leader, reply.member_id);
}

#[test]
fn an_older_leader_that_comes_back_is_told_its_old_id_so_that_it_does_not_assign() {
    let mut bench = Bench::new();
    let (ids, generation) = stable_pair(&mut bench);
    let back = bench.join(named("i1", ""));
    let reply = bench.joined(back);
    assert_eq!((reply.generation, reply.skip_assignment, reply.members.len()), (generation, false, 0));
    assert_eq!(reply.leader, ids[0]);
    assert_ne!(reply.member_id, ids[0]);
}

#[test]
fn the_new_id_is_answered_only_when_it_is_durable() {
    let mut bench = Bench::new();
    let (ids, generation) = stable_pair(&mut bench);
    bench.hold();
    let back = bench.join(named("i2", ""));
    assert!(bench.waits(back));
    bench.fail_held(ErrorCode::CoordinatorNotAvailable);
    assert_eq!(bench.joined(back).error, ErrorCode::CoordinatorNotAvailable);
    assert_eq!(
        bench.heartbeat_as(&ids[1], Some("i2"), generation),
        ErrorCode::None,
        "the old id still holds"
    );
    let again = bench.join(named("i2", ""));
    bench.persist_held();
    let id = bench.joined(again).member_id.clone();
    bench.held = None;
    bench.restart();
    assert_eq!(bench.heartbeat_as(&id, Some("i2"), generation), ErrorCode::None);
    assert_eq!(bench.heartbeat_as(&ids[1], Some("i2"), generation), ErrorCode::FencedInstanceId);
}

#[test]
fn a_changed_subscription_of_one_that_comes_back_rebalances_only_if_the_protocol_changes() {
    let mut bench = Bench::new();
    let both = JoinRequest { protocols: protocols(&["range", "sticky"]), ..named("i1", "") };
    let tokens =
        [bench.join(both.clone()), bench.join(JoinRequest { instance_id: Some("i2".into()), ..both })];
    bench.pass(Duration::from_secs(10));
    let (ids, generation) = bench.settle(&tokens);
    let other_topics = vec![protocol("range", &["u"]), protocol("sticky", &["u"])];
    let quiet = bench.join(JoinRequest { protocols: other_topics, ..named("i2", "") });
    assert_eq!(bench.joined(quiet).generation, generation);
    let loud = bench.join(JoinRequest { protocols: protocols(&["sticky"]), ..named("i2", "") });
    assert!(bench.waits(loud));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
}

#[test]
fn a_changed_subscription_of_a_running_static_member_rebalances() {
    let mut bench = Bench::new();
    let (ids, generation) = stable_pair(&mut bench);
    let changed = JoinRequest { protocols: vec![protocol("range", &["u"])], ..named("i2", &ids[1]) };
    let token = bench.join(changed);
    assert!(bench.waits(token));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
}

#[test]
fn a_silent_static_member_is_removed_when_its_session_ends() {
    let mut bench = Bench::new();
    let (ids, generation) = stable_pair(&mut bench);
    for _ in 0..29 {
        bench.pass(Duration::from_secs(1));
        assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    }
    bench.pass(Duration::from_secs(1));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
    let alone = bench.join(named("i1", &ids[0]));
    assert_eq!(bench.joined(alone).members.len(), 1);
}

#[test]
fn static_members_that_do_not_join_again_stay_until_their_session_ends() {
    let mut bench = Bench::new();
    let patient = |instance| JoinRequest {
        session_timeout: Duration::from_secs(300),
        rebalance_timeout: Duration::from_secs(10),
        ..named(instance, "")
    };
    let tokens = [bench.join(patient("i1")), bench.join(patient("i2"))];
    bench.pass(Duration::from_secs(10));
    let (ids, generation) = bench.settle(&tokens);
    let rejoined = bench.join(JoinRequest { member_id: ids[0].clone(), ..patient("i1") });
    bench.pass(Duration::from_secs(10));
    let reply = bench.joined(rejoined);
    assert_eq!((reply.generation, reply.members.len()), (generation + 1, 2));
}

#[test]
fn the_parked_requests_of_a_replaced_static_member_are_fenced() {
    let mut bench = Bench::new();
    let parked = bench.join(named("i1", ""));
    let again = bench.join(named("i1", ""));
    assert_eq!(bench.joined(parked).error, ErrorCode::FencedInstanceId);
    bench.pass(Duration::from_secs(6));
    assert_eq!(bench.joined(again).members.len(), 1);
    let id = bench.joined(again).member_id.clone();
    let other = bench.join(named("i2", ""));
    assert!(bench.waits(other));
    let rejoined = bench.join(named("i1", &id));
    let follower = bench.joined(other).member_id.clone();
    let generation = bench.joined(rejoined).generation;
    let sync = bench.sync(&follower, generation, &[]);
    bench.join(named("i2", ""));
    assert_eq!(bench.synced(sync).error, ErrorCode::FencedInstanceId);
    assert_eq!(bench.state(), GroupState::PreparingRebalance, "the leader may have assigned to the old id");
}
