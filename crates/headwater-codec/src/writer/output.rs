//! The buffer that a writer fills.

use bytes::BytesMut;

use crate::fixed::WriteRun;

/// A buffer that is written at its end. It makes room in large steps, so that a value of fixed size costs a comparison
/// and a store: [`BytesMut`]'s own methods reserve and check twice for each, which made writing half as slow again.
#[derive(Debug)]
pub(super) struct Output {
    /// What is written, and zeros to be overwritten.
    room: BytesMut,
    /// Bytes written.
    length: usize,
}

/// Bytes of room that are made at first.
const ROOM_MIN: usize = 256;

impl Output {
    /// Fills `buf`; what stood in it is dropped.
    pub(super) fn new(mut buf: BytesMut) -> Self {
        buf.clear();
        Self { room: buf, length: 0 }
    }

    /// Bytes written.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Adds a value of fixed size.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        loop {
            if let Some(spot) = self.room.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut) {
                *spot = bytes;
                self.length += N;
                return;
            }
            self.grow(N);
        }
    }

    /// Room for `LENGTH` more bytes.
    #[inline]
    pub(super) fn run<const LENGTH: usize>(&mut self) -> WriteRun<'_> {
        if self.room.len().saturating_sub(self.length) < LENGTH {
            self.grow(LENGTH);
        }
        let spare = self.room.get_mut(self.length..).unwrap_or_default();
        let room = spare.first_chunk_mut::<LENGTH>().map_or(&mut [][..], |room| &mut room[..]);
        WriteRun::new(room, &mut self.length)
    }

    /// Adds bytes.
    #[inline]
    pub(super) fn put_slice(&mut self, bytes: &[u8]) {
        loop {
            if let Some(spot) = self.room.get_mut(self.length..).and_then(|rest| rest.get_mut(..bytes.len()))
            {
                spot.copy_from_slice(bytes);
                self.length += bytes.len();
                return;
            }
            self.grow(bytes.len());
        }
    }

    /// Adds values of one size.
    #[inline]
    pub(super) fn put_each<const N: usize>(&mut self, values: impl ExactSizeIterator<Item = [u8; N]>) {
        let total = values.len() * N;
        if self.room.len() - self.length < total {
            self.grow(total);
        }
        let spots = self.room.get_mut(self.length..).unwrap_or_default().chunks_exact_mut(N);
        for (spot, value) in spots.zip(values) {
            spot.copy_from_slice(&value);
        }
        self.length += total;
    }

    /// What is written.
    pub(super) fn written(&mut self) -> &mut [u8] {
        self.room.get_mut(..self.length).unwrap_or_default()
    }

    /// Takes out what is written; the room goes on to be used.
    pub(super) fn split(&mut self) -> BytesMut {
        self.room.split_to(std::mem::take(&mut self.length))
    }

    /// The buffer, with nothing in it.
    pub(super) fn into_spare(mut self) -> BytesMut {
        self.room.clear();
        self.room
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, least: usize) {
        let wanted = (self.length + least).max(2 * self.room.len()).max(ROOM_MIN);
        self.room.resize(wanted, 0);
    }
}
