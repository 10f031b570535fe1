//! `fetch`, `subscribe`, `next_record`, `commit` and `nack`.

use headwater_client::FetchOptions;
use mlua::{IntoLuaMulti, UserDataMethods, Value};
use tokio::time::timeout;

use super::LuaClient;
use crate::{
    arguments::{boolean, count, offset, optional, partition, seconds, text},
    outcome, tables,
};

pub(super) fn add<M: UserDataMethods<LuaClient>>(methods: &mut M) {
    methods.add_method("fetch", |lua, this, (topic, group, max, batched): (Value, Value, Value, Value)| {
        let (topic, group) = (text("topic", &topic)?, text("group", &group)?);
        let mut options = FetchOptions::default();
        if let Some(max) = optional("max", &max, count)? {
            options.max_records = max;
        }
        if let Some(batched) = optional("batched", &batched, boolean)? {
            options.batched = batched;
        }
        let records = this.wait(this.client.fetch(&topic, &group, options));
        outcome::of(lua, records, |records| tables::list(lua, records, tables::record))
    });
    methods.add_method("subscribe", |lua, this, (topic, group): (Value, Value)| {
        let (topic, group) = (text("topic", &topic)?, text("group", &group)?);
        outcome::done(lua, this.wait(this.client.subscribe(&topic, &group)))
    });
    methods.add_method("next_record", |lua, this, limit: Value| {
        let limit = optional("timeout", &limit, seconds)?;
        let next = this.wait(async {
            match limit {
                Some(limit) => timeout(limit, this.client.next_record()).await.ok(),
                None => Some(this.client.next_record().await),
            }
        });
        match next {
            Some(record) => outcome::of(lua, record, |record| tables::record(lua, &record)),
            None => (mlua::Nil, "timeout").into_lua_multi(lua),
        }
    });
    methods.add_method("commit", |lua, this, (topic, number, next): (Value, Value, Value)| {
        let topic = text("topic", &topic)?;
        let (number, next) = (partition("partition", &number)?, offset("offset", &next)?);
        outcome::done(lua, this.wait(this.client.commit(&topic, number, next)))
    });
    methods.add_method("nack", |lua, this, (topic, number, at, reason): (Value, Value, Value, Value)| {
        let topic = text("topic", &topic)?;
        let (number, at) = (partition("partition", &number)?, offset("offset", &at)?);
        let reason = optional("reason", &reason, text)?.unwrap_or_default();
        let ack = this.wait(this.client.nack(&topic, number, at, &reason));
        outcome::of(lua, ack, |ack| tables::nack(lua, &ack))
    });
}
