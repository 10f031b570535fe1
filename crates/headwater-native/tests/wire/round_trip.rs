//! What is encoded decodes as the same; what is cut or followed by more never panics.

use bytes::{Bytes, BytesMut};
use headwater_codec::{GroupId, Offset, ProducerId, Str, TopicName};
use headwater_native::{
    CorrelationId, ErrorCode, Frame, Headers, PartitionId, Reply, Request, limits,
    messages::{
        AlterTopicConfig, Auth, AuthChallenge, AuthOk, AuthScram, AuthScramFinal, BatchProducer, BeginTxn,
        Commit, ConfigEntry, CreatePartitions, CreateTopic, DeleteGroup, DeleteTopic, DescribeGroup,
        DescribeTopic, Done, EndTxn, Failure, Fetch, FetchFlags, Goodbye, GroupAssignment, GroupDescription,
        GroupHeartbeat, GroupList, GroupMember, GroupOffset, GroupSummary, HeartbeatRequest,
        HeartbeatResponse, Hello, IdentifyAck, IdentifyClient, InitProducerId, Isolation, JoinGroup,
        LeaveGroup, ListGroups, ListOffsets, ListOffsetsMode, ListTopics, Nack, NackAck, OffsetForTime,
        Offsets, PartitionOffsets, PartitionOffsetsFlags, Produce, ProduceAck, ProduceBatch, ProduceBatchAck,
        ProduceIdempotent, ProducerIdentity, Record, RecordBatch, RecordLayout, RecordToProduce, Subscribe,
        TopicAssignment, TopicDescription, TopicList, TxnOffset, TxnOffsetCommit, Welcome,
    },
};
use headwater_records::native::ValueCodec;
use proptest::{collection::vec, option, prelude::*};

fn topic() -> impl Strategy<Value = TopicName> {
    "[a-z.é-]{0,20}".prop_map(TopicName::from)
}

fn group() -> impl Strategy<Value = GroupId> {
    "[ -~]{0,20}".prop_map(GroupId::from)
}

fn text() -> impl Strategy<Value = Str> {
    "[ -~é]{0,20}".prop_map(Str::from)
}

fn data() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

fn headers() -> impl Strategy<Value = Headers> {
    let header = (prop_oneof![Just(b"a".to_vec()), vec(any::<u8>(), 0..6)], vec(any::<u8>(), 0..6));
    vec(header, 0..4).prop_map(|headers| Headers::encode(headers).unwrap())
}

fn offset() -> impl Strategy<Value = Offset> {
    (0..=i64::MAX).prop_map(|raw| Offset::new(raw).unwrap())
}

fn timestamp() -> impl Strategy<Value = i64> {
    0..=i64::MAX
}

fn producer_id() -> impl Strategy<Value = ProducerId> {
    (0..=i64::MAX).prop_map(ProducerId::new)
}

fn partition() -> impl Strategy<Value = PartitionId> {
    any::<u32>().prop_map(PartitionId::new)
}

fn codec() -> impl Strategy<Value = ValueCodec> {
    (0..4_u8).prop_map(|code| ValueCodec::from_id(code).unwrap())
}

fn isolation() -> impl Strategy<Value = Isolation> {
    prop_oneof![Just(Isolation::ReadUncommitted), Just(Isolation::ReadCommitted)]
}

fn flags() -> impl Strategy<Value = FetchFlags> {
    any::<u8>().prop_map(FetchFlags::new)
}

fn configs() -> impl Strategy<Value = Vec<ConfigEntry>> {
    vec((text(), text()).prop_map(|(key, value)| ConfigEntry { key, value }), 0..4)
}

fn assignment() -> impl Strategy<Value = Vec<TopicAssignment>> {
    let one = (topic(), vec(partition(), 0..4))
        .prop_map(|(topic, partitions)| TopicAssignment { topic, partitions });
    vec(one, 0..3)
}

