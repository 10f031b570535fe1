//! What a [`super::SimDisk`] holds: inodes, their durable content, and what was done to them since.

use std::{
    io,
    path::{Component, Path},
    time::Duration,
};

use super::{DirEntry, DiskOp, Entries, Fault, FileStat, OpenMode, PowerCut};

pub(super) struct State {
    inodes: Vec<Inode>,
    pub(super) faults: Vec<Fault>,
    pub(super) capacity: Option<u64>,
    pub(super) hold_syncs: bool,
    pub(super) delay: Duration,
    pub(super) now_ms: i64,
    pub(super) op_count: u64,
    pub(super) sync_count: u64,
    pub(super) cut_at: Option<u64>,
    pub(super) dead: bool,
}

#[derive(Clone)]
enum Inode {
    File { content: Vec<u8>, durable: Vec<u8>, pending: Vec<(u64, FileChange)>, modified_ms: i64 },
    Dir { entries: Entries, durable: Entries, pending: Vec<(u64, DirChange)> },
}

#[derive(Clone)]
enum FileChange {
    Write { position: usize, bytes: Vec<u8> },
    SetLen(usize),
}

/// Names and what they stand for after the change, all or none.
type DirChange = Vec<(String, Option<usize>)>;

impl State {
    pub(super) fn new() -> Self {
        let root = Inode::Dir { entries: Entries::new(), durable: Entries::new(), pending: Vec::new() };
        Self::with(vec![root])
    }

    fn with(inodes: Vec<Inode>) -> Self {
        Self {
            inodes,
            faults: Vec::new(),
            capacity: None,
            hold_syncs: false,
            delay: Duration::ZERO,
            now_ms: 0,
            op_count: 0,
            sync_count: 0,
            cut_at: None,
            dead: false,
        }
    }

    /// Counts an operation and lets it fail when it must; gives its number.
    fn step(&mut self) -> io::Result<u64> {
        if self.cut_at.is_some_and(|at| self.op_count >= at) {
            self.dead = true;
        }
        self.alive()?;
        self.op_count += 1;
        Ok(self.op_count)
    }

    fn alive(&self) -> io::Result<()> {
        if self.dead { Err(io::Error::other("the power is off")) } else { Ok(()) }
    }

    fn fault(&mut self, op: DiskOp, path: &Path) -> Option<Fault> {
        let path = path.to_string_lossy();
        let fault = self.faults.iter_mut().find(|f| f.op == op && f.times > 0 && path.contains(&f.path))?;
        if fault.times != u32::MAX {
            fault.times -= 1;
        }
        Some(fault.clone())
    }

    fn check_fault(&mut self, op: DiskOp, path: &Path) -> io::Result<()> {
        match self.fault(op, path) {
            Some(fault) => Err(io::Error::from_raw_os_error(fault.errno)),
            None => Ok(()),
        }
    }

    pub(super) fn find(&self, path: &Path) -> Option<usize> {
        let mut at = 0;
        for part in path.components() {
            let Component::Normal(name) = part else { continue };
            let Inode::Dir { entries, .. } = &self.inodes[at] else { return None };
            at = *entries.get(name.to_str()?)?;
        }
        Some(at)
    }

