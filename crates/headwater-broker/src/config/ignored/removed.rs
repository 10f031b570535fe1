//! Keys of Kafka 2 and 3 that Kafka 4 dropped, so that an old file still starts without a page of warnings.

use super::{REMOVED, key};
use crate::config::key::{ConfigKey, ConfigType as T};

pub(super) const KEYS: &[ConfigKey] = &[
    key("advertised.host.name", T::String, None, REMOVED),
    key("advertised.port", T::Int, None, REMOVED),
    key("broker.id.generation.enable", T::Boolean, None, REMOVED),
    key("control.plane.listener.name", T::String, None, REMOVED),
    key("host.name", T::String, None, REMOVED),
    key("inter.broker.protocol.version", T::String, None, REMOVED),
    key("log.message.downconversion.enable", T::Boolean, None, REMOVED),
    key("log.message.format.version", T::String, None, REMOVED),
    key("log.message.timestamp.difference.max.ms", T::Long, None, REMOVED),
    key("offsets.commit.required.acks", T::Short, None, REMOVED),
    key("password.encoder.cipher.algorithm", T::String, None, REMOVED),
    key("password.encoder.iterations", T::Int, None, REMOVED),
    key("password.encoder.key.length", T::Int, None, REMOVED),
    key("password.encoder.keyfactory.algorithm", T::String, None, REMOVED),
    key("password.encoder.old.secret", T::Password, None, REMOVED),
    key("password.encoder.secret", T::Password, None, REMOVED),
    key("port", T::Int, None, REMOVED),
    key("reserved.broker.max.id", T::Int, None, REMOVED),
];
