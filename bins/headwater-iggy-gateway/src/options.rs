//! From the configuration to what the stores want to know.

use headwater_broker::Config;
use headwater_iggy::{BatchLimits, IggyOptions, IggyServer, MappingError, TopicMapping};

/// The options that the configuration says.
pub(crate) fn of(config: &Config) -> Result<IggyOptions, MappingError> {
    let named = config.headwater_iggy_topics.as_deref().unwrap_or_default();
    Ok(IggyOptions {
        server: IggyServer {
            address: config.headwater_iggy_address.clone(),
            username: config.headwater_iggy_username.clone(),
            password: config.headwater_iggy_password.clone(),
        },
        mapping: TopicMapping::parse(&config.headwater_iggy_stream, named)?,
        limits: BatchLimits { bytes_max: config.headwater_iggy_partition_bytes_max },
        connections: config.headwater_iggy_connections,
        internal_topics: config.headwater_iggy_offsets == "iggy",
    })
}
