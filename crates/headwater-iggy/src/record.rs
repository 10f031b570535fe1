//! A Kafka record as the mapping sees it, borrowed from whatever holds it.

use headwater_records::{HeaderRef, Headers, RecordView};

use crate::envelope::EnvelopeHeaders;

/// A record without its place: what a producer wrote.
#[derive(Clone, Debug, Default)]
pub struct Record<'a> {
    /// Milliseconds since the epoch; -1 for none.
    pub timestamp: i64,
    /// The key; null and empty are different.
    pub key: Option<&'a [u8]>,
    /// The value; null and empty are different.
    pub value: Option<&'a [u8]>,
    /// The headers, in order and with repeats.
    pub headers: RecordHeaders<'a>,
}

impl<'a> From<RecordView<'a>> for Record<'a> {
    fn from(view: RecordView<'a>) -> Self {
        Self {
            timestamp: view.timestamp,
            key: view.key,
            value: view.value,
            headers: RecordHeaders(Source::Batch(view.headers)),
        }
    }
}

impl PartialEq for Record<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.timestamp, self.key, self.value) == (other.timestamp, other.key, other.value)
            && self.headers.clone().eq(other.headers.clone())
    }
}

impl Eq for Record<'_> {}

/// A record's headers, wherever they stand: name and value, one after another.
#[derive(Clone, Debug)]
pub struct RecordHeaders<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    /// In a batch.
    Batch(Headers<'a>),
    /// In an envelope.
    Envelope(EnvelopeHeaders<'a>),
    /// Each for itself.
    Listed(std::vec::IntoIter<HeaderRef<'a>>),
}

impl<'a> RecordHeaders<'a> {
    pub(crate) const fn of_envelope(headers: EnvelopeHeaders<'a>) -> Self {
        Self(Source::Envelope(headers))
    }
}

impl Default for RecordHeaders<'_> {
    fn default() -> Self {
        Self(Source::Batch(Headers::EMPTY))
    }
}

impl<'a> From<Vec<HeaderRef<'a>>> for RecordHeaders<'a> {
    fn from(headers: Vec<HeaderRef<'a>>) -> Self {
        Self(Source::Listed(headers.into_iter()))
    }
}

impl<'a> Iterator for RecordHeaders<'a> {
    type Item = HeaderRef<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Batch(headers) => headers.next(),
            Source::Envelope(headers) => headers.next(),
            Source::Listed(headers) => headers.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Source::Batch(headers) => headers.size_hint(),
            Source::Envelope(headers) => headers.size_hint(),
            Source::Listed(headers) => headers.size_hint(),
        }
    }
}

impl ExactSizeIterator for RecordHeaders<'_> {}
impl std::iter::FusedIterator for RecordHeaders<'_> {}
