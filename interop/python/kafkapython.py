"""kafka-python, a client written in Python from the protocol's definition."""
import sys

import dataset
from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition


def produce(a):
    codec = None if a.codec == "none" else a.codec
    p = KafkaProducer(bootstrap_servers=a.bootstrap, compression_type=codec, linger_ms=20, batch_size=256 * 1024,
                      acks="all")
    pending = []
    for i in range(a.count):
        ts, key, value, headers = dataset.record(i, a.base_ms)
        headers = [(name, v) for name, v in headers if v is not None]      # send() refuses a null header value
        pending.append(p.send(a.topic, value=value, key=key, headers=headers, partition=0, timestamp_ms=ts))
    p.flush()
    failed = [f for f in pending if not f.succeeded()]
    if failed:
        sys.exit(f"{len(failed)} not delivered: {failed[0].exception}")
    print("cannot: null header values")
    print(f"produced={a.count}")


def consume(a):
    c = KafkaConsumer(bootstrap_servers=a.bootstrap, enable_auto_commit=False, consumer_timeout_ms=20000,
                      auto_offset_reset="earliest", check_crcs=True)
    c.assign([TopicPartition(a.topic, 0)])
    c.seek(TopicPartition(a.topic, 0), 0)
    digest = dataset.Digest()
    for m in c:
        digest.add(m.offset, m.timestamp, m.key, m.value, m.headers)
        if digest.count == a.count:
            break
    c.close()
    print(digest.line())


class Printer(ConsumerRebalanceListener):
    def on_partitions_revoked(self, revoked):
        pass

    def on_partitions_assigned(self, assigned):
        print("assigned " + ",".join(str(tp.partition) for tp in sorted(assigned)), flush=True)


def member(a):
    c = KafkaConsumer(bootstrap_servers=a.bootstrap, group_id=a.group, auto_offset_reset="earliest",
                      enable_auto_commit=True, auto_commit_interval_ms=500, session_timeout_ms=6000,
                      heartbeat_interval_ms=500)
    c.subscribe([a.topic], listener=Printer())
    while True:
        c.poll(200)


def offsets(a):
    c = KafkaConsumer(bootstrap_servers=a.bootstrap)
    tp = TopicPartition(a.topic, 0)
    found = []
    for time in a.times:
        if time == -1:
            found.append(c.end_offsets([tp])[tp])
        elif time == -2:
            found.append(c.beginning_offsets([tp])[tp])
        else:
            found.append(c.offsets_for_times({tp: time})[tp].offset)
    c.close()
    print("offsets=" + ",".join(map(str, found)))


def admin(a):
    from kafka.admin import ConfigResource, ConfigResourceType, NewTopic
    adm = KafkaAdminClient(bootstrap_servers=a.bootstrap)
    adm.create_topics([NewTopic(a.topic, 3, 1, topic_configs={"retention.ms": "86400000"})])
    print(f"partitions={len(adm.describe_topics([a.topic])[0]['partitions'])}")

    def retention():
        answer = adm.describe_configs([ConfigResource(ConfigResourceType.TOPIC, a.topic)])
        print(f"retention.ms={answer['topic'][a.topic]['retention.ms']['value']}")

    retention()
    adm.alter_configs([ConfigResource(ConfigResourceType.TOPIC, a.topic, {"retention.ms": "3600000"})])
    dataset.settle()
    retention()
    adm.delete_topics([a.topic])
    dataset.settle()
    if a.topic not in adm.list_topics():
        print("deleted")


def transact(a):
    p = KafkaProducer(bootstrap_servers=a.bootstrap, transactional_id=a.transactional_id)
    p.init_transactions()
    for name in ["aborted", "committed"]:
        p.begin_transaction()
        for i in range(a.count):
            p.send(a.topic, f"{name}-{i}".encode(), partition=0)
        if name == "aborted":
            p.flush()
            p.abort_transaction()
        else:
            p.commit_transaction()
    p.close()
    c = KafkaConsumer(bootstrap_servers=a.bootstrap, isolation_level="read_committed", enable_auto_commit=False)
    c.assign([TopicPartition(a.topic, 0)])
    c.seek(TopicPartition(a.topic, 0), 0)
    counts = dataset.Outcomes()
    for _ in range(20):
        for batch in c.poll(1000).values():
            for m in batch:
                counts.add(m.value)
        if counts.committed >= a.count:
            break
    c.close()
    print(counts.line())


if __name__ == "__main__":
    args = dataset.arguments()
    globals()[args.action](args)
