use headwater_codec::Records;

use super::*;

fn target(partition: i32) -> FetchTarget {
    FetchTarget { topic: TopicName::from("t"), topic_id: Uuid::nil(), partition }
}

fn wanted(partition: i32, offset: i64) -> Wanted {
    let from = FetchFrom { offset, bytes_max: 1000, current_leader_epoch: -1, last_fetched_epoch: -1 };
    Wanted { target: target(partition), from }
}

fn request(id: i32, epoch: i32, wanted: Vec<Wanted>) -> SessionRequest {
    SessionRequest { id, epoch, by_topic_id: false, wanted, forgotten: Vec::new() }
}

fn answered(partition: i32, high_watermark: i64, bytes: usize) -> Answered {
    let data = PartitionData {
        partition_index: partition,
        high_watermark,
        log_start_offset: 0,
        records: Some(Records::Bytes(vec![0; bytes].into())),
        ..Default::default()
    };
    Answered { target: target(partition), data }
}

fn told(answer: &SessionAnswer) -> Vec<i32> {
    answer.answered.iter().map(|answered| answered.target.partition).collect()
}

fn order(fetching: &Fetching) -> Vec<i32> {
    fetching.wanted.iter().map(|wanted| wanted.target.partition).collect()
}

/// Opens a session over partitions 0 and 1 and gives its id.
fn open(sessions: &FetchSessions, now_ms: i64) -> i32 {
    let fetching = sessions.begin(request(0, 0, vec![wanted(0, 0), wanted(1, 0)]), now_ms).unwrap();
    let answer = sessions.finish(fetching, vec![answered(0, 0, 0), answered(1, 0, 0)], now_ms);
    assert_eq!(
        (told(&answer), answer.session_id != 0),
        (vec![0, 1], true),
        "a new session is answered in full"
    );
    answer.session_id
}

#[test]
fn sessionless_fetch_has_session_0_and_all_answers() {
    let sessions = FetchSessions::new(10);
    let fetching = sessions.begin(request(0, -1, vec![wanted(0, 0)]), 0).unwrap();
    let answer = sessions.finish(fetching, vec![answered(0, 0, 0)], 0);
    assert_eq!((answer.session_id, told(&answer), sessions.count()), (0, vec![0], 0));
}

#[test]
fn incremental_answer_leaves_out_what_did_not_change() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let fetching = sessions.begin(request(id, 1, vec![]), 0).unwrap();
    assert_eq!(order(&fetching), [0, 1], "an empty request wants everything that the session reads");
    let answer = sessions.finish(fetching, vec![answered(0, 0, 0), answered(1, 5, 0)], 0);
    assert_eq!((answer.session_id, told(&answer)), (id, vec![1]), "a changed high watermark is told");
    let fetching = sessions.begin(request(id, 2, vec![]), 0).unwrap();
    let answer = sessions.finish(fetching, vec![answered(0, 0, 0), answered(1, 5, 0)], 0);
    assert_eq!((answer.session_id, told(&answer)), (id, vec![]));
}

#[test]
fn partition_that_gave_records_is_read_last_next_time() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let fetching = sessions.begin(request(id, 1, vec![]), 0).unwrap();
    let answer = sessions.finish(fetching, vec![answered(0, 3, 10), answered(1, 0, 0)], 0);
    assert_eq!(told(&answer), [0]);
    let fetching = sessions.begin(request(id, 2, vec![]), 0).unwrap();
    assert_eq!(order(&fetching), [1, 0]);
}

#[test]
fn partition_with_an_error_is_told_until_it_is_well_and_once_more() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let failed = || {
        let mut failed = answered(0, -1, 0);
        failed.data.error_code = ErrorCode::OffsetOutOfRange;
        failed
    };
    for (epoch, answer, expected) in [
        (1, failed(), vec![0]),
        (2, failed(), vec![0]),
        (3, answered(0, 0, 0), vec![0]),
        (4, answered(0, 0, 0), vec![]),
    ] {
        let fetching = sessions.begin(request(id, epoch, vec![]), 0).unwrap();
        let answer = sessions.finish(fetching, vec![answer, answered(1, 0, 0)], 0);
        assert_eq!(told(&answer), expected, "epoch {epoch}");
    }
}

#[test]
fn wrong_epochs_and_unknown_ids_are_refused() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let refused = |id, epoch| sessions.begin(request(id, epoch, vec![]), 0).err();
    assert_eq!(refused(id, 2), Some(ErrorCode::InvalidFetchSessionEpoch));
    assert_eq!(refused(id ^ 1, 1), Some(ErrorCode::FetchSessionIdNotFound));
    let by_topic_id = SessionRequest { by_topic_id: true, ..request(id, 1, vec![]) };
    assert_eq!(sessions.begin(by_topic_id, 0).err(), Some(ErrorCode::FetchSessionTopicIdError));
    assert_eq!(refused(id, 1), None, "a refusal changes nothing");
    assert_eq!(refused(id, 1), Some(ErrorCode::InvalidFetchSessionEpoch), "an epoch is used once");
}

#[test]
fn answer_that_was_overtaken_is_refused() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let slow = sessions.begin(request(id, 1, vec![]), 0).unwrap();
    let _fast = sessions.begin(request(id, 2, vec![]), 0).unwrap();
    let answer = sessions.finish(slow, vec![answered(0, 3, 10)], 0);
    assert_eq!((answer.error_code, told(&answer)), (ErrorCode::InvalidFetchSessionEpoch, vec![]));
}

#[test]
fn forgotten_partitions_go_and_the_empty_session_ends() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let forget = |epoch, partition| SessionRequest {
        forgotten: vec![target(partition)],
        ..request(id, epoch, vec![])
    };
    assert_eq!(order(&sessions.begin(forget(1, 0), 0).unwrap()), [1]);
    let fetching = sessions.begin(forget(2, 1), 0).unwrap();
    assert_eq!(sessions.finish(fetching, vec![], 0).session_id, 0);
    assert_eq!(sessions.count(), 0);
}

#[test]
fn new_session_replaces_the_one_that_is_named() {
    let sessions = FetchSessions::new(10);
    let id = open(&sessions, 0);
    let fetching = sessions.begin(request(id, 0, vec![wanted(0, 0)]), 0).unwrap();
    assert_eq!(sessions.count(), 0);
    assert_ne!(sessions.finish(fetching, vec![answered(0, 0, 0)], 0).session_id, 0);
    assert_eq!(sessions.count(), 1);
}

#[test]
fn full_cache_declines_until_a_session_is_stale_or_smaller() {
    let sessions = FetchSessions::new(1);
    let small = open(&sessions, 0);
    let begin = |partitions: i32, now_ms| {
        let all: Vec<_> = (0..partitions).map(|partition| wanted(partition, 0)).collect();
        let fetching = sessions.begin(request(0, 0, all), now_ms).unwrap();
        sessions.finish(fetching, vec![], now_ms).session_id
    };
    assert_eq!(begin(3, 1000), 0, "it is declined, and the fetch is answered all the same");
    let _used = sessions.begin(request(small, 1, vec![]), 100_000).unwrap();
    assert_eq!(begin(2, 130_000), 0, "not larger");
    assert_ne!(begin(3, 130_000), 0, "larger, and the old one had its time");
    assert_ne!(begin(1, 260_000), 0, "the old one was not used for two minutes");
}

#[test]
fn epochs_wrap_to_1() {
    assert_eq!((session::next_epoch(0), session::next_epoch(i32::MAX)), (1, 1));
}
