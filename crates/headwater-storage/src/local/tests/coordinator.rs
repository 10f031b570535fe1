use bytes::Bytes;

use super::*;
use crate::{CoordinatorRecord, CoordinatorStore, LogCoordinatorStore, Shard};

#[test]
fn records_come_back_in_order_removals_included() {
    let f = Fixture::new();
    f.put(1, 2);
    let disk = f.disk.clone();
    let clock: Arc<dyn Clock> = Arc::clone(&f.clock) as Arc<dyn Clock>;
    let store: Arc<dyn LogStore> = Arc::new(f.store);
    let coordinator = LogCoordinatorStore::new(Arc::clone(&store), Uuid::from_u128(1), 2, clock);
    let record = |key: &'static str, value: Option<&'static str>| CoordinatorRecord {
        key: Bytes::from_static(key.as_bytes()),
        value: value.map(|value| Bytes::from_static(value.as_bytes())),
    };
    let _first =
        coordinator.persist(Shard(1), vec![record("a", Some("1")), record("b", Some("2"))], Fence(0));
    let _second = coordinator.persist(Shard(1), vec![record("a", None)], Fence(0));
    let _refused = coordinator.persist(Shard(2), vec![record("x", None)], Fence(0));
    assert_eq!(coordinator.shard_count(), 2);
    let mut loading = coordinator.load(Shard(1), Fence(0));
    let Poll::Ready(loaded) = poll(&mut loading) else { panic!("everything is in memory") };
    let expected = vec![record("a", Some("1")), record("b", Some("2")), record("a", None)];
    assert_eq!(loaded.unwrap(), expected);
    assert_eq!(now(coordinator.load(Shard(0), Fence(0))).unwrap(), []);
    assert!(disk.op_count() > 0);
}
