//! Transaction markers and compaction (C33, KIP-534), with markers made by hand.

use super::*;

const COMMIT: [u8; 4] = [0, 0, 0, 1];
const ABORT: [u8; 4] = [0, 0, 0, 0];

impl Fixture {
    fn send(&self, producer: i64, sequence: i32, key: &str, value: &str) {
        let mut builder = BatchBuilder::new()
            .producer(ProducerId::new(producer), ProducerEpoch::new(0), sequence)
            .transactional(true);
        builder.push(NOW, Some(key.as_bytes()), Some(value.as_bytes()), &[]).unwrap();
        self.committed(id(), builder.build().unwrap()).unwrap();
    }

    fn end(&self, producer: i64, marker: [u8; 4]) {
        let mut builder = BatchBuilder::new()
            .producer(ProducerId::new(producer), ProducerEpoch::new(0), -1)
            .transactional(true)
            .control(true);
        builder.push(NOW, Some(&marker), Some(&[0, 0, 0, 0, 0, 0]), &[]).unwrap();
        self.committed(id(), builder.build().unwrap()).unwrap();
    }

    /// What is there besides markers, and how many markers.
    fn data_and_markers(&self) -> (Vec<(String, Option<String>)>, usize) {
        let (markers, data): (Vec<_>, Vec<_>) =
            self.values().into_iter().partition(|(key, _)| key.as_bytes().first() == Some(&0));
        (data, markers.len())
    }
}

fn settings(config: &mut LogConfig) {
    compacted(config);
    config.segment_bytes = 1500;
}

/// Two producers, twenty transactions of distinct keys, every second one aborted.
fn twenty() -> (Fixture, Vec<(String, Option<String>)>) {
    let f = fixture(settings);
    let mut committed = Vec::new();
    for number in 0..20 {
        let (producer, sequence) = (1 + number % 2, (number / 2) as i32);
        let (key, value) = (format!("k{number:02}"), format!("v{number}"));
        f.send(producer, sequence, &key, &value);
        let aborts = (number / 2) % 2 == 1;
        f.end(producer, if aborts { ABORT } else { COMMIT });
        if !aborts {
            committed.push(pair(&key, &value));
        }
    }
    f.roll();
    (f, committed)
}

#[test]
fn markers_stay_with_their_data_and_aborted_data_goes() {
    let (f, committed) = twenty();
    f.store.clean();
    let (data, markers) = f.data_and_markers();
    assert_eq!(data, committed);
    assert_eq!(markers, 20, "aborted records went in this pass, their markers only after it");
    // The transaction index tells which are aborted, for as long as their markers may be read.
    let index: Vec<_> = f.files().into_iter().filter(|name| name.ends_with(".txnindex")).collect();
    let entries: usize = index
        .iter()
        .map(|name| f.disk.read(&Path::new("/data/topic1-0").join(name)).unwrap().len())
        .inspect(|len| assert_eq!(len % 34, 0))
        .sum();
    assert_eq!(entries / 34, 10);
    f.store.write_checkpoints().unwrap();
    let f = f.after(PowerCut::Dropped);
    f.put_with(TOPIC, 1, 1, settings);
    assert_eq!(f.data_and_markers(), (committed, 20));
}

#[test]
fn markers_go_when_their_data_is_gone_and_the_horizon_has_passed() {
    let (f, committed) = twenty();
    f.store.clean();
    // One segment takes all, so that no batch is held for the sake of its segment's end.
    f.put_with(TOPIC, 1, 0, |config| {
        compacted(config);
        config.segment_bytes = 10_000;
    });
    // Every value is overwritten, outside of transactions.
    for number in 0..20 {
        f.set(&format!("k{number:02}"), Some("new"));
    }
    f.roll();
    f.store.clean();
    let (data, markers) = f.data_and_markers();
    assert_eq!(data.len(), 20);
    assert!(data.iter().all(|(_, value)| value.as_deref() == Some("new")), "{committed:?} were overwritten");
    assert_eq!(
        markers, 20,
        "those of aborted ones have a horizon now, those of committed ones not even that"
    );
    f.clock.advance(DELETE_RETENTION_MS);
    f.store.clean();
    let (data, markers) = f.data_and_markers();
    // The last batch of each producer, both of them aborted, is held without its record, and the markers with it.
    assert_eq!((data.len(), markers), (20, 10 + 2));
    f.clock.advance(DELETE_RETENTION_MS);
    f.store.clean();
    let (data, markers) = f.data_and_markers();
    assert_eq!((data.len(), markers), (20, 2));
    assert!(f.files().iter().filter(|name| name.ends_with(".txnindex")).count() <= 1);
}

#[test]
fn an_open_transaction_holds_back_what_follows_it() {
    let f = fixture(settings);
    for value in ["0", "1", "2", "3"] {
        f.set("k", Some(value));
    }
    f.roll();
    f.send(1, 0, "k", "open");
    for value in ["4", "5", "6", "7"] {
        f.set("k", Some(value));
    }
    f.roll();
    f.store.clean();
    let value = |text: &str| pair("k", text);
    let expected = [value("3"), value("open"), value("4"), value("5"), value("6"), value("7")];
    assert_eq!(f.values(), expected);
    f.store.clean();
    f.end(1, COMMIT);
    f.roll();
    f.clock.advance(300_000);
    f.store.clean();
    assert_eq!(f.data_and_markers(), (vec![value("7")], 1));
}

#[test]
fn an_aborted_value_does_not_take_the_place_of_the_committed_one() {
    let f = fixture(settings);
    f.set("k", Some("committed"));
    f.send(1, 0, "k", "aborted");
    f.roll();
    f.end(1, ABORT);
    f.roll();
    f.store.clean();
    assert_eq!(f.data_and_markers(), (vec![pair("k", "committed")], 1));
}
