//! SCRAM credentials set, removed and described (KIP-554).

use headwater_codec::{
    ErrorCode,
    messages::{
        alter_user_scram_credentials::{
            AlterUserScramCredentialsRequest, ScramCredentialDeletion, ScramCredentialUpsertion,
        },
        describe_user_scram_credentials::{DescribeUserScramCredentialsRequest, UserName},
    },
};
use headwater_security::{ScramMechanism, salted_password};

use crate::harness::{Client, TestBroker};

fn upsertion(user: &str, mechanism: i8, iterations: i32) -> ScramCredentialUpsertion {
    let (name, salt, salted_password) = (user.into(), "some salt".into(), vec![7; 32].into());
    ScramCredentialUpsertion { name, mechanism, iterations, salt, salted_password, ..Default::default() }
}

fn deletion(user: &str, mechanism: i8) -> ScramCredentialDeletion {
    ScramCredentialDeletion { name: user.into(), mechanism, ..Default::default() }
}

/// Sets a user's password.
pub(crate) async fn put_user(
    client: &mut Client,
    user: &str,
    mechanism: ScramMechanism,
    password: &str,
) -> ErrorCode {
    let salted_password = salted_password(mechanism, password, b"some salt", 4096).into();
    let upsertions =
        vec![ScramCredentialUpsertion { salted_password, ..upsertion(user, mechanism.code(), 4096) }];
    let request = AlterUserScramCredentialsRequest { upsertions, ..Default::default() };
    client.call(0, &request).await.results[0].error_code
}

/// By user the code, in the order of the names.
async fn alter(
    client: &mut Client,
    deletions: Vec<ScramCredentialDeletion>,
    upsertions: Vec<ScramCredentialUpsertion>,
) -> Vec<(String, i16)> {
    let request = AlterUserScramCredentialsRequest { deletions, upsertions, ..Default::default() };
    let results = client.call(0, &request).await.results;
    results.iter().map(|result| (result.user.to_string(), result.error_code.code())).collect()
}

/// By user the code, and mechanisms with iterations.
async fn describe(client: &mut Client, users: Option<&[&str]>) -> Vec<(String, i16, Vec<(i8, i32)>)> {
    let named = |name: &&str| UserName { name: (*name).into(), ..Default::default() };
    let users = users.map(|users| users.iter().map(named).collect());
    let answer = client.call(0, &DescribeUserScramCredentialsRequest { users, ..Default::default() }).await;
    assert_eq!(answer.error_code, ErrorCode::None);
    let infos = answer.results.iter().map(|result| {
        let infos = result.credential_infos.iter().map(|info| (info.mechanism, info.iterations)).collect();
        (result.user.to_string(), result.error_code.code(), infos)
    });
    infos.collect()
}

fn one(user: &str, code: i16) -> Vec<(String, i16)> {
    vec![(user.to_owned(), code)]
}

/// Field case C42, first and second part.
#[tokio::test]
async fn weak_strong_nameless_unknown_and_absent_credentials_are_refused() {
    let broker = TestBroker::start().await;
    let client = &mut broker.client().await;
    for (user, iterations, code) in
        [("u", 4095, 93), ("u", 16_385, 93), ("u", -1, 93), ("u", 4096, 0), ("u", 16_384, 0), ("", 4096, 93)]
    {
        let answer = alter(client, vec![], vec![upsertion(user, 1, iterations)]).await;
        assert_eq!(answer, one(user, code), "{user} {iterations}");
    }
    for mechanism in [0, 3, 9, -1] {
        assert_eq!(alter(client, vec![], vec![upsertion("v", mechanism, 4096)]).await, one("v", 33));
        assert_eq!(alter(client, vec![deletion("u", mechanism)], vec![]).await, one("u", 33));
    }
    assert_eq!(alter(client, vec![deletion("v", 1)], vec![]).await, one("v", 91));
    assert_eq!(alter(client, vec![deletion("u", 2)], vec![]).await, one("u", 91), "the other mechanism");
    assert_eq!(describe(client, None).await, [("u".to_owned(), 0, vec![(1, 16_384)])]);
}

/// Field case C42, third part: Kafka compares names alone, and judges deletions first.
#[tokio::test]
async fn user_who_is_in_a_request_twice_is_refused_whole() {
    let broker = TestBroker::start().await;
    let client = &mut broker.client().await;
    let both = vec![upsertion("a", 1, 4096), upsertion("a", 2, 4096), upsertion("b", 1, 4096)];
    assert_eq!(alter(client, vec![], both).await, [("a".to_owned(), 92), ("b".to_owned(), 0)]);
    assert_eq!(describe(client, Some(&["a"])).await[0].1, 91, "nothing was applied");
    assert_eq!(alter(client, vec![deletion("a", 1)], vec![upsertion("a", 1, 4096)]).await, one("a", 91));
    assert_eq!(alter(client, vec![], vec![upsertion("a", 1, 4096)]).await, one("a", 0));
    assert_eq!(alter(client, vec![deletion("a", 1)], vec![upsertion("a", 1, 8192)]).await, one("a", 92));
    assert_eq!(alter(client, vec![deletion("a", 1), deletion("a", 1)], vec![]).await, one("a", 92));
    assert_eq!(alter(client, vec![], vec![upsertion("a", 2, 8192)]).await, one("a", 0));
    assert_eq!(describe(client, Some(&["a"])).await, [("a".to_owned(), 0, vec![(1, 4096), (2, 8192)])]);
    assert_eq!(alter(client, vec![deletion("a", 1)], vec![]).await, one("a", 0));
    assert_eq!(describe(client, Some(&["a"])).await, [("a".to_owned(), 0, vec![(2, 8192)])]);
}

/// Field case C42, fourth part.
#[tokio::test]
async fn description_tells_mechanisms_and_iterations_and_lasts() {
    let mut broker = TestBroker::start().await;
    let client = &mut broker.client().await;
    let users = vec![upsertion("a", 1, 4096), upsertion("b", 2, 5000)];
    alter(client, vec![], users).await;
    let all = [("a".to_owned(), 0, vec![(1, 4096)]), ("b".to_owned(), 0, vec![(2, 5000)])];
    assert_eq!(describe(client, None).await, all);
    assert_eq!(describe(client, Some(&[])).await, all);
    let named = describe(client, Some(&["b", "ghost", "a", "a"])).await;
    let expected = [("a".to_owned(), 92, vec![]), all[1].clone(), ("ghost".to_owned(), 91, vec![])];
    assert_eq!(named, expected);
    broker.restart().await;
    assert_eq!(describe(&mut broker.client().await, None).await, all);
}
