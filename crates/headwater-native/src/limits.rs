//! The protocol's bounds, all in one place. Lengths are bytes.

/// The protocol version that HELLO asks for and WELCOME confirms.
pub const PROTOCOL_VERSION: u32 = 1;

/// A frame that a server takes, after its length prefix.
pub const SERVER_FRAME_BYTES_MAX: usize = 1 << 20;

/// A frame that a client takes, after its length prefix.
pub const CLIENT_FRAME_BYTES_MAX: usize = 16 << 20;

/// A key or a value that is produced, and any other string without a bound of its own.
pub const STRING_BYTES_MAX: usize = 65_536;

/// A key or a value that is delivered: a Kafka producer may have written a larger one than this protocol lets in, and a
/// dead letter is larger than the record in it. Only the frame bounds it.
pub const DELIVERED_BYTES_MAX: usize = CLIENT_FRAME_BYTES_MAX;

/// A topic's name.
pub const TOPIC_BYTES_MAX: usize = 249;

/// A group's id.
pub const GROUP_BYTES_MAX: usize = 256;

/// A member's id.
pub const MEMBER_BYTES_MAX: usize = 256;

/// A user's name.
pub const USER_BYTES_MAX: usize = 256;

/// A password.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// A client's or server's name.
pub const CLIENT_NAME_BYTES_MAX: usize = 128;

/// A client's or server's version, capabilities included.
pub const CLIENT_VERSION_BYTES_MAX: usize = 64;

/// A durable producer's name.
pub const PRODUCER_NAME_BYTES_MAX: usize = 256;

/// Why a record could not be processed.
pub const NACK_REASON_BYTES_MAX: usize = 1024;

/// A message of a SASL exchange.
pub const SASL_MESSAGE_BYTES_MAX: usize = 4096;

/// A SASL mechanism's name.
pub const SASL_MECHANISM_BYTES_MAX: usize = 64;

/// A config's name.
pub const CONFIG_KEY_BYTES_MAX: usize = 64;

/// A config's value.
pub const CONFIG_VALUE_BYTES_MAX: usize = 256;

/// Records in one PRODUCE_BATCH, PRODUCE_BATCH_ACK or RECORD_BATCH.
pub const BATCH_RECORDS_MAX: usize = 10_000;

/// Records in one idempotent PRODUCE_BATCH. More is for the server to refuse, with
/// [`ErrorCode::BATCH_TOO_LARGE`](crate::ErrorCode::BATCH_TOO_LARGE).
pub const IDEMPOTENT_BATCH_RECORDS_MAX: usize = 1024;

/// Topics that a member of a group reads.
pub const JOIN_TOPICS_MAX: usize = 256;

/// Offsets in one TXN_OFFSET_COMMIT.
pub const TXN_OFFSETS_MAX: usize = 1024;

/// Configs in one ALTER_TOPIC_CONFIG.
pub const CONFIGS_MAX: usize = 64;

/// Groups in one GROUP_LIST.
pub const GROUPS_MAX: usize = 4096;

/// Elements of the lists that have no bound of their own; the frame is the nearer one.
pub const LIST_MAX: usize = 1 << 20;
