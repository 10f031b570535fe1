use proptest::prelude::*;

use super::{hash::salted_password, *};
use crate::ScramMechanism::{self, Sha256, Sha512};

const CLIENT_NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
const SERVER_NONCE: &str = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
const SALT: [u8; 16] =
    [0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e, 0xec, 0xa0, 0x4b, 0x14, 0x12, 0x36, 0xfa, 0x81];
const SERVER_FIRST: &str =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const WITHOUT_PROOF: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

fn pencil(mechanism: ScramMechanism) -> ScramCredential {
    ScramCredential::from_password(mechanism, "pencil", &SALT, 4096)
}

fn nonce(text: &str) -> Nonce {
    Nonce::from_text(text).unwrap()
}

/// A server whose challenge is that of RFC 7677.
fn challenged(mechanism: ScramMechanism, first: &str) -> ServerExchange {
    ClientFirst::parse(first.as_bytes()).unwrap().challenge(&pencil(mechanism), &nonce(SERVER_NONCE))
}

#[track_caller]
fn check_exchange(mechanism: ScramMechanism, proof: &str, signature: &str) {
    let client = ClientExchange::begin(mechanism, "user", nonce(CLIENT_NONCE));
    assert_eq!(client.first_message(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    let server = challenged(mechanism, client.first_message());
    assert_eq!(server.first_message(), SERVER_FIRST);
    let proved = client.prove("pencil", server.first_message().as_bytes()).unwrap();
    assert_eq!(proved.final_message(), format!("{WITHOUT_PROOF},p={proof}"));
    let accepted = server.finish(proved.final_message().as_bytes()).unwrap();
    assert_eq!((accepted.user(), accepted.message()), ("user", format!("v={signature}").as_str()));
    assert_eq!(proved.verify(accepted.message().as_bytes()), Ok(()));
}

/// The example of RFC 7677, section 3.
#[test]
fn speaks_the_exchange_of_rfc_7677() {
    check_exchange(
        Sha256,
        "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
    );
}

/// The same exchange by SHA-512; proof and signature are from Python's `hashlib` and `hmac`.
#[test]
fn speaks_the_same_exchange_by_sha_512() {
    check_exchange(
        Sha512,
        "gMGXRcevScNtxZ6/8lQYpGtnsNAc3mGcmNomv+xnoOMw+3R2xNJdMNnzMlTN8PPC6wdp6dybEmDYXYTxwnYPJQ==",
        "ZQnYEgWQMFmmsM8aQMF0nDDCy/AgCzkwk8CmMZYcMg0vSVlKDanekLtifDSeVGT4+5ZxXnJq199RVG2rR7N7Zw==",
    );
}

#[test]
fn refuses_first_messages_out_of_form() {
    use ScramError::{ChannelBinding, Malformed, MandatoryExtension};
    for (message, error) in [
        ("", Malformed),
        ("n,,", Malformed),
        ("n,n=user,r=abc", Malformed),
        ("x,,n=user,r=abc", Malformed),
        ("p=tls-exporter,,n=user,r=abc", ChannelBinding),
        ("n,,m=ext,n=user,r=abc", MandatoryExtension),
        ("n,,n=user,r=abc,m=ext", MandatoryExtension),
        ("n,,r=abc,n=user", Malformed),
        ("n,,n=,r=abc", Malformed),
        ("n,,n=user,r=", Malformed),
        ("n,,n=user,r=abc,", Malformed),
        ("n,,n=user,r=abc,1=x", Malformed),
        ("n,,n=user,r=abc,x", Malformed),
        ("n,,n=user,r=a\tb", Malformed),
        ("n,,n=us=er,r=abc", Malformed),
        ("n,,n=us=2cer,r=abc", Malformed),
        ("n,,n=us=2Der,r=abc", Malformed),
        ("n,,n=us\0er,r=abc", Malformed),
        ("n,b=x,n=user,r=abc", Malformed),
    ] {
        assert_eq!(ClientFirst::parse(message.as_bytes()), Err(error), "{message:?}");
    }
    assert_eq!(ClientFirst::parse(b"n,,n=\xff,r=abc"), Err(Malformed));
}

#[test]
fn reads_names_escapes_extensions_and_whom_to_act_for() {
    let first =
        ClientFirst::parse("y,a==3D=2C,n=a=2Cb=3Dc\u{e4},r=abc,tokenauth=true,n=other".as_bytes()).unwrap();
    assert_eq!((first.user(), first.authorization_id()), ("a,b=c\u{e4}", Some("=,")));
    assert_eq!(ClientFirst::parse(b"n,,n=u,r=abc").unwrap().authorization_id(), None);
}

#[test]
fn refuses_final_messages_that_are_no_answer() {
    let proof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    let check = |message: String, expected: Result<(), ScramError>| {
        let server = challenged(Sha256, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let finished = server.finish(message.as_bytes()).map(|_| ());
        assert_eq!(finished, expected, "{message}");
    };
    check(format!("{WITHOUT_PROOF},p={proof}"), Ok(()));
    check(WITHOUT_PROOF.to_owned(), Err(ScramError::Malformed));
    check(format!("{WITHOUT_PROOF},p="), Err(ScramError::Malformed));
    check(format!("{WITHOUT_PROOF},p={}", &proof[..43]), Err(ScramError::Malformed));
    // The last bits before the padding are not zero: base64, but not in its canonical form.
    check(format!("{WITHOUT_PROOF},p={}R=", &proof[..42]), Err(ScramError::Malformed));
    check(format!("{WITHOUT_PROOF},p=AAAA"), Err(ScramError::Malformed));
    check(format!("{WITHOUT_PROOF},m=x,p={proof}"), Err(ScramError::MandatoryExtension));
    // Extensions are signed, so this is somebody else's proof.
    check(format!("{WITHOUT_PROOF},x=y,p={proof}"), Err(ScramError::Proof));
    check(format!("{},p={proof}", WITHOUT_PROOF.replace("biws", "eSws")), Err(ScramError::ChannelBinding));
    check(format!("{},p={proof}", WITHOUT_PROOF.replace("$k0", "$k1")), Err(ScramError::Nonce));
    check(format!("c=biws,r={CLIENT_NONCE},p={proof}"), Err(ScramError::Nonce));
    check(format!("{WITHOUT_PROOF},p=e{}", &proof[1..]), Err(ScramError::Proof));
}

#[test]
fn proof_must_be_made_over_the_flag_that_was_sent() {
    let server = challenged(Sha256, "y,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    let proof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    let finished = server.finish(format!("{WITHOUT_PROOF},p={proof}").as_bytes());
    assert_eq!(finished, Err(ScramError::ChannelBinding));
}

#[test]
fn client_refuses_what_no_honest_server_says() {
    let client = ClientExchange::begin(Sha256, "user", nonce("abc"));
    let check = |message: &str, error| {
        assert_eq!(client.prove("pencil", message.as_bytes()).map(|_| ()), Err(error), "{message}");
    };
    check("r=abc,s=QUJD,i=4096", ScramError::Nonce);
    check("r=abdx,s=QUJD,i=4096", ScramError::Nonce);
    check("r=abcx,s=QUJD,i=4095", ScramError::Iterations { iterations: 4095 });
    check("r=abcx,s=QUJD,i=1000001", ScramError::Iterations { iterations: 1_000_001 });
    check("r=abcx,s=,i=4096", ScramError::Malformed);
    check("r=abcx,s=QUJ,i=4096", ScramError::Malformed);
    check("r=abcx,s=QUJD,i=many", ScramError::Malformed);
    check("e=other-error", ScramError::Malformed);
    let proved = client.prove("pencil", b"r=abcx,s=QUJD,i=4096").unwrap();
    assert_eq!(proved.verify(b"e=invalid-proof"), Err(ScramError::Refused));
    assert_eq!(proved.verify(b"v=QUJD"), Err(ScramError::ServerSignature));
    assert_eq!(proved.verify(b"w=QUJD"), Err(ScramError::Malformed));
}

#[test]
fn decoys_are_stable_differ_by_user_and_never_let_anybody_in() {
    let decoy = Decoy::new([7; 32]);
    for mechanism in ScramMechanism::ALL {
        let nobody = decoy.credential(mechanism, "nobody");
        assert_eq!(nobody, decoy.credential(mechanism, "nobody"));
        assert_ne!(nobody.salt(), decoy.credential(mechanism, "somebody").salt());
        assert_ne!(nobody.salt(), Decoy::new([8; 32]).credential(mechanism, "nobody").salt());
        assert_eq!(nobody.stored_key().len(), mechanism.key_len());
        assert!(!nobody.accepts_password(""));
        let client = ClientExchange::begin(mechanism, "nobody", nonce("abc"));
        let first = ClientFirst::parse(client.first_message().as_bytes()).unwrap();
        let server = first.challenge(&nobody, &nonce("def"));
        let proved = client.prove("guess", server.first_message().as_bytes()).unwrap();
        assert_eq!(server.finish(proved.final_message().as_bytes()), Err(ScramError::Proof));
    }
}

#[test]
fn credentials_come_from_passwords_salted_passwords_and_what_was_kept() {
    for mechanism in ScramMechanism::ALL {
        let made = pencil(mechanism);
        let salted = salted_password(mechanism, "pencil", &SALT, 4096);
        assert_eq!(ScramCredential::from_salted_password(mechanism, &salted, &SALT, 4096), made);
        let kept = |stored: &[u8], server: &[u8], iterations| {
            ScramCredential::from_kept(mechanism, made.salt(), stored, server, iterations)
        };
        assert_eq!(kept(made.stored_key(), made.server_key(), 4096), Some(made.clone()));
        assert_eq!(kept(&made.stored_key()[1..], made.server_key(), 4096), None);
        assert_eq!(kept(made.stored_key(), b"", 4096), None);
        assert_eq!(kept(made.stored_key(), made.server_key(), 0), None);
        assert!(made.accepts_password("pencil") && !made.accepts_password("pencils"));
        assert!(!format!("{made:?}").contains("key"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the name, the password and the nonces: the right password gets in, another one does not.
    #[test]
    fn right_password_alone_gets_in(
        user in "[^\0]{1,20}",
        password in ".{0,12}",
        other in ".{0,12}",
        random: ([u8; 18], [u8; 18]),
        by_512: bool,
    ) {
        let mechanism = if by_512 { Sha512 } else { Sha256 };
        let credential = ScramCredential::from_password(mechanism, &password, b"salt", 4096);
        let client = ClientExchange::begin(mechanism, &user, Nonce::from_random(random.0));
        let first = ClientFirst::parse(client.first_message().as_bytes()).unwrap();
        prop_assert_eq!(first.user(), &user);
        let server = first.challenge(&credential, &Nonce::from_random(random.1));
        let proved = client.prove(&password, server.first_message().as_bytes()).unwrap();
        let wrong = client.prove(&other, server.first_message().as_bytes()).unwrap();
        let accepted = server.clone().finish(proved.final_message().as_bytes()).unwrap();
        prop_assert_eq!(proved.verify(accepted.message().as_bytes()), Ok(()));
        let refused = server.finish(wrong.final_message().as_bytes());
        prop_assert_eq!(refused.is_ok(), other == password);
    }

    /// Bytes of any kind get an answer or an error.
    #[test]
    fn hostile_messages_never_panic(first in ".{0,60}", last: Vec<u8>, splice in 0usize..40) {
        let mut near = *b"n,,n=user,r=abcdefghijklmnopqrstuvwxyz,x=y";
        near[splice] = first.bytes().next().unwrap_or(0);
        for message in [first.as_bytes(), &near] {
            if let Ok(parsed) = ClientFirst::parse(message) {
                let nobody = Decoy::new([9; 32]).credential(Sha256, "nobody");
                let server = parsed.challenge(&nobody, &nonce("def"));
                prop_assert!(server.finish(&last).is_err());
            }
        }
    }
}
