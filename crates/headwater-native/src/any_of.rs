//! Makes enums of messages that are told apart by opcode.

/// An enum of [`Message`](crate::Message)s, one variant each.
macro_rules! any_of {
    ($(#[$doc:meta])* $any:ident { $($name:ident),* $(,)? } $({ $($laid:ident),* $(,)? })?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub enum $any {
            $(#[doc = concat!("See [`", stringify!($name), "`](messages::", stringify!($name), ").")]
            $name(messages::$name),)*
            $($(#[doc = concat!("See [`", stringify!($laid), "`](messages::", stringify!($laid), ").")]
            $laid(messages::$laid),)*)?
        }

        $(impl From<messages::$name> for $any {
            fn from(message: messages::$name) -> Self {
                Self::$name(message)
            }
        })*

        $($(impl From<messages::$laid> for $any {
            fn from(message: messages::$laid) -> Self {
                Self::$laid(message)
            }
        })*)?

        impl $any {
            /// The message's opcode.
            pub const fn opcode(&self) -> Opcode {
                match self {
                    $(Self::$name(_) => <messages::$name as Payload>::OPCODE,)*
                    $($(Self::$laid(_) => Opcode::$laid,)*)?
                }
            }
        }
    };
}

pub(crate) use any_of;
