//! Why an exchange fails.

/// Why a SCRAM exchange fails.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ScramError {
    /// A message is not of the form that RFC 5802 gives it.
    #[error("a SCRAM message is not in its form")]
    Malformed,
    /// The client wants the login bound to a TLS channel.
    #[error("channel binding is not offered")]
    ChannelBinding,
    /// The client demands an extension that nobody here knows.
    #[error("a mandatory SCRAM extension is not known")]
    MandatoryExtension,
    /// A message belongs to another exchange.
    #[error("the nonce is not that of this exchange")]
    Nonce,
    /// The password is wrong, or the user does not exist: nobody is told which.
    #[error("the proof is wrong")]
    Proof,
    /// The server asks for fewer iterations than are safe, or more than are sensible.
    #[error("the server asks for {iterations} iterations")]
    Iterations {
        /// What it asks for.
        iterations: u32,
    },
    /// The server does not know the user's keys: it is not who it pretends to be.
    #[error("the server's signature is wrong")]
    ServerSignature,
    /// The server refuses the login, by its final message.
    #[error("the server refuses the login")]
    Refused,
}
