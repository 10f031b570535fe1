//! Directories of the native format's first broker, imported into a broker that serves, and read back.

#[path = "../../../crates/headwater-import/tests/scan/old_directory.rs"]
mod old_directory;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use bytes::{Bytes, BytesMut};
use headwater_codec::{
    CorrelationId, ErrorCode, Records, Request, decode_response, encode_request,
    messages::{
        fetch::{FetchPartition, FetchRequest, FetchTopic},
        offset_fetch::{OffsetFetchRequest, OffsetFetchRequestTopic},
        produce::{PartitionProduceData, ProduceRequest, TopicProduceData},
    },
};
use headwater_records::{BatchBuilder, Batches};
use old_directory::{OldPartition, OldRecord};
use tempfile::TempDir;

fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_headwater"));
    command.current_dir(dir).env_remove("HEADWATER_LOG");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("KAFKA_")) {
        command.env_remove(name);
    }
    command
}

/// A broker that serves until it is dropped.
struct Serving {
    child: Child,
    address: String,
    dir: TempDir,
}

impl Serving {
    fn start() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let mut command = command(dir.path());
        command.args(["--set", "listeners=PLAINTEXT://127.0.0.1:0", "--set", "admin.listener="]);
        command.args(["--set", "auto.create.topics.enable=false"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let mut ready = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut ready).expect("a line");
        let pair = ready.split_whitespace().find_map(|pair| pair.strip_prefix("kafka="));
        Self { address: pair.expect("an address").to_owned(), child, dir }
    }

    /// The directory to import from.
    fn source(&self) -> std::path::PathBuf {
        self.dir.path().join("old")
    }

    fn import(&self, arguments: &[&str]) -> Output {
        let mut command = command(self.dir.path());
        command.args(["import-native", "old", "--bootstrap-server", &self.address]).args(arguments);
        command.output().expect("runs")
    }

