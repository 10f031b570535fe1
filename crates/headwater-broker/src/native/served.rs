//! Which requests the store behind the broker can do.

use headwater_native::{ErrorCode, Opcode, messages::Failure};
use headwater_storage::Capabilities;

/// Whether a store with these capabilities can do what the request asks for.
///
/// # Errors
/// [`ErrorCode::UNKNOWN_OP`]: on this store it is as if there were no such request.
pub(super) fn check(opcode: Opcode, capabilities: &Capabilities) -> Result<(), Failure> {
    let can = match opcode {
        Opcode::InitProducerId | Opcode::ProduceIdempotent => capabilities.idempotence,
        Opcode::CreatePartitions => capabilities.create_partitions,
        Opcode::AlterTopicConfig => capabilities.topic_configs,
        _ => true,
    };
    if can {
        return Ok(());
    }
    let message = format!("{} is more than the store behind this broker can do", opcode.name());
    Err(Failure::new(ErrorCode::UNKNOWN_OP, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_without_producer_state_has_no_idempotent_producers() {
        let nothing = Capabilities {
            delete_records: false,
            idempotence: false,
            transactions: false,
            topic_configs: false,
            create_partitions: false,
            unpack: None,
        };
        let refused: Vec<Opcode> =
            Opcode::ALL.iter().copied().filter(|opcode| check(*opcode, &nothing).is_err()).collect();
        let expected = [
            Opcode::InitProducerId,
            Opcode::ProduceIdempotent,
            Opcode::AlterTopicConfig,
            Opcode::CreatePartitions,
        ];
        assert_eq!(refused, expected);
        assert!(check(Opcode::InitProducerId, &Capabilities { idempotence: true, ..nothing }).is_ok());
    }
}
