use super::*;

#[test]
fn a_stable_group_survives_a_restart_with_members_assignments_and_offsets() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 5), to_commit("t", 0, 6)]));
    let (ids, generation) = bench.stable(2);
    let before = bench.shard.describe("g");
    bench.restart();
    assert_eq!(bench.shard.describe("g"), before);
    assert_eq!(bench.offset("t", 0), Some(6));
    assert_eq!(bench.shard.offset("g", "t", 0).unwrap().topic_id, Uuid::from_u128(9));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    let sync = bench.sync(&ids[1], generation, &[]);
    assert_eq!(bench.synced(sync).assignment, "partitions");
}

#[test]
fn sessions_begin_anew_after_a_restart() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(1);
    bench.advance_to(bench.now.at + Duration::from_secs(3600));
    bench.restart();
    bench.pass(Duration::from_secs(29));
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    bench.pass(Duration::from_secs(30));
    assert_eq!(bench.state(), GroupState::Empty);
}

#[test]
fn a_restart_rebalances_a_group_that_is_larger_than_allowed_now() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(3);
    bench.config = Arc::new(GroupConfig { members_max: 2, ..GroupConfig::default() });
    bench.restart();
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::RebalanceInProgress);
    let tokens: Vec<Token> = ids.iter().map(|id| bench.join(dynamic(id))).collect();
    assert_eq!(bench.joined(tokens[2]).error, ErrorCode::GroupMaxSizeReached);
    bench.pass(Duration::from_secs(60));
    assert_eq!(bench.joined(tokens[0]).members.len(), 2);
}

#[test]
fn a_group_whose_generation_never_completed_is_the_one_before_after_a_restart() {
    let mut bench = Bench::new();
    let (ids, generation) = bench.stable(1);
    bench.join(dynamic(&ids[0]));
    assert_eq!(bench.state(), GroupState::CompletingRebalance);
    bench.restart();
    assert_eq!(bench.state(), GroupState::Stable);
    assert_eq!(bench.heartbeat(&ids[0], generation), ErrorCode::None);
    assert_eq!(bench.heartbeat(&ids[0], generation + 1), ErrorCode::IllegalGeneration);
}

#[test]
fn records_of_other_kinds_are_skipped_and_broken_ones_refused() {
    let mut bench = Bench::new();
    let other = bench.shard.replay(Bytes::from_static(b"\0\x05\0\x01g"), Some(Bytes::from_static(b"\0\0")));
    assert_eq!(other.unwrap(), Replayed::Skipped);
    let whole = b"\0\x01\0\x01g\0\x01t\0\0\0\0";
    for length in 0..whole.len() {
        assert!(bench.shard.replay(Bytes::from_static(&whole[..length]), None).is_err(), "{length}");
    }
    for value in [&b""[..], b"\0", b"\0\x04", b"\0\x63\0\0", b"\0\x03\0\0\0\0\0\0\0\x01"] {
        assert!(bench.shard.replay(Bytes::from_static(whole), Some(Bytes::from_static(value))).is_err());
    }
    assert_eq!(bench.shard.list().count(), 0);
}

/// Written by the bytes of Kafka's schemas: OffsetCommitKey 1, OffsetCommitValue 3 (as Kafka 2.1 to 4.0 write it).
#[test]
fn an_offset_as_older_kafka_writes_it_is_read() {
    let mut bench = Bench::new();
    let value = b"\0\x03\0\0\0\0\0\0\0\x2a\0\0\0\x07\0\x02hi\0\0\x01\x8b\xcf\xe5\x68\0";
    bench
        .shard
        .replay(Bytes::from_static(b"\0\x01\0\x01g\0\x01t\0\0\0\x02"), Some(Bytes::from_static(value)))
        .unwrap();
    let offset = bench.shard.offset("g", "t", 2).unwrap();
    assert_eq!((offset.offset, offset.leader_epoch, offset.metadata.as_str()), (42, 7, "hi"));
    assert_eq!((offset.commit_timestamp_ms, offset.topic_id.is_nil()), (1_700_000_000_000, true));
}

#[test]
fn records_are_in_the_versions_that_kafka_writes() {
    let mut bench = Bench::new();
    bench.commit(simple(vec![to_commit("t", 0, 5)]));
    bench.stable(1);
    let versions: Vec<(i16, i16)> = bench
        .log
        .iter()
        .map(|record| {
            let value = record.value.as_ref().unwrap();
            (i16::from_be_bytes([record.key[0], record.key[1]]), i16::from_be_bytes([value[0], value[1]]))
        })
        .collect();
    assert_eq!(versions, [(1, 4), (2, 3)]);
}
