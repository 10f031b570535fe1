use super::*;

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

fn delete_offsets(bench: &mut Bench, partitions: &[(&str, i32)]) -> Result<Vec<ErrorCode>, ErrorCode> {
    let partitions = partitions.iter().map(|(topic, index)| (TopicName::from(*topic), *index)).collect();
    let token = bench.send(|token| GroupEvent::DeleteOffsets(token, partitions));
    match bench.replies.remove(&token) {
        Some(Reply::DeleteOffsets(results)) => results,
        other => panic!("{other:?}"),
    }
}

fn delete(bench: &mut Bench) -> ErrorCode {
    let token = bench.send(GroupEvent::Delete);
    match bench.replies.remove(&token) {
        Some(Reply::Delete(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn expire(bench: &mut Bench) {
    let effects = bench.shard.expire_offsets(bench.now);
    bench.take(effects);
}

#[test]
fn offsets_of_topics_that_a_member_reads_are_not_deleted() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 1), to_commit("u", 0, 2), to_commit("u", 1, 3)]));
    bench.stable(1);
    let results = delete_offsets(&mut bench, &[("t", 0), ("u", 0), ("u", 7)]);
    assert_eq!(results, Ok(vec![ErrorCode::GroupSubscribedToTopic, ErrorCode::None, ErrorCode::None]));
    let offsets = [bench.offset("t", 0), bench.offset("u", 0), bench.offset("u", 1)];
    assert_eq!(offsets, [Some(1), None, Some(3)]);
    bench.restart();
    assert_eq!(bench.offset("u", 0), None);
}

#[test]
fn offsets_of_a_group_that_is_no_consumer_group_are_deleted_only_when_it_is_empty() {
    let mut bench = Bench::new();
    assert_eq!(delete_offsets(&mut bench, &[("t", 0)]), Err(ErrorCode::GroupIdNotFound));
    bench.commit(simple(vec![to_commit("t", 0, 1)]));
    let connect = JoinRequest { protocol_type: Str::from("connect"), ..dynamic("") };
    let token = bench.join(connect);
    bench.pass(Duration::from_secs(3));
    let (ids, _) = bench.settle(&[token]);
    assert_eq!(delete_offsets(&mut bench, &[("t", 0)]), Err(ErrorCode::NonEmptyGroup));
    bench.leave(&[(&ids[0], None)]);
    assert_eq!(delete_offsets(&mut bench, &[("t", 0)]), Ok(vec![ErrorCode::None]));
    assert_eq!(bench.offset("t", 0), None);
}

#[test]
fn only_an_empty_group_is_deleted_and_then_it_is_gone_for_good() {
    let mut bench = Bench::new();
    assert_eq!(delete(&mut bench), ErrorCode::GroupIdNotFound);
    bench.commit(simple(vec![to_commit("t", 0, 1)]));
    let (ids, _) = bench.stable(1);
    assert_eq!(delete(&mut bench), ErrorCode::NonEmptyGroup);
    bench.leave(&[(&ids[0], None)]);
    assert_eq!(delete(&mut bench), ErrorCode::None);
    assert_eq!((bench.state(), bench.shard.list().count()), (GroupState::Dead, 0));
    bench.restart();
    assert_eq!((bench.state(), bench.offset("t", 0)), (GroupState::Dead, None));
    assert_eq!(delete(&mut bench), ErrorCode::GroupIdNotFound);
}

#[test]
fn a_deletion_waits_for_commits_under_way_and_takes_them_along() {
    let mut bench = Bench::new();
    bench.hold();
    let commit = bench.commit(simple(vec![to_commit("t", 0, 1)]));
    let deletion = bench.send(GroupEvent::Delete);
    let late = bench.commit(simple(vec![to_commit("t", 1, 1)]));
    assert_eq!(bench.held_count(), 1);
    bench.persist_held();
    assert_eq!((bench.committed(commit).len(), bench.waits(deletion)), (1, true));
    bench.persist_held();
    assert_eq!(bench.replies.get(&deletion), Some(&Reply::Delete(ErrorCode::None)));
    bench.persist_held();
    assert_eq!(bench.committed(late), [ErrorCode::None]);
    assert_eq!((bench.offset("t", 0), bench.offset("t", 1)), (None, Some(1)));
}

