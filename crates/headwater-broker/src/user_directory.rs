//! The users of a broker that does not run.

use std::sync::Arc;

use headwater_security::{ScramCredential, ScramMechanism};
use headwater_storage::{ScramChange, SystemClock};
use tokio::task::spawn_blocking;

use crate::{
    broker::{MetadataAlone, StartError},
    config::Config,
    users::{Users, stored},
};

/// The users of a broker that does not run: its metadata, opened and locked by somebody else for a moment.
///
/// The first user of a broker that lets nobody in without a login is added this way.
pub struct UserDirectory {
    users: Users,
    opened: MetadataAlone,
}

/// One credential of one user.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct UserCredential {
    /// The user's name.
    pub user: String,
    /// What the credential is for; `None` when nobody knows that mechanism here.
    pub mechanism: Option<ScramMechanism>,
    /// How often the password was hashed.
    pub iterations: i32,
}

impl UserDirectory {
    /// Opens the metadata in the directories of `config`, which a broker must not be using. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`StartError`], as the broker's own start.
    pub async fn open(config: Config) -> Result<Self, StartError> {
        let opened =
            spawn_blocking(move || MetadataAlone::open(&config, Vec::new(), Arc::new(SystemClock))).await??;
        Ok(Self { users: Users::new(opened.store().clone()), opened })
    }

    /// Every credential, in the order of users and mechanisms.
    pub fn credentials(&self) -> Vec<UserCredential> {
        let image = self.users.image();
        let all = image.scram_credentials().map(|credential| UserCredential {
            mechanism: ScramMechanism::from_code(credential.mechanism),
            user: credential.user,
            iterations: credential.iterations,
        });
        all.collect()
    }

    /// Sets a user's password for a mechanism. As slow as the iterations say.
    ///
    /// # Errors
    /// [`StartError::Metadata`] when it cannot be written.
    pub async fn set_password(
        &self,
        user: &str,
        mechanism: ScramMechanism,
        password: &str,
        iterations: u32,
    ) -> Result<(), StartError> {
        let salt: [u8; SALT_LEN] = rand::random();
        let credential = ScramCredential::from_password(mechanism, password, &salt, iterations);
        self.users.alter(vec![ScramChange::Put(stored(user, &credential))]).await?;
        Ok(())
    }

    /// Removes a user's credential for one mechanism, or for all; gives how many there were.
    ///
    /// # Errors
    /// [`StartError::Metadata`] when it cannot be written.
    pub async fn remove(&self, user: &str, mechanism: Option<ScramMechanism>) -> Result<usize, StartError> {
        let image = self.users.image();
        let is_meant = |of: i8| mechanism.is_none_or(|mechanism| mechanism.code() == of);
        let changes: Vec<_> = image
            .scram_credentials()
            .filter(|credential| credential.user == user && is_meant(credential.mechanism))
            .map(|credential| ScramChange::Remove { user: credential.user, mechanism: credential.mechanism })
            .collect();
        let count = changes.len();
        self.users.alter(changes).await?;
        Ok(count)
    }

    /// Makes everything durable and lets go of the directories.
    ///
    /// # Errors
    /// [`StartError::Metadata`] when that fails.
    pub async fn close(self) -> Result<(), StartError> {
        self.opened.store().close().await?;
        Ok(())
    }
}

/// How long a new salt is, in bytes.
const SALT_LEN: usize = 26;
