//! What is asked of the broker.

use std::{thread, time::Duration};

use bytes::Bytes;
use headwater_codec::{
    ErrorCode, Records, Request, Str,
    messages::{
        create_topics::{CreatableTopic, CreatableTopicConfig, CreateTopicsRequest},
        fetch::{FetchPartition, FetchRequest, FetchTopic},
        list_offsets::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic},
        metadata::{MetadataRequest, MetadataRequestTopic},
        offset_commit::{
            OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic, OffsetCommitResponse,
        },
        offset_fetch::{OffsetFetchRequest, OffsetFetchRequestTopic},
        produce::{PartitionProduceData, ProduceRequest, TopicProduceData},
    },
};

use crate::{ImportError, connection::Connection};

/// The broker's topics, by what an import needs of them.
#[derive(Debug)]
pub(crate) struct Target {
    connection: Connection,
}

/// Where a partition starts and ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Ends {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Target {
    pub(crate) fn connect(address: &str) -> Result<Self, ImportError> {
        Connection::open(address).map(|connection| Self { connection })
    }

    /// How many partitions a topic has; `None` when there is no such topic.
    pub(crate) fn partition_count(&mut self, topic: &str) -> Result<Option<usize>, ImportError> {
        let topics = Some(vec![MetadataRequestTopic { name: Some(topic.into()), ..Default::default() }]);
        let request = MetadataRequest { topics, allow_auto_topic_creation: false, ..Default::default() };
        let answer = self.connection.call(12, &request)?;
        let found =
            answer.topics.into_iter().next().ok_or(ImportError::Incomplete { request: "Metadata" })?;
        match found.error_code {
            ErrorCode::None => Ok(Some(found.partitions.len())),
            ErrorCode::UnknownTopicOrPartition => Ok(None),
            code => Err(refused(format!("topic {topic}"), code, None)),
        }
    }

    pub(crate) fn create_topic(
        &mut self,
        topic: &str,
        partitions: usize,
        configs: &[(&str, String)],
    ) -> Result<(), ImportError> {
        let config = |(name, value): &(&str, String)| CreatableTopicConfig {
            name: (*name).into(),
            value: Some(value.as_str().into()),
            ..Default::default()
        };
        let creatable = CreatableTopic {
            name: topic.into(),
            num_partitions: i32::try_from(partitions).unwrap_or(i32::MAX),
            replication_factor: 1,
            configs: configs.iter().map(config).collect(),
            ..Default::default()
        };
        let request =
            CreateTopicsRequest { topics: vec![creatable], timeout_ms: TIMEOUT_MS, ..Default::default() };
        let answer = self.connection.call(7, &request)?;
        let result =
            answer.topics.into_iter().next().ok_or(ImportError::Incomplete { request: "CreateTopics" })?;
        check(result.error_code, || format!("topic {topic}"), result.error_message)
    }

    pub(crate) fn ends(&mut self, topic: &str, partition: usize) -> Result<Ends, ImportError> {
        Ok(Ends {
            start: self.list_offset(topic, partition, EARLIEST)?,
            end: self.list_offset(topic, partition, LATEST)?,
        })
    }

    fn list_offset(&mut self, topic: &str, partition: usize, timestamp: i64) -> Result<u64, ImportError> {
        let asked =
            ListOffsetsPartition { partition_index: index(partition), timestamp, ..Default::default() };
        let topics =
            vec![ListOffsetsTopic { name: topic.into(), partitions: vec![asked], ..Default::default() }];
        let request = ListOffsetsRequest { replica_id: CONSUMER.into(), topics, ..Default::default() };
        let answer = self.connection.call(7, &request)?;
        let incomplete = ImportError::Incomplete { request: "ListOffsets" };
        let found = answer.topics.into_iter().next().and_then(|topic| topic.partitions.into_iter().next());
        let Some(found) = found else { return Err(incomplete) };
        check(found.error_code, || place(topic, partition), None)?;
        u64::try_from(found.offset).map_err(|_| incomplete)
    }

    /// The batches from `offset` on, as many as the broker gives at once.
    pub(crate) fn fetch(&mut self, topic: &str, partition: usize, offset: u64) -> Result<Bytes, ImportError> {
        let asked = FetchPartition {
            partition: index(partition),
            fetch_offset: i64::try_from(offset).unwrap_or(i64::MAX),
            // The first batch comes whole, however long it is.
            partition_max_bytes: 1,
            ..Default::default()
        };
        let topics = vec![FetchTopic { topic: topic.into(), partitions: vec![asked], ..Default::default() }];
        let request =
            FetchRequest { max_wait_ms: 1000, min_bytes: 1, max_bytes: 1, topics, ..Default::default() };
        let answer = self.connection.call(12, &request)?;
        check(answer.error_code, || place(topic, partition), None)?;
        let found = answer.responses.into_iter().next().and_then(|topic| topic.partitions.into_iter().next());
        let found = found.ok_or(ImportError::Incomplete { request: "Fetch" })?;
        check(found.error_code, || place(topic, partition), None)?;
        Ok(found.records.and_then(|records| records.as_bytes().cloned()).unwrap_or_default())
    }

    /// Appends a batch; when this returns it is as durable as the broker makes it.
    pub(crate) fn produce(&mut self, topic: &str, partition: usize, batch: Bytes) -> Result<(), ImportError> {
        let data = PartitionProduceData {
            index: index(partition),
            records: Some(Records::Bytes(batch)),
            ..Default::default()
        };
        let topic_data =
            vec![TopicProduceData { name: topic.into(), partition_data: vec![data], ..Default::default() }];
        let request =
            ProduceRequest { acks: ALL_IN_SYNC, timeout_ms: TIMEOUT_MS, topic_data, ..Default::default() };
        let answer = self.connection.call(9, &request)?;
        let found = answer
            .responses
            .into_iter()
            .next()
            .and_then(|topic| topic.partition_responses.into_iter().next());
        let found = found.ok_or(ImportError::Incomplete { request: "Produce" })?;
        let message = found
            .error_message
            .or_else(|| found.record_errors.into_iter().find_map(|error| error.batch_index_error_message));
        check(found.error_code, || place(topic, partition), message)
    }

    /// Whether a group has a position in a partition.
    pub(crate) fn has_position(
        &mut self,
        group: &str,
        topic: &str,
        partition: usize,
    ) -> Result<bool, ImportError> {
        let partition_indexes = vec![index(partition)];
        let asked = OffsetFetchRequestTopic { name: topic.into(), partition_indexes, ..Default::default() };
        let request =
            OffsetFetchRequest { group_id: group.into(), topics: Some(vec![asked]), ..Default::default() };
        let answer = self.when_loaded(7, &request, |answer| answer.error_code)?;
        check(answer.error_code, || format!("group {group}"), None)?;
        let found = answer.topics.into_iter().next().and_then(|topic| topic.partitions.into_iter().next());
        let found = found.ok_or(ImportError::Incomplete { request: "OffsetFetch" })?;
        check(found.error_code, || format!("group {group}, {}", place(topic, partition)), None)?;
        Ok(found.committed_offset >= 0)
    }

    /// Sets a group's position as a consumer that is no member does. The group has no members.
    pub(crate) fn set_position(
        &mut self,
        group: &str,
        topic: &str,
        partition: usize,
        position: u64,
    ) -> Result<(), ImportError> {
        let committed = OffsetCommitRequestPartition {
            partition_index: index(partition),
            committed_offset: i64::try_from(position).unwrap_or(i64::MAX),
            committed_metadata: Some(Str::from("")),
            ..Default::default()
        };
        let topics = vec![OffsetCommitRequestTopic {
            name: topic.into(),
            partitions: vec![committed],
            ..Default::default()
        }];
        let request = OffsetCommitRequest { group_id: group.into(), topics, ..Default::default() };
        let code = |answer: &OffsetCommitResponse| {
            let partitions = answer.topics.first().map(|topic| &topic.partitions[..]);
            partitions.and_then(<[_]>::first).map_or(ErrorCode::UnknownServerError, |found| found.error_code)
        };
        let answer = self.when_loaded(8, &request, code)?;
        check(code(&answer), || format!("group {group}, {}", place(topic, partition)), None)
    }

    /// Asks until the group's coordinator has read what it stores, or for some seconds.
    fn when_loaded<R: Request>(
        &mut self,
        version: i16,
        request: &R,
        code: impl Fn(&R::Response) -> ErrorCode,
    ) -> Result<R::Response, ImportError> {
        let mut answer = self.connection.call(version, request)?;
        for _ in 0..LOADING_TRIES {
            if !matches!(code(&answer), ErrorCode::CoordinatorLoadInProgress | ErrorCode::NotCoordinator) {
                break;
            }
            thread::sleep(LOADING_PAUSE);
            answer = self.connection.call(version, request)?;
        }
        Ok(answer)
    }
}

fn check(code: ErrorCode, what: impl FnOnce() -> String, message: Option<Str>) -> Result<(), ImportError> {
    if code == ErrorCode::None { Ok(()) } else { Err(refused(what(), code, message)) }
}

fn refused(what: String, code: ErrorCode, message: Option<Str>) -> ImportError {
    ImportError::Refused { what, code, message: message.map(|message| message.to_string()) }
}

fn place(topic: &str, partition: usize) -> String {
    format!("topic {topic} partition {partition}")
}

fn index(partition: usize) -> i32 {
    i32::try_from(partition).unwrap_or(i32::MAX)
}

const LOADING_TRIES: u32 = 40;
const LOADING_PAUSE: Duration = Duration::from_millis(250);
const TIMEOUT_MS: i32 = 30_000;
/// What a consumer says where a replica says its id.
const CONSUMER: i32 = -1;
const ALL_IN_SYNC: i16 = -1;
const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
