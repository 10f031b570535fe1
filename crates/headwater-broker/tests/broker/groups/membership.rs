//! Joining, syncing, living, leaving.

use std::time::Duration;

use headwater_codec::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use tokio::time::Instant;

use super::*;

#[tokio::test]
async fn a_group_forms_in_every_version() {
    for version in 0..=9 {
        let broker = broker().await;
        let mut client = member(&broker).await;
        let id = begin_join(&mut client, version).await;
        let reply = client.receive::<JoinGroupRequest>(version, id).await;
        assert_eq!((reply.error_code, reply.generation_id), (ErrorCode::None, 1), "version {version}");
        assert_eq!(reply.protocol_name.as_deref(), Some("range"));
        assert_eq!((&reply.leader, reply.members.len()), (&reply.member_id, 1));
        assert_eq!(reply.members[0].metadata, protocol("range", &["t"]).metadata);
        let sync_version = version.min(5);
        let mut request = sync(&reply, &[(&reply.member_id, b"all")]);
        if sync_version == 5 {
            let nameless = client.call(5, &request).await;
            assert_eq!(nameless.error_code, ErrorCode::InconsistentGroupProtocol);
            request.protocol_type = Some(Str::from("consumer"));
            request.protocol_name = Some(Str::from("range"));
        }
        let answer = client.call(sync_version, &request).await;
        assert_eq!((answer.error_code, &answer.assignment[..]), (ErrorCode::None, &b"all"[..]));
        if sync_version == 5 {
            assert_eq!(answer.protocol_type.as_deref(), Some("consumer"));
            assert_eq!(answer.protocol_name.as_deref(), Some("range"));
        }
    }
}

#[tokio::test]
async fn an_empty_group_waits_for_more_members_and_each_one_extends_it() {
    let broker = TestBroker::with(&["group.initial.rebalance.delay.ms=400"]).await;
    let (mut first, mut second) = (member(&broker).await, member(&broker).await);
    let began = Instant::now();
    let one = begin_join(&mut first, 3).await;
    let two = begin_join(&mut second, 3).await;
    let leader = first.receive::<JoinGroupRequest>(3, one).await;
    let follower = second.receive::<JoinGroupRequest>(3, two).await;
    assert!(began.elapsed() >= Duration::from_millis(800), "{:?}", began.elapsed());
    assert_eq!((leader.members.len(), follower.members.len()), (2, 0));
    assert_eq!((leader.generation_id, follower.generation_id), (1, 1));
}

/// C30: three members, one partition.
#[tokio::test]
async fn members_without_partitions_get_an_empty_assignment_and_are_described() {
    let broker = broker().await;
    let mut members = stable(&broker, 3).await;
    let leader_id = members[0].1.member_id.clone();
    let mut syncs = Vec::new();
    let again = members[0].0.send(9, &join(&leader_id)).await;
    for (client, reply) in &mut members[1..] {
        assert_eq!(
            heartbeat(client, &reply.member_id, None, reply.generation_id).await,
            ErrorCode::RebalanceInProgress
        );
        syncs.push(client.send(9, &join(&reply.member_id)).await);
    }
    members[0].1 = members[0].0.receive::<JoinGroupRequest>(9, again).await;
    for ((client, reply), id) in members[1..].iter_mut().zip(syncs) {
        *reply = client.receive::<JoinGroupRequest>(9, id).await;
        let mut watcher = member(&broker).await;
        let joining = describe(&mut watcher, 5, "g").await;
        assert_eq!((joining.group_state.as_str(), joining.members.len()), ("CompletingRebalance", 3));
        for member in joining.members {
            assert!(member.member_metadata.is_empty() && member.member_assignment.is_empty());
        }
    }
    let (client, reply) = &mut members[0];
    let answer = client.call(4, &sync(reply, &[(&leader_id, b"the partition")])).await;
    assert_eq!(answer.error_code, ErrorCode::None);
    for (client, reply) in &mut members[1..] {
        let answer = client.call(4, &sync(reply, &[])).await;
        assert_eq!((answer.error_code, answer.assignment.len()), (ErrorCode::None, 0));
    }
    for version in 0..=6 {
        let group = describe(&mut members[0].0, version, "g").await;
        assert_eq!((group.group_state.as_str(), group.protocol_data.as_str()), ("Stable", "range"));
        let assigned = group.members.iter().filter(|member| !member.member_assignment.is_empty());
        assert_eq!((group.members.len(), assigned.count()), (3, 1));
        assert!(group.members.iter().all(|member| !member.member_metadata.is_empty()));
        assert!(group.members.iter().all(|member| member.client_host.starts_with('/')));
    }
}

