use super::*;

#[test]
fn the_first_rebalance_waits_three_seconds_for_more_members() {
    let mut bench = Bench::new();
    let first = bench.join(dynamic(""));
    bench.pass(Duration::from_millis(2999));
    assert!(bench.waits(first));
    bench.pass(Duration::from_millis(1));
    let reply = bench.joined(first);
    assert_eq!((reply.error, reply.generation, reply.members.len()), (ErrorCode::None, 1, 1));
}

#[test]
fn a_member_that_brings_all_others_is_not_kept_waiting() {
    let mut bench = Bench::new();
    let first = bench.join(JoinRequest { joins_at_once: true, ..dynamic("") });
    let reply = bench.joined(first);
    assert_eq!((reply.error, reply.generation, reply.members.len()), (ErrorCode::None, 1, 1));
}

#[test]
fn each_joiner_extends_the_first_rebalance() {
    let mut bench = Bench::new();
    let first = bench.join(dynamic(""));
    bench.pass(Duration::from_secs(2));
    let second = bench.join(dynamic(""));
    bench.pass(Duration::from_millis(3999));
    assert!(bench.waits(first) && bench.waits(second));
    bench.pass(Duration::from_millis(1));
    assert_eq!(bench.joined(first).members.len(), 2);
    assert!(bench.joined(second).members.is_empty());
}

#[test]
fn the_first_rebalance_is_capped_by_the_rebalance_timeout() {
    let mut bench = Bench::new();
    let patient = |seconds| JoinRequest { rebalance_timeout: Duration::from_secs(seconds), ..dynamic("") };
    let first = bench.join(patient(10));
    for _ in 0..9 {
        bench.pass(Duration::from_secs(1));
        bench.join(patient(10));
    }
    bench.pass(Duration::from_millis(999));
    assert!(bench.waits(first));
    bench.pass(Duration::from_millis(1));
    assert_eq!(bench.joined(first).members.len(), 10);
}

#[test]
fn a_new_dynamic_member_is_sent_for_its_id_first() {
    let mut bench = Bench::new();
    let asking = JoinRequest { requires_known_member_id: true, ..dynamic("") };
    let first = bench.join(asking.clone());
    let reply = bench.joined(first).clone();
    assert_eq!((reply.error, reply.generation), (ErrorCode::MemberIdRequired, -1));
    assert!(reply.member_id.starts_with("client-"), "{}", reply.member_id);
    let again = bench.join(JoinRequest { member_id: reply.member_id.clone(), ..asking });
    bench.pass(Duration::from_secs(3));
    assert_eq!(bench.joined(again).error, ErrorCode::None);
    assert_eq!(bench.joined(again).member_id, reply.member_id);
}

#[test]
fn a_rebalance_waits_for_ids_that_were_given_out() {
    let mut bench = Bench::new();
    let (ids, _) = bench.stable(1);
    let asking = JoinRequest { requires_known_member_id: true, ..dynamic("") };
    let asked = bench.join(asking.clone());
    let leader = bench.join(dynamic(&ids[0]));
    assert!(bench.waits(leader));
    let given = bench.joined(asked).member_id.clone();
    let back = bench.join(JoinRequest { member_id: given, ..asking });
    assert_eq!(bench.joined(leader).members.len(), 2);
    assert_eq!(bench.joined(back).generation, 2);
}

#[test]
fn an_id_that_does_not_come_back_is_forgotten_after_a_session() {
    let mut bench = Bench::new();
    let (ids, _) = bench.stable(1);
    bench.join(JoinRequest { requires_known_member_id: true, ..dynamic("") });
    let leader = bench.join(dynamic(&ids[0]));
    bench.pass(Duration::from_secs(29));
    assert!(bench.waits(leader));
    bench.pass(Duration::from_secs(1));
    assert_eq!(bench.joined(leader).members.len(), 1);
}

#[test]
fn joins_that_cannot_be_are_refused() {
    #[track_caller]
    fn check(bench: &mut Bench, request: JoinRequest, expected: ErrorCode) {
        let token = bench.join(request);
        assert_eq!(bench.joined(token).error, expected);
    }
    let mut bench = Bench::new();
    let short = JoinRequest { session_timeout: Duration::from_millis(5999), ..dynamic("") };
    check(&mut bench, short, ErrorCode::InvalidSessionTimeout);
    let long = JoinRequest { session_timeout: Duration::from_secs(1801), ..dynamic("") };
    check(&mut bench, long, ErrorCode::InvalidSessionTimeout);
    check(&mut bench, dynamic("stranger"), ErrorCode::UnknownMemberId);
    check(
        &mut bench,
        JoinRequest { protocols: Vec::new(), ..dynamic("") },
        ErrorCode::InconsistentGroupProtocol,
    );
    let typeless = JoinRequest { protocol_type: Str::default(), ..dynamic("") };
    check(&mut bench, typeless, ErrorCode::InconsistentGroupProtocol);
    assert_eq!(bench.shard.list().count(), 0, "a refused join leaves no group behind");
    bench.id = GroupId::from("");
    check(&mut bench, dynamic(""), ErrorCode::InvalidGroupId);
}

#[test]
fn members_with_nothing_in_common_are_refused_and_the_others_are_undisturbed() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(1);
    let refused = [
        JoinRequest { protocols: protocols(&["roundrobin"]), ..dynamic("") },
        JoinRequest { protocol_type: Str::from("connect"), ..dynamic("") },
        JoinRequest { protocols: Vec::new(), ..dynamic("") },
    ];
    for request in refused {
        let token = bench.join(request);
        assert_eq!(bench.joined(token).error, ErrorCode::InconsistentGroupProtocol);
        assert_eq!(bench.joined(token).generation, -1);
        assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    }
}

