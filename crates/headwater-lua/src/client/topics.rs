//! Topics and their offsets.

use mlua::{UserDataMethods, Value};

use super::LuaClient;
use crate::{
    arguments::{count, table, text},
    outcome, tables,
};

pub(super) fn add<M: UserDataMethods<LuaClient>>(methods: &mut M) {
    methods.add_method("create_topic", |lua, this, (name, partitions): (Value, Value)| {
        let (name, partitions) = (text("name", &name)?, count("partitions", &partitions)?);
        outcome::done(lua, this.wait(this.client.create_topic(&name, partitions)))
    });
    methods.add_method("delete_topic", |lua, this, name: Value| {
        let name = text("name", &name)?;
        outcome::done(lua, this.wait(this.client.delete_topic(&name)))
    });
    methods.add_method("create_partitions", |lua, this, (name, total): (Value, Value)| {
        let (name, total) = (text("name", &name)?, count("total", &total)?);
        outcome::done(lua, this.wait(this.client.create_partitions(&name, total)))
    });
    methods.add_method("list_topics", |lua, this, ()| {
        outcome::of(lua, this.wait(this.client.list_topics()), |topics| {
            lua.create_sequence_from(topics.iter().map(|topic| topic.as_str()))
        })
    });
    methods.add_method("describe_topic", |lua, this, name: Value| {
        let name = text("name", &name)?;
        let described = this.wait(this.client.describe_topic(&name));
        outcome::of(lua, described, |topic| tables::topic(lua, &topic))
    });
    methods.add_method("alter_topic_config", |lua, this, (name, config): (Value, Value)| {
        let name = text("name", &name)?;
        let mut entries = Vec::new();
        for entry in table("config", &config)?.pairs::<Value, Value>() {
            let (key, value) = entry?;
            let key = text("config", &key)?;
            let shown = format!("config.{key}");
            // A number means its decimal text.
            let value = match value {
                Value::Integer(number) => number.to_string(),
                value => text(&shown, &value)?,
            };
            entries.push((key, value));
        }
        entries.sort();
        let entries = entries.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        outcome::done(lua, this.wait(this.client.alter_topic_config(&name, entries)))
    });
    methods.add_method("list_offsets", |lua, this, topic: Value| {
        let topic = text("topic", &topic)?;
        let offsets = this.wait(this.client.list_offsets(&topic));
        outcome::of(lua, offsets, |offsets| tables::list(lua, offsets, tables::bounds))
    });
    methods.add_method("offsets_for_times", |lua, this, (topic, timestamp): (Value, Value)| {
        let (topic, timestamp) = (text("topic", &topic)?, count("timestamp", &timestamp)?);
        let offsets = this.wait(this.client.offsets_for_time(&topic, timestamp));
        outcome::of(lua, offsets, |offsets| tables::list(lua, offsets, tables::offset_for_time))
    });
}