/// C32.
#[tokio::test]
async fn members_agree_on_a_protocol_or_are_refused() {
    let broker = broker().await;
    let mut first = member(&broker).await;
    let both = || vec![protocol("cooperative-sticky", &["t"]), protocol("range", &["t"])];
    let empty = JoinGroupRequest { protocols: vec![], ..join(&Str::default()) };
    assert_eq!(first.call(3, &empty).await.error_code, ErrorCode::InconsistentGroupProtocol);
    let one = first.call(3, &JoinGroupRequest { protocols: both(), ..join(&Str::default()) }).await;
    assert_eq!(one.protocol_name.as_deref(), Some("cooperative-sticky"));

    let mut second = member(&broker).await;
    let two = second.send(3, &join(&Str::default())).await;
    let again = JoinGroupRequest { protocols: both(), ..join(&one.member_id) };
    let one = first.call(3, &again).await;
    let two = second.receive::<JoinGroupRequest>(3, two).await;
    assert_eq!((one.protocol_name.as_deref(), two.protocol_name.as_deref()), (Some("range"), Some("range")));

    let changed = JoinGroupRequest { protocols: both(), ..join(&two.member_id) };
    let two = second.send(3, &changed).await;
    let one = first.call(3, &again).await;
    let two = second.receive::<JoinGroupRequest>(3, two).await;
    assert_eq!(one.protocol_name.as_deref(), Some("cooperative-sticky"));
    assert_eq!(one.generation_id, two.generation_id);

    let mut third = member(&broker).await;
    let refused = [
        JoinGroupRequest { protocols: vec![protocol("roundrobin", &["t"])], ..join(&Str::default()) },
        JoinGroupRequest { protocol_type: Str::from("connect"), ..join(&Str::default()) },
        JoinGroupRequest { protocols: vec![], ..join(&Str::default()) },
    ];
    for request in refused {
        for version in [3, 6, 9] {
            let answer = third.call(version, &request).await;
            assert_eq!(answer.error_code, ErrorCode::InconsistentGroupProtocol);
            assert_eq!(answer.protocol_name.is_some(), version < 7, "null only where it may be");
        }
    }
    for (client, reply) in [(&mut first, &one), (&mut second, &two)] {
        assert_eq!(heartbeat(client, &reply.member_id, None, reply.generation_id).await, ErrorCode::None);
    }
}

#[tokio::test]
async fn joins_that_cannot_be_are_refused_at_once() {
    let broker = broker().await;
    let mut client = member(&broker).await;
    let none = Str::default();
    let refused = [
        (JoinGroupRequest { group_id: GroupId::from(""), ..join(&none) }, ErrorCode::InvalidGroupId),
        (JoinGroupRequest { session_timeout_ms: 10, ..join(&none) }, ErrorCode::InvalidSessionTimeout),
        (JoinGroupRequest { session_timeout_ms: -1, ..join(&none) }, ErrorCode::InvalidSessionTimeout),
        (JoinGroupRequest { session_timeout_ms: i32::MAX, ..join(&none) }, ErrorCode::InvalidSessionTimeout),
        (join(&Str::from("stranger")), ErrorCode::UnknownMemberId),
    ];
    for (request, expected) in refused {
        for version in 0..=9 {
            let answer = client.call(version, &request).await;
            assert_eq!((answer.error_code, answer.generation_id), (expected, -1), "version {version}");
            assert_eq!(answer.member_id, request.member_id);
        }
    }
}

