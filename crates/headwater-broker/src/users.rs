//! Users with SCRAM credentials: looked up in the metadata, and changed there.

use std::sync::Arc;

use headwater_security::{Decoy, ScramCredential, ScramMechanism};
use headwater_storage::{
    Fence, MetadataError, MetadataImage, MetadataStore, ScramChange, StoredScramCredential,
};

/// The users that the metadata knows. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Users {
    metadata: Arc<dyn MetadataStore>,
    decoy: Decoy,
}

impl Users {
    /// The users of that store.
    pub(crate) fn new(metadata: Arc<dyn MetadataStore>) -> Self {
        Self { metadata, decoy: Decoy::new(rand::random()) }
    }

    /// What is kept of a user's password for a mechanism. A credential that no login could succeed with is none.
    pub(crate) fn credential(&self, mechanism: ScramMechanism, user: &str) -> Option<ScramCredential> {
        let kept = self.metadata.image().scram_credential(user, mechanism.code())?;
        ScramCredential::from_kept(
            mechanism,
            &kept.salt,
            &kept.stored_key,
            &kept.server_key,
            u32::try_from(kept.iterations).ok()?,
        )
    }

    /// Whether nobody has a credential.
    pub(crate) fn is_empty(&self) -> bool {
        self.metadata.image().scram_credentials().next().is_none()
    }

    /// Whether that is the user's password, for logins that send it in the clear. Slow, as slow for users that do not exist:
    /// not for a thread that serves others.
    pub(crate) fn accept_password(&self, user: &str, password: &str) -> bool {
        let known = ScramMechanism::ALL.iter().find_map(|mechanism| self.credential(*mechanism, user));
        let credential = known.unwrap_or_else(|| self.decoy.credential(ScramMechanism::Sha256, user));
        credential.accepts_password(password)
    }

    /// What stands for users that do not exist.
    pub(crate) fn decoy(&self) -> &Decoy {
        &self.decoy
    }

    /// All metadata, to read credentials from.
    pub(crate) fn image(&self) -> Arc<MetadataImage> {
        self.metadata.image()
    }

    /// Sets and removes credentials, all or none.
    ///
    /// # Errors
    /// Whatever keeps the store from writing.
    pub(crate) async fn alter(&self, changes: Vec<ScramChange>) -> Result<(), MetadataError> {
        self.metadata.alter_scram_credentials(changes, Fence::default()).await
    }
}

/// A credential as the metadata keeps it.
pub(crate) fn stored(user: &str, credential: &ScramCredential) -> StoredScramCredential {
    StoredScramCredential {
        user: user.to_owned(),
        mechanism: credential.mechanism().code(),
        salt: credential.salt().to_vec().into(),
        stored_key: credential.stored_key().to_vec().into(),
        server_key: credential.server_key().to_vec().into(),
        iterations: i32::try_from(credential.iterations()).unwrap_or(i32::MAX),
    }
}
