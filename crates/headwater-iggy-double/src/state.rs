//! Streams and topics.

use std::time::{SystemTime, UNIX_EPOCH};

use iggy_binary_protocol::{
    WireIdentifier, WireName, WireOptions,
    responses::{
        streams::{GetStreamResponse, StreamResponse, get_stream::TopicHeader},
        topics::{GetTopicResponse, get_topic::PartitionResponse},
    },
};

use crate::{
    errors::{Failure, PARTITION_NOT_FOUND, STREAM_EXISTS, STREAM_NOT_FOUND, TOPIC_EXISTS, TOPIC_NOT_FOUND},
    partition::Partition,
};

/// Everything that the double keeps.
#[derive(Default)]
pub(crate) struct State {
    streams: Vec<Stream>,
    next_id: u32,
    last_us: u64,
}

struct Stream {
    id: u32,
    name: WireName,
    created_at: u64,
    topics: Vec<Topic>,
}

/// One topic.
pub(crate) struct Topic {
    id: u32,
    name: WireName,
    created_at: u64,
    partitions: Vec<Partition>,
}

impl State {
    /// The time, microseconds since the epoch; never the same twice.
    pub(crate) fn now_us(&mut self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
        self.last_us = now.max(self.last_us + 1);
        self.last_us
    }

    fn next_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    pub(crate) fn create_stream(&mut self, name: &WireName) -> Result<GetStreamResponse, Failure> {
        if self.streams.iter().any(|stream| stream.name == *name) {
            return Err(STREAM_EXISTS);
        }
        let (id, created_at) = (self.next_id(), self.now_us());
        let stream = Stream { id, name: name.clone(), created_at, topics: Vec::new() };
        let response = stream.response();
        self.streams.push(stream);
        Ok(response)
    }

    pub(crate) fn stream(&self, id: &WireIdentifier) -> Option<GetStreamResponse> {
        self.streams.iter().find(|stream| is(id, stream.id, &stream.name)).map(Stream::response)
    }

    fn stream_mut(&mut self, id: &WireIdentifier) -> Result<&mut Stream, Failure> {
        let mut streams = self.streams.iter_mut();
        streams.find(|stream| is(id, stream.id, &stream.name)).ok_or(STREAM_NOT_FOUND)
    }

    pub(crate) fn create_topic(
        &mut self,
        stream: &WireIdentifier,
        name: &WireName,
        partitions: u32,
    ) -> Result<GetTopicResponse, Failure> {
        let (id, created_at) = (self.next_id(), self.now_us());
        let stream = self.stream_mut(stream)?;
        if stream.topics.iter().any(|topic| topic.name == *name) {
            return Err(TOPIC_EXISTS);
        }
        let partitions = (0..partitions).map(|_| Partition::default()).collect();
        let topic = Topic { id, name: name.clone(), created_at, partitions };
        let response = topic.response();
        stream.topics.push(topic);
        Ok(response)
    }

    pub(crate) fn delete_topic(
        &mut self,
        stream: &WireIdentifier,
        topic: &WireIdentifier,
    ) -> Result<(), Failure> {
        let topics = &mut self.stream_mut(stream)?.topics;
        let before = topics.len();
        topics.retain(|other| !is(topic, other.id, &other.name));
        if topics.len() < before { Ok(()) } else { Err(TOPIC_NOT_FOUND) }
    }

    pub(crate) fn topic_mut(
        &mut self,
        stream: &WireIdentifier,
        topic: &WireIdentifier,
    ) -> Result<&mut Topic, Failure> {
        let mut topics = self.stream_mut(stream)?.topics.iter_mut();
        topics.find(|other| is(topic, other.id, &other.name)).ok_or(TOPIC_NOT_FOUND)
    }

    /// The stream's and the topic's number.
    pub(crate) fn numbers(
        &mut self,
        stream: &WireIdentifier,
        topic: &WireIdentifier,
    ) -> Result<(u32, u32), Failure> {
        let number = self.stream_mut(stream)?.id;
        Ok((number, self.topic_mut(stream, topic)?.id))
    }

    pub(crate) fn expire(&mut self, stream: &str, topic: &str, partition: u32, offset: u64) {
        let id = |name: &str| WireName::new(name).map(WireIdentifier::String);
        let (Ok(stream), Ok(topic)) = (id(stream), id(topic)) else { return };
        if let Ok(partition) =
            self.topic_mut(&stream, &topic).and_then(|topic| topic.partition_mut(partition))
        {
            partition.expire(offset);
        }
    }
}

impl Stream {
    fn response(&self) -> GetStreamResponse {
        let topics: Vec<_> = self.topics.iter().map(Topic::header).collect();
        GetStreamResponse {
            stream: StreamResponse {
                id: self.id,
                created_at: self.created_at,
                topics_count: topics.len() as u32,
                size_bytes: 0,
                messages_count: topics.iter().map(|topic| topic.messages_count).sum(),
                name: self.name.clone(),
                options: WireOptions::empty(),
            },
            topics,
        }
    }
}

impl Topic {
    pub(crate) fn partition_mut(&mut self, number: u32) -> Result<&mut Partition, Failure> {
        self.partitions.get_mut(number as usize).ok_or(PARTITION_NOT_FOUND)
    }

    pub(crate) fn grow(&mut self, more: u32) {
        self.partitions.extend((0..more).map(|_| Partition::default()));
    }

    fn header(&self) -> TopicHeader {
        TopicHeader {
            id: self.id,
            created_at: self.created_at,
            partitions_count: self.partitions.len() as u32,
            message_expiry: u64::MAX,
            compression_algorithm: 1,
            max_topic_size: u64::MAX,
            size_bytes: 0,
            messages_count: self.partitions.iter().map(Partition::message_count).sum(),
            name: self.name.clone(),
            options: WireOptions::empty(),
            derived_options: WireOptions::empty(),
        }
    }

    pub(crate) fn response(&self) -> GetTopicResponse {
        let partition = |(id, partition): (u32, &Partition)| PartitionResponse {
            id,
            created_at: self.created_at,
            segments_count: 1,
            current_offset: partition.current_offset(),
            size_bytes: 0,
            messages_count: partition.message_count(),
        };
        GetTopicResponse {
            topic: self.header(),
            partitions: (0..).zip(&self.partitions).map(partition).collect(),
        }
    }
}

fn is(id: &WireIdentifier, number: u32, name: &WireName) -> bool {
    match id {
        WireIdentifier::Numeric(other) => *other == number,
        WireIdentifier::String(other) => other == name,
    }
}
