//! The rows of the table: what is measured, under which durability.

/// When a write counts as done, on both sides alike.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Durability {
    /// `acks=all` is on disk: Headwater's group commit, Apache Kafka's `log.flush.interval.messages=1`.
    Disk,
    /// `acks=all` is in the page cache: Headwater's `flush.policy=os`, Apache Kafka's default.
    PageCache,
}

impl Durability {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Disk => "on disk",
            Self::PageCache => "page cache",
        }
    }
}

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Part of `--quick`.
    pub(crate) quick: bool,
    pub(crate) durability: Durability,
    pub(crate) load: Load,
}

/// What is done.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Load {
    Produce(Shape),
    Consume(Shape),
    /// The same over the native protocol, which Headwater alone speaks.
    NativeProduce(Shape),
    NativeConsume(Shape),
    /// Produce to acknowledgement, at this many records a second.
    AckLatency(u64),
    /// Produce to read, at this many records a second.
    EndToEnd(u64),
    /// Process start to the first answer, on an empty directory.
    Start,
    /// Resident memory: idle, and after what ran before.
    Memory,
    /// Kill -9 with a log of this many bytes, then start to the first fetch.
    Restart(u64),
    /// A topic of this many partitions: time to create it, memory, and produce to it.
    Partitions(u32),
    /// So many connections: memory, and produce beside them.
    Connections(u32),
    /// So many groups with a committed offset.
    Groups(u32),
    /// `kafka-producer-perf-test` with records of this size.
    ProducerPerf(usize),
    /// `kafka-consumer-perf-test` with records of this size.
    ConsumerPerf(usize),
}

/// What records look like and where they go.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Shape {
    pub(crate) size: usize,
    pub(crate) codec: &'static str,
    pub(crate) partitions: u32,
}

/// Every row, in the order in which they run.
pub(crate) fn all() -> Vec<Row> {
    let mut rows = Vec::new();
    let shape = |size, codec, partitions| Shape { size, codec, partitions };
    for durability in [Durability::Disk, Durability::PageCache] {
        for partitions in [1, 8, 64] {
            for size in [100, 1024, 16 * 1024] {
                let quick = match durability {
                    Durability::Disk => partitions == 8 && size == 1024,
                    Durability::PageCache => {
                        partitions == 8 && size != 16 * 1024 || partitions == 1 && size == 16 * 1024
                    }
                };
                rows.push(produce(shape(size, "none", partitions), durability, quick));
            }
        }
        let rates: &[u64] = if durability == Durability::Disk { &[500, 5000] } else { &[1000, 10_000] };
        for rate in rates {
            rows.push(row(
                format!("produce to ack at {rate}/s"),
                *rate <= 1000,
                durability,
                Load::AckLatency(*rate),
            ));
            rows.push(row(
                format!("end to end at {rate}/s"),
                *rate <= 1000,
                durability,
                Load::EndToEnd(*rate),
            ));
        }
    }
    let cached = Durability::PageCache;
    for codec in ["gzip", "snappy", "lz4", "zstd"] {
        rows.push(produce(shape(1024, codec, 8), cached, codec == "lz4"));
    }
    for partitions in [1, 8, 64] {
        for size in [100, 1024, 16 * 1024] {
            rows.push(consume(shape(size, "none", partitions), cached, partitions == 8 && size == 1024));
        }
    }
    for codec in ["gzip", "snappy", "lz4", "zstd"] {
        rows.push(consume(shape(1024, codec, 8), cached, false));
    }
    for durability in [Durability::Disk, cached] {
        let shape = shape(1024, "none", 8);
        let name = format!("native produce {}", shape.text());
        rows.push(row(name, false, durability, Load::NativeProduce(shape)));
    }
    for size in [100, 1024] {
        let shape = shape(size, "none", 8);
        let name = format!("native consume {}", shape.text());
        rows.push(row(name, false, cached, Load::NativeConsume(shape)));
    }
    for size in [100, 1024] {
        rows.push(row(
            format!("kafka-producer-perf-test, {size} B"),
            false,
            cached,
            Load::ProducerPerf(size),
        ));
        rows.push(row(
            format!("kafka-consumer-perf-test, {size} B"),
            false,
            cached,
            Load::ConsumerPerf(size),
        ));
    }
    rows.push(row("resident memory".into(), true, cached, Load::Memory));
    for count in [1000, 10_000] {
        rows.push(row(format!("a topic of {count} partitions"), false, cached, Load::Partitions(count)));
    }
    rows.push(row("1000 connections".into(), false, cached, Load::Connections(1000)));
    rows.push(row("1000 groups".into(), false, cached, Load::Groups(1000)));
    rows.push(row("start".into(), true, Durability::Disk, Load::Start));
    rows.push(row("restart after kill -9, 1 GB of log".into(), false, cached, Load::Restart(1_000_000_000)));
    rows
}

fn produce(shape: Shape, durability: Durability, quick: bool) -> Row {
    row(format!("produce {}", shape.text()), quick, durability, Load::Produce(shape))
}

fn consume(shape: Shape, durability: Durability, quick: bool) -> Row {
    row(format!("consume {}", shape.text()), quick, durability, Load::Consume(shape))
}

fn row(name: String, quick: bool, durability: Durability, load: Load) -> Row {
    Row { name: format!("{name}, {}", durability.text()), quick, durability, load }
}

impl Shape {
    /// As part of a row's name.
    pub(crate) fn text(&self) -> String {
        let size =
            if self.size >= 1024 { format!("{} KiB", self.size / 1024) } else { format!("{} B", self.size) };
        let partitions = if self.partitions == 1 {
            "1 partition".into()
        } else {
            format!("{} partitions", self.partitions)
        };
        format!("{size}, {}, {partitions}", self.codec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_has_twelve_rows_and_every_name_is_its_own() {
        let rows = all();
        let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rows.len());
        let quick: Vec<&str> = rows.iter().filter(|row| row.quick).map(|row| row.name.as_str()).collect();
        assert_eq!(quick.len(), 12, "{quick:#?}");
    }
}