    fn parent(&self, path: &Path) -> io::Result<(usize, String)> {
        let name = path.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidInput)?;
        let dir = path.parent().and_then(|dir| self.find(dir)).ok_or(io::ErrorKind::NotFound)?;
        Ok((dir, name.to_owned()))
    }

    fn change_dir(&mut self, op: u64, dir: usize, change: DirChange) -> io::Result<()> {
        let Inode::Dir { entries, pending, .. } = &mut self.inodes[dir] else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        apply_dir(entries, &change);
        pending.push((op, change));
        Ok(())
    }

    pub(super) fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<usize> {
        self.alive()?;
        match self.find(path) {
            Some(inode) => {
                if mode == OpenMode::Truncate && self.len(inode)? > 0 {
                    self.set_len(inode, path, 0)?;
                }
                Ok(inode)
            }
            None if mode == OpenMode::Existing => Err(io::ErrorKind::NotFound.into()),
            None => {
                let (dir, name) = self.parent(path)?;
                let op = self.step()?;
                self.check_fault(DiskOp::Create, path)?;
                self.inodes.push(Inode::File {
                    content: Vec::new(),
                    durable: Vec::new(),
                    pending: Vec::new(),
                    modified_ms: self.now_ms,
                });
                let inode = self.inodes.len() - 1;
                self.change_dir(op, dir, vec![(name, Some(inode))])?;
                Ok(inode)
            }
        }
    }

    pub(super) fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        if self.find(path).is_some() {
            return Ok(());
        }
        if let Some(above) = path.parent() {
            self.create_dir(above)?;
        }
        let (dir, name) = self.parent(path)?;
        let op = self.step()?;
        self.check_fault(DiskOp::Create, path)?;
        self.inodes.push(Inode::Dir {
            entries: Entries::new(),
            durable: Entries::new(),
            pending: Vec::new(),
        });
        let inode = self.inodes.len() - 1;
        self.change_dir(op, dir, vec![(name, Some(inode))])
    }

    pub(super) fn list(&self, dir: &Path) -> io::Result<Vec<DirEntry>> {
        self.alive()?;
        let inode = self.find(dir).ok_or(io::ErrorKind::NotFound)?;
        let Inode::Dir { entries, .. } = &self.inodes[inode] else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let is_dir = |inode: &usize| matches!(self.inodes[*inode], Inode::Dir { .. });
        Ok(entries
            .iter()
            .map(|(name, inode)| DirEntry { name: name.clone(), is_dir: is_dir(inode) })
            .collect())
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let inode = self.find(from).ok_or(io::ErrorKind::NotFound)?;
        let ((from_dir, from_name), (to_dir, to_name)) = (self.parent(from)?, self.parent(to)?);
        let op = self.step()?;
        self.check_fault(DiskOp::Rename, from)?;
        if from_dir == to_dir {
            return self.change_dir(op, from_dir, vec![(from_name, None), (to_name, Some(inode))]);
        }
        self.change_dir(op, from_dir, vec![(from_name, None)])?;
        self.change_dir(op, to_dir, vec![(to_name, Some(inode))])
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.find(path).ok_or(io::ErrorKind::NotFound)?;
        let (dir, name) = self.parent(path)?;
        let op = self.step()?;
        self.change_dir(op, dir, vec![(name, None)])
    }

    pub(super) fn sync_dir(&mut self, path: &Path) -> io::Result<()> {
        let inode = self.find(path).ok_or(io::ErrorKind::NotFound)?;
        self.step()?;
        self.check_fault(DiskOp::SyncDir, path)?;
        let Inode::Dir { durable, pending, .. } = &mut self.inodes[inode] else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        for (_, change) in pending.drain(..) {
            apply_dir(durable, &change);
        }
        Ok(())
    }

    pub(super) fn read(
        &mut self,
        inode: usize,
        path: &Path,
        buffer: &mut [u8],
        position: u64,
    ) -> io::Result<usize> {
        self.alive()?;
        self.check_fault(DiskOp::Read, path)?;
        let Inode::File { content, .. } = &self.inodes[inode] else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        let rest = content.get(position as usize..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    pub(super) fn write(
        &mut self,
        inode: usize,
        path: &Path,
        bytes: &[u8],
        position: u64,
    ) -> io::Result<usize> {
        let op = self.step()?;
        let mut fault = self.fault(DiskOp::Write, path);
        let mut len = bytes.len();
        if let Some(fault) = &fault {
            len = len.min(fault.written);
        }
        let grows = (position + len as u64).saturating_sub(self.len(inode)?);
        if let Some(capacity) = self.capacity {
            let free = capacity.saturating_sub(self.used());
            if grows > free {
                len = len.saturating_sub((grows - free) as usize);
                if len == 0 {
                    fault = Some(Fault {
                        op: DiskOp::Write,
                        path: String::new(),
                        errno: ENOSPC,
                        written: 0,
                        times: 1,
                    });
                }
            }
        }
        if len > 0 {
            let change = FileChange::Write { position: position as usize, bytes: bytes[..len].to_vec() };
            self.change_file(op, inode, change)?;
        }
        match fault {
            Some(fault) => Err(io::Error::from_raw_os_error(fault.errno)),
            None => Ok(len),
        }
    }

    pub(super) fn set_len(&mut self, inode: usize, path: &Path, len: u64) -> io::Result<()> {
        let op = self.step()?;
        self.check_fault(DiskOp::SetLen, path)?;
        self.change_file(op, inode, FileChange::SetLen(len as usize))
    }

    fn change_file(&mut self, op: u64, inode: usize, change: FileChange) -> io::Result<()> {
        let now_ms = self.now_ms;
        let Inode::File { content, pending, modified_ms, .. } = &mut self.inodes[inode] else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        *modified_ms = now_ms;
        apply_file(content, &change);
        pending.push((op, change));
        Ok(())
    }

    pub(super) fn len(&self, inode: usize) -> io::Result<u64> {
        match &self.inodes[inode] {
            Inode::File { content, .. } => Ok(content.len() as u64),
            Inode::Dir { .. } => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    pub(super) fn stat(&self, path: &Path) -> io::Result<FileStat> {
        self.alive()?;
        match &self.inodes[self.find(path).ok_or(io::ErrorKind::NotFound)?] {
            Inode::File { content, modified_ms, .. } => {
                Ok(FileStat { len: content.len() as u64, modified_ms: *modified_ms })
            }
            Inode::Dir { .. } => Ok(FileStat { len: 0, modified_ms: 0 }),
        }
    }

    pub(super) fn sync(&mut self, inode: usize, path: &Path) -> io::Result<()> {
        self.step()?;
        let failed = self.check_fault(DiskOp::Sync, path);
        let Inode::File { durable, pending, .. } = &mut self.inodes[inode] else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        for (_, change) in pending.drain(..) {
            // After a failed sync the pages are clean and gone: no later sync brings them to the disk.
            if failed.is_ok() {
                apply_file(durable, &change);
            }
        }
        failed?;
        self.sync_count += 1;
        Ok(())
    }

    pub(super) fn used(&self) -> u64 {
        let len =
            |inode: &Inode| if let Inode::File { content, .. } = inode { content.len() as u64 } else { 0 };
        self.reachable().into_iter().map(|inode| len(&self.inodes[inode])).sum()
    }

    fn reachable(&self) -> Vec<usize> {
        let (mut found, mut at) = (vec![0], 0);
        while let Some(&inode) = found.get(at) {
            if let Inode::Dir { entries, .. } = &self.inodes[inode] {
                found.extend(entries.values());
            }
            at += 1;
        }
        found
    }

    pub(super) fn damage(&mut self, path: &Path, change: impl Fn(&mut Vec<u8>)) -> io::Result<()> {
        let inode = self.find(path).ok_or(io::ErrorKind::NotFound)?;
        if let Inode::File { content, durable, pending, .. } = &mut self.inodes[inode] {
            change(content);
            durable.clone_from(content);
            pending.clear();
        }
        Ok(())
    }

    /// The disk when power is back.
    pub(super) fn after(&self, cut: PowerCut) -> Self {
        let mut chance = Chance::new(cut);
        // With `Torn`, everything up to one operation is there, that one in part, and nothing after.
        let torn_at = match cut {
            PowerCut::Torn { .. } => chance.below(self.op_count + 1),
            _ => 0,
        };
        let mut inodes = self.inodes.clone();
        for inode in &mut inodes {
            match inode {
                Inode::File { content, durable, pending, .. } => {
                    for (op, change) in std::mem::take(pending) {
                        survive_file(durable, op, change, cut, torn_at, &mut chance);
                    }
                    content.clone_from(durable);
                }
                Inode::Dir { entries, durable, pending } => {
                    for (op, change) in std::mem::take(pending) {
                        let survives = match cut {
                            PowerCut::Dropped => false,
                            PowerCut::Kept => true,
                            PowerCut::Torn { .. } => op <= torn_at,
                            PowerCut::Reordered { .. } => chance.coin(),
                        };
                        if survives {
                            apply_dir(durable, &change);
                        }
                    }
                    entries.clone_from(durable);
                }
            }
        }
        Self { now_ms: self.now_ms, ..Self::with(inodes) }
    }
}

fn survive_file(
    durable: &mut Vec<u8>,
    op: u64,
    change: FileChange,
    cut: PowerCut,
    torn_at: u64,
    chance: &mut Chance,
) {
    match (cut, change) {
        (PowerCut::Dropped, _) => {}
        (PowerCut::Kept, change) => apply_file(durable, &change),
        (PowerCut::Torn { .. }, change) if op < torn_at => apply_file(durable, &change),
        (PowerCut::Torn { .. }, FileChange::Write { position, mut bytes }) if op == torn_at => {
            bytes.truncate(chance.below(bytes.len() as u64 + 1) as usize);
            apply_file(durable, &FileChange::Write { position, bytes });
        }
        (PowerCut::Torn { .. }, _) => {}
        (PowerCut::Reordered { .. }, FileChange::SetLen(len)) => {
            if chance.coin() {
                apply_file(durable, &FileChange::SetLen(len));
            }
        }
        (PowerCut::Reordered { .. }, FileChange::Write { mut position, bytes }) => {
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let sector = (SECTOR - position % SECTOR).min(rest.len());
                if chance.coin() {
                    apply_file(durable, &FileChange::Write { position, bytes: rest[..sector].to_vec() });
                }
                rest = &rest[sector..];
                position += sector;
            }
        }
    }
}

fn apply_file(content: &mut Vec<u8>, change: &FileChange) {
    match change {
        FileChange::SetLen(len) => content.resize(*len, 0),
        FileChange::Write { bytes, .. } if bytes.is_empty() => {}
        FileChange::Write { position, bytes } => {
            let end = position + bytes.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[*position..end].copy_from_slice(bytes);
        }
    }
}

fn apply_dir(entries: &mut Entries, change: &DirChange) {
    for (name, inode) in change {
        match inode {
            Some(inode) => entries.insert(name.clone(), *inode),
            None => entries.remove(name),
        };
    }
}

/// A small generator of chance (SplitMix64), the same for the same seed.
struct Chance(u64);

impl Chance {
    const fn new(cut: PowerCut) -> Self {
        Self(match cut {
            PowerCut::Torn { seed } | PowerCut::Reordered { seed } => seed,
            PowerCut::Dropped | PowerCut::Kept => 0,
        })
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    const fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    const fn coin(&mut self) -> bool {
        self.next() & 1 == 0
    }
}

const SECTOR: usize = 512;
const ENOSPC: i32 = 28;