/// A strategy of a message whose fields have these strategies, at most ten.
macro_rules! of {
    ($any:ident: $name:ident { $($field:ident: $strategy:expr),* $(,)? }) => {
        ($($strategy,)*).prop_map(|($($field,)*)| $any::from($name { $($field),* }))
    };
    ($any:ident: $name:ident) => {
        Just($any::from($name {}))
    };
}

fn batch() -> impl Strategy<Value = ProduceBatch> {
    let producer = (producer_id(), any::<u32>(), any::<u16>()).prop_map(
        |(producer_id, base_sequence, producer_epoch)| BatchProducer {
            producer_id,
            base_sequence,
            producer_epoch,
        },
    );
    let record =
        (data(), data(), headers()).prop_map(|(key, value, headers)| RecordToProduce { key, value, headers });
    (codec(), topic(), option::of(producer), vec(record, 1..4))
        .prop_map(|(codec, topic, producer, records)| ProduceBatch { codec, topic, producer, records })
}

fn list_offsets() -> impl Strategy<Value = ListOffsetsMode> {
    prop_oneof![Just(ListOffsetsMode::Bounds), timestamp().prop_map(ListOffsetsMode::Timestamp)]
}

fn request() -> impl Strategy<Value = Request> {
    let txn_offset = (topic(), partition(), offset()).prop_map(|(topic, partition, offset)| TxnOffset {
        topic,
        partition,
        offset,
    });
    let name = option::of("[a-z]{1,9}".prop_map(Str::from));
    let session = prop_oneof![
        of!(Request: Hello { version: any::<u32>() }),
        of!(Request: Auth { user: text(), password: data() }),
        of!(Request: AuthScram { mechanism: text(), message: data() }),
        of!(Request: AuthScramFinal { message: data() }),
        of!(Request: IdentifyClient { name: text(), version: text() }),
        of!(Request: Goodbye),
        of!(Request: HeartbeatRequest),
        of!(Request: HeartbeatResponse),
    ];
    let produce = prop_oneof![
        of!(Request: Produce { codec: codec(), topic: topic(), key: data(), value: data(), headers: headers() }),
        of!(Request: InitProducerId { producer_name: name }),
        of!(Request: ProduceIdempotent {
            producer_id: producer_id(),
            sequence: any::<u32>(),
            producer_epoch: any::<u16>(),
            codec: codec(),
            topic: topic(),
            key: data(),
            value: data(),
            headers: headers(),
        }),
        batch().prop_map(Request::from),
        of!(Request: BeginTxn),
        of!(Request: EndTxn { commit: any::<bool>() }),
        of!(Request: TxnOffsetCommit { group: group(), offsets: vec(txn_offset, 0..3) }),
    ];
    let read = prop_oneof![
        of!(Request: Fetch {
            topic: topic(),
            group: group(),
            max_records: any::<u32>(),
            isolation: isolation(),
            flags: flags(),
        }),
        of!(Request: Subscribe { topic: topic(), group: group(), isolation: isolation(), flags: flags() }),
        of!(Request: Commit { topic: topic(), partition: partition(), offset: offset() }),
        of!(Request: Nack { topic: topic(), partition: partition(), offset: offset(), reason: data() }),
        of!(Request: ListOffsets { topic: topic(), mode: list_offsets() }),
    ];
    let topics = prop_oneof![
        of!(Request: CreateTopic { name: topic(), partitions: any::<u32>() }),
        of!(Request: ListTopics),
        of!(Request: DeleteTopic { name: topic() }),
        of!(Request: DescribeTopic { name: topic() }),
        of!(Request: AlterTopicConfig { name: topic(), configs: configs() }),
        of!(Request: CreatePartitions { name: topic(), total: any::<u32>() }),
    ];
    let groups = prop_oneof![
        of!(Request: JoinGroup { group: group(), member: text(), topics: vec(topic(), 0..3) }),
        of!(Request: LeaveGroup { group: group(), member: text() }),
        of!(Request: GroupHeartbeat { group: group(), member: text() }),
        of!(Request: ListGroups),
        of!(Request: DescribeGroup { group: group() }),
        of!(Request: DeleteGroup { group: group() }),
    ];
    prop_oneof![session, produce, read, topics, groups]
}

