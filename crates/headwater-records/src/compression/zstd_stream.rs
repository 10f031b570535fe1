//! Zstandard frames, unpacked with a context that is used again.

use std::{cell::Cell, io};

use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_error_name};

/// Unpacks zstd frames piece by piece.
///
/// A fresh context costs more than unpacking a small batch, so each thread keeps one, unless it has become large.
pub(super) struct ZstdStream<'a> {
    /// There until it goes back to its thread.
    context: Option<DCtx<'static>>,
    rest: &'a [u8],
    within_frame: bool,
}

impl<'a> ZstdStream<'a> {
    pub(super) fn new(packed: &'a [u8]) -> io::Result<Self> {
        let context = match SPARE.take() {
            Some(context) => context,
            None => {
                let mut context = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
                context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).map_err(error)?;
                context
            }
        };
        Ok(Self { context: Some(context), rest: packed, within_frame: false })
    }
}

impl io::Read for ZstdStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(context) = &mut self.context else { return Ok(0) };
        while self.within_frame || !self.rest.is_empty() {
            let mut input = InBuffer::around(self.rest);
            let mut output = OutBuffer::around(&mut *buffer);
            let hint = context.decompress_stream(&mut output, &mut input).map_err(error)?;
            let (consumed, produced) = (input.pos(), output.pos());
            self.rest = self.rest.get(consumed..).unwrap_or_default();
            self.within_frame = hint != 0;
            if produced > 0 {
                return Ok(produced);
            }
            if consumed == 0 {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "a zstd frame ends early"));
            }
        }
        Ok(0)
    }
}

impl Drop for ZstdStream<'_> {
    fn drop(&mut self) {
        if let Some(mut context) = self.context.take()
            && context.sizeof() <= SPARE_BYTES_MAX
            && context.reset(ResetDirective::SessionOnly).is_ok()
        {
            SPARE.set(Some(context));
        }
    }
}

fn error(code: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, get_error_name(code))
}

thread_local! {
    static SPARE: Cell<Option<DCtx<'static>>> = const { Cell::new(None) };
}

/// The largest window that zstd itself takes unasked, and the largest that any level writes: 128 MiB.
const WINDOW_LOG_MAX: u32 = 27;
/// Enough for the window of Kafka's default level (2 MiB) and what goes with it.
const SPARE_BYTES_MAX: usize = 3 << 20;
