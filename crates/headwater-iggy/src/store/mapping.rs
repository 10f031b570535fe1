//! Which stream and topic of Iggy is which topic of Kafka.

use std::collections::BTreeMap;

/// A topic of Iggy, by names.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct IggyTopic {
    pub(crate) stream: String,
    pub(crate) topic: String,
}

/// A default stream whose topics have the same names in Kafka, and single topics of any stream under names of their own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TopicMapping {
    stream: String,
    named: BTreeMap<String, IggyTopic>,
}

/// Why a mapping cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum MappingError {
    /// An entry is not `kafka=stream/topic`.
    #[error("{entry:?} is not kafka=stream/topic")]
    Entry {
        /// The entry.
        entry: String,
    },
    /// Two entries have the same Kafka topic or the same topic of Iggy.
    #[error("{name:?} is mapped twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A name is empty or has more than 255 bytes.
    #[error("a name in Iggy has 1 to 255 bytes, not {}", .name.len())]
    Name {
        /// The name.
        name: String,
    },
}

impl TopicMapping {
    /// Topics of `stream` under their own names, and `named` ones, written `kafka=stream/topic` with commas between them.
    ///
    /// # Errors
    /// [`MappingError`].
    pub fn parse(stream: &str, named: &str) -> Result<Self, MappingError> {
        check_name(stream)?;
        let mut mapping = Self { stream: stream.to_owned(), named: BTreeMap::new() };
        for entry in named.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let parts = entry.split_once('=').and_then(|(kafka, iggy)| Some((kafka, iggy.split_once('/')?)));
            let Some((kafka, (stream, topic))) = parts else {
                return Err(MappingError::Entry { entry: entry.to_owned() });
            };
            [kafka, stream, topic].into_iter().try_for_each(check_name)?;
            let iggy = IggyTopic { stream: stream.to_owned(), topic: topic.to_owned() };
            let is_there = mapping.named.values().any(|other| *other == iggy);
            if is_there || mapping.named.insert(kafka.to_owned(), iggy).is_some() {
                return Err(MappingError::Twice { name: kafka.to_owned() });
            }
        }
        Ok(mapping)
    }

    /// The topic of Iggy that this topic of Kafka is.
    pub(crate) fn iggy(&self, kafka: &str) -> IggyTopic {
        let own = || IggyTopic { stream: self.stream.clone(), topic: kafka.to_owned() };
        self.named.get(kafka).cloned().unwrap_or_else(own)
    }

    /// The topic of Kafka that this topic of Iggy is; `None` when it is none, or when another has that name.
    pub(crate) fn kafka(&self, iggy: &IggyTopic) -> Option<String> {
        let named = self.named.iter().find(|(_, other)| *other == iggy).map(|(kafka, _)| kafka.clone());
        let own = || {
            (iggy.stream == self.stream && !self.named.contains_key(&iggy.topic)).then(|| iggy.topic.clone())
        };
        named.or_else(own)
    }

    /// Every stream that a topic may be in.
    pub(crate) fn streams(&self) -> Vec<String> {
        let mut streams: Vec<_> = self.named.values().map(|iggy| iggy.stream.clone()).collect();
        streams.push(self.stream.clone());
        streams.sort();
        streams.dedup();
        streams
    }
}

fn check_name(name: &str) -> Result<(), MappingError> {
    if (1..=255).contains(&name.len()) { Ok(()) } else { Err(MappingError::Name { name: name.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iggy(stream: &str, topic: &str) -> IggyTopic {
        IggyTopic { stream: stream.to_owned(), topic: topic.to_owned() }
    }

    #[test]
    fn default_stream_and_named_topics() {
        let mapping = TopicMapping::parse("kafka", "orders=shop/o1, x=kafka/y").unwrap();
        assert_eq!(mapping.iggy("a"), iggy("kafka", "a"));
        assert_eq!(mapping.iggy("orders"), iggy("shop", "o1"));
        assert_eq!(mapping.kafka(&iggy("shop", "o1")).as_deref(), Some("orders"));
        assert_eq!(mapping.kafka(&iggy("shop", "o2")), None);
        assert_eq!(mapping.kafka(&iggy("kafka", "a")).as_deref(), Some("a"));
        assert_eq!(mapping.kafka(&iggy("kafka", "y")).as_deref(), Some("x"), "not y as well");
        assert_eq!(mapping.kafka(&iggy("kafka", "orders")), None, "its name is taken");
        assert_eq!(mapping.streams(), ["kafka", "shop"]);
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        let entry = |text: &str| TopicMapping::parse("kafka", text);
        assert!(matches!(entry("a"), Err(MappingError::Entry { .. })));
        assert!(matches!(entry("a=b"), Err(MappingError::Entry { .. })));
        assert!(matches!(entry("a=b/c,a=b/d"), Err(MappingError::Twice { .. })));
        assert!(matches!(entry("a=b/c,d=b/c"), Err(MappingError::Twice { .. })));
        assert!(matches!(entry("a=/c"), Err(MappingError::Name { .. })));
        assert!(matches!(TopicMapping::parse("", ""), Err(MappingError::Name { .. })));
    }
}
