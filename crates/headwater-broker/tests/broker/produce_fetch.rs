//! Produce and Fetch together.

use crate::harness::{Place, TestBroker, batch};

#[tokio::test]
async fn what_is_produced_is_fetched() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let place = Place::new(&client.create_topic("t").await, 0);
    for version in 3..=13 {
        client.produce(version, &place, batch(&["a"])).await;
    }
    for version in 4..=18 {
        let fetched = client.fetch(version, &place, 0).await;
        assert_eq!(fetched.high_watermark, 11);
    }
}
