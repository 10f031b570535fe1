//! Offsets by time, as far as Iggy can.
//!
//! Iggy finds messages by the time at which the server appended them. A record whose own time is at or after the target was
//! appended at or after it too, unless its producer's clock ran ahead: so the search begins where the server's time reaches
//! the target, and goes on to the first record whose own time does.

use headwater_codec::{LeaderEpoch, Offset};
use headwater_storage::{StorageError, TimestampOffset, TimestampTarget};
use iggy::prelude::PollingStrategy;

use super::{
    STORE, Shared,
    directory::ServedTopic,
    partition::{Partition, offset},
    read::{poll, view},
};
use crate::from_iggy_lenient;

/// The first record whose time is at or after the target.
pub(super) async fn find(
    shared: &Shared,
    topic: &ServedTopic,
    partition: &Partition,
    target: TimestampTarget,
) -> Result<Option<TimestampOffset>, StorageError> {
    topic.touch();
    let TimestampTarget::AtOrAfter(target) = target else {
        return Err(StorageError::Unsupported { store: STORE, what: "find the record with the latest time" });
    };
    let micros = u64::try_from(target).unwrap_or(0).saturating_mul(1000);
    let mut strategy =
        if micros == 0 { PollingStrategy::first() } else { PollingStrategy::timestamp(micros.into()) };
    loop {
        let polled = poll(shared, topic, partition, strategy, MESSAGES).await?;
        let Some(last) = polled.messages.last().map(|message| message.header.offset) else { return Ok(None) };
        partition.advance(Offset::ZERO, offset(last.saturating_add(1)));
        for message in &polled.messages {
            let (record, _) = from_iggy_lenient(&view(message));
            if record.timestamp >= target {
                return Ok(Some(TimestampOffset {
                    offset: offset(message.header.offset),
                    timestamp_ms: record.timestamp,
                    leader_epoch: LeaderEpoch::new(0),
                }));
            }
        }
        strategy = PollingStrategy::offset(last.saturating_add(1));
    }
}

/// Messages looked at in one poll.
const MESSAGES: u32 = 200;
