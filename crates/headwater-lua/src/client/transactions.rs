//! Transactions.

use headwater_client::TxnOffset;
use mlua::{UserDataMethods, Value};

use super::LuaClient;
use crate::{
    arguments::{offset, partition, table, text},
    outcome,
};

pub(super) fn add<M: UserDataMethods<LuaClient>>(methods: &mut M) {
    methods.add_method("begin_transaction", |lua, this, ()| {
        outcome::done(lua, this.wait(this.client.begin_transaction()))
    });
    methods.add_method("commit_transaction", |lua, this, ()| {
        outcome::done(lua, this.wait(this.client.commit_transaction()))
    });
    methods.add_method("abort_transaction", |lua, this, ()| {
        outcome::done(lua, this.wait(this.client.abort_transaction()))
    });
    methods.add_method("send_offsets_to_transaction", |lua, this, (group, list): (Value, Value)| {
        let group = text("group", &group)?;
        let mut offsets = Vec::new();
        for (index, element) in table("offsets", &list)?.sequence_values::<Value>().enumerate() {
            let name = format!("offsets[{}]", index + 1);
            let element = element?;
            let fields = table(&name, &element)?;
            offsets.push(TxnOffset {
                topic: text(&format!("{name}.topic"), &fields.get("topic")?)?.into(),
                partition: partition(&format!("{name}.partition"), &fields.get("partition")?)?,
                offset: offset(&format!("{name}.offset"), &fields.get("offset")?)?,
            });
        }
        outcome::done(lua, this.wait(this.client.send_offsets_to_transaction(&group, offsets)))
    });
}
