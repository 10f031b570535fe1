//! Replicas that a client chooses by hand for one partition. There is one node, so only it can be chosen.

use headwater_codec::{BrokerId, ErrorCode};

use super::refusal::Refusal;

/// Judges the replicas of one partition.
pub(super) fn check(node: BrokerId, replicas: &[BrokerId]) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::new(ErrorCode::InvalidReplicaAssignment, message));
    match replicas {
        [] => refuse("the partition's list of replicas is empty".to_owned()),
        [only] if *only == node => Ok(()),
        _ => match replicas.iter().find(|replica| **replica != node) {
            Some(unknown) => refuse(format!("broker {unknown} is not registered")),
            None => refuse(format!("broker {node} is among the partition's replicas more than once")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_this_node_once_and_nothing_else() {
        let node = BrokerId::new(1);
        assert_eq!(check(node, &[node]), Ok(()));
        for replicas in
            [&[][..], &[node, node], &[BrokerId::new(2)], &[node, BrokerId::new(2)], &[BrokerId::NONE]]
        {
            let refusal = check(node, replicas).expect_err("refused");
            assert_eq!(refusal.code, ErrorCode::InvalidReplicaAssignment, "{replicas:?}");
        }
    }
}