    /// Imports, and gives the summary.
    fn imported(&self, arguments: &[&str]) -> String {
        let output = self.import(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn call<R: Request>(&self, version: i16, request: &R) -> R::Response {
        let mut stream = TcpStream::connect(&self.address).expect("it serves");
        let id = CorrelationId::new(1);
        let frame = encode_request(id, None, version, request, &mut BytesMut::new()).expect("a request");
        stream.write_all(&frame.to_bytes().expect("bytes")).expect("sent");
        let mut length = [0; 4];
        stream.read_exact(&mut length).expect("an answer");
        let mut answer = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut answer).expect("an answer");
        decode_response::<R::Response>(R::KEY, version, Bytes::from(answer)).expect("an answer").1
    }

    /// Every record of a partition, as text.
    fn records(&self, topic: &str, partition: i32) -> Vec<String> {
        let asked = FetchPartition { partition, partition_max_bytes: i32::MAX, ..Default::default() };
        let topics = vec![FetchTopic { topic: topic.into(), partitions: vec![asked], ..Default::default() }];
        let answer = self.call(12, &FetchRequest { topics, max_bytes: i32::MAX, ..Default::default() });
        let found = &answer.responses[0].partitions[0];
        assert_eq!(found.error_code, ErrorCode::None);
        let bytes = found.records.as_ref().and_then(Records::as_bytes).cloned().unwrap_or_default();
        let mut texts = Vec::new();
        for batch in Batches::new(&bytes) {
            let records = batch.expect("a batch");
            for record in &records.records(1 << 20).expect("records") {
                let record = record.expect("a record");
                let text = |field: Option<&[u8]>| {
                    field.map_or("-".to_owned(), |field| String::from_utf8_lossy(field).into_owned())
                };
                let headers: String = record
                    .headers
                    .map(|(name, value)| format!(" {}={}", text(Some(name)), text(value)))
                    .collect();
                let (offset, time) = (record.offset, record.timestamp);
                texts.push(format!("{offset}@{time} {}:{}{headers}", text(record.key), text(record.value)));
            }
        }
        texts
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }
}

/// How far a group has read, as the first broker keeps it.
fn position(group: &str, topic: &str, partition: u32, offset: u64) -> OldRecord {
    let mut key = Vec::new();
    for text in [group, topic] {
        key.extend((text.len() as u16).to_be_bytes());
        key.extend(text.bytes());
    }
    key.extend(partition.to_be_bytes());
    OldRecord { key, stored_value: offset.to_be_bytes().into(), ..OldRecord::default() }
}

fn gzip(value: &str) -> Vec<u8> {
    headwater_records::Compression::Gzip.pack(value.as_bytes()).expect("packed")
}

#[test]
fn both_backends_are_copied_once_with_everything_in_their_records() {
    let broker = Serving::start();
    let old = broker.source();
    let headers = vec![("trace", "abc"), ("retry", "1"), ("retry", ""), ("headwater.offset", "theirs")];
    let with_headers = OldRecord { headers, ..OldRecord::new("k1", "v1") };
    let packed =
        OldRecord { attributes: 1, stored_value: gzip(&"packed".repeat(20)), ..OldRecord::new("k2", "") };
    let first = [with_headers, packed, OldRecord::new("", "")];
    let orders = OldPartition::new(&old, "orders", 1);
    orders.segmented(&[&first, &[OldRecord::new("k3", "v3")]]);
    let aborted = [OldRecord::new("x", "x").of(7, 0), OldRecord::marker(false, 7, 0)];
    let committed = [OldRecord::new("k4", "v4").of(7, 0), OldRecord::marker(true, 7, 0)];
    OldPartition::new(&old, "orders", 2).segmented(&[&[aborted, committed].concat()]);
    let users = OldPartition::new(&old, "users", 1);
    users.commit_log(0, &[(2, OldRecord::new("a", "1")), (5, OldRecord::new("b", "2"))]);
    fs::write(old.join("users/topic.config"), "backend=commitlog\nretention=60\n").expect("written");

    let dry = broker.imported(&["--dry-run"]);
    assert!(dry.starts_with("orders: 2 partitions, 5 records\n"), "{dry}");
    let summary = broker.imported(&[]);
    let expected = "orders: 2 partitions, 5 records, 5 copied, 0 there before\n  \
                    2 control records left out\n  \
                    1 records of aborted transactions left out\n\
                    users: 1 partitions, 2 records, 2 copied, 0 there before\n  \
                    settings there, not taken over: retention.ms=60000\n";
    assert_eq!(summary, expected);
    let packed = "packed".repeat(20);
    assert_eq!(
        broker.records("orders", 0),
        [
            "0@7 k1:v1 trace=abc retry=1 retry=- headwater.offset=theirs".to_owned(),
            format!("1@7 k2:{packed}"),
            "2@7 -:-".to_owned(),
            "3@7 k3:v3".to_owned(),
        ]
    );
    assert_eq!(broker.records("orders", 1), ["0@7 k4:v4"]);
    assert_eq!(broker.records("users", 0), ["0@7 a:1", "1@7 b:2"]);

    // Again, and after more was written.
    let again = broker.imported(&["--topic", "orders"]);
    assert!(again.starts_with("orders: 2 partitions, 5 records, 0 copied, 5 there before\n"), "{again}");
    users.commit_log(
        0,
        &[(2, OldRecord::new("a", "1")), (5, OldRecord::new("b", "2")), (6, OldRecord::new("c", "3"))],
    );
    let more = broker.imported(&["--topic", "users"]);
    assert!(more.starts_with("users: 1 partitions, 3 records, 1 copied, 2 there before\n"), "{more}");
    assert_eq!(broker.records("users", 0), ["0@7 a:1", "1@7 b:2", "2@7 c:3"]);
}

#[test]
fn groups_go_on_where_they_were() {
    let broker = Serving::start();
    let records = ["a", "b", "c"].map(|key| OldRecord::new(key, "v"));
    let record_len = records[0].bytes().len() as u64;
    let orders = OldPartition::new(&broker.source(), "orders", 1);
    // The first record was deleted there, and a control record stands before the last.
    orders.segmented(&[&[
        records[0].clone(),
        records[1].clone(),
        OldRecord::marker(true, 7, 0),
        records[2].clone(),
    ]]);
    let marker_len = OldRecord::marker(true, 7, 0).bytes().len() as u64;
    let third = 2 * record_len + marker_len;
    let positions = [
        position("first", "orders", 1, 0),
        position("middle", "orders", 1, record_len),
        position("deleted", "orders", 1, 0),
        position("done", "orders", 1, third + record_len),
        position("middle", "orders", 1, 2 * record_len),
        position("other", "no-such-topic", 1, 0),
        OldRecord { stored_value: Vec::new(), ..position("deleted", "orders", 1, 0) },
    ];
    let offsets = OldPartition::new(&broker.source(), "__consumer_offsets", 1);
    offsets.commit_log(0, &(0..).zip(positions).collect::<Vec<_>>());

    let summary = broker.imported(&[]);
    assert!(summary.contains("3 positions of groups set"), "{summary}");
    let position = |group: &str| {
        let topics = Some(vec![OffsetFetchRequestTopic {
            name: "orders".into(),
            partition_indexes: vec![0],
            ..Default::default()
        }]);
        let request = OffsetFetchRequest { group_id: group.into(), topics, ..Default::default() };
        broker.call(7, &request).topics[0].partitions[0].committed_offset
    };
    assert_eq!(["first", "middle", "done", "deleted"].map(position), [0, 2, 3, -1]);
    assert!(!broker.imported(&[]).contains("positions"), "none is set again");
}

#[test]
fn a_native_topic_gets_the_very_bytes_that_were_there() {
    let broker = Serving::start();
    let headers = vec![("trace", "abc"), ("retry", "1"), ("retry", ""), ("trace", "def")];
    let records = [
        OldRecord::new("k1", "v1"),
        OldRecord { headers, ..OldRecord::new("k2", "v2") },
        OldRecord::new("", ""),
    ];
    let partition = OldPartition::new(&broker.source(), "t", 1);
    partition.segmented(&[&records]);
    broker.imported(&["--record-format", "native"]);
    let expected = ["0@7 k1:v1", "1@7 k2:v2 trace=abc retry=1 retry=- trace=def", "2@7 -:-"];
    assert_eq!(broker.records("t", 0), expected);
    let name = "00000000000000000000.log";
    let imported = fs::read(broker.dir.path().join("data-native/t-0").join(name)).expect("a segment");
    assert_eq!(imported, fs::read(partition.path(name)).expect("a segment"));
}

/// The first broker's limits were others than a topic's defaults here.
#[test]
fn records_beyond_the_header_limits_are_imported_into_native_topics_too() {
    let broker = Serving::start();
    let large: &'static str = "x".repeat(70_000).leak();
    let long_name: &'static str = "n".repeat(300).leak();
    let with = |headers| OldRecord { headers, ..OldRecord::new("k", "v") };
    let records = [
        with(vec![("n", ""); 300]),
        with(vec![("large", large)]),
        with(vec![(long_name, "1")]),
        with(vec![]),
    ];
    OldPartition::new(&broker.source(), "t", 1).segmented(&[&records]);
    OldPartition::new(&broker.source(), "t", 2).segmented(&[&[OldRecord::new("k2", "v2")]]);
    let summary = broker.imported(&["--record-format", "native"]);
    assert!(summary.starts_with("t: 2 partitions, 5 records, 5 copied, 0 there before\n"), "{summary}");
    let expected = [
        format!("0@7 k:v{}", " n=-".repeat(300)),
        format!("1@7 k:v large={large}"),
        format!("2@7 k:v {long_name}=1"),
        "3@7 k:v".to_owned(),
    ];
    assert_eq!(broker.records("t", 0), expected);
    assert_eq!(broker.records("t", 1), ["0@7 k2:v2"]);
}

#[test]
fn damage_is_told_and_its_neighbours_are_imported() {
    let broker = Serving::start();
    let partition = OldPartition::new(&broker.source(), "t", 1);
    partition.segmented(&[&["a", "b", "c", "d"].map(|key| OldRecord::new(key, "v"))]);
    let path = partition.path("00000000000000000000.log");
    let mut bytes = fs::read(&path).expect("read");
    let record_len = bytes.len() / 4;
    bytes[2 * record_len - 1] ^= 1;
    bytes.truncate(4 * record_len - 2);
    fs::write(&path, &bytes).expect("written");
    let summary = broker.imported(&[]);
    assert!(summary.contains("2 records, 2 copied") && summary.contains("2 damaged places"), "{summary}");
    assert!(summary.contains("then sound records again") && summary.contains("the rest"), "{summary}");
    assert_eq!(broker.records("t", 0), ["0@7 a:v", "1@7 c:v"]);
}

#[test]
fn a_large_partition_is_copied_in_batches_and_goes_on_in_the_middle() {
    let broker = Serving::start();
    let value = "v".repeat(1000);
    let records: Vec<_> = (0..3_000).map(|n| OldRecord::new(&format!("{n:05}"), &value)).collect();
    let partition = OldPartition::new(&broker.source(), "t", 1);
    // As if a first run had been stopped after the first segment.
    partition.segmented(&[&records[..1_500]]);
    broker.imported(&[]);
    partition.segmented(&[&records[..1_500], &records[1_500..]]);
    let summary = broker.imported(&[]);
    assert!(
        summary.starts_with("t: 1 partitions, 3000 records, 1500 copied, 1500 there before"),
        "{summary}"
    );
    let found = broker.records("t", 0);
    assert_eq!(found.len(), 3_000);
    let expected = (0..3_000).map(|n| format!("{n}@7 {n:05}:{value}"));
    assert!(found.into_iter().eq(expected), "all are there, in order");
}

#[test]
fn a_topic_with_other_records_is_left_alone() {
    let broker = Serving::start();
    let partition = OldPartition::new(&broker.source(), "t", 1);
    partition.segmented(&[&[OldRecord::new("a", "v"), OldRecord::new("b", "v")]]);
    broker.imported(&[]);
    // Someone else writes to it, and the directory gets more records too.
    let mut builder = BatchBuilder::new();
    builder.push(7, Some(b"other"), Some(b"v"), &[]).expect("room");
    let batch = builder.build().expect("a batch").to_bytes();
    let data = PartitionProduceData { index: 0, records: Some(batch.into()), ..Default::default() };
    let topic_data =
        vec![TopicProduceData { name: "t".into(), partition_data: vec![data], ..Default::default() }];
    let answer =
        broker.call(9, &ProduceRequest { acks: -1, timeout_ms: 9_000, topic_data, ..Default::default() });
    assert_eq!(answer.responses[0].partition_responses[0].error_code, ErrorCode::None);
    for keys in [&["a", "b"][..], &["a", "b", "c", "d"]] {
        let records: Vec<_> = keys.iter().map(|key| OldRecord::new(key, "v")).collect();
        partition.segmented(&[&records]);
        let output = broker.import(&[]);
        assert_eq!(output.status.code(), Some(1));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("import into an empty topic"), "{errors}");
        assert_eq!(broker.records("t", 0).len(), 3, "nothing was added");
    }
}

#[test]
fn what_cannot_be_done_is_one_line_and_an_exit_code() {
    let broker = Serving::start();
    fs::create_dir(broker.source()).expect("made");
    let output = broker.import(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("headwater: old: no topic is there"));
    OldPartition::new(&broker.source(), "t", 1).segmented(&[&[OldRecord::new("a", "v")]]);
    let output = broker.import(&["--topic", "u"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "headwater: topic u is not in the directory\n");
    let mut nobody = command(broker.dir.path());
    let nobody =
        nobody.args(["import-native", "old", "--bootstrap-server", "127.0.0.1:1"]).output().expect("runs");
    assert_eq!(nobody.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nobody.stderr).starts_with("headwater: broker 127.0.0.1:1: "));
}
