//! Creating topics, one at a time under each name.

use std::{collections::BTreeMap, sync::Arc};

use headwater_codec::TopicName;
use parking_lot::Mutex;
use uuid::Uuid;

use crate::{MetadataError, Pending};

/// What is being created under one name. Whoever holds it is the one that creates; one whose caller went away meanwhile is
/// finished by the next.
type Turn = Arc<tokio::sync::Mutex<Option<Created>>>;

/// The answer of an engine.
type Created = Pending<Result<Uuid, MetadataError>>;

/// Topics that are being created. The engines do not know each other's names, so a name is looked up and taken in one turn.
#[derive(Debug, Default)]
pub(super) struct Creations {
    turns: Mutex<BTreeMap<TopicName, Turn>>,
}

impl Creations {
    /// Creates a topic with `create` when no other is being created under that name; `create` finds in the image whatever
    /// was created before.
    pub(super) fn when_alone(
        &self,
        name: &TopicName,
        create: impl FnOnce() -> Created + Send + 'static,
    ) -> Created {
        let turn = self.turn(name);
        Pending::waiting(async move {
            let mut under_way = turn.lock().await;
            if let Some(left) = under_way.as_mut() {
                let _ = left.await;
            }
            let created = under_way.insert(create()).await;
            *under_way = None;
            created
        })
    }

    fn turn(&self, name: &TopicName) -> Turn {
        let mut turns = self.turns.lock();
        turns.retain(|_, turn| {
            Arc::strong_count(turn) > 1 || turn.try_lock().is_ok_and(|under_way| under_way.is_some())
        });
        Arc::clone(turns.entry(name.detached()).or_default())
    }
}
