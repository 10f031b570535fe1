//! Small batches that unfold to gigabytes are refused without the memory for it, however many come at once.

use std::{io::Write, thread};

use bytes::Bytes;
use headwater_records::{Batch, BatchBuilder, Compression, ProduceRules, RecordError, validate};

const MIB: usize = 1 << 20;
const NOW_MS: i64 = 1_700_000_000_000;
/// `max.decompressed.message.bytes` in these tests.
const UNPACKED_MAX: usize = 2 * MIB;
/// What the bombs unfold to at least, before they would end.
const BOMB: usize = 64 * MIB;
/// Records of eight or nine bytes each.
const TINY_RECORDS: i32 = 300_000;
const AT_ONCE: usize = 16;
/// What unpacking one of them may hold: two blocks of LZ4's largest size and some more.
const BOUND: usize = 10 * MIB;

/// A batch header with a sound checksum over these records.
fn sealed(codec: Compression, count: i32, records: &[u8]) -> Bytes {
    let mut batch = vec![0; 61];
    batch[8..12].copy_from_slice(&(49 + records.len() as i32).to_be_bytes());
    batch[16] = 2;
    batch[22] = codec.id();
    batch[23..27].copy_from_slice(&(count - 1).to_be_bytes());
    batch[27..35].copy_from_slice(&NOW_MS.to_be_bytes());
    batch[35..43].copy_from_slice(&NOW_MS.to_be_bytes());
    batch[43..57].fill(0xff);
    batch[57..61].copy_from_slice(&count.to_be_bytes());
    batch.extend_from_slice(records);
    let crc = crc32c::crc32c(&batch[21..]);
    batch[17..21].copy_from_slice(&crc.to_be_bytes());
    batch.into()
}

/// One record of two thousand million bytes: its start, to be followed by zeros.
const GIANT_START: [u8; 14] = [
    0xa8, 0xd0, 0xac, 0xf3, 0x0e, // record length 2 000 000 020
    0, 0, 0, 1, // attributes, deltas, no key
    0x80, 0xd0, 0xac, 0xf3, 0x0e, // value length 2 000 000 000
];

/// The start of the giant record and then zeros, packed as small as the codec can.
fn giant(codec: Compression) -> Vec<u8> {
    match codec {
        // Gzip members and zstd frames may follow each other, so one of zeros is made and repeated.
        Compression::Gzip | Compression::Zstd => {
            let zeros = codec.pack(&vec![0; MIB]).unwrap();
            [codec.pack(&GIANT_START).unwrap(), zeros.repeat(BOMB / MIB)].concat()
        }
        Compression::Snappy => {
            let mut blocks = codec.pack(&GIANT_START).unwrap();
            let mut zeros = snap::raw::Encoder::new().compress_vec(&vec![0; MIB]).unwrap();
            zeros.splice(0..0, (zeros.len() as u32).to_be_bytes());
            blocks.extend_from_slice(&zeros.repeat(BOMB / MIB));
            blocks
        }
        Compression::Lz4 => {
            let frame = lz4_flex::frame::FrameInfo::new()
                .block_mode(lz4_flex::frame::BlockMode::Independent)
                .block_size(lz4_flex::frame::BlockSize::Max4MB);
            let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(frame, Vec::new());
            encoder.write_all(&GIANT_START).unwrap();
            let zeros = vec![0; MIB];
            (0..BOMB / MIB).for_each(|_| encoder.write_all(&zeros).unwrap());
            encoder.finish().unwrap()
        }
        Compression::None => unreachable!("nothing unfolds"),
    }
}

/// The peak of this process's resident memory so far, in bytes; `None` where the system does not tell.
fn resident_peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kib| kib << 10)
}

#[test]
fn bombs_are_refused_within_bounded_memory() {
    let rules = ProduceRules {
        max_message_bytes: 16 * MIB,
        max_decompressed_bytes: UNPACKED_MAX,
        ..ProduceRules::new(NOW_MS)
    };
    let mut tiny = BatchBuilder::new();
    for _ in 0..TINY_RECORDS {
        tiny.push(NOW_MS, None, Some(&[]), &[]).unwrap();
    }
    let tiny = tiny.build().unwrap();
    assert!(tiny.unpacked_len() > UNPACKED_MAX);
    for codec in &Compression::ALL[1..] {
        let bombs = [
            sealed(*codec, 1, &giant(*codec)),
            sealed(*codec, TINY_RECORDS, &codec.pack(tiny.records()).unwrap()),
        ];
        let before = resident_peak();
        thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    for bomb in &bombs {
                        let error = validate(bomb.clone(), &rules).unwrap_err();
                        assert!(matches!(error, RecordError::UnpackedTooLarge { .. }), "{codec}: {error}");
                        let batch = Batch::parse(bomb).unwrap();
                        let last = batch.header().last_offset();
                        let error = batch.first_at_or_after(NOW_MS, last, UNPACKED_MAX).unwrap_err();
                        assert!(matches!(error, RecordError::UnpackedTooLarge { .. }), "{codec}: {error}");
                    }
                });
            }
        });
        if let (Some(before), Some(after)) = (before, resident_peak()) {
            let grown = after - before;
            // Unbounded it would be at least 16 times 64 MiB.
            assert!(grown < AT_ONCE * BOUND, "{codec}: grown by {} MiB", grown / MIB);
        }
    }
}

#[test]
fn a_large_but_legal_batch_passes() {
    let rules = ProduceRules { max_decompressed_bytes: 21 * MIB, ..ProduceRules::new(NOW_MS) };
    for codec in &Compression::ALL[1..] {
        let mut builder = BatchBuilder::new().compression(*codec);
        for _ in 0..20 {
            builder.push(NOW_MS, Some(b"k"), Some(&vec![0; MIB]), &[]).unwrap();
        }
        let bytes = builder.build().unwrap().to_bytes();
        let rules = ProduceRules { max_message_bytes: bytes.len(), ..rules };
        assert_eq!(validate(bytes, &rules).unwrap().record_count(), 20, "{codec}");
    }
}
