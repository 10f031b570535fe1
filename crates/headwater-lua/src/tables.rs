//! Results as Lua tables.

use headwater_client::{
    DeadLetter, GroupDescription, GroupSummary, NackAck, OffsetForTime, PartitionOffsets,
    PartitionOffsetsFlags, Produced, Record, TopicAssignment, TopicDescription,
};
use mlua::{Lua, Result, Table};

/// A list of what `each` makes of the elements.
pub(crate) fn list<T>(
    lua: &Lua,
    elements: impl IntoIterator<Item = T>,
    each: impl Fn(&Lua, &T) -> Result<Table>,
) -> Result<Table> {
    let list = lua.create_table()?;
    for element in elements {
        list.raw_push(each(lua, &element)?)?;
    }
    Ok(list)
}

/// `{ partition, offset, seq? }`
pub(crate) fn produced(lua: &Lua, produced: &Produced) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("partition", produced.partition.get())?;
    table.raw_set("offset", produced.offset.get())?;
    table.raw_set("seq", produced.sequence)?;
    Ok(table)
}

/// `{ topic, partition, offset, timestamp, key, value, headers = { { name, value } } }`
pub(crate) fn record(lua: &Lua, record: &Record) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("topic", record.topic.as_str())?;
    table.raw_set("partition", record.partition.get())?;
    table.raw_set("offset", record.offset.get())?;
    table.raw_set("timestamp", record.timestamp)?;
    table.raw_set("key", lua.create_string(&record.key)?)?;
    table.raw_set("value", lua.create_string(&record.value)?)?;
    let headers = list(lua, &record.headers, |lua, (name, value)| {
        let header = lua.create_table()?;
        header.raw_set("name", lua.create_string(name)?)?;
        header.raw_set("value", lua.create_string(value)?)?;
        Ok(header)
    })?;
    table.raw_set("headers", headers)?;
    Ok(table)
}

/// `{ topic, partition, offset, timestamp, group, attempts, reason, value }`
pub(crate) fn dead_letter(lua: &Lua, letter: &DeadLetter) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("topic", letter.topic.as_str())?;
    table.raw_set("partition", letter.partition.get())?;
    table.raw_set("offset", letter.offset.get())?;
    table.raw_set("timestamp", letter.timestamp)?;
    table.raw_set("group", letter.group.as_str())?;
    table.raw_set("attempts", letter.attempts)?;
    table.raw_set("reason", lua.create_string(&letter.reason)?)?;
    table.raw_set("value", lua.create_string(&letter.value)?)?;
    Ok(table)
}

/// `{ dead_lettered, attempts, dlq_topic? }`
pub(crate) fn nack(lua: &Lua, ack: &NackAck) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("dead_lettered", ack.dead_lettered)?;
    table.raw_set("attempts", ack.attempts)?;
    let dlq_topic = ack.dlq_topic.as_str();
    table.raw_set("dlq_topic", (!dlq_topic.is_empty()).then_some(dlq_topic))?;
    Ok(table)
}

/// `{ name, num_partitions, config = { key = value } }`
pub(crate) fn topic(lua: &Lua, topic: &TopicDescription) -> Result<Table> {
    let config = lua.create_table()?;
    for entry in &topic.configs {
        config.raw_set(entry.key.as_str(), entry.value.as_str())?;
    }
    let table = lua.create_table()?;
    table.raw_set("name", topic.name.as_str())?;
    table.raw_set("num_partitions", topic.partitions)?;
    table.raw_set("config", config)?;
    Ok(table)
}

/// `{ partition, earliest, latest, high_watermark, lso, hwm_exact, lso_known, leader }`
pub(crate) fn bounds(lua: &Lua, bounds: &PartitionOffsets) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("partition", bounds.partition.get())?;
    table.raw_set("earliest", bounds.earliest.get())?;
    table.raw_set("latest", bounds.latest.get())?;
    table.raw_set("high_watermark", bounds.high_watermark.get())?;
    table.raw_set("lso", bounds.last_stable_offset.get())?;
    let flags = bounds.flags;
    table.raw_set("hwm_exact", flags.contains(PartitionOffsetsFlags::HIGH_WATERMARK_EXACT))?;
    table.raw_set("lso_known", flags.contains(PartitionOffsetsFlags::LAST_STABLE_OFFSET_KNOWN))?;
    table.raw_set("leader", flags.contains(PartitionOffsetsFlags::SERVED_HERE))?;
    Ok(table)
}

/// `{ partition, offset, found }`
pub(crate) fn offset_for_time(lua: &Lua, offset: &OffsetForTime) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("partition", offset.partition.get())?;
    table.raw_set("offset", offset.offset.get())?;
    table.raw_set("found", offset.found)?;
    Ok(table)
}

/// `{ group_id, state, member_count }`
pub(crate) fn group_summary(lua: &Lua, group: &GroupSummary) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("group_id", group.group.as_str())?;
    table.raw_set("state", group.state.as_str())?;
    table.raw_set("member_count", group.members)?;
    Ok(table)
}

/// `{ group_id, state, members = { { member_id, assignment } }, offsets = { { topic, partition, offset } } }`
pub(crate) fn group(lua: &Lua, group: &GroupDescription) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("group_id", group.group.as_str())?;
    table.raw_set("state", group.state.as_str())?;
    let members = list(lua, &group.members, |lua, member| {
        let table = lua.create_table()?;
        table.raw_set("member_id", member.member.as_str())?;
        table.raw_set("assignment", assignment(lua, &member.assignment)?)?;
        Ok(table)
    })?;
    table.raw_set("members", members)?;
    let offsets = list(lua, &group.offsets, |lua, offset| {
        let table = lua.create_table()?;
        table.raw_set("topic", offset.topic.as_str())?;
        table.raw_set("partition", offset.partition.get())?;
        table.raw_set("offset", offset.offset.get())?;
        Ok(table)
    })?;
    table.raw_set("offsets", offsets)?;
    Ok(table)
}

/// `{ topic = { partition, .. } }`
pub(crate) fn assignment(lua: &Lua, assignment: &[TopicAssignment]) -> Result<Table> {
    let table = lua.create_table()?;
    for topic in assignment {
        let partitions = topic.partitions.iter().map(|partition| partition.get());
        table.raw_set(topic.topic.as_str(), lua.create_sequence_from(partitions)?)?;
    }
    Ok(table)
}
