//! What a config request is about: a topic, this broker, every broker.

use headwater_codec::{Str, TopicName};
use headwater_storage::ConfigResource;

use super::refusal::Refusal;
use crate::{
    context::Context,
    security::{Operation, Resource},
    topic_config::TopicNameRules,
};

/// A resource that has configs here.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Target {
    /// A topic. Whether it exists is judged later.
    Topic(TopicName),
    /// This broker.
    Broker,
    /// Every broker.
    Cluster,
    /// The loggers of this broker, of which none can be seen or changed by clients.
    BrokerLogger,
}

impl Target {
    /// Reads type and name as they stand on the wire, and judges whether `operation` is allowed.
    pub(super) fn parse(cx: &Context, kind: i8, name: &Str, operation: Operation) -> Result<Self, Refusal> {
        match kind {
            TOPIC => {
                if name.is_empty() {
                    return Err(Refusal::invalid_request("topics have no defaults of their own"));
                }
                let topic = TopicName::new(name.clone());
                cx.authorize(operation, Resource::Topic(&topic))?;
                TopicNameRules::check(name)?;
                Ok(Self::Topic(topic))
            }
            BROKER => {
                cx.authorize(operation, Resource::Cluster)?;
                if name.is_empty() {
                    Ok(Self::Cluster)
                } else {
                    is_this_broker(cx, name).map(|()| Self::Broker)
                }
            }
            BROKER_LOGGER => {
                cx.authorize(operation, Resource::Cluster)?;
                is_this_broker(cx, name).map(|()| Self::BrokerLogger)
            }
            kind => {
                cx.authorize(operation, Resource::Cluster)?;
                Err(Refusal::invalid_request(format!("resource type {kind} has no configs here")))
            }
        }
    }

    /// The resource as the metadata has it; `None` for one that is not kept there.
    pub(super) fn in_metadata(&self, cx: &Context) -> Option<ConfigResource> {
        match self {
            Self::Topic(name) => Some(ConfigResource::Topic(name.clone())),
            Self::Broker => Some(ConfigResource::Broker(Some(cx.cluster().node_id().get()))),
            Self::Cluster => Some(ConfigResource::Broker(None)),
            Self::BrokerLogger => None,
        }
    }
}

fn is_this_broker(cx: &Context, name: &str) -> Result<(), Refusal> {
    let node = cx.cluster().node_id();
    match name.parse::<i32>() {
        Ok(id) if id == node.get() => Ok(()),
        Ok(_) => Err(Refusal::invalid_request(format!("broker {name} is not this one, which is {node}"))),
        Err(_) => Err(Refusal::invalid_request(format!("broker id {name:?} is not a number"))),
    }
}

const TOPIC: i8 = 2;
const BROKER: i8 = 4;
const BROKER_LOGGER: i8 = 8;
