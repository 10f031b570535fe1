use std::future::{pending, ready};

use futures_util::FutureExt;
use tokio::sync::oneshot;

use super::*;

fn request(order: Order, answering: Answering) -> Request {
    Request { api: ApiKey::Produce, version: 9, order, parks: false, answering }
}

fn waiting(answer: oneshot::Receiver<&'static str>) -> Answering {
    Box::pin(async move { Ok(Reply::Close(answer.await.unwrap_or("gone"))) })
}

fn reason(reply: Option<Result<Reply, Ended>>) -> &'static str {
    match reply {
        Some(Ok(Reply::Close(reason))) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn answers_keep_the_order_of_the_requests() {
    let (first, first_answer) = oneshot::channel();
    let (second, second_answer) = oneshot::channel();
    let mut under_way = UnderWay::default();
    under_way.begin(request(Order::Overlaps, waiting(first_answer))).unwrap();
    under_way.begin(request(Order::Overlaps, waiting(second_answer))).unwrap();
    second.send("second").unwrap();
    assert!(under_way.front().now_or_never().is_none(), "the second waits for the first");
    first.send("first").unwrap();
    assert_eq!(reason(under_way.front().now_or_never()), "first");
    assert_eq!(reason(under_way.front().now_or_never()), "second");
    assert!(under_way.is_empty());
}

#[test]
fn only_those_that_may_overlap_are_under_way_together() {
    let forever = || Box::pin(pending()) as Answering;
    let mut under_way = UnderWay::default();
    assert!(under_way.may_begin(Order::Alone) && under_way.may_begin(Order::Overlaps));
    under_way.begin(request(Order::Overlaps, forever())).unwrap();
    assert!(!under_way.may_begin(Order::Alone) && under_way.may_begin(Order::Overlaps));
    for _ in 1..UNDER_WAY_MAX {
        assert!(under_way.has_room() && under_way.may_begin(Order::Overlaps));
        under_way.begin(request(Order::Overlaps, forever())).unwrap();
    }
    assert!(!under_way.has_room() && !under_way.may_begin(Order::Overlaps));

    let mut alone = UnderWay::default();
    alone.begin(request(Order::Alone, forever())).unwrap();
    assert!(!alone.may_begin(Order::Alone) && !alone.may_begin(Order::Overlaps));
}

#[test]
fn request_is_polled_when_it_begins() {
    let mut under_way = UnderWay::default();
    let (polled, mut was_polled) = oneshot::channel();
    let mut polled = Some(polled);
    let answering = poll_fn(move |_| {
        if let Some(polled) = polled.take() {
            polled.send(()).unwrap();
        }
        Poll::Pending
    });
    under_way.begin(request(Order::Overlaps, Box::pin(answering))).unwrap();
    assert_eq!(was_polled.try_recv(), Ok(()));
}

#[test]
fn panic_ends_the_connection_and_nothing_else() {
    let mut under_way = UnderWay::default();
    let panics = Box::pin(async { panic!("on purpose") });
    let ended = under_way.begin(request(Order::Alone, panics)).unwrap_err();
    assert!(matches!(ended, Ended::Panicked { api: ApiKey::Produce, version: 9 }) && ended.is_ours());
    // Also when it is polled later.
    let mut polls = 0;
    let panics = poll_fn(move |_| {
        polls += 1;
        assert!(polls < 2, "on purpose");
        Poll::Pending
    });
    under_way.begin(request(Order::Alone, Box::pin(panics))).unwrap();
    let ended = under_way.front().now_or_never().unwrap().unwrap_err();
    assert!(matches!(ended, Ended::Panicked { .. }));
}

#[test]
fn answer_that_is_there_at_once_waits_for_its_turn() {
    let mut under_way = UnderWay::default();
    under_way.begin(request(Order::Overlaps, Box::pin(ready(Ok(Reply::Close("now")))))).unwrap();
    assert!(!under_way.is_empty());
    assert_eq!(reason(under_way.front().now_or_never()), "now");
}
