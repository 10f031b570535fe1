//! Reading records, by pulling or by being pushed to.

use headwater_codec::{GroupId, TopicName};

use super::{flags::FetchFlags, flags::Isolation, records::RecordLayout};
use crate::{
    DecodeError, EncodeError,
    reader::Reader,
    wire::{Wire, payload},
    writer::Writer,
};

/// FETCH: reads on from the group's offsets, in this topic and every other that this connection fetched.
///
/// Answered with RECORD frames or one RECORD_BATCH, then OK. The server commits what it sent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Fetch {
    /// The topic.
    pub topic: TopicName,
    /// The group whose offsets are read and moved. One for the whole life of a connection.
    pub group: GroupId,
    /// Records at most, over all partitions.
    pub max_records: u32,
    /// One for the whole life of a connection.
    pub isolation: Isolation,
    /// How the records come.
    pub flags: FetchFlags,
}

impl Wire for Fetch {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        let (topic, group, max_records) = (r.topic("topic")?, r.group("group")?, r.u32("max_records")?);
        let (isolation, flags) = read_options(r)?;
        Ok(Self { topic, group, max_records, isolation, flags })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        w.topic("topic", &self.topic)?;
        w.group("group", &self.group)?;
        w.u32("max_records", &self.max_records)?;
        write_options(w, self.isolation, self.flags)
    }
}

payload! { Fetch, Fetch }

/// SUBSCRIBE: asks for the group's next records to be pushed as RECORD frames with the zero id.
///
/// Answered with OK. A connection pulls or is pushed to, never both.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Subscribe {
    /// The topic.
    pub topic: TopicName,
    /// The group whose offsets are read and moved.
    pub group: GroupId,
    /// One for the whole life of a connection.
    pub isolation: Isolation,
    /// [`FetchFlags::HEADERS`] or nothing.
    pub flags: FetchFlags,
}

impl Wire for Subscribe {
    const SIZE_MIN: usize = 0;

    fn read(r: &mut Reader) -> Result<Self, DecodeError> {
        let (topic, group) = (r.topic("topic")?, r.group("group")?);
        let (isolation, flags) = read_options(r)?;
        Ok(Self { topic, group, isolation, flags })
    }

    fn write(&self, w: &mut Writer<'_>) -> Result<(), EncodeError> {
        w.topic("topic", &self.topic)?;
        w.group("group", &self.group)?;
        write_options(w, self.isolation, self.flags)
    }
}

payload! { Subscribe, Subscribe }

impl FetchFlags {
    /// The layout in which records come to whoever sets these flags.
    pub const fn layout(self) -> RecordLayout {
        if self.contains(Self::HEADERS) { RecordLayout::Headers } else { RecordLayout::Plain }
    }
}

/// Isolation, then flags: each came later than what stands before it.
fn read_options(r: &mut Reader) -> Result<(Isolation, FetchFlags), DecodeError> {
    let isolation = if r.is_empty() { Isolation::default() } else { r.isolation("isolation")? };
    let flags = if r.is_empty() { FetchFlags::NONE } else { FetchFlags::new(r.u8("flags")?) };
    Ok((isolation, flags))
}

/// What has its default is left out when nothing follows, as peers did that knew no more.
fn write_options(w: &mut Writer<'_>, isolation: Isolation, flags: FetchFlags) -> Result<(), EncodeError> {
    if isolation == Isolation::default() && flags == FetchFlags::NONE {
        return Ok(());
    }
    w.isolation("isolation", &isolation)?;
    if flags == FetchFlags::NONE {
        return Ok(());
    }
    w.u8("flags", &flags.get())
}
