//! Which request is legal at which point of a connection. No I/O and no time: a server asks before it acts.

use headwater_codec::GroupId;

use crate::{
    ErrorCode, Opcode,
    messages::{Failure, Fetch, FetchFlags, Isolation, RecordLayout, Subscribe},
};

/// How far a connection has come.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Phase {
    /// Nothing but HELLO is expected.
    #[default]
    New,
    /// The versions agree; the client must authenticate.
    Greeted,
    /// The client may do whatever its user may.
    Authenticated,
    /// Nothing is read any more.
    Closed,
}

/// How a connection gets its records.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Delivery {
    /// By FETCH.
    Pull,
    /// By SUBSCRIBE.
    Push,
}

/// The state of one connection: its phase, and what its first FETCH, SUBSCRIBE or JOIN_GROUP settled for its whole life.
///
/// ```
/// use headwater_native::{ErrorCode, Opcode, Phase, Session};
///
/// let mut session = Session::default();
/// assert_eq!(session.admit(Opcode::Produce).unwrap_err().code, ErrorCode::BAD_FRAME);
/// session.admit(Opcode::Hello)?;
/// session.enter(Phase::Greeted);
/// session.admit(Opcode::Auth)?;
/// session.enter(Phase::Authenticated);
/// session.admit(Opcode::Produce)?;
/// # Ok::<(), headwater_native::messages::Failure>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Session {
    phase: Phase,
    group: Option<GroupId>,
    reading: Option<Reading>,
}

/// What the first FETCH or SUBSCRIBE settled.
#[derive(Clone, Copy, Debug)]
struct Reading {
    delivery: Delivery,
    isolation: Isolation,
}

impl Session {
    /// How far the connection has come.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Goes on to a later phase. Going back is not possible and does nothing.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = self.phase.max(phase);
    }

    /// Whether a request with this opcode may be handled now. A refusal is answered, and the connection stays open.
    ///
    /// # Errors
    /// [`ErrorCode::UNKNOWN_OP`] for an opcode that only servers send, [`ErrorCode::BAD_FRAME`] for one that is not
    /// allowed in this phase.
    pub fn admit(&self, opcode: Opcode) -> Result<(), Failure> {
        if opcode.is_reply() {
            let message = format!("{} is not for clients to send", opcode.name());
            return Err(Failure::new(ErrorCode::UNKNOWN_OP, message));
        }
        if self.is_legal(opcode) {
            return Ok(());
        }
        let when = match self.phase {
            Phase::New => "before HELLO",
            Phase::Greeted => "before authentication",
            Phase::Authenticated => "after authentication",
            Phase::Closed => "on a closed connection",
        };
        Err(Failure::new(ErrorCode::BAD_FRAME, format!("{} is not allowed {when}", opcode.name())))
    }

    fn is_legal(&self, opcode: Opcode) -> bool {
        let authentication = matches!(opcode, Opcode::Auth | Opcode::AuthScram | Opcode::AuthScramFinal);
        match opcode {
            Opcode::HeartbeatRequest | Opcode::HeartbeatResponse | Opcode::Goodbye => {
                self.phase != Phase::Closed
            }
            Opcode::Hello => self.phase == Phase::New,
            Opcode::IdentifyClient => matches!(self.phase, Phase::Greeted | Phase::Authenticated),
            _ if authentication => self.phase == Phase::Greeted,
            _ => self.phase == Phase::Authenticated,
        }
    }

    /// The group to which the connection belongs, once it named one.
    pub const fn group(&self) -> Option<&GroupId> {
        self.group.as_ref()
    }

    /// Whether the connection pulls or is pushed to, once it does either.
    pub fn delivery(&self) -> Option<Delivery> {
        self.reading.map(|reading| reading.delivery)
    }

    /// Which records the connection sees.
    pub fn isolation(&self) -> Isolation {
        self.reading.map(|reading| reading.isolation).unwrap_or_default()
    }

    /// Binds the connection to a group, as JOIN_GROUP does.
    ///
    /// # Errors
    /// [`ErrorCode::GROUP_CONFLICT`] when it belongs to another one.
    pub fn join(&mut self, group: &GroupId) -> Result<(), Failure> {
        match &self.group {
            Some(bound) if bound != group => {
                let message = format!("this connection belongs to group {bound}");
                Err(Failure::new(ErrorCode::GROUP_CONFLICT, message))
            }
            Some(_) => Ok(()),
            None => {
                self.group = Some(group.detached());
                Ok(())
            }
        }
    }

    /// Admits a FETCH and settles what it settles; the layout is that of its answer.
    ///
    /// # Errors
    /// [`ErrorCode::BAD_PROTOCOL`] when the connection is pushed to or reads with another isolation,
    /// [`ErrorCode::GROUP_CONFLICT`] when it belongs to another group.
    pub fn fetch(&mut self, fetch: &Fetch) -> Result<RecordLayout, Failure> {
        self.read(Delivery::Pull, &fetch.group, fetch.isolation, fetch.flags)
    }

    /// Admits a SUBSCRIBE and settles what it settles; the layout is that of the pushed records.
    ///
    /// # Errors
    /// [`ErrorCode::BAD_PROTOCOL`] when the connection pulls or reads with another isolation,
    /// [`ErrorCode::GROUP_CONFLICT`] when it belongs to another group.
    pub fn subscribe(&mut self, subscribe: &Subscribe) -> Result<RecordLayout, Failure> {
        self.read(Delivery::Push, &subscribe.group, subscribe.isolation, subscribe.flags)
    }

    fn read(
        &mut self,
        delivery: Delivery,
        group: &GroupId,
        isolation: Isolation,
        flags: FetchFlags,
    ) -> Result<RecordLayout, Failure> {
        if let Some(reading) = self.reading {
            if reading.delivery != delivery {
                let message = "FETCH and SUBSCRIBE do not go together on one connection";
                return Err(Failure::new(ErrorCode::BAD_PROTOCOL, message));
            }
            if reading.isolation != isolation {
                let message = "this connection reads with another isolation";
                return Err(Failure::new(ErrorCode::BAD_PROTOCOL, message));
            }
        }
        self.join(group)?;
        self.reading = Some(Reading { delivery, isolation });
        Ok(flags.layout())
    }
}

#[cfg(test)]
mod tests;