#[test]
fn the_protocol_is_one_that_all_speak_by_votes_on_first_choices() {
    let mut bench = Bench::new();
    let first =
        bench.join(JoinRequest { protocols: protocols(&["cooperative-sticky", "range"]), ..dynamic("") });
    let second = bench.join(JoinRequest { protocols: protocols(&["range"]), ..dynamic("") });
    bench.pass(Duration::from_secs(10));
    assert_eq!(bench.joined(first).protocol.as_deref(), Some("range"));
    let (ids, _) = bench.settle(&[first, second]);
    let both = protocols(&["cooperative-sticky", "range"]);
    let second = bench.join(JoinRequest { protocols: both.clone(), ..dynamic(&ids[1]) });
    let first = bench.join(JoinRequest { protocols: both, ..dynamic(&ids[0]) });
    assert_eq!(bench.joined(first).protocol.as_deref(), Some("cooperative-sticky"));
    assert_eq!(bench.joined(second).generation, 2);
}

#[test]
fn the_majority_wins_the_vote() {
    let mut bench = Bench::new();
    let tokens: Vec<Token> = [["a", "b"], ["b", "a"], ["b", "a"]]
        .iter()
        .map(|names| bench.join(JoinRequest { protocols: protocols(names), ..dynamic("") }))
        .collect();
    bench.pass(Duration::from_secs(10));
    assert_eq!(bench.joined(tokens[0]).protocol.as_deref(), Some("b"));
}

#[test]
fn only_the_leader_is_told_of_the_members_and_of_their_metadata_as_they_sent_it() {
    let mut bench = Bench::new();
    let raw = Bytes::from_static(b"\xff\x00anything");
    let spoken = vec![Protocol { name: Str::from("range"), metadata: raw.clone() }];
    let first = bench.join(JoinRequest { protocols: spoken.clone(), ..dynamic("") });
    let second = bench.join(JoinRequest { protocols: spoken, ..dynamic("") });
    bench.pass(Duration::from_secs(10));
    let (leader, follower) = (bench.joined(first), bench.joined(second));
    assert_eq!((&leader.leader, &follower.leader), (&leader.member_id, &leader.member_id));
    assert!(leader.members.iter().all(|member| member.metadata == raw));
    assert_eq!((leader.members.len(), follower.members.len()), (2, 0));
}

#[test]
fn a_follower_that_repeats_its_join_is_answered_as_before_and_a_leader_rebalances() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(2);
    let follower = bench.join(dynamic(&ids[1]));
    assert_eq!((bench.joined(follower).generation, bench.state()), (generation, GroupState::Stable));
    let leader = bench.join(dynamic(&ids[0]));
    assert!(bench.waits(leader));
    assert_eq!(bench.heartbeat(&ids[1], generation), ErrorCode::RebalanceInProgress);
}

#[test]
fn a_lost_answer_to_a_join_is_given_again_while_the_generation_completes() {
    let mut bench = Bench::new();
    let tokens = [bench.join(dynamic("")), bench.join(dynamic(""))];
    bench.pass(Duration::from_secs(10));
    for token in tokens {
        let before = bench.joined(token).clone();
        let again = bench.join(dynamic(&before.member_id));
        assert_eq!(*bench.joined(again), before);
    }
}

#[test]
fn a_member_that_changes_its_subscription_rebalances() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(2);
    let changed = JoinRequest { protocols: vec![protocol("range", &["t", "u"])], ..dynamic(&ids[1]) };
    let follower = bench.join(changed);
    assert!(bench.waits(follower));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
    let leader = bench.join(dynamic(&ids[0]));
    assert_eq!((bench.joined(leader).generation, bench.joined(follower).generation), (2, 2));
}

#[test]
fn a_full_group_refuses_new_members() {
    let mut bench = Bench::with(GroupConfig { members_max: 2, ..GroupConfig::default() });
    let (ids, generation) = bench.stable(2);
    let third = bench.join(dynamic(""));
    assert_eq!(bench.joined(third).error, ErrorCode::GroupMaxSizeReached);
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
}

#[test]
fn the_latest_join_of_a_member_is_the_one_that_waits() {
    let mut bench = Bench::new();
    let (ids, _) = bench.stable(2);
    let lost = bench.join(dynamic(&ids[0]));
    let kept = bench.join(dynamic(&ids[0]));
    assert_eq!(bench.joined(lost).error, ErrorCode::RebalanceInProgress);
    let other = bench.join(dynamic(&ids[1]));
    assert_eq!(bench.joined(kept).members.len(), 2);
    assert_eq!(bench.joined(other).error, ErrorCode::None);
}

#[test]
fn ids_given_out_are_bounded_and_free_again_after_a_session() {
    let mut bench = Bench::new();
    let asking = || JoinRequest { requires_known_member_id: true, ..dynamic("") };
    for _ in 0..10_000 {
        let token = bench.join(asking());
        assert_eq!(bench.joined(token).error, ErrorCode::MemberIdRequired);
    }
    let token = bench.join(asking());
    assert_eq!(bench.joined(token).error, ErrorCode::CoordinatorNotAvailable);
    bench.pass(Duration::from_secs(30));
    assert_eq!(bench.state(), GroupState::Dead, "nobody came back");
    let token = bench.join(asking());
    assert_eq!(bench.joined(token).error, ErrorCode::MemberIdRequired);
}
