//! Requests that wait for their answers.

use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use headwater_native::{
    CorrelationId, Frame, Opcode, Reply,
    messages::{Record, RecordLayout},
};
use tokio::sync::{mpsc, oneshot};

use crate::{ClientError, Ended, pushed::HARD_BYTES_MAX, pushed::Pushed};

/// An answer: the records that came before it, and what ended it.
pub(crate) type Answer = (Vec<Record>, Reply);

/// What is expected of the server, shared by those who ask and the one who reads.
#[derive(Debug)]
pub(crate) struct Calls {
    state: Mutex<State>,
    pub(crate) pushed: Pushed,
}

#[derive(Debug)]
struct State {
    waiting: HashMap<CorrelationId, Call>,
    /// The layout of pushed records.
    push_layout: RecordLayout,
    /// Gone with the connection, so that whoever takes records learns of the end.
    push: Option<mpsc::UnboundedSender<Record>>,
    ended: Option<Ended>,
}

/// One request without its answer.
#[derive(Debug)]
struct Call {
    expects: Expects,
    records: Vec<Record>,
    answer: oneshot::Sender<Result<Answer, ClientError>>,
}

/// The records that may come before a request's answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expects {
    pub(crate) layout: RecordLayout,
    pub(crate) records_max: usize,
}

/// What the reader must do after a frame.
pub(crate) enum Next {
    /// Read on.
    Read,
    /// The server asks whether we are alive.
    Heartbeat(CorrelationId),
}

impl Calls {
    pub(crate) fn new() -> Self {
        let (push, pushed) = Pushed::new();
        let push_layout = RecordLayout::Plain;
        let state = State { waiting: HashMap::new(), push_layout, push: Some(push), ended: None };
        Self { state: Mutex::new(state), pushed }
    }

    /// Registers a request that is about to be sent.
    ///
    /// # Errors
    /// [`Ended`] when the connection has.
    pub(crate) fn begin(
        &self,
        id: CorrelationId,
        expects: Expects,
    ) -> Result<oneshot::Receiver<Result<Answer, ClientError>>, Ended> {
        let mut state = self.state();
        if let Some(ended) = &state.ended {
            return Err(ended.clone());
        }
        let (answer, answered) = oneshot::channel();
        state.waiting.insert(id, Call { expects, records: Vec::new(), answer });
        drop(state);
        // The answer may stand behind pushed records.
        self.pushed.wake();
        Ok(answered)
    }

    /// Forgets a request whose answer nobody waits for any more.
    pub(crate) fn forget(&self, id: CorrelationId) {
        self.state().waiting.remove(&id);
    }

    /// Says in which layout pushed records come from now on.
    pub(crate) fn set_push_layout(&self, layout: RecordLayout) {
        self.state().push_layout = layout;
    }

    /// Whether the reader should stop until records were taken: they are not, and nobody waits for an answer.
    pub(crate) fn holds_back(&self) -> bool {
        self.pushed.is_full() && self.state().waiting.is_empty()
    }

    /// Why the connection has ended.
    pub(crate) fn ended(&self) -> Ended {
        self.state().ended.clone().unwrap_or(Ended::ByServer)
    }

    /// Ends the connection: whoever waits learns why. The first reason counts.
    pub(crate) fn end(&self, reason: Ended) {
        let mut state = self.state();
        let ended = state.ended.get_or_insert(reason).clone();
        state.push = None;
        for (_, call) in mem::take(&mut state.waiting) {
            // Who gave up in the meantime needs no reason.
            let _ = call.answer.send(Err(ended.clone().into()));
        }
    }

    /// Takes a frame of the server.
    ///
    /// # Errors
    /// [`Ended`] when the connection is of no use after it.
    pub(crate) fn receive(&self, frame: Frame) -> Result<Next, Ended> {
        let id = frame.correlation_id;
        let opcode = Opcode::from_code(frame.opcode);
        match opcode {
            Some(Opcode::HeartbeatRequest) => return Ok(Next::Heartbeat(id)),
            Some(Opcode::HeartbeatResponse) => return Ok(Next::Read),
            _ => {}
        }
        let mut state = self.state();
        if id == CorrelationId::ZERO {
            let layout = state.push_layout;
            return match Reply::decode(frame, layout)? {
                Reply::Record(record) => self.push(&state, record),
                // Errors without a request come from a server that closes.
                Reply::Failure(failure) => Err(Ended::Refused(failure.into())),
                _ => Ok(Next::Read),
            };
        }
        // An answer that nobody waits for any more is not looked at.
        let Some(call) = state.waiting.get_mut(&id) else { return Ok(Next::Read) };
        match Reply::decode(frame, call.expects.layout)? {
            Reply::Record(record) => call.records.push(record),
            Reply::RecordBatch(batch) => call.records.extend(batch.records),
            Reply::Failure(failure) => {
                let refusal = ClientError::Refused(failure.into());
                state.answer(id, |_| Err(refusal));
                return Ok(Next::Read);
            }
            reply => {
                state.answer(id, |records| Ok((records, reply)));
                return Ok(Next::Read);
            }
        }
        if call.records.len() > call.expects.records_max {
            return Err(Ended::TooManyRecords);
        }
        Ok(Next::Read)
    }

    fn push(&self, state: &State, record: Record) -> Result<Next, Ended> {
        let bytes = self.pushed.count(&record);
        if bytes > HARD_BYTES_MAX {
            return Err(Ended::Overrun(bytes));
        }
        if let Some(push) = &state.push {
            // The taking end lives as long as this does.
            let _ = push.send(record);
        }
        Ok(Next::Read)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics under the lock, and what it guards is whole between any two statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn answer(&mut self, id: CorrelationId, answer: impl FnOnce(Vec<Record>) -> Result<Answer, ClientError>) {
        if let Some(call) = self.waiting.remove(&id) {
            // Who gave up in the meantime needs no answer.
            let _ = call.answer.send(answer(call.records));
        }
    }
}
