//! Ranges of versions, as the message structs declare them.

use std::fmt;

/// An inclusive range of versions. May be empty ([`Versions::NONE`]) or have no upper end.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Versions {
    first: i16,
    last: i16,
}

impl Versions {
    /// Every version.
    pub const ALL: Self = Self::from(0);
    /// No version at all.
    pub const NONE: Self = Self { first: 0, last: -1 };

    /// `first` to `last`, both included.
    pub const fn new(first: i16, last: i16) -> Self {
        Self { first, last }
    }

    /// `first` and everything later.
    pub const fn from(first: i16) -> Self {
        Self { first, last: i16::MAX }
    }

    /// Whether `version` lies in the range.
    #[inline]
    pub const fn contains(self, version: i16) -> bool {
        version >= self.first && version <= self.last
    }

    /// Whether no version lies in the range.
    pub const fn is_empty(self) -> bool {
        self.first > self.last
    }

    /// The lowest version; `None` when the range is empty.
    pub const fn first(self) -> Option<i16> {
        if self.is_empty() { None } else { Some(self.first) }
    }

    /// The highest version; `None` when the range is empty or has no upper end.
    pub const fn last(self) -> Option<i16> {
        if self.is_empty() || self.last == i16::MAX { None } else { Some(self.last) }
    }

    /// The versions of the range, lowest first. One without an upper end counts to `i16::MAX`.
    pub fn iter(self) -> impl Iterator<Item = i16> {
        self.first..=self.last
    }

    /// The versions that lie in both ranges.
    pub const fn intersection(self, other: Self) -> Self {
        let first = if self.first > other.first { self.first } else { other.first };
        let last = if self.last < other.last { self.last } else { other.last };
        if first > last { Self::NONE } else { Self { first, last } }
    }
}

impl fmt::Display for Versions {
    /// Kafka's spelling: `none`, `3`, `0-4`, `2+`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            versions if versions.is_empty() => f.write_str("none"),
            Self { first, last: i16::MAX } => write!(f, "{first}+"),
            Self { first, last } if first == last => write!(f, "{first}"),
            Self { first, last } => write!(f, "{first}-{last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_print_as_kafka_spells_them() {
        let shown = |versions: Versions| versions.to_string();
        assert_eq!(shown(Versions::NONE), "none");
        assert_eq!(shown(Versions::new(3, 3)), "3");
        assert_eq!(shown(Versions::new(0, 4)), "0-4");
        assert_eq!(shown(Versions::from(2)), "2+");
    }

    #[test]
    fn the_common_part_of_disjoint_ranges_is_empty() {
        assert_eq!(Versions::new(0, 3).intersection(Versions::from(4)), Versions::NONE);
        assert_eq!(Versions::new(0, 9).intersection(Versions::from(4)), Versions::new(4, 9));
    }
}
