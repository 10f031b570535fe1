//! Which quota holds for whom.

use std::collections::HashMap;

/// What a quota bounds.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum QuotaKind {
    /// Bytes a second that producers may send.
    ProducerByteRate,
    /// Bytes a second that consumers may fetch.
    ConsumerByteRate,
}

/// A part of what a quota holds for.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum QuotaScope {
    /// The quota says nothing of it.
    #[default]
    Any,
    /// Everybody without a quota of their own, each by themselves.
    Default,
    /// One by name.
    Named(String),
}

/// Who shares a balance: a user, a client id, or both together.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Holder {
    user: Option<String>,
    client_id: Option<String>,
}

/// Which quota holds for whom, of one kind.
///
/// The most specific one holds: user and client id, user and any client id, user; then the default user with the same
/// three; then the client id, then the default client id. Each user or client under a default has a balance of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuotaTable {
    users: HashMap<String, OfUser>,
    default_user: OfUser,
    without_user: OfUser,
}

/// What holds for one user.
#[derive(Clone, Debug, Default, PartialEq)]
struct OfUser {
    whole: Option<f64>,
    default_client: Option<f64>,
    clients: HashMap<String, f64>,
}

impl QuotaKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ProducerByteRate, Self::ConsumerByteRate];

    /// Kafka's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProducerByteRate => "producer_byte_rate",
            Self::ConsumerByteRate => "consumer_byte_rate",
        }
    }

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl QuotaTable {
    /// Sets a quota in bytes a second. One that is not above zero, or holds for nobody in particular, is left out.
    pub fn set(&mut self, user: QuotaScope, client_id: QuotaScope, bytes_per_second: f64) {
        if !(bytes_per_second.is_finite() && bytes_per_second > 0.0) {
            return;
        }
        let is_for_client_alone = user == QuotaScope::Any;
        let of_user = match user {
            QuotaScope::Any => &mut self.without_user,
            QuotaScope::Default => &mut self.default_user,
            QuotaScope::Named(user) => self.users.entry(user).or_default(),
        };
        match client_id {
            QuotaScope::Any if is_for_client_alone => {}
            QuotaScope::Any => of_user.whole = Some(bytes_per_second),
            QuotaScope::Default => of_user.default_client = Some(bytes_per_second),
            QuotaScope::Named(client_id) => {
                of_user.clients.insert(client_id, bytes_per_second);
            }
        }
    }

    /// The quota that holds for a client, in bytes a second, and who shares it; `None` when it may move what it likes.
    pub(super) fn find(&self, user: &str, client_id: &str) -> Option<(f64, Holder)> {
        for of_user in [self.users.get(user), Some(&self.default_user)].into_iter().flatten() {
            if let Some(rate) = of_user.of_client(client_id) {
                return Some((rate, Holder::new(Some(user), Some(client_id))));
            }
            if let Some(rate) = of_user.whole {
                return Some((rate, Holder::new(Some(user), None)));
            }
        }
        let rate = self.without_user.of_client(client_id)?;
        Some((rate, Holder::new(None, Some(client_id))))
    }

    /// The quota that holds for a client, in bytes a second.
    pub fn rate(&self, user: &str, client_id: &str) -> Option<f64> {
        self.find(user, client_id).map(|(rate, _)| rate)
    }

    /// Whether nobody is bounded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The quota that holds for those who share a balance; `None` when it is gone.
    pub(super) fn rate_of(&self, holder: &Holder) -> Option<f64> {
        let client_id = holder.client_id.as_deref();
        let Some(user) = holder.user.as_deref() else { return self.without_user.of_client(client_id?) };
        let of_users = [self.users.get(user), Some(&self.default_user)];
        of_users.into_iter().flatten().find_map(|of_user| match client_id {
            Some(client_id) => of_user.of_client(client_id),
            None => of_user.whole,
        })
    }
}

impl OfUser {
    fn of_client(&self, client_id: &str) -> Option<f64> {
        self.clients.get(client_id).copied().or(self.default_client)
    }
}

impl Holder {
    fn new(user: Option<&str>, client_id: Option<&str>) -> Self {
        Self { user: user.map(str::to_owned), client_id: client_id.map(str::to_owned) }
    }
}
