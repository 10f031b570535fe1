//! What a frame is: its one-byte opcode.

macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// A frame's opcode. Requests are below 0x80, replies above.
        ///
        /// 0x09 and 0x85 are retired and 0xFF is reserved: they are no opcodes.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[repr(u8)]
        pub enum Opcode {
            $($(#[$doc])* $name = $code,)*
        }

        impl Opcode {
            /// All of them, by number.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The opcode with this number; `None` when there is none.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// The protocol's name of it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

opcodes! {
    /// The first frame of every connection: the client's protocol version.
    Hello = 0x01, "HELLO";
    /// Authenticates with a user name and a password.
    Auth = 0x02, "AUTH";
    /// Appends one record.
    Produce = 0x03, "PRODUCE";
    /// Reads records of a topic for a group.
    Fetch = 0x04, "FETCH";
    /// Asks for records to be pushed.
    Subscribe = 0x05, "SUBSCRIBE";
    /// Commits the next offset to read.
    Commit = 0x06, "COMMIT";
    /// Creates a topic.
    CreateTopic = 0x07, "CREATE_TOPIC";
    /// Lists the topics.
    ListTopics = 0x08, "LIST_TOPICS";
    /// Ends the connection in good order.
    Goodbye = 0x0A, "GOODBYE";
    /// Asks the peer whether it is alive. Either side may.
    HeartbeatRequest = 0x0B, "HEARTBEAT_REQ";
    /// Says so.
    HeartbeatResponse = 0x0C, "HEARTBEAT_RESP";
    /// Tells the client's name and version, and asks for the server's.
    IdentifyClient = 0x0D, "IDENTIFY_CLIENT";
    /// Asks for a producer id.
    InitProducerId = 0x0E, "INIT_PRODUCER_ID";
    /// Appends one record, once.
    ProduceIdempotent = 0x0F, "PRODUCE_IDEMPOTENT";
    /// Joins a consumer group.
    JoinGroup = 0x10, "JOIN_GROUP";
    /// Leaves it.
    LeaveGroup = 0x11, "LEAVE_GROUP";
    /// Keeps a membership alive.
    GroupHeartbeat = 0x12, "GROUP_HEARTBEAT";
    /// Begins a transaction.
    BeginTxn = 0x13, "BEGIN_TXN";
    /// Commits or aborts it.
    EndTxn = 0x14, "END_TXN";
    /// Commits offsets with the transaction.
    TxnOffsetCommit = 0x15, "TXN_OFFSET_COMMIT";
    /// Says that a record could not be processed.
    Nack = 0x16, "NACK";
    /// Appends several records.
    ProduceBatch = 0x17, "PRODUCE_BATCH";
    /// Asks for a topic's offsets.
    ListOffsets = 0x18, "LIST_OFFSETS";
    /// Deletes a topic.
    DeleteTopic = 0x19, "DELETE_TOPIC";
    /// Describes a topic.
    DescribeTopic = 0x1A, "DESCRIBE_TOPIC";
    /// Changes a topic's configs.
    AlterTopicConfig = 0x1B, "ALTER_TOPIC_CONFIG";
    /// Lists the groups.
    ListGroups = 0x1C, "LIST_GROUPS";
    /// Describes a group.
    DescribeGroup = 0x1D, "DESCRIBE_GROUP";
    /// Deletes a group.
    DeleteGroup = 0x1E, "DELETE_GROUP";
    /// The first message of a SASL exchange.
    AuthScram = 0x1F, "AUTH_SCRAM";
    /// The last message of a SCRAM client.
    AuthScramFinal = 0x20, "AUTH_SCRAM_FINAL";
    /// Adds partitions to a topic.
    CreatePartitions = 0x21, "CREATE_PARTITIONS";
    /// Answers HELLO.
    Welcome = 0x80, "WELCOME";
    /// The client is who it says.
    AuthOk = 0x81, "AUTH_OK";
    /// Where a record was put.
    ProduceAck = 0x82, "PRODUCE_ACK";
    /// One record.
    Record = 0x83, "RECORD";
    /// Names of topics.
    TopicList = 0x84, "TOPIC_LIST";
    /// It is done, and there is nothing more to say.
    Ok = 0x86, "OK";
    /// The server's name, version and capabilities.
    IdentifyAck = 0x87, "IDENTIFY_ACK";
    /// A producer id and its epoch.
    ProducerId = 0x88, "PRODUCER_ID";
    /// What a group's member is to read.
    GroupAssignment = 0x89, "GROUP_ASSIGNMENT";
    /// What became of a record that could not be processed.
    NackAck = 0x8A, "NACK_ACK";
    /// Where the first records of a batch were put, and why not all.
    ProduceBatchAck = 0x8B, "PRODUCE_BATCH_ACK";
    /// Several records.
    RecordBatch = 0x8C, "RECORD_BATCH";
    /// A topic's offsets.
    Offsets = 0x8D, "OFFSETS";
    /// A topic's partitions and configs.
    TopicDescription = 0x8E, "TOPIC_DESCRIPTION";
    /// Groups with state and size.
    GroupList = 0x8F, "GROUP_LIST";
    /// A group's members and offsets.
    GroupDescription = 0x90, "GROUP_DESCRIPTION";
    /// The first message of a SCRAM server.
    AuthChallenge = 0x91, "AUTH_CHALLENGE";
    /// It is not done, and why.
    Error = 0xFE, "ERROR";
}

impl Opcode {
    /// Its number.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether a server sends it as an answer or a push.
    pub const fn is_reply(self) -> bool {
        self.code() >= FIRST_REPLY
    }
}

/// Replies have the top bit.
const FIRST_REPLY: u8 = 0x80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_their_opcodes() {
        for &opcode in Opcode::ALL {
            assert_eq!(Opcode::from_code(opcode.code()), Some(opcode), "{}", opcode.name());
        }
        assert_eq!(Opcode::ALL.len(), (0..=u8::MAX).filter_map(Opcode::from_code).count());
    }

    #[test]
    fn retired_and_reserved_numbers_are_none() {
        for code in [0x00, 0x09, 0x22, 0x7f, 0x85, 0x92, 0xff] {
            assert_eq!(Opcode::from_code(code), None, "{code:#04x}");
        }
    }
}
