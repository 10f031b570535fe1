//! How logs are compacted, by Kafka's names.

/// How a store compacts logs with `cleanup.policy=compact`. The names in the docs are Kafka's configs.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanerOptions {
    /// `log.cleaner.enable`.
    pub enable: bool,
    /// `log.cleaner.threads`: how many logs are compacted at a time.
    pub threads: usize,
    /// `log.cleaner.backoff.ms`: how long a thread waits when nothing is worth while.
    pub backoff_ms: u64,
    /// `log.cleaner.dedupe.buffer.size`: bytes for the newest offsets of keys, all threads together.
    pub dedupe_buffer_size: u64,
    /// `log.cleaner.io.buffer.load.factor`: how full of keys that memory may get, 0 to 1.
    pub dedupe_load_factor: f64,
    /// `log.cleaner.io.buffer.size`: bytes for reading and writing, all threads together. A larger batch takes what it needs.
    pub io_buffer_size: usize,
    /// `log.cleaner.io.max.bytes.per.second`: read and written, all threads together.
    pub io_max_bytes_per_second: f64,
    /// `max.decompressed.message.bytes`: what the records of one batch may unpack to.
    pub unpacked_bytes_max: usize,
    /// What keys are hashed with; by chance, and told to nobody.
    pub secret: [u8; 16],
}

impl Default for CleanerOptions {
    fn default() -> Self {
        Self {
            enable: true,
            threads: 1,
            backoff_ms: 15_000,
            dedupe_buffer_size: 128 << 20,
            dedupe_load_factor: 0.9,
            io_buffer_size: 512 << 10,
            io_max_bytes_per_second: f64::MAX,
            unpacked_bytes_max: 100 << 20,
            secret: [0; 16],
        }
    }
}
