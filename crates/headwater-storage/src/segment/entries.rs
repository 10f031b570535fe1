//! Entries of an index: in memory, and how they get to their file.

/// An index entry of fixed length.
pub(crate) trait IndexEntry: Copy + Eq {
    /// Bytes of an entry in the file.
    const LEN: usize;

    /// Adds the entry's bytes.
    fn encode(self, out: &mut Vec<u8>);

    /// Reads an entry.
    fn decode(bytes: &[u8]) -> Option<Self>;

    /// Whether the entry may stand after `before`.
    fn follows(self, before: Self) -> bool;
}

/// The entries of one index, and how many of them are in the file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Entries<E> {
    entries: Vec<E>,
    /// Entries that the file holds already.
    written: usize,
    /// Whether the file may hold more than `written` entries, or is not there.
    cut: bool,
}

impl<E: IndexEntry> Entries<E> {
    /// No entries, and no file.
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), written: 0, cut: true }
    }

    /// Reads a file's content. `None` when an entry does not follow the one before it; zeros at the end are room that
    /// was taken in advance.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut entries: Vec<E> = Vec::with_capacity(bytes.len() / E::LEN);
        let mut rest = bytes;
        while !rest.is_empty() {
            let entry =
                E::decode(rest).filter(|entry| entries.last().is_none_or(|last| entry.follows(*last)));
            match entry {
                // An index never begins with zeros: offset 0 is at position 0, and needs no entry.
                Some(entry) if rest[..E::LEN].iter().any(|byte| *byte != 0) => entries.push(entry),
                _ if rest.iter().all(|byte| *byte == 0) => break,
                _ => return None,
            }
            rest = &rest[E::LEN..];
        }
        let written = entries.len();
        Some(Self { entries, written, cut: !rest.is_empty() })
    }

    pub(crate) fn as_slice(&self) -> &[E] {
        &self.entries
    }

    pub(crate) fn last(&self) -> Option<E> {
        self.entries.last().copied()
    }

    pub(crate) fn file_len(&self) -> usize {
        self.entries.len() * E::LEN
    }

    /// The entry in front of place `index`.
    pub(crate) fn before(&self, index: usize) -> Option<E> {
        index.checked_sub(1).and_then(|index| self.entries.get(index)).copied()
    }

    /// Adds an entry if it follows the last one.
    pub(crate) fn push(&mut self, entry: E) {
        if self.last().is_none_or(|last| entry.follows(last)) {
            self.entries.push(entry);
        }
    }

    /// Drops the entries from the first one on that is not `kept`.
    pub(crate) fn keep_while(&mut self, kept: impl Fn(&E) -> bool) {
        let len = self.entries.partition_point(kept);
        if len < self.entries.len() {
            self.entries.truncate(len);
            self.cut |= self.written > len;
            self.written = self.written.min(len);
        }
    }

    /// Whether the file lacks something.
    pub(crate) const fn is_dirty(&self) -> bool {
        self.cut || self.written < self.entries.len()
    }

    /// What the file lacks: the length to cut it to first, if it must be, and bytes to add at a position. Counts as
    /// written from then on.
    pub(crate) fn take_unwritten(&mut self) -> Unwritten {
        let position = (self.written * E::LEN) as u64;
        let mut bytes = Vec::with_capacity((self.entries.len() - self.written) * E::LEN);
        for entry in &self.entries[self.written..] {
            entry.encode(&mut bytes);
        }
        let cut_to = self.cut.then_some(position);
        self.written = self.entries.len();
        self.cut = false;
        Unwritten { cut_to, position, bytes }
    }

    /// Takes nothing in the file for granted any more.
    pub(crate) const fn forget_written(&mut self) {
        self.written = 0;
        self.cut = true;
    }
}

/// What an index file lacks.
#[derive(Debug)]
pub(crate) struct Unwritten {
    /// Cut the file to this length first.
    pub(crate) cut_to: Option<u64>,
    /// Where `bytes` go.
    pub(crate) position: u64,
    /// What to write.
    pub(crate) bytes: Vec<u8>,
}
