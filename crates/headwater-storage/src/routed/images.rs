//! The metadata of both engines as one image.

use std::{collections::HashSet, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::MetadataImage;

/// The newest image of both engines. Either publishes its own here before it answers, so that whoever was answered
/// finds what it asked for.
#[derive(Debug)]
pub struct MergedImages {
    parts: Mutex<Parts>,
    merged: watch::Sender<Arc<MetadataImage>>,
}

#[derive(Debug, Default)]
struct Parts {
    kafka: Arc<MetadataImage>,
    native: Option<Arc<MetadataImage>>,
    /// Native topics that are left out, by name: each was told of once.
    hidden: HashSet<String>,
}

/// Where one engine publishes its images.
#[derive(Clone, Debug)]
pub struct ImageSink {
    images: Arc<MergedImages>,
    is_native: bool,
}

impl ImageSink {
    /// Takes a newer image.
    pub fn publish(&self, image: &Arc<MetadataImage>) {
        self.images.update(|parts| {
            if self.is_native {
                parts.native = Some(Arc::clone(image));
            } else {
                parts.kafka = Arc::clone(image);
            }
        });
    }
}

impl Default for MergedImages {
    fn default() -> Self {
        Self { parts: Mutex::default(), merged: watch::Sender::new(Arc::default()) }
    }
}

impl MergedImages {
    /// Where the engine of Kafka's topics publishes. What belongs to no topic is this engine's.
    pub fn kafka(self: &Arc<Self>) -> ImageSink {
        ImageSink { images: Arc::clone(self), is_native: false }
    }

    /// Where the native engine publishes.
    pub fn native(self: &Arc<Self>) -> ImageSink {
        ImageSink { images: Arc::clone(self), is_native: true }
    }

    /// What is known now.
    pub fn image(&self) -> Arc<MetadataImage> {
        Arc::clone(&self.merged.borrow())
    }

    /// Tells of each newer image.
    pub fn watch(&self) -> watch::Receiver<Arc<MetadataImage>> {
        self.merged.subscribe()
    }

    /// Whether a native topic is left out because a Kafka topic has its name.
    pub fn hides_a_topic(&self) -> bool {
        !self.parts.lock().hidden.is_empty()
    }

    fn update(&self, change: impl FnOnce(&mut Parts)) {
        let mut parts = self.parts.lock();
        change(&mut parts);
        // Sent under the lock, so that an older image never follows a newer one.
        let image = parts.merge();
        self.merged.send_replace(image);
    }
}

impl Parts {
    /// Kafka's image with the native topics in it. Of two topics with one name Kafka's serves: an Apache Kafka that ran
    /// on `log.dirs` meanwhile may have made it. The native one is as it was when that is gone again.
    fn merge(&mut self) -> Arc<MetadataImage> {
        let Some(native) = &self.native else { return Arc::clone(&self.kafka) };
        let mut merged = MetadataImage::clone(&self.kafka);
        let (mut hidden, mut hidden_ids) = (HashSet::new(), HashSet::new());
        {
            let topics = Arc::make_mut(&mut merged.topics);
            let ids = Arc::make_mut(&mut merged.topic_ids);
            for topic in native.topics() {
                if ids.contains_key(&topic.name) || topics.contains_key(&topic.id) {
                    hidden.insert(topic.name.to_string());
                    hidden_ids.insert(topic.id);
                    continue;
                }
                ids.insert(topic.name.clone(), topic.id);
                topics.insert(topic.id, Arc::clone(topic));
            }
        }
        Arc::make_mut(&mut merged.directories).extend(native.directories());
        merged.hidden = Arc::new(hidden_ids);
        for name in hidden.difference(&self.hidden) {
            tracing::error!(
                topic = %name,
                "a native topic is out of service: a Kafka topic has its name; it serves again when that is deleted"
            );
        }
        self.hidden = hidden;
        Arc::new(merged)
    }
}