#[test]
fn a_deletion_that_fails_changes_nothing() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 1)]));
    bench.hold();
    let deletion = bench.send(GroupEvent::Delete);
    bench.fail_held(ErrorCode::CoordinatorNotAvailable);
    assert_eq!(bench.replies.get(&deletion), Some(&Reply::Delete(ErrorCode::CoordinatorNotAvailable)));
    assert_eq!(bench.offset("t", 0), Some(1));
}

#[test]
fn offsets_of_a_deleted_topic_are_gone_even_while_members_read_it_and_those_of_its_namesake_stay() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 1), to_commit("t", 1, 1), to_commit("u", 0, 1)]));
    bench.stable(1);
    let deleted = [(TopicName::from("t"), Uuid::from_u128(9)), (TopicName::from("u"), Uuid::from_u128(8))];
    let effects = bench.shard.topics_deleted(&deleted, bench.now);
    bench.take(effects);
    assert_eq!([bench.offset("t", 0), bench.offset("t", 1), bench.offset("u", 0)], [None, None, Some(1)]);
    bench.restart();
    assert_eq!([bench.offset("t", 0), bench.offset("u", 0)], [None, Some(1)]);
}

#[test]
fn simple_offsets_expire_a_week_after_their_commit() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 1)]));
    bench.pass(WEEK - Duration::from_secs(1));
    bench.commit(simple(vec![to_commit("t", 1, 1)]));
    expire(&mut bench);
    assert_eq!(bench.offset("t", 0), Some(1));
    bench.pass(Duration::from_secs(1));
    expire(&mut bench);
    assert_eq!((bench.offset("t", 0), bench.offset("t", 1)), (None, Some(1)));
    bench.pass(WEEK);
    expire(&mut bench);
    assert_eq!(bench.shard.list().count(), 0, "nothing is left of the group");
}

#[test]
fn offsets_of_an_empty_group_expire_a_week_after_the_last_member_left() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 1)]));
    let (ids, generation) = bench.stable(1);
    for _ in 0..(8 * 24 * 60 * 3) {
        bench.pass(Duration::from_secs(20));
        assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
        bench.replies.clear();
    }
    expire(&mut bench);
    assert_eq!(bench.offset("t", 0), Some(1), "a member reads the topic");
    bench.leave(&[(&ids[0], None)]);
    bench.pass(WEEK - Duration::from_secs(1));
    expire(&mut bench);
    bench.restart();
    assert_eq!(bench.offset("t", 0), Some(1));
    bench.pass(Duration::from_secs(1));
    expire(&mut bench);
    assert_eq!(bench.state(), GroupState::Dead);
    bench.restart();
    assert_eq!((bench.state(), bench.offset("t", 0)), (GroupState::Dead, None));
}

#[test]
fn a_stable_consumer_group_loses_only_offsets_of_topics_that_nobody_reads() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 1), to_commit("u", 0, 1)]));
    bench.pass(WEEK);
    bench.stable(1);
    expire(&mut bench);
    assert_eq!((bench.offset("t", 0), bench.offset("u", 0)), (Some(1), None));
}

#[test]
fn an_expiry_that_the_client_set_counts_alone() {
    let mut bench = Bench::new();
    let short =
        CommitRequest { retention: Some(Duration::from_secs(60)), ..simple(vec![to_commit("t", 0, 1)]) };
    bench.commit(short);
    bench.restart();
    bench.pass(Duration::from_secs(59));
    expire(&mut bench);
    assert_eq!(bench.offset("t", 0), Some(1));
    bench.pass(Duration::from_secs(1));
    expire(&mut bench);
    assert_eq!(bench.offset("t", 0), None);
}
