//! AlterUserScramCredentials (key 51, version 0). Sets and removes SCRAM credentials (KIP-554).
//!
//! - Codes by user, deletions judged first: no right to alter the cluster 31; an empty name 93; an unknown mechanism 33;
//!   deleting what is not there 91; fewer than 4096 or more than 16384 iterations 93.
//! - A user who is in the request twice, by whatever mechanisms: 92, and nothing of it happens. A user whose first part
//!   was refused keeps that refusal.
//! - What is not refused takes effect together, and is durable when it is answered. Who is logged in stays so.

use std::collections::BTreeMap;

use headwater_codec::{
    ErrorCode, Str,
    messages::alter_user_scram_credentials::{
        AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse, AlterUserScramCredentialsResult,
        ScramCredentialDeletion, ScramCredentialUpsertion,
    },
};
use headwater_security::{ITERATIONS_MAX, ITERATIONS_MIN, ScramCredential, ScramMechanism};
use headwater_storage::{MetadataImage, ScramChange};

use super::refusal::Refusal;
use crate::{
    context::Context,
    error_code,
    security::{Operation, Resource},
    users::stored,
};

pub(super) async fn handle(
    cx: &Context,
    request: AlterUserScramCredentialsRequest,
) -> AlterUserScramCredentialsResponse {
    let mut judged = match cx.authorize(Operation::Alter, Resource::Cluster) {
        Ok(()) => judge(&cx.users().image(), request),
        Err(code) => refuse_all(code, request),
    };
    let changes: Vec<_> = judged.values_mut().filter_map(|outcome| outcome.as_mut().ok()?.take()).collect();
    let failure = match changes.is_empty() {
        true => None,
        false => cx.users().alter(changes).await.err(),
    };
    let results = judged.into_iter().map(|(user, outcome)| {
        let refusal = match (outcome, &failure) {
            (Err(refusal), _) => Some((refusal.code, refusal.message)),
            (Ok(_), Some(error)) => Some((error_code::metadata(error), error.to_string().into())),
            (Ok(_), None) => None,
        };
        let (error_code, error_message) =
            refusal.map_or((ErrorCode::None, None), |(code, message)| (code, Some(message)));
        AlterUserScramCredentialsResult { user, error_code, error_message, ..Default::default() }
    });
    AlterUserScramCredentialsResponse { results: results.collect(), ..Default::default() }
}

/// By user what is to be done, or why not.
type Judged = BTreeMap<Str, Result<Option<ScramChange>, Refusal>>;

fn judge(image: &MetadataImage, request: AlterUserScramCredentialsRequest) -> Judged {
    let mut judged = Judged::new();
    for deletion in request.deletions {
        let change = delete(image, &deletion);
        put(&mut judged, deletion.name, change);
    }
    for upsertion in request.upsertions {
        let change = upsert(&upsertion);
        put(&mut judged, upsertion.name, change);
    }
    judged
}

fn put(judged: &mut Judged, user: Str, change: Result<ScramChange, Refusal>) {
    match judged.get_mut(&user) {
        Some(earlier @ Ok(_)) => {
            *earlier = Err(Refusal::new(
                ErrorCode::DuplicateResource,
                "A user credential cannot be altered twice in the same request",
            ));
        }
        Some(Err(_)) => {}
        None => {
            judged.insert(user, change.map(Some));
        }
    }
}

fn delete(image: &MetadataImage, deletion: &ScramCredentialDeletion) -> Result<ScramChange, Refusal> {
    let mechanism = check(&deletion.name, deletion.mechanism)?;
    if image.scram_credential(&deletion.name, mechanism.code()).is_none() {
        return Err(Refusal::new(
            ErrorCode::ResourceNotFound,
            "Attempt to delete a user credential that does not exist",
        ));
    }
    Ok(ScramChange::Remove { user: deletion.name.to_string(), mechanism: mechanism.code() })
}

fn upsert(upsertion: &ScramCredentialUpsertion) -> Result<ScramChange, Refusal> {
    let mechanism = check(&upsertion.name, upsertion.mechanism)?;
    let iterations = u32::try_from(upsertion.iterations).unwrap_or(0);
    if iterations < ITERATIONS_MIN {
        return Err(unacceptable("Too few iterations"));
    }
    if iterations > ITERATIONS_MAX {
        return Err(unacceptable("Too many iterations"));
    }
    let credential = ScramCredential::from_salted_password(
        mechanism,
        &upsertion.salted_password,
        &upsertion.salt,
        iterations,
    );
    Ok(ScramChange::Put(stored(&upsertion.name, &credential)))
}

fn check(user: &str, mechanism: i8) -> Result<ScramMechanism, Refusal> {
    if user.is_empty() {
        return Err(unacceptable("Username must not be empty"));
    }
    ScramMechanism::from_code(mechanism)
        .ok_or_else(|| Refusal::new(ErrorCode::UnsupportedSaslMechanism, "Unknown SCRAM mechanism"))
}

fn unacceptable(message: &'static str) -> Refusal {
    Refusal::new(ErrorCode::UnacceptableCredential, message)
}

fn refuse_all(code: ErrorCode, request: AlterUserScramCredentialsRequest) -> Judged {
    let deletions = request.deletions.into_iter().map(|deletion| deletion.name);
    let users = deletions.chain(request.upsertions.into_iter().map(|upsertion| upsertion.name));
    users.map(|user| (user, Err(Refusal::from(code)))).collect()
}
