//! A connected client as Lua sees it. Its calls stand in files of their own, by what they are about.

mod consume;
mod groups;
mod produce;
mod topics;
mod transactions;

use std::cell::{Cell, RefCell};

use headwater_client::{Client, Membership, ProducerKind};
use mlua::{UserData, UserDataFields, UserDataMethods};
use tokio::runtime::Runtime;

use crate::outcome;

/// A client and the thread on which it lives.
pub(crate) struct LuaClient {
    client: Client,
    producer: ProducerKind,
    /// What `group_heartbeat` and `leave_group` are about, unless they are told.
    membership: RefCell<Option<Membership>>,
    closed: Cell<bool>,
    /// Ends last, when nobody needs it any more.
    runtime: Runtime,
}

impl LuaClient {
    pub(crate) fn new(runtime: Runtime, client: Client, producer: ProducerKind) -> Self {
        Self { client, producer, membership: RefCell::new(None), closed: Cell::new(false), runtime }
    }

    /// Runs a call to its end.
    fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }

    fn producer_id(&self) -> Option<(i64, u16)> {
        if self.producer == ProducerKind::Plain {
            return None;
        }
        self.wait(self.client.producer_id()).map(|(id, epoch)| (id.get(), epoch))
    }
}

impl UserData for LuaClient {
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_field_method_get("pid", |_, this| Ok(this.producer_id().map(|(id, _)| id)));
        fields.add_field_method_get("epoch", |_, this| Ok(this.producer_id().map(|(_, epoch)| epoch)));
        fields.add_field_method_get("closed", |_, this| Ok(this.closed.get()));
        fields.add_field_method_get("server", |_, this| Ok(this.client.server().name.clone()));
        fields.add_field_method_get("server_version", |_, this| Ok(this.client.server().version.clone()));
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        produce::add(methods);
        consume::add(methods);
        topics::add(methods);
        groups::add(methods);
        transactions::add(methods);
        methods.add_method("close", |lua, this, ()| {
            this.wait(this.client.close());
            this.closed.set(true);
            outcome::done::<headwater_client::ClientError>(lua, Ok(()))
        });
    }
}
