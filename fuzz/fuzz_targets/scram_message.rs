//! SASL messages from a hostile peer: both sides of SCRAM, and PLAIN. No input gets in.
#![no_main]

use std::sync::OnceLock;

use headwater_security::{
    ClientExchange, ClientFirst, Decoy, Nonce, PlainLogin, ScramCredential, ScramMechanism, salted_password,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let &[choice, cut, ref messages @ ..] = data else { return };
    let mechanism = if choice % 2 == 0 { ScramMechanism::Sha256 } else { ScramMechanism::Sha512 };
    let (first, last) = messages.split_at(messages.len().min(cut.into()));
    if let Ok(login) = PlainLogin::parse(first) {
        assert!(!login.user.is_empty() && !login.password.is_empty());
    }
    if let Ok(parsed) = ClientFirst::parse(first) {
        assert!(!parsed.user().is_empty());
        let credential = match choice & 2 {
            0 => Decoy::new([7; 32]).credential(mechanism, parsed.user()),
            _ => kept(mechanism).clone(),
        };
        let server = parsed.challenge(&credential, &Nonce::from_random([1; 18]));
        assert!(server.first_message().starts_with("r="));
        // Half of the inputs answer the nonce that was sent: most others end there.
        let nonce = server.first_message().split(['=', ',']).nth(1).unwrap_or_default();
        let answer = [&b"c=biws,r="[..], nonce.as_bytes(), b",p=", last].concat();
        assert!(server.clone().finish(&answer).is_err(), "nobody guesses a key");
        assert!(server.finish(last).is_err(), "nobody guesses a key");
    }
    // A challenge that asks for the work of many iterations is left out: it is slow, and that is all.
    if choice & 4 == 0 && !last.windows(2).any(|pair| pair == b"i=") {
        let client = ClientExchange::begin(mechanism, "user", Nonce::from_random([2; 18]));
        let _ = client.prove("pencil", last);
    }
});

fn kept(mechanism: ScramMechanism) -> &'static ScramCredential {
    static KEPT: OnceLock<[ScramCredential; 2]> = OnceLock::new();
    let both = KEPT.get_or_init(|| {
        ScramMechanism::ALL.map(|mechanism| {
            let salted = salted_password(mechanism, "pencil", b"salt", 4096);
            ScramCredential::from_salted_password(mechanism, &salted, b"salt", 4096)
        })
    });
    &both[usize::from(mechanism == ScramMechanism::Sha512)]
}
