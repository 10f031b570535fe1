//! Everything that a client sends.

use bytes::BytesMut;

use crate::{
    CorrelationId, DecodeError, EncodeError, Frame, Message, Opcode, Payload, any_of::any_of, messages,
};

/// Lists the requests once, for the enum, its decoder and its encoder.
macro_rules! requests {
    ($($name:ident),* $(,)?) => {
        any_of! {
            /// A request of any opcode, and what either side may send at any time.
            Request { $($name),* }
        }

        impl Request {
            /// Reads what a client sent.
            ///
            /// # Errors
            /// [`DecodeError`], whose [`code`](DecodeError::code) is the answer.
            pub fn decode(frame: Frame) -> Result<Self, DecodeError> {
                let code = frame.opcode;
                match Opcode::from_code(code) {
                    $(Some(<messages::$name as Payload>::OPCODE) => {
                        messages::$name::decode(frame.payload).map(Self::$name)
                    })*
                    _ => Err(DecodeError::UnknownOpcode { code }),
                }
            }

            /// Appends the request as a frame of at most `max` bytes to `out`.
            ///
            /// # Errors
            /// As [`Frame::encode`].
            pub fn encode(&self, id: CorrelationId, max: usize, out: &mut BytesMut) -> Result<(), EncodeError> {
                match self {
                    $(Self::$name(message) => Frame::encode(id, message, max, out),)*
                }
            }
        }
    };
}

requests! {
    Hello,
    Auth,
    Produce,
    Fetch,
    Subscribe,
    Commit,
    CreateTopic,
    ListTopics,
    Goodbye,
    HeartbeatRequest,
    HeartbeatResponse,
    IdentifyClient,
    InitProducerId,
    ProduceIdempotent,
    JoinGroup,
    LeaveGroup,
    GroupHeartbeat,
    BeginTxn,
    EndTxn,
    TxnOffsetCommit,
    Nack,
    ProduceBatch,
    ListOffsets,
    DeleteTopic,
    DescribeTopic,
    AlterTopicConfig,
    ListGroups,
    DescribeGroup,
    DeleteGroup,
    AuthScram,
    AuthScramFinal,
    CreatePartitions,
}
