//! Consumer groups.

use headwater_client::Membership;
use mlua::{Result, UserDataMethods, Value};

use super::LuaClient;
use crate::{
    arguments::{bad, optional, text, wrong},
    outcome, tables,
};

pub(super) fn add<M: UserDataMethods<LuaClient>>(methods: &mut M) {
    methods.add_method("join_group", |lua, this, (group, topics, member): (Value, Value, Value)| {
        let group = text("group", &group)?;
        let topics = topic_names(&topics)?;
        let member = optional("member_id", &member, text)?.unwrap_or_default();
        let names = topics.iter().map(String::as_str);
        let joined = this.wait(this.client.join_group(&group, names, &member));
        outcome::of(lua, joined, |membership| {
            let table = lua.create_table()?;
            table.raw_set("member_id", membership.member.as_str())?;
            table.raw_set("assignment", tables::assignment(lua, &membership.assignment)?)?;
            *this.membership.borrow_mut() = Some(membership);
            Ok(table)
        })
    });
    methods.add_method("group_heartbeat", |lua, this, (group, member): (Value, Value)| {
        let membership = this.membership(&group, &member)?;
        outcome::done(lua, this.wait(this.client.heartbeat(&membership)))
    });
    methods.add_method("leave_group", |lua, this, (group, member): (Value, Value)| {
        let membership = this.membership(&group, &member)?;
        let left = this.wait(this.client.leave_group(&membership));
        if left.is_ok() {
            *this.membership.borrow_mut() = None;
        }
        outcome::done(lua, left)
    });
    methods.add_method("list_groups", |lua, this, ()| {
        outcome::of(lua, this.wait(this.client.list_groups()), |groups| {
            tables::list(lua, groups, tables::group_summary)
        })
    });
    methods.add_method("describe_group", |lua, this, group: Value| {
        let group = text("group", &group)?;
        let described = this.wait(this.client.describe_group(&group));
        outcome::of(lua, described, |group| tables::group(lua, &group))
    });
    methods.add_method("delete_group", |lua, this, group: Value| {
        let group = text("group", &group)?;
        outcome::done(lua, this.wait(this.client.delete_group(&group)))
    });
}

impl LuaClient {
    /// The membership that is named, or the one that this client joined.
    fn membership(&self, group: &Value, member: &Value) -> Result<Membership> {
        let joined = self.membership.borrow();
        let group = optional("group", group, text)?;
        let group = group.map(Into::into).or_else(|| joined.as_ref().map(|joined| joined.group.clone()));
        let member = optional("member_id", member, text)?;
        let member = member.map(Into::into).or_else(|| joined.as_ref().map(|joined| joined.member.clone()));
        match (group, member) {
            (Some(group), Some(member)) => Ok(Membership { group, member, assignment: Vec::new() }),
            (None, _) => Err(bad("group", "this client has joined none")),
            (_, None) => Err(bad("member_id", "this client has joined no group")),
        }
    }
}

/// One name, or a list of names.
fn topic_names(topics: &Value) -> Result<Vec<String>> {
    match topics {
        Value::String(_) => Ok(vec![text("topics", topics)?]),
        Value::Table(list) => {
            let named =
                |(index, name): (usize, Result<Value>)| text(&format!("topics[{}]", index + 1), &name?);
            list.sequence_values().enumerate().map(named).collect()
        }
        other => Err(wrong("topics", "string or table", other)),
    }
}
