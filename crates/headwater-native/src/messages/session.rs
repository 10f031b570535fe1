//! The frames that open, keep and end a connection.

use headwater_codec::Str;

use crate::{limits, wire::message};

message! {
    /// HELLO: the first frame of a connection. Another version than
    /// [`PROTOCOL_VERSION`](limits::PROTOCOL_VERSION) is answered with BAD_PROTOCOL and the connection closes.
    Hello, Hello {
        /// The protocol version that the client speaks.
        version: u32 => u32,
    }
}

message! {
    /// WELCOME: the server speaks the client's version.
    Welcome, Welcome {
        /// The protocol version.
        version: u32 => u32,
    }
}

message! {
    /// IDENTIFY_CLIENT: who the client is, for logs.
    IdentifyClient, IdentifyClient {
        /// The client's name.
        name: Str => text(limits::CLIENT_NAME_BYTES_MAX),
        /// The client's version.
        version: Str => text(limits::CLIENT_VERSION_BYTES_MAX),
    }
}

message! {
    /// IDENTIFY_ACK: who the server is. [`Capabilities`](crate::Capabilities) reads and writes the version text.
    IdentifyAck, IdentifyAck {
        /// The server's name.
        server: Str => text(limits::CLIENT_NAME_BYTES_MAX),
        /// The server's version and what it can do.
        version: Str => text(limits::CLIENT_VERSION_BYTES_MAX),
    }
}

message! {
    /// GOODBYE: the client leaves. There is no answer.
    Goodbye, Goodbye {}
}

message! {
    /// HEARTBEAT_REQ: from either side, at any time.
    HeartbeatRequest, HeartbeatRequest {}
}

message! {
    /// HEARTBEAT_RESP: repeats the correlation id of the request.
    HeartbeatResponse, HeartbeatResponse {}
}
