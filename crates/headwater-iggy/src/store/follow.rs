//! Keeps in step with Iggy: which topics there are, where their partitions end, and whether it answers at all.

use std::sync::{Arc, Weak, atomic::Ordering};

use headwater_codec::TopicName;
use headwater_storage::{MetadataImage, PartitionImage, Topic};
use iggy::prelude::{Identifier, IggyError, StreamClient, TopicClient};
use tokio::time::{Duration, Instant, sleep};

use super::{Shared, convert, directory::ServedTopic, mapping::IggyTopic, topic_id::topic_id};

/// Follows until the stores are gone.
pub(super) async fn follow(shared: Weak<Shared>) {
    let Some(mut local) = shared.upgrade().map(|shared| shared.local_metadata.watch()) else { return };
    let mut next_topics = Instant::now();
    let mut told = None;
    loop {
        let Some(shared) = shared.upgrade() else { return };
        if local.has_changed().is_ok_and(|changed| changed) {
            local.mark_unchanged();
            publish(&shared).await;
        }
        let outcome = if Instant::now() >= next_topics {
            next_topics = Instant::now() + TOPICS_EVERY;
            refresh(&shared).await
        } else {
            watch_readers(&shared).await
        };
        tell(&shared, outcome, &mut told);
        drop(shared);
        sleep(READERS_EVERY).await;
    }
}

/// Whether Iggy answers; a change is worth a line.
fn tell(shared: &Shared, outcome: Result<(), IggyError>, told: &mut Option<bool>) {
    let is_ready = outcome.is_ok();
    shared.ready.send_if_modified(|ready| std::mem::replace(ready, is_ready) != is_ready);
    if told.replace(is_ready) == Some(is_ready) {
        return;
    }
    let address = &shared.options.server.address;
    match outcome {
        Ok(()) => tracing::info!(%address, "Iggy answers"),
        Err(error) => tracing::warn!(%address, %error, "Iggy does not answer; trying on"),
    }
}

/// Looks at the topics that somebody reads from.
async fn watch_readers(shared: &Shared) -> Result<(), IggyError> {
    for topic in shared.directory.all() {
        if topic.is_read() {
            look_at(shared, &topic).await.or_else(unless_gone)?;
        }
    }
    // Nobody reads and nothing was asked: what was known stands.
    if *shared.ready.borrow() { Ok(()) } else { Err(IggyError::NotConnected) }
}

/// Brings the directory and the image in step with Iggy's topics.
pub(super) async fn refresh(shared: &Shared) -> Result<(), IggyError> {
    let _refreshing = shared.refreshing.lock().await;
    let mut found = Vec::new();
    for stream in shared.options.mapping.streams() {
        let stream_id = Identifier::named(&stream)?;
        let details = ask(shared, |client| {
            let stream_id = &stream_id;
            async move { client.get_stream(stream_id).await }
        });
        let Some(details) = details.await.or_else(|error| unless_gone(error).map(|()| None))? else {
            continue;
        };
        for topic in &details.topics {
            let iggy = IggyTopic { stream: stream.clone(), topic: topic.name.clone() };
            if let Some(name) = shared.options.mapping.kafka(&iggy) {
                let id = topic_id(details.id, topic.id, topic.created_at.as_micros());
                found.push((id, name, details.id, topic.id, topic.messages_count, topic.partitions_count));
            }
        }
    }
    for topic in shared.directory.all() {
        if !found.iter().any(|found| found.0 == topic.id) {
            shared.directory.remove(topic.id);
        }
    }
    for (id, name, stream, number, messages, partitions) in found {
        let known = shared.directory.topic(id);
        let topic = match &known {
            Some(topic) => topic.clone(),
            None => Arc::new(ServedTopic::new(
                id,
                TopicName::from(name.as_str()),
                Identifier::numeric(stream)?,
                Identifier::numeric(number)?,
            )),
        };
        let is_old = topic.messages_seen.load(Ordering::Relaxed) != messages
            || usize::try_from(partitions).is_ok_and(|count| count != topic.partition_count());
        if is_old {
            look_at(shared, &topic).await.or_else(unless_gone)?;
        }
        // Only now, so that nobody sees one whose offsets are not known.
        if known.is_none() && topic.partition_count() > 0 {
            shared.directory.put(topic);
        }
    }
    publish_found(shared);
    Ok(())
}

/// Asks where the topic's partitions end.
pub(super) async fn look_at(shared: &Shared, topic: &ServedTopic) -> Result<(), IggyError> {
    let (stream, number) = (&topic.stream, &topic.topic);
    let details = ask(shared, |client| async move { client.get_topic(stream, number).await }).await?;
    if let Some(details) = details {
        topic.take_in(&details);
    }
    Ok(())
}

async fn ask<T, F>(
    shared: &Shared,
    request: impl FnOnce(Arc<iggy::prelude::TcpClient>) -> F,
) -> Result<T, IggyError>
where
    F: Future<Output = Result<T, IggyError>>,
{
    shared.links.metadata().ask(request).await
}

/// What does not exist is no reason to think that Iggy does not answer.
fn unless_gone(error: IggyError) -> Result<(), IggyError> {
    if convert::is_gone(&error) { Ok(()) } else { Err(error) }
}

/// Publishes a new image if anything in it is new.
pub(super) async fn publish(shared: &Shared) {
    let _refreshing = shared.refreshing.lock().await;
    publish_found(shared);
}

fn publish_found(shared: &Shared) {
    let local = shared.local_metadata.image();
    let before = shared.images.borrow().clone();
    let leader = local.node_id();
    let topic_of = |served: &Arc<ServedTopic>| {
        let count = served.partition_count();
        // The very same topic while nothing changes, so that nobody thinks it did.
        match before.topic_by_id(served.id) {
            Some(known) if known.partitions.len() == count && known.name == served.name => known.clone(),
            _ => Arc::new(Topic {
                id: served.id,
                name: served.name.clone(),
                partitions: vec![PartitionImage::kept_elsewhere(leader); count],
                configs: Arc::default(),
            }),
        }
    };
    let topics: Vec<_> = shared.directory.all().iter().map(topic_of).collect();
    let image: MetadataImage = local.with_topics(topics);
    if image != *before {
        shared.images.send_replace(Arc::new(image));
    }
}

/// How often topics are looked for, which is also how late one learns of what Iggy's own clients write to a topic that nobody
/// reads.
const TOPICS_EVERY: Duration = Duration::from_secs(1);
/// How often topics are looked at that somebody reads from.
const READERS_EVERY: Duration = Duration::from_millis(20);