#[tokio::test]
async fn a_full_group_refuses_new_members() {
    let broker = TestBroker::with(&["group.initial.rebalance.delay.ms=0", "group.max.size=1"]).await;
    let _members = stable(&broker, 1).await;
    let mut client = member(&broker).await;
    let answer = client.call(3, &join(&Str::default())).await;
    assert_eq!(answer.error_code, ErrorCode::GroupMaxSizeReached);
}

#[tokio::test]
async fn a_silent_member_is_removed_and_the_others_rebalance() {
    let settings = ["group.initial.rebalance.delay.ms=0", "group.min.session.timeout.ms=100"];
    let broker = TestBroker::with(&settings).await;
    let mut first = member(&broker).await;
    let mut reply = first.call(3, &join(&Str::default())).await;
    let mut second = member(&broker).await;
    let brief = JoinGroupRequest { session_timeout_ms: 300, ..join(&Str::default()) };
    let two = second.send(3, &brief).await;
    reply = first.call(3, &join(&reply.member_id)).await;
    assert_eq!(reply.members.len(), 2);
    let two = second.receive::<JoinGroupRequest>(3, two).await;
    first.call(3, &sync(&reply, &[])).await;
    second.call(3, &sync(&two, &[])).await;
    let began = Instant::now();
    while heartbeat(&mut first, &reply.member_id, None, reply.generation_id).await == ErrorCode::None {
        assert!(began.elapsed() < Duration::from_secs(10), "the silent member is still there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let reply = first.call(3, &join(&reply.member_id)).await;
    assert_eq!(reply.members.len(), 1);
    let gone = heartbeat(&mut second, &two.member_id, None, two.generation_id).await;
    assert_eq!(gone, ErrorCode::UnknownMemberId);
}

#[tokio::test]
async fn members_leave_alone_and_together() {
    let broker = broker().await;
    let mut members = stable(&broker, 2).await;
    let leaving = members[1].1.member_id.clone();
    let (client, reply) = &mut members[0];
    let stranger = LeaveGroupRequest { group_id: group(), member_id: Str::from("m"), ..Default::default() };
    for version in 0..=2 {
        assert_eq!(client.call(version, &stranger).await.error_code, ErrorCode::UnknownMemberId);
    }
    let identity = |id: &Str| MemberIdentity { member_id: id.clone(), ..Default::default() };
    for version in 3..=5 {
        let request = LeaveGroupRequest {
            group_id: group(),
            members: vec![identity(&Str::from("m")), identity(&leaving)],
            ..Default::default()
        };
        let answer = client.call(version, &request).await;
        let errors: Vec<ErrorCode> = answer.members.iter().map(|member| member.error_code).collect();
        let second = if version == 3 { ErrorCode::None } else { ErrorCode::UnknownMemberId };
        assert_eq!((answer.error_code, errors), (ErrorCode::None, vec![ErrorCode::UnknownMemberId, second]));
    }
    let told = heartbeat(client, &reply.member_id, None, reply.generation_id).await;
    assert_eq!(told, ErrorCode::RebalanceInProgress);
    let last = LeaveGroupRequest { member_id: reply.member_id.clone(), ..stranger };
    assert_eq!(client.call(1, &last).await.error_code, ErrorCode::None);
    assert_eq!(describe(client, 5, "g").await.group_state, "Empty");
}

#[tokio::test]
async fn a_parked_join_does_not_keep_the_broker_from_stopping() {
    let mut broker = TestBroker::with(&["group.initial.rebalance.delay.ms=60000"]).await;
    let mut client = member(&broker).await;
    client.send(3, &join(&Str::default())).await;
    let mut watcher = member(&broker).await;
    let began = Instant::now();
    while describe(&mut watcher, 5, "g").await.group_state != "PreparingRebalance" {
        assert!(began.elapsed() < Duration::from_secs(10), "nobody joins");
    }
    broker.stop().await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}
