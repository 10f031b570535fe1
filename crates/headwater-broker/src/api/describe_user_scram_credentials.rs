//! DescribeUserScramCredentials (key 50, version 0). Which mechanisms users have, with how many iterations (KIP-554).
//!
//! - No users named, or null: all of them. No right to describe the cluster: 31 at the top.
//! - A user without credentials: 91; one who is named twice: 92. Salts and keys are never told.

use std::collections::BTreeMap;

use headwater_codec::{
    ErrorCode, Str,
    messages::describe_user_scram_credentials::{
        CredentialInfo, DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse,
        DescribeUserScramCredentialsResult,
    },
};
use headwater_security::ScramMechanism;
use headwater_storage::MetadataImage;

use crate::{
    context::Context,
    security::{Operation, Resource},
};

pub(super) async fn handle(
    cx: &Context,
    request: DescribeUserScramCredentialsRequest,
) -> DescribeUserScramCredentialsResponse {
    if let Err(error_code) = cx.authorize(Operation::Describe, Resource::Cluster) {
        return DescribeUserScramCredentialsResponse { error_code, ..Default::default() };
    }
    let image = cx.users().image();
    let mut named: BTreeMap<Str, usize> = BTreeMap::new();
    match request.users.filter(|users| !users.is_empty()) {
        Some(users) => users.into_iter().for_each(|user| *named.entry(user.name).or_default() += 1),
        None => named.extend(image.scram_credentials().map(|credential| (Str::from(credential.user), 1))),
    }
    let results = named.into_iter().map(|(user, times)| describe(&image, user, times)).collect();
    DescribeUserScramCredentialsResponse { error_message: None, results, ..Default::default() }
}

fn describe(image: &MetadataImage, user: Str, times: usize) -> DescribeUserScramCredentialsResult {
    let infos = ScramMechanism::ALL.iter().filter_map(|mechanism| {
        let credential = image.scram_credential(&user, mechanism.code())?;
        let iterations = credential.iterations;
        Some(CredentialInfo { mechanism: mechanism.code(), iterations, ..Default::default() })
    });
    let credential_infos: Vec<_> = if times == 1 { infos.collect() } else { Vec::new() };
    let refusal = match times {
        1 if credential_infos.is_empty() => Some((
            ErrorCode::ResourceNotFound,
            format!("Attempt to describe a user credential that does not exist: {user}"),
        )),
        1 => None,
        _ => Some((
            ErrorCode::DuplicateResource,
            format!("Cannot describe SCRAM credentials for the same user twice in a single request: {user}"),
        )),
    };
    let (error_code, error_message) =
        refusal.map_or((ErrorCode::None, None), |(code, message)| (code, Some(Str::from(message))));
    DescribeUserScramCredentialsResult {
        user,
        error_code,
        error_message,
        credential_infos,
        ..Default::default()
    }
}
