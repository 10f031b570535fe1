use super::*;

fn in_phase(phase: Phase) -> Session {
    let mut session = Session::default();
    session.enter(phase);
    session
}

/// The opcodes admitted in a phase, of those that clients send.
fn admitted(phase: Phase) -> Vec<Opcode> {
    let session = in_phase(phase);
    Opcode::ALL.iter().copied().filter(|&opcode| session.admit(opcode).is_ok()).collect()
}

#[test]
fn a_new_connection_says_hello() {
    use Opcode::{Goodbye, HeartbeatRequest, HeartbeatResponse, Hello};
    assert_eq!(admitted(Phase::New), [Hello, Goodbye, HeartbeatRequest, HeartbeatResponse]);
}

#[test]
fn a_greeted_connection_identifies_and_authenticates() {
    use Opcode::{
        Auth, AuthScram, AuthScramFinal, Goodbye, HeartbeatRequest, HeartbeatResponse, IdentifyClient,
    };
    assert_eq!(
        admitted(Phase::Greeted),
        [Auth, Goodbye, HeartbeatRequest, HeartbeatResponse, IdentifyClient, AuthScram, AuthScramFinal]
    );
}

#[test]
fn an_authenticated_connection_does_all_but_greet_and_authenticate() {
    let refused: Vec<_> = Opcode::ALL
        .iter()
        .copied()
        .filter(|opcode| !opcode.is_reply() && !admitted(Phase::Authenticated).contains(opcode))
        .collect();
    assert_eq!(refused, [Opcode::Hello, Opcode::Auth, Opcode::AuthScram, Opcode::AuthScramFinal]);
}

#[test]
fn a_closed_connection_does_nothing_and_stays_closed() {
    let mut session = in_phase(Phase::Closed);
    session.enter(Phase::Authenticated);
    assert_eq!(session.phase(), Phase::Closed);
    assert_eq!(admitted(Phase::Closed), []);
}

#[test]
fn replies_are_unknown_from_a_client() {
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_reply()) {
        let refusal = in_phase(Phase::Authenticated).admit(opcode).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::UNKNOWN_OP, "{}", opcode.name());
    }
}

fn fetch(group: &str, isolation: Isolation) -> Fetch {
    Fetch { topic: "orders".into(), group: group.into(), max_records: 1, isolation, ..Fetch::default() }
}

#[test]
fn pulling_and_being_pushed_to_do_not_mix() {
    let mut session = in_phase(Phase::Authenticated);
    session.fetch(&fetch("g", Isolation::ReadUncommitted)).unwrap();
    let subscribe = Subscribe { topic: "orders".into(), group: "g".into(), ..Subscribe::default() };
    assert_eq!(session.subscribe(&subscribe).unwrap_err().code, ErrorCode::BAD_PROTOCOL);
    assert_eq!(session.delivery(), Some(Delivery::Pull));

    let mut session = in_phase(Phase::Authenticated);
    let with_headers = Subscribe { flags: FetchFlags::HEADERS, ..subscribe };
    assert_eq!(session.subscribe(&with_headers), Ok(RecordLayout::Headers));
    let refusal = session.fetch(&fetch("g", Isolation::ReadUncommitted)).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::BAD_PROTOCOL);
}

#[test]
fn a_connection_has_one_group_and_one_isolation() {
    let mut session = in_phase(Phase::Authenticated);
    session.join(&"g".into()).unwrap();
    let other = session.fetch(&fetch("h", Isolation::ReadCommitted)).unwrap_err();
    assert_eq!(other.code, ErrorCode::GROUP_CONFLICT);
    assert_eq!(session.delivery(), None, "a refused fetch settles nothing");
    assert_eq!(session.fetch(&fetch("g", Isolation::ReadCommitted)), Ok(RecordLayout::Plain));
    let other = session.fetch(&fetch("g", Isolation::ReadUncommitted)).unwrap_err();
    assert_eq!(other.code, ErrorCode::BAD_PROTOCOL);
    assert_eq!(session.isolation(), Isolation::ReadCommitted);
}
