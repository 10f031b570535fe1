//! Keeping the connection: heartbeats, answers that come late or never, the end.

use headwater_client::{ClientError, ConnectOptions, Ended, ErrorCode};
use headwater_native::{
    CorrelationId, Request,
    messages::{Done, Failure, HeartbeatRequest, HeartbeatResponse, TopicList},
};

use crate::scripted::{Server, hasty, play};

#[tokio::test]
async fn heartbeats_are_answered_while_nobody_calls() {
    let (done, finished) = tokio::sync::oneshot::channel();
    let script = async move |mut server: Server| {
        server.greet("1").await;
        for beat in 1..=3 {
            let id = CorrelationId::new([beat; 16]);
            server.send(id, &HeartbeatRequest {}).await;
            assert_eq!(server.request().await, (id, HeartbeatResponse {}.into()));
        }
        done.send(()).unwrap();
    };
    play(ConnectOptions::default(), script, async |client| {
        let _idle = client.unwrap();
        finished.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn calls_under_way_find_their_answers_in_any_order() {
    let script = async |mut server: Server| {
        server.greet("1").await;
        let mut asked = vec![server.request().await, server.request().await];
        asked.reverse();
        for (id, request) in asked {
            match request {
                Request::ListTopics(_) => server.send(id, &TopicList { topics: vec!["t".into()] }).await,
                _ => server.send(id, &Done {}).await,
            }
        }
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        let (topics, created) = tokio::join!(client.list_topics(), client.create_topic("u", 1));
        assert_eq!(topics.unwrap(), ["t".into()]);
        created.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_late_answer_disturbs_nobody() {
    let script = async |mut server: Server| {
        server.greet("1").await;
        let (late, _) = server.request().await;
        let (id, _) = server.request().await;
        server.send(late, &TopicList { topics: vec!["late".into()] }).await;
        server.send(id, &TopicList { topics: vec!["in-time".into()] }).await;
    };
    play(hasty(), script, async |client| {
        let client = client.unwrap();
        assert!(matches!(client.list_topics().await, Err(ClientError::Timeout)));
        assert_eq!(client.list_topics().await.unwrap(), ["in-time".into()]);
    })
    .await;
}

#[tokio::test]
async fn a_refusal_keeps_its_number_and_the_connection() {
    let script = async |mut server: Server| {
        server.greet("1").await;
        server.answer(&Failure::new(ErrorCode::TOPIC_MISSING, "no topic t")).await;
        server.answer(&Failure::new(ErrorCode::new(77), "something new")).await;
        server.answer(&Done {}).await;
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        let refused = client.delete_topic("t").await.unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::TOPIC_MISSING));
        assert_eq!(refused.to_string(), "TOPIC_MISSING (5): no topic t");
        assert_eq!(client.delete_topic("t").await.unwrap_err().code(), Some(ErrorCode::new(77)));
        client.delete_topic("t").await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn who_waits_when_the_connection_ends_learns_why() {
    let script = async |mut server: Server| {
        server.greet("1").await;
        server.request().await;
        server.send(CorrelationId::ZERO, &Failure::new(ErrorCode::FRAME_TOO_LARGE, "too much")).await;
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        let (call, pushed) = tokio::join!(client.list_topics(), client.next_record());
        assert_eq!(call.unwrap_err().code(), Some(ErrorCode::FRAME_TOO_LARGE));
        assert_eq!(pushed.unwrap_err().code(), Some(ErrorCode::FRAME_TOO_LARGE));
        assert_eq!(client.list_groups().await.unwrap_err().code(), Some(ErrorCode::FRAME_TOO_LARGE));
    })
    .await;
}

#[tokio::test]
async fn what_is_no_frame_ends_the_connection() {
    let script = async |mut server: Server| {
        server.greet("1").await;
        server.request().await;
        tokio::io::AsyncWriteExt::write_all(&mut server.stream, &[0xff; 32]).await.unwrap();
        assert!(server.next().await.is_none());
    };
    play(ConnectOptions::default(), script, async |client| {
        let client = client.unwrap();
        let error = client.list_topics().await.unwrap_err();
        assert!(matches!(error, ClientError::Ended(Ended::Frame(_))), "{error}");
    })
    .await;
}
