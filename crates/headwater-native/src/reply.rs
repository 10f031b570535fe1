//! Everything that a server sends.

use bytes::BytesMut;

use crate::{
    CorrelationId, DecodeError, EncodeError, Frame, Message, Opcode, Payload, any_of::any_of, messages,
    messages::RecordLayout,
};

/// Lists the replies once, for the enum, its decoder and its encoder. Those in the second braces depend on a layout.
macro_rules! replies {
    ({ $($name:ident),* $(,)? } { $($laid:ident),* $(,)? }) => {
        any_of! {
            /// A reply or push of any opcode, and what either side may send at any time.
            Reply { $($name),* } { $($laid),* }
        }

        impl Reply {
            /// Reads what a server sent to a client that asked for records in this layout.
            ///
            /// # Errors
            /// [`DecodeError`]; the connection is of no use then.
            pub fn decode(frame: Frame, layout: RecordLayout) -> Result<Self, DecodeError> {
                let code = frame.opcode;
                match Opcode::from_code(code) {
                    $(Some(<messages::$name as Payload>::OPCODE) => {
                        messages::$name::decode(frame.payload).map(Self::$name)
                    })*
                    $(Some(Opcode::$laid) => messages::$laid::decode(frame.payload, layout).map(Self::$laid),)*
                    _ => Err(DecodeError::UnknownOpcode { code }),
                }
            }

            /// Appends the reply as a frame of at most `max` bytes to `out`, with records in this layout.
            ///
            /// # Errors
            /// As [`Frame::encode`].
            pub fn encode(
                &self,
                id: CorrelationId,
                layout: RecordLayout,
                max: usize,
                out: &mut BytesMut,
            ) -> Result<(), EncodeError> {
                match self {
                    $(Self::$name(message) => Frame::encode(id, message, max, out),)*
                    $(Self::$laid(message) => Frame::encode(id, &message.laid_out(layout), max, out),)*
                }
            }
        }
    };
}

replies! {
    {
        HeartbeatRequest,
        HeartbeatResponse,
        Welcome,
        AuthOk,
        ProduceAck,
        TopicList,
        Done,
        IdentifyAck,
        ProducerIdentity,
        GroupAssignment,
        NackAck,
        ProduceBatchAck,
        Offsets,
        TopicDescription,
        GroupList,
        GroupDescription,
        AuthChallenge,
        Failure,
    }
    { Record, RecordBatch }
}
