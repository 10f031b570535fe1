//! How often the hot path asks for memory.

use std::alloc::System;

use bytes::Bytes;
use headwater_codec::messages::produce::{PartitionProduceData, ProduceRequest, TopicProduceData};
use headwater_codec::{Message, Records, Uuid};
use headwater_records::{Batch, BatchBuilder};
use kafka_protocol::protocol::Decodable;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocations<T>(run: impl FnOnce() -> T) -> usize {
    let region = Region::new(ALLOCATOR);
    let kept = run();
    let change = region.change();
    drop(kept);
    change.allocations + change.reallocations
}

/// One test, because all threads of a process share the count.
#[test]
fn the_hot_path_asks_for_no_more_memory_than_its_arrays() {
    let records = Some(Records::Bytes(Bytes::from(vec![7; 1 << 20])));
    let partition = PartitionProduceData { records, ..Default::default() };
    let topic = TopicProduceData {
        topic_id: Uuid::from_u128(1),
        partition_data: vec![partition],
        ..Default::default()
    };
    let request = ProduceRequest { topic_data: vec![topic], ..Default::default() };
    let body = request.encode_body(13).expect("it has that version");
    // A buffer that was never shared asks for its count when it first is.
    let _shared = body.clone();
    assert_eq!(allocations(|| ProduceRequest::decode_body(body.clone(), 13)), 2, "topics and partitions");
    let theirs = || kafka_protocol::messages::ProduceRequest::decode(&mut body.clone(), 13);
    assert_eq!(allocations(theirs), 2, "the same");

    let mut builder = BatchBuilder::new();
    for index in 0..1000i64 {
        builder.push(index, Some(&index.to_be_bytes()), Some(&[7; 1024]), &[]).expect("there is room");
    }
    let bytes = builder.build().expect("a batch").to_bytes();
    let iterate = || {
        let batch = Batch::parse(&bytes).expect("a batch");
        let records = batch.records(usize::MAX).expect("records");
        records.iter().map(|record| record.expect("a record").value.map_or(0, <[u8]>::len)).sum::<usize>()
    };
    assert_eq!(allocations(iterate), 0, "records are read where they are");
}