fn record() -> impl Strategy<Value = Record> {
    (topic(), partition(), offset(), timestamp(), data(), data(), headers()).prop_map(
        |(topic, partition, offset, timestamp, key, value, headers)| Record {
            topic,
            partition,
            offset,
            timestamp,
            key,
            value,
            headers,
        },
    )
}

fn offsets() -> impl Strategy<Value = Offsets> {
    let partition_flags = any::<u8>().prop_map(PartitionOffsetsFlags::new);
    let bounds = (partition(), offset(), offset(), offset(), offset(), partition_flags).prop_map(
        |(partition, earliest, latest, high_watermark, last_stable_offset, flags)| PartitionOffsets {
            partition,
            earliest,
            latest,
            high_watermark,
            last_stable_offset,
            flags,
        },
    );
    let for_time = (partition(), offset(), any::<bool>())
        .prop_map(|(partition, offset, found)| OffsetForTime { partition, offset, found });
    (vec(bounds, 0..3), option::of(vec(for_time, 0..3)))
        .prop_map(|(partitions, for_time)| Offsets { partitions, for_time })
}

fn reply() -> impl Strategy<Value = Reply> {
    let code = || any::<u16>().prop_map(ErrorCode::new);
    let ack = (partition(), offset()).prop_map(|(partition, offset)| ProduceAck { partition, offset });
    let member = (text(), assignment()).prop_map(|(member, assignment)| GroupMember { member, assignment });
    let committed = (topic(), partition(), offset()).prop_map(|(topic, partition, offset)| GroupOffset {
        topic,
        partition,
        offset,
    });
    let summary = (group(), text(), any::<u32>()).prop_map(|(group, state, members)| GroupSummary {
        group,
        state,
        members,
    });
    let session = prop_oneof![
        of!(Reply: HeartbeatRequest),
        of!(Reply: HeartbeatResponse),
        of!(Reply: Welcome { version: any::<u32>() }),
        of!(Reply: AuthOk { server_final: option::of(data()) }),
        of!(Reply: AuthChallenge { message: data() }),
        of!(Reply: IdentifyAck { server: text(), version: text() }),
        of!(Reply: Done),
        of!(Reply: Failure { code: code(), message: text() }),
    ];
    let produced = prop_oneof![
        of!(Reply: ProduceAck { partition: partition(), offset: offset() }),
        of!(Reply: ProducerIdentity { producer_id: producer_id(), producer_epoch: any::<u16>() }),
        of!(Reply: ProduceBatchAck { acks: vec(ack, 0..4), code: code(), message: text() }),
    ];
    let read = prop_oneof![
        record().prop_map(Reply::from),
        of!(Reply: RecordBatch { records: vec(record(), 0..4) }),
        of!(Reply: NackAck { dead_lettered: any::<bool>(), attempts: any::<u16>(), dlq_topic: topic() }),
        offsets().prop_map(Reply::from),
    ];
    let described = prop_oneof![
        of!(Reply: TopicList { topics: vec(topic(), 0..4) }),
        of!(Reply: TopicDescription { name: topic(), partitions: any::<u32>(), configs: configs() }),
        of!(Reply: GroupAssignment { member: text(), assignment: assignment() }),
        of!(Reply: GroupList { groups: vec(summary, 0..4) }),
        of!(Reply: GroupDescription {
            group: group(),
            state: text(),
            members: vec(member, 0..3),
            offsets: vec(committed, 0..3),
        }),
    ];
    prop_oneof![session, produced, read, described]
}

fn take(stream: &mut BytesMut) -> Frame {
    Frame::take(stream, limits::CLIENT_FRAME_BYTES_MAX).unwrap().unwrap()
}

