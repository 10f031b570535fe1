//! `headwater.record.format`: said when a topic is created, and fixed from then on.

use std::collections::BTreeMap;

use headwater_codec::TopicName;
use headwater_storage::RecordFormat;

use super::{AlterError, ConfigOp, OpKind};
use crate::{config::Config, topics::is_internal};

/// Puts the format into the configs of a new topic when it is not Kafka's, and leaves it out when it is: what stands in
/// Kafka's own metadata log is what Kafka knows. Topics that say nothing get the broker's format, but for Kafka's
/// internal ones.
pub(crate) fn settle_format(config: &Config, name: &TopicName, configs: &mut BTreeMap<String, String>) {
    let said = configs.remove(RecordFormat::CONFIG);
    let native = match &said {
        Some(value) => value.trim() == RecordFormat::Native.name(),
        None => config.headwater_record_format == RecordFormat::Native && !is_internal(name),
    };
    if native {
        configs.insert(RecordFormat::CONFIG.to_owned(), RecordFormat::Native.name().to_owned());
    }
}

/// Refuses operations that would change the format of an existing topic; one that says what holds is left out.
pub(crate) fn check_format_stays(
    own: &BTreeMap<String, String>,
    ops: &mut Vec<ConfigOp>,
) -> Result<(), AlterError> {
    let format = RecordFormat::of_configs(own);
    let changes = |op: &ConfigOp| match op.kind {
        OpKind::Set => op.value.as_deref().map(str::trim) != Some(format.name()),
        OpKind::Delete => format != RecordFormat::default(),
        OpKind::Append | OpKind::Subtract => true,
    };
    if ops.iter().any(|op| op.name == RecordFormat::CONFIG && changes(op)) {
        return Err(AlterError::Fixed { name: RecordFormat::CONFIG, value: format.name() });
    }
    ops.retain(|op| op.name != RecordFormat::CONFIG);
    Ok(())
}
