//! DescribeLogDirs (key 35, versions 1-5). Tells how full each log directory is, and with what (KIP-113, KIP-827).
//!
//! - Null topics ask for every partition; a list for those partitions of it that exist.
//! - A partition that nothing was written to yet has size 0, in the directory that it will be written to.
//! - A directory that does not serve is told with KAFKA_STORAGE_ERROR (56).
//! - Who may not describe the cluster gets CLUSTER_AUTHORIZATION_FAILED (31), in the body from version 3 on.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use headwater_codec::{
    ErrorCode, Str, TopicIdPartition, TopicName, Uuid,
    messages::describe_log_dirs::{
        DescribableLogDirTopic, DescribeLogDirsPartition, DescribeLogDirsRequest, DescribeLogDirsResponse,
        DescribeLogDirsResult, DescribeLogDirsTopic,
    },
};
use headwater_storage::LogDirUsage;

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: DescribeLogDirsRequest) -> DescribeLogDirsResponse {
    if let Err(error_code) = cx.authorize(Operation::Describe, Resource::Cluster) {
        return DescribeLogDirsResponse { error_code, ..Default::default() };
    }
    let mut dirs = cx.topics().logs().log_dirs().await;
    add_empty_partitions(cx, &mut dirs);
    let asked = request.topics.as_deref().map(asked_partitions);
    let results = dirs.into_iter().map(|dir| describe(cx, dir, asked.as_ref())).collect();
    DescribeLogDirsResponse { results, ..Default::default() }
}

/// The partitions asked for, by topic.
type Asked = HashMap<TopicName, BTreeSet<i32>>;

fn asked_partitions(topics: &[DescribableLogDirTopic]) -> Asked {
    let mut asked = Asked::new();
    for topic in topics {
        asked.entry(topic.topic.clone()).or_default().extend(&topic.partitions);
    }
    asked
}

/// Adds the partitions that have no files yet.
fn add_empty_partitions(cx: &Context, dirs: &mut [LogDirUsage]) {
    let image = cx.topics().image();
    let written: BTreeSet<TopicIdPartition> =
        dirs.iter().flat_map(|dir| dir.partitions.iter().map(|(partition, _)| *partition)).collect();
    let place =
        |directory: Uuid| image.directories().iter().position(|known| *known == directory).unwrap_or(0);
    for topic in cx.topics().all() {
        for partition in topic.partitions().filter(|partition| !written.contains(&partition.id())) {
            let known = topic.known().partition(partition.index());
            let place = known.map_or(0, |known| place(known.directory));
            if let Some(dir) = dirs.get_mut(place) {
                dir.partitions.push((partition.id(), 0));
            }
        }
    }
}

fn describe(cx: &Context, dir: LogDirUsage, asked: Option<&Asked>) -> DescribeLogDirsResult {
    let mut topics: BTreeMap<TopicName, Vec<DescribeLogDirsPartition>> = BTreeMap::new();
    for (partition, bytes) in dir.partitions {
        // The files of a topic that is being deleted are nobody's any more.
        let Some(topic) = cx.topics().by_id(partition.topic_id) else { continue };
        let index = partition.partition.get();
        if asked.is_none_or(|asked| asked.get(topic.name()).is_some_and(|indexes| indexes.contains(&index))) {
            topics.entry(topic.name().clone()).or_default().push(DescribeLogDirsPartition {
                partition_index: index,
                partition_size: i64::try_from(bytes).unwrap_or(i64::MAX),
                offset_lag: 0,
                is_future_key: false,
                ..Default::default()
            });
        }
    }
    let topics = topics.into_iter().map(|(name, mut partitions)| {
        partitions.sort_by_key(|partition| partition.partition_index);
        DescribeLogDirsTopic { name, partitions, ..Default::default() }
    });
    DescribeLogDirsResult {
        error_code: if dir.online { ErrorCode::None } else { ErrorCode::KafkaStorageError },
        log_dir: Str::from(dir.path),
        topics: topics.collect(),
        total_bytes: dir.total_bytes,
        usable_bytes: dir.usable_bytes,
        is_cordoned: false,
        ..Default::default()
    }
}