/// Messages that grew at their end, or may: what follows them is a field, not to be ignored.
fn grew(request: &Request) -> bool {
    matches!(
        request,
        Request::Produce(_)
            | Request::ProduceIdempotent(_)
            | Request::Fetch(_)
            | Request::Subscribe(_)
            | Request::InitProducerId(_)
            | Request::ListOffsets(_)
    )
}

proptest! {
    #[test]
    fn requests_read_back(request in request(), id in any::<[u8; 16]>(), rubbish in vec(any::<u8>(), 1..9)) {
        let id = CorrelationId::new(id);
        let mut stream = BytesMut::new();
        request.encode(id, limits::SERVER_FRAME_BYTES_MAX, &mut stream).unwrap();
        let frame = take(&mut stream);
        prop_assert!(stream.is_empty());
        prop_assert_eq!(frame.correlation_id, id);
        prop_assert_eq!(frame.opcode, request.opcode().code());
        prop_assert_eq!(Request::decode(frame.clone()), Ok(request.clone()));

        for end in 0..frame.payload.len() {
            let cut = Frame { payload: frame.payload.slice(..end), ..frame };
            prop_assert_ne!(Request::decode(cut), Ok(request.clone()));
        }
        if !grew(&request) {
            let payload = [&frame.payload[..], &rubbish].concat().into();
            prop_assert_eq!(Request::decode(Frame { payload, ..frame }), Ok(request), "what follows is ignored");
        }
    }

    #[test]
    fn replies_read_back_with_headers(reply in reply()) {
        let mut stream = BytesMut::new();
        reply
            .encode(CorrelationId::ZERO, RecordLayout::Headers, limits::CLIENT_FRAME_BYTES_MAX, &mut stream)
            .unwrap();
        let frame = take(&mut stream);
        prop_assert_eq!(Reply::decode(frame.clone(), RecordLayout::Headers), Ok(reply));
        for end in 0..frame.payload.len() {
            let cut = Frame { payload: frame.payload.slice(..end), ..frame };
            let _ = Reply::decode(cut, RecordLayout::Headers);
        }
    }

    #[test]
    fn records_read_back_without_headers_when_none_were_asked_for(records in vec(record(), 0..4)) {
        let reply = Reply::from(RecordBatch { records: records.clone() });
        let mut stream = BytesMut::new();
        reply
            .encode(CorrelationId::ZERO, RecordLayout::Plain, limits::CLIENT_FRAME_BYTES_MAX, &mut stream)
            .unwrap();
        let plain = records.into_iter().map(|record| Record { headers: Headers::default(), ..record });
        let expected = Reply::from(RecordBatch { records: plain.collect() });
        prop_assert_eq!(Reply::decode(take(&mut stream), RecordLayout::Plain), Ok(expected));
    }

    #[test]
    fn header_blocks_keep_order_repeats_and_emptiness(
        headers in vec((vec(any::<u8>(), 0..5), vec(any::<u8>(), 0..5)), 0..9),
    ) {
        let block = Headers::encode(headers.iter().map(|(name, value)| (name, value))).unwrap();
        let again = Headers::decode(block.as_bytes().clone()).unwrap();
        prop_assert_eq!(again.block().len(), headers.len());
        prop_assert!(again.iter().eq(headers.iter().map(|(name, value)| (&name[..], &value[..]))));
        prop_assert_eq!(again, block);
    }

    #[test]
    fn any_bytes_are_read_or_refused(code in any::<u8>(), payload in vec(any::<u8>(), 0..200)) {
        let frame = Frame { opcode: code, correlation_id: CorrelationId::ZERO, payload: payload.into() };
        let _ = Request::decode(frame.clone());
        let _ = Reply::decode(frame.clone(), RecordLayout::Plain);
        let _ = Reply::decode(frame, RecordLayout::Headers);
    }
}
