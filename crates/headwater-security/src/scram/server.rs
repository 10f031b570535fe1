//! The server's side.

use subtle::ConstantTimeEq;

use super::{
    credential::ScramCredential,
    error::ScramError,
    hash::{hash, hmac, xor},
    message::{attribute, decode, encode, extensions, nonce, text, unescape},
    nonce::Nonce,
};

/// The client's first message: who wants to log in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClientFirst {
    /// What stands before the message proper: flag and authorization id, with both commas.
    gs2_header: String,
    /// The message proper, which is signed.
    bare: String,
    user: String,
    authorization_id: Option<String>,
    nonce: String,
}

/// An exchange whose challenge is made.
#[derive(Clone, Debug)]
pub struct ServerExchange {
    gs2_header: String,
    user: String,
    /// Both messages so far, with a comma between them.
    messages: String,
    first_message_at: usize,
    nonce: String,
    credential: ScramCredential,
}

/// An exchange that has succeeded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Accepted {
    user: String,
    message: String,
}

impl ClientFirst {
    /// Reads `n,,n=user,r=nonce`. A client that says it could bind to a channel (`y`) is as welcome as one that cannot.
    ///
    /// # Errors
    /// [`ScramError::Malformed`], [`ScramError::ChannelBinding`] and [`ScramError::MandatoryExtension`].
    pub fn parse(message: &[u8]) -> Result<Self, ScramError> {
        let message = text(message)?;
        let (flag, rest) = message.split_once(',').ok_or(ScramError::Malformed)?;
        match flag {
            "n" | "y" => {}
            bound if bound.starts_with("p=") => return Err(ScramError::ChannelBinding),
            _ => return Err(ScramError::Malformed),
        }
        let (authorization_id, bare) = rest.split_once(',').ok_or(ScramError::Malformed)?;
        let authorization_id = match authorization_id.strip_prefix("a=") {
            Some(name) => Some(unescape(name)?),
            None if authorization_id.is_empty() => None,
            None => return Err(ScramError::Malformed),
        };
        let mut rest = bare;
        let user = unescape(attribute(&mut rest, 'n')?)?;
        let nonce = nonce(&mut rest)?.to_owned();
        extensions(rest)?;
        let gs2_header = message.get(..message.len() - bare.len()).unwrap_or_default().to_owned();
        Ok(Self { gs2_header, bare: bare.to_owned(), user, authorization_id, nonce })
    }

    /// Who wants to log in.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Whom the client wants to act for, when it says so.
    pub fn authorization_id(&self) -> Option<&str> {
        self.authorization_id.as_deref()
    }

    /// Makes the challenge. The nonce must be new; the credential is the user's, or a
    /// [`Decoy`](super::Decoy)'s when there is no such user.
    pub fn challenge(self, credential: &ScramCredential, server_nonce: &Nonce) -> ServerExchange {
        let nonce = format!("{}{server_nonce}", self.nonce);
        let mut messages = self.bare;
        messages.push(',');
        let first_message_at = messages.len();
        messages.push_str(&format!("r={nonce},s={},i={}", encode(&credential.salt), credential.iterations));
        ServerExchange {
            gs2_header: self.gs2_header,
            user: self.user,
            messages,
            first_message_at,
            nonce,
            credential: credential.clone(),
        }
    }
}

impl ServerExchange {
    /// The challenge, to be sent.
    pub fn first_message(&self) -> &str {
        self.messages.get(self.first_message_at..).unwrap_or_default()
    }

    /// Who wants to log in.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Judges the client's proof.
    ///
    /// # Errors
    /// [`ScramError::Proof`] for a wrong password as for a user that does not exist; [`ScramError::Malformed`],
    /// [`ScramError::ChannelBinding`], [`ScramError::MandatoryExtension`] and [`ScramError::Nonce`] for what is no answer
    /// to the challenge.
    pub fn finish(self, client_final: &[u8]) -> Result<Accepted, ScramError> {
        let message = text(client_final)?;
        let (without_proof, proof) = message.rsplit_once(",p=").ok_or(ScramError::Malformed)?;
        let mut rest = without_proof;
        let binding = attribute(&mut rest, 'c')?;
        let client_nonce = nonce(&mut rest)?;
        extensions(rest)?;
        let proof = decode(proof)?;
        if decode(binding)? != self.gs2_header.as_bytes() {
            return Err(ScramError::ChannelBinding);
        }
        if client_nonce != self.nonce {
            return Err(ScramError::Nonce);
        }
        let mechanism = self.credential.mechanism;
        if proof.len() != mechanism.key_len() {
            return Err(ScramError::Malformed);
        }
        let signed = format!("{},{without_proof}", self.messages);
        let signature = hmac(mechanism, &self.credential.stored_key, signed.as_bytes());
        let stored_key = hash(mechanism, &xor(&proof, &signature));
        let is_right = bool::from(stored_key.ct_eq(&self.credential.stored_key));
        if !is_right || self.credential.is_decoy {
            return Err(ScramError::Proof);
        }
        let signature = hmac(mechanism, &self.credential.server_key, signed.as_bytes());
        Ok(Accepted { user: self.user, message: format!("v={}", encode(&signature)) })
    }
}

impl Accepted {
    /// Who has logged in.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The final message, by which the client knows the server.
    pub fn message(&self) -> &str {
        &self.message
    }
}
