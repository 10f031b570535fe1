//! The segments of one partition, one after another.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use headwater_records::native::NativeRecord;

use crate::{
    ImportError,
    source::{
        Backend, Damage, cannot_read,
        index::SegmentIndex,
        segment::{Piece, SegmentReader},
    },
};

/// One partition of a topic.
#[derive(Debug)]
pub struct SourcePartition {
    /// Its number, counted from 1.
    pub number: u32,
    /// How its offsets count.
    pub backend: Backend,
    /// Bytes of its segments.
    pub bytes: u64,
    segments: Vec<Segment>,
}

#[derive(Debug)]
struct Segment {
    base: u64,
    path: PathBuf,
    index: PathBuf,
}

impl SourcePartition {
    pub(super) fn open(number: u32, path: &Path, backend: Option<Backend>) -> Result<Self, ImportError> {
        let names = file_names(path).map_err(cannot_read(path))?;
        let mut segments = BTreeMap::new();
        let mut has_index = false;
        // A compaction that was cut short leaves its result under another name, which counts once the old one is gone;
        // plain names come first, so that they win.
        for suffix in [".log", ".log.cleaned"] {
            for name in names.iter().filter(|name| name.ends_with(suffix)) {
                let Some(base) = base_offset(name.strip_suffix(suffix)) else { continue };
                let stem = name.split('.').next().unwrap_or_default();
                let cleaned_index = format!("{stem}.index.cleaned");
                let index = if suffix == ".log.cleaned" && names.contains(&cleaned_index) {
                    cleaned_index
                } else {
                    format!("{stem}.index")
                };
                has_index |= names.contains(&index);
                let segment = Segment { base, path: path.join(name), index: path.join(index) };
                segments.entry(base).or_insert(segment);
            }
        }
        let segments: Vec<_> = segments.into_values().collect();
        let mut bytes = 0;
        for segment in &segments {
            bytes += fs::metadata(&segment.path).map_err(cannot_read(&segment.path))?.len();
        }
        let found = if has_index { Backend::CommitLog } else { Backend::Segmented };
        Ok(Self { number, backend: backend.unwrap_or(found), bytes, segments })
    }

    /// Starts to read at the first record.
    pub(crate) fn read(&self) -> PartitionReader<'_> {
        PartitionReader { backend: self.backend, segments: self.segments.iter(), current: None }
    }
}

/// Goes through the records of a partition.
#[derive(Debug)]
pub(crate) struct PartitionReader<'a> {
    backend: Backend,
    segments: std::slice::Iter<'a, Segment>,
    current: Option<Open>,
}

#[derive(Debug)]
struct Open {
    reader: SegmentReader,
    index: SegmentIndex,
    base: u64,
    next_offset: u64,
}

/// What is next in a partition.
#[derive(Debug)]
pub(crate) enum Step<'r> {
    /// A sound record.
    Record {
        /// Its offset, as its backend counts.
        offset: u64,
        /// The segment.
        path: &'r Path,
        /// Where in the segment it stands.
        at: u64,
        /// The record.
        record: NativeRecord<'r>,
    },
    /// No sound record.
    Damage(Damage),
}

impl PartitionReader<'_> {
    /// The next record or damage; `None` at the end.
    pub(crate) fn next_step(&mut self) -> Result<Option<Step<'_>>, ImportError> {
        let piece = loop {
            if self.current.is_none() {
                let Some(segment) = self.segments.next() else { return Ok(None) };
                self.current = Some(Open::new(segment, self.backend)?);
            }
            let Some(open) = &mut self.current else { return Ok(None) };
            match open.reader.next_piece() {
                Ok(Some(piece)) => break piece,
                Ok(None) => self.current = None,
                Err(error) => return Err(cannot_read(open.reader.path())(error)),
            }
        };
        let Some(open) = &mut self.current else { return Ok(None) };
        let (at, range) = match piece {
            Piece::Damage(damage) => return Ok(Some(Step::Damage(damage))),
            Piece::Record(at, range) => (at, range),
        };
        let offset = match self.backend {
            Backend::Segmented => open.base + at,
            Backend::CommitLog => {
                open.index.offset_at(at).map_or(open.next_offset, |offset| open.base + offset)
            }
        };
        open.next_offset = offset + 1;
        let bytes = open.reader.bytes(range);
        // It was found sound a moment ago.
        let record = NativeRecord::parse(bytes).map_err(|error| ImportError::Record {
            path: open.reader.path().to_owned(),
            at,
            source: error.into(),
        })?;
        Ok(Some(Step::Record { offset, path: open.reader.path(), at, record }))
    }
}

impl Open {
    fn new(segment: &Segment, backend: Backend) -> Result<Self, ImportError> {
        let reader = SegmentReader::open(&segment.path).map_err(cannot_read(&segment.path))?;
        let index = match backend {
            Backend::Segmented => SegmentIndex::default(),
            Backend::CommitLog => SegmentIndex::read(&segment.index)?,
        };
        Ok(Self { reader, index, base: segment.base, next_offset: segment.base })
    }
}

fn file_names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    Ok(names)
}

/// The number that is the name of a segment: 20 digits.
fn base_offset(stem: Option<&str>) -> Option<u64> {
    let stem = stem?;
    (stem.len() == 20 && stem.bytes().all(|byte| byte.is_ascii_digit())).then(|| stem.parse().ok()).flatten()
}
