use std::time::{Duration, Instant};

use super::*;
use crate::{ClientExchange, PlainError, PlainUsers, ScramCredential, ScramError};

const PLAIN: &str = "PLAIN";
const SHA_256: &str = "SCRAM-SHA-256";

/// Alice with one password for everything.
struct Directory;

impl Credentials for Directory {
    fn accept_plain(&self, user: &str, password: &str) -> bool {
        matches!((user, password), ("alice" | "bob", "wonder"))
    }

    fn scram(&self, mechanism: ScramMechanism, user: &str) -> Option<ScramCredential> {
        (user == "alice").then(|| ScramCredential::from_password(mechanism, "wonder", b"salt", 4096))
    }
}

fn session(lifetime: Option<Duration>) -> SaslSession {
    let mechanisms = Mechanism::ALL[..2].iter().map(|mechanism| (*mechanism, lifetime)).collect();
    SaslSession::new(Arc::new(SaslRules { mechanisms }))
}

fn feed(session: &mut SaslSession, token: &[u8], now: Instant) -> Step {
    let nonce = Nonce::from_random([3; 18]);
    session.token(token, &Directory, &Decoy::new([1; 32]), &nonce, now)
}

fn done(lifetime: Duration) -> Step {
    Step::Done { token: Vec::new(), lifetime }
}

/// A whole SCRAM login; gives the last step.
fn scram_login(session: &mut SaslSession, user: &str, password: &str, now: Instant) -> Step {
    session.handshake(SHA_256, Framing::Requests, now).unwrap();
    let client = ClientExchange::begin(ScramMechanism::Sha256, user, Nonce::from_random([2; 18]));
    let Step::Continue { token } = feed(session, client.first_message().as_bytes(), now) else {
        panic!("a challenge")
    };
    let proved = client.prove(password, &token).unwrap();
    let step = feed(session, proved.final_message().as_bytes(), now);
    if let Step::Done { token, .. } = &step {
        proved.verify(token).unwrap();
    }
    step
}

#[test]
fn plain_login_opens_the_connection() {
    let now = Instant::now();
    let mut session = session(None);
    assert_eq!((session.phase(now), session.user()), (Phase::Handshake, None));
    session.handshake(PLAIN, Framing::Bare, now).unwrap();
    assert_eq!(session.phase(now), Phase::Token(Framing::Bare));
    assert_eq!(feed(&mut session, b"alice\0alice\0wonder", now), done(Duration::ZERO));
    assert_eq!((session.phase(now), session.user()), (Phase::Open, Some("alice")));
    assert_eq!(session.phase(now + Duration::from_secs(1 << 30)), Phase::Open, "no limit is set");
}

#[test]
fn scram_login_opens_the_connection_and_nobody_is_told_who_exists() {
    let now = Instant::now();
    let mut right = session(None);
    assert!(matches!(scram_login(&mut right, "alice", "wonder", now), Step::Done { .. }));
    assert_eq!((right.phase(now), right.user()), (Phase::Open, Some("alice")));
    for (user, password) in [("alice", "wander"), ("nobody", "wonder")] {
        let mut wrong = session(None);
        let step = scram_login(&mut wrong, user, password, now);
        assert_eq!(step, Step::Failed(LoginFailure::Scram(ScramError::Proof)), "{user}");
        assert_eq!((wrong.phase(now), wrong.user()), (Phase::Failed, None));
    }
}

#[test]
fn failed_login_is_the_end() {
    let now = Instant::now();
    for (token, failure) in [
        (&b"\0alice\0wander"[..], LoginFailure::Password),
        (b"\0carol\0wonder", LoginFailure::Password),
        (b"bob\0alice\0wonder", LoginFailure::AuthorizationId),
        (b"alice", LoginFailure::Plain(PlainError::Form)),
    ] {
        let mut session = session(None);
        session.handshake(PLAIN, Framing::Requests, now).unwrap();
        assert_eq!(feed(&mut session, token, now), Step::Failed(failure));
        assert_eq!(session.phase(now), Phase::Failed);
        assert_eq!(feed(&mut session, b"\0alice\0wonder", now), Step::Failed(LoginFailure::Unexpected));
        assert_eq!(session.handshake(PLAIN, Framing::Requests, now), Err(HandshakeRefused::Unexpected));
    }
}

