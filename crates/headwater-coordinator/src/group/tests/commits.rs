use super::*;

#[test]
fn a_commit_is_answered_and_seen_when_it_is_durable() {
    let mut bench = Bench::new();
    bench.hold();
    let token = bench.commit(simple(vec![to_commit("t", 0, 42)]));
    assert!(bench.waits(token));
    assert_eq!(bench.offset("t", 0), None);
    bench.persist_held();
    assert_eq!(bench.committed(token), [ErrorCode::None]);
    let committed = bench.shard.offset("g", "t", 0).unwrap();
    assert_eq!((committed.offset, committed.leader_epoch, committed.metadata.as_str()), (42, 3, "note"));
    assert_eq!((bench.offset("t", 1), bench.offset("u", 0)), (None, None));
}

#[test]
fn a_commit_that_fails_is_told_and_not_seen() {
    let mut bench = Bench::new();
    bench.hold();
    let token = bench.commit(simple(vec![to_commit("t", 0, 42)]));
    bench.fail_held(ErrorCode::CoordinatorNotAvailable);
    assert_eq!(bench.committed(token), [ErrorCode::CoordinatorNotAvailable]);
    assert_eq!(bench.offset("t", 0), None);
    assert_eq!(bench.shard.list().count(), 0);
}

#[test]
fn commits_take_effect_in_the_order_of_the_log_whatever_the_order_of_their_outcomes() {
    let mut bench = Bench::new();
    bench.hold();
    let first = bench.commit(simple(vec![to_commit("t", 0, 1)]));
    let second = bench.commit(simple(vec![to_commit("t", 0, 2)]));
    assert_eq!(bench.held_count(), 2, "commits do not wait for each other");
    let held = bench.held.as_mut().unwrap();
    held.swap(0, 1);
    bench.persist_held();
    assert!(bench.waits(second), "its turn has not come");
    bench.persist_held();
    assert_eq!((bench.committed(first).len(), bench.offset("t", 0)), (1, Some(2)));
}

#[test]
fn commits_are_judged_by_member_instance_and_generation() {
    let mut bench = Bench::new();
    let commit = |member: &Str, generation| CommitRequest {
        member_id: member.clone(),
        generation,
        ..simple(vec![to_commit("t", 0, 1), to_commit("t", 1, 1)])
    };
    #[track_caller]
    fn check(bench: &mut Bench, request: CommitRequest, expected: ErrorCode) {
        let token = bench.commit(request);
        assert_eq!(bench.committed(token), [expected; 2]);
    }
    let stranger = Str::from("stranger");
    check(&mut bench, commit(&stranger, 1), ErrorCode::IllegalGeneration);
    let newer = CommitRequest { knows_group_id_not_found: true, ..commit(&stranger, 1) };
    check(&mut bench, newer, ErrorCode::GroupIdNotFound);

    let token = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(3));
    let id = bench.joined(token).member_id.clone();
    check(&mut bench, commit(&id, 1), ErrorCode::RebalanceInProgress);
    let (_, generation) = bench.settle(&[token]);
    check(&mut bench, commit(&id, generation), ErrorCode::None);
    check(&mut bench, commit(&id, generation - 1), ErrorCode::IllegalGeneration);
    check(&mut bench, commit(&id, -1), ErrorCode::IllegalGeneration);
    check(&mut bench, commit(&stranger, generation), ErrorCode::UnknownMemberId);
    check(&mut bench, commit(&Str::default(), -1), ErrorCode::UnknownMemberId);
    let instance = CommitRequest { instance_id: Some(Str::from("i")), ..commit(&id, generation) };
    check(&mut bench, instance, ErrorCode::UnknownMemberId);

    bench.join(dynamic(""));
    assert_eq!(bench.state(), GroupState::PreparingRebalance);
    check(&mut bench, commit(&id, generation), ErrorCode::None);
    bench.pass(Duration::from_secs(600));
    assert_eq!(bench.state(), GroupState::Empty);
    check(&mut bench, commit(&Str::default(), -1), ErrorCode::None);
    check(&mut bench, commit(&id, generation), ErrorCode::UnknownMemberId);
}

#[test]
fn a_commit_keeps_the_session_alive() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(1);
    for _ in 0..5 {
        bench.pass(Duration::from_secs(20));
        let commit =
            CommitRequest { member_id: ids[0].clone(), generation, ..simple(vec![to_commit("t", 0, 1)]) };
        let token = bench.commit(commit);
        assert_eq!(bench.committed(token), [ErrorCode::None]);
    }
}

#[test]
fn metadata_has_a_limit_that_is_checked_for_each_offset() {
    let mut bench = Bench::new();
    let with = |partition, metadata: String| OffsetToCommit {
        metadata: Some(Str::from(metadata)),
        ..to_commit("t", partition, 7)
    };
    let token = bench.commit(simple(vec![
        with(0, "x".repeat(4096)),
        with(1, "x".repeat(4097)),
        with(2, "\u{20ac}".repeat(4096)),
        OffsetToCommit { metadata: None, ..to_commit("t", 3, 7) },
    ]));
    let expected = [ErrorCode::None, ErrorCode::OffsetMetadataTooLarge, ErrorCode::None, ErrorCode::None];
    assert_eq!(bench.committed(token), expected);
    assert_eq!((bench.offset("t", 0), bench.offset("t", 1)), (Some(7), None));
    let long = bench.commit(simple(vec![with(1, "x".repeat(5000))]));
    assert_eq!(bench.committed(long), [ErrorCode::OffsetMetadataTooLarge], "nothing to persist");
}

#[test]
fn a_name_too_long_for_its_record_is_answered_at_once() {
    let mut bench = Bench::new();
    bench.id = GroupId::from("g".repeat(40_000));
    let token = bench.commit(simple(vec![to_commit("t", 0, 1)]));
    assert_eq!(bench.committed(token), [ErrorCode::UnknownServerError]);
    assert!(bench.log.is_empty());
}
