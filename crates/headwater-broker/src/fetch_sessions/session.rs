//! One fetch session.

use std::collections::{BTreeMap, HashMap};

use headwater_codec::{ErrorCode, messages::fetch::PartitionData};

use super::{Answered, FetchFrom, FetchTarget, Wanted};

/// What one consumer reads, and what it was told.
#[derive(Debug)]
pub(super) struct Session {
    /// What the next request has to carry.
    pub(super) epoch: i32,
    pub(super) by_topic_id: bool,
    pub(super) created_ms: i64,
    pub(super) used_ms: i64,
    /// By place in the order of reading. A partition that gave records goes to the end, so that none starves.
    order: BTreeMap<u64, Member>,
    places: HashMap<FetchTarget, u64>,
    next_place: u64,
}

#[derive(Debug)]
struct Member {
    target: FetchTarget,
    from: FetchFrom,
    told: Told,
}

/// What the consumer knows of a partition; nothing at first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Told {
    high_watermark: Option<i64>,
    log_start: Option<i64>,
}

impl Session {
    pub(super) fn new(by_topic_id: bool, now_ms: i64) -> Self {
        Self {
            epoch: next_epoch(0),
            by_topic_id,
            created_ms: now_ms,
            used_ms: now_ms,
            order: BTreeMap::new(),
            places: HashMap::new(),
            next_place: 0,
        }
    }

    /// How many partitions are read.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Adds and changes partitions, then takes out forgotten ones.
    pub(super) fn update(&mut self, wanted: Vec<Wanted>, forgotten: &[FetchTarget]) {
        for Wanted { target, from } in wanted {
            let member = self.places.get(&target).and_then(|place| self.order.get_mut(place));
            match member {
                Some(member) => member.from = from,
                None => {
                    // The name outlives the request that it came with.
                    let target = FetchTarget { topic: target.topic.detached(), ..target };
                    self.put_last(Member { target, from, told: Told::default() });
                }
            }
        }
        for target in forgotten {
            if let Some(place) = self.places.remove(target) {
                self.order.remove(&place);
            }
        }
    }

    /// Everything that is read, in order.
    pub(super) fn wanted(&self) -> Vec<Wanted> {
        let wanted = |member: &Member| Wanted { target: member.target.clone(), from: member.from };
        self.order.values().map(wanted).collect()
    }

    /// Remembers what is told, all of it.
    pub(super) fn remember(&mut self, answered: &[Answered]) {
        for Answered { target, data } in answered {
            if let Some(member) = self.places.get(target).and_then(|place| self.order.get_mut(place)) {
                member.told = Told::of(data);
            }
        }
    }

    /// What of the answers has to be told, and remembers it.
    pub(super) fn changes(&mut self, answered: Vec<Answered>) -> Vec<Answered> {
        answered.into_iter().filter(|answered| self.change(answered)).collect()
    }

    fn change(&mut self, answered: &Answered) -> bool {
        let Answered { target, data } = answered;
        let has_records = data.records.as_ref().is_some_and(|records| !records.is_empty());
        let Some(place) = self.places.get(target).copied() else { return true };
        let Some(member) = self.order.get_mut(&place) else { return true };
        let told = Told::of(data);
        let diverges = data.diverging_epoch.end_offset >= 0;
        let changed = has_records || diverges || data.error_code != ErrorCode::None || member.told != told;
        member.told = told;
        if has_records && let Some(member) = self.order.remove(&place) {
            self.put_last(member);
        }
        changed
    }

    fn put_last(&mut self, member: Member) {
        self.places.insert(member.target.clone(), self.next_place);
        self.order.insert(self.next_place, member);
        self.next_place += 1;
    }
}

impl Told {
    /// A partition with an error is told again next time, whatever it is then.
    fn of(data: &PartitionData) -> Self {
        let known = data.error_code == ErrorCode::None;
        Self {
            high_watermark: known.then_some(data.high_watermark),
            log_start: known.then_some(data.log_start_offset),
        }
    }
}

/// The epoch after that one: after the largest comes 1.
pub(super) fn next_epoch(epoch: i32) -> i32 {
    match epoch {
        i32::MAX => 1,
        epoch => epoch + 1,
    }
}