#[test]
fn scram_user_may_name_itself_to_act_for_and_nobody_else() {
    let now = Instant::now();
    for (token, is_challenged) in [(&b"n,a=alice,n=alice,r=abc"[..], true), (b"n,a=bob,n=alice,r=abc", false)]
    {
        let mut session = session(None);
        session.handshake(SHA_256, Framing::Requests, now).unwrap();
        assert_eq!(matches!(feed(&mut session, token, now), Step::Continue { .. }), is_challenged);
    }
}

#[test]
fn handshakes_name_an_offered_mechanism_at_the_right_time() {
    let now = Instant::now();
    for mechanism in ["SCRAM-SHA-512", "plain", "GSSAPI", ""] {
        let mut session = session(None);
        let refused = session.handshake(mechanism, Framing::Requests, now);
        assert_eq!(refused, Err(HandshakeRefused::UnsupportedMechanism), "{mechanism}");
        assert_eq!(session.phase(now), Phase::Failed);
    }
    let mut session = session(None);
    session.handshake(PLAIN, Framing::Requests, now).unwrap();
    assert_eq!(session.handshake(PLAIN, Framing::Requests, now), Err(HandshakeRefused::Unexpected));
    assert_eq!(session.phase(now), Phase::Failed);
}

#[test]
fn token_without_a_handshake_is_the_end() {
    let now = Instant::now();
    let mut session = session(None);
    assert_eq!(feed(&mut session, b"\0alice\0wonder", now), Step::Failed(LoginFailure::Unexpected));
    assert_eq!(session.phase(now), Phase::Failed);
}

#[test]
fn session_is_renewed_before_it_expires_or_not_at_all() {
    let (start, life) = (Instant::now(), Duration::from_secs(60));
    let mut session = session(Some(life));
    session.handshake(PLAIN, Framing::Requests, start).unwrap();
    assert_eq!(feed(&mut session, b"\0alice\0wonder", start), done(life));
    assert_eq!(session.phase(start + life - Duration::from_millis(1)), Phase::Open);
    assert_eq!(session.phase(start + life), Phase::Expired);

    let later = start + Duration::from_secs(30);
    session.handshake(PLAIN, Framing::Requests, later).unwrap();
    assert_eq!(session.phase(later), Phase::Token(Framing::Requests));
    assert_eq!(feed(&mut session, b"\0alice\0wonder", later), done(life));
    assert_eq!(session.phase(start + life), Phase::Open);
    assert_eq!(session.phase(later + life), Phase::Expired);
    // Too late for requests, in time for a login.
    session.handshake(PLAIN, Framing::Requests, later + life).unwrap();
    assert_eq!(feed(&mut session, b"\0alice\0wonder", later + life), done(life));
}

#[test]
fn renewal_is_for_the_same_user_and_mechanism_and_not_too_soon() {
    let (start, life) = (Instant::now(), Duration::from_secs(60));
    let open = || {
        let mut session = session(Some(life));
        session.handshake(PLAIN, Framing::Requests, start).unwrap();
        feed(&mut session, b"\0alice\0wonder", start);
        session
    };
    let later = start + Duration::from_secs(2);

    let mut soon = open();
    let refused = soon.handshake(PLAIN, Framing::Requests, start + Duration::from_millis(999));
    assert_eq!((refused, soon.phase(start)), (Err(HandshakeRefused::TooSoon), Phase::Open));

    let mut other_user = open();
    other_user.handshake(PLAIN, Framing::Requests, later).unwrap();
    assert_eq!(feed(&mut other_user, b"\0bob\0wonder", later), Step::Failed(LoginFailure::OtherUser));
    assert_eq!(other_user.user(), Some("alice"));

    let mut other_mechanism = open();
    other_mechanism.handshake(SHA_256, Framing::Requests, later).unwrap();
    let step = feed(&mut other_mechanism, b"n,,n=alice,r=abc", later);
    assert_eq!(step, Step::Failed(LoginFailure::OtherMechanism));
}

#[test]
fn listed_users_know_nothing_of_scram() {
    let users: PlainUsers = [("a".to_owned(), "b".to_owned())].into_iter().collect();
    assert!(users.accept_plain("a", "b"));
    assert_eq!(users.scram(ScramMechanism::Sha256, "a"), None);
}
