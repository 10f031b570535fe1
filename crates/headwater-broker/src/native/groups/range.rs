//! The range assignment: each topic's partitions in order, cut into one piece for each member.

use std::collections::BTreeMap;

use headwater_codec::{Str, TopicName};

/// Partitions by topic.
pub(in crate::native) type Assignment = BTreeMap<TopicName, Vec<i32>>;

/// What each member reads. Members in the order of their ids share a topic's partitions; the first ones get one more when
/// they do not come out even. `partition_count` tells how many partitions a topic has, 0 when there is none.
pub(super) fn assign<'a>(
    members: impl Iterator<Item = (&'a Str, &'a [TopicName])>,
    partition_count: impl Fn(&TopicName) -> i32,
) -> BTreeMap<Str, Assignment> {
    let mut assignments = BTreeMap::new();
    let mut readers: BTreeMap<&TopicName, Vec<&Str>> = BTreeMap::new();
    for (member, topics) in members {
        assignments.insert(member.clone(), Assignment::new());
        for topic in topics {
            readers.entry(topic).or_default().push(member);
        }
    }
    for (topic, mut readers) in readers {
        readers.sort_unstable();
        readers.dedup();
        let partitions = usize::try_from(partition_count(topic)).unwrap_or(0);
        let (share, more) = (partitions / readers.len(), partitions % readers.len());
        let mut next = 0;
        for (place, member) in readers.into_iter().enumerate() {
            let end = next + share + usize::from(place < more);
            let piece: Vec<i32> = (next..end).filter_map(|index| i32::try_from(index).ok()).collect();
            next = end;
            if let Some(assignment) = assignments.get_mut(member).filter(|_| !piece.is_empty()) {
                assignment.insert(topic.clone(), piece);
            }
        }
    }
    assignments
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A topic and the partitions of it that a member reads.
    type Piece = (String, Vec<i32>);

    fn assigned(members: &[(&str, &[&str])], counts: &[(&str, i32)]) -> Vec<(String, Vec<Piece>)> {
        let members: Vec<(Str, Vec<TopicName>)> = members
            .iter()
            .map(|(id, topics)| {
                (Str::from(*id), topics.iter().map(|topic| TopicName::from(*topic)).collect())
            })
            .collect();
        let count = |topic: &TopicName| {
            counts.iter().find(|(name, _)| *name == topic.as_str()).map_or(0, |(_, n)| *n)
        };
        assign(members.iter().map(|(id, topics)| (id, &topics[..])), count)
            .into_iter()
            .map(|(id, topics)| {
                let topics = topics.into_iter().map(|(topic, piece)| (topic.as_str().to_owned(), piece));
                (id.as_str().to_owned(), topics.collect())
            })
            .collect()
    }

    fn topic(name: &str, piece: &[i32]) -> Piece {
        (name.to_owned(), piece.to_vec())
    }

    #[test]
    fn the_first_members_get_one_more() {
        let found = assigned(&[("b", &["t"]), ("a", &["t"]), ("c", &["t"])], &[("t", 5)]);
        let expected = [("a", vec![0, 1]), ("b", vec![2, 3]), ("c", vec![4])];
        let expected: Vec<_> =
            expected.iter().map(|(id, piece)| ((*id).to_owned(), vec![topic("t", piece)])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn members_without_a_partition_and_topics_that_do_not_exist_get_nothing() {
        let found = assigned(&[("a", &["t", "gone"]), ("b", &["t", "u"])], &[("t", 1), ("u", 2)]);
        let expected =
            vec![("a".to_owned(), vec![topic("t", &[0])]), ("b".to_owned(), vec![topic("u", &[0, 1])])];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_topic_named_twice_counts_once() {
        let found = assigned(&[("a", &["t", "t"]), ("b", &["t"])], &[("t", 2)]);
        assert_eq!(found[0].1, [topic("t", &[0])]);
        assert_eq!(found[1].1, [topic("t", &[1])]);
    }
}
