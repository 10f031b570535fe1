"""confluent-kafka (librdkafka)."""
import sys

import dataset
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic)


def produce(a):
    errors = []
    p = Producer({"bootstrap.servers": a.bootstrap, "compression.type": a.codec, "enable.idempotence": True,
                  "linger.ms": 5, "queue.buffering.max.messages": 200000, "message.timeout.ms": 60000})

    def delivered(error, _message):
        if error is not None:
            errors.append(str(error))

    for i in range(a.count):
        ts, key, value, headers = dataset.record(i, a.base_ms)
        while True:
            try:
                p.produce(a.topic, value=value, key=key, headers=headers, partition=0, timestamp=ts,
                          on_delivery=delivered)
                break
            except BufferError:
                p.poll(0.05)
        p.poll(0)
    left = p.flush(60)
    if errors or left:
        sys.exit(f"{left} not delivered, {len(errors)} errors: {errors[:3]}")
    print(f"produced={a.count}")


def consume(a):
    c = Consumer({"bootstrap.servers": a.bootstrap, "group.id": f"reader-{a.topic}", "enable.auto.commit": False,
                  "auto.offset.reset": "error", "check.crcs": True})
    c.assign([TopicPartition(a.topic, 0, 0)])
    digest = dataset.Digest()
    idle = 0
    while digest.count < a.count and idle < 20:
        messages = c.consume(1000, 1.0)
        idle = 0 if messages else idle + 1
        for m in messages:
            if m.error():
                sys.exit(str(m.error()))
            digest.add(m.offset(), m.timestamp()[1], m.key(), m.value(), m.headers())
    c.close()
    print(digest.line())


def member(a):
    config = {"bootstrap.servers": a.bootstrap, "group.id": a.group, "auto.offset.reset": "earliest",
              "enable.auto.commit": True, "auto.commit.interval.ms": 500}
    if a.protocol == "consumer":
        config["group.protocol"] = "consumer"
    else:
        config.update({"session.timeout.ms": 6000, "heartbeat.interval.ms": 500})
    c = Consumer(config)

    owned = set()

    def assigned(consumer, partitions):
        if a.protocol == "consumer":          # incremental: told only of what comes
            owned.update(p.partition for p in partitions)
            consumer.incremental_assign(partitions)
        else:
            owned.clear()
            owned.update(p.partition for p in partitions)
        print("assigned " + ",".join(map(str, sorted(owned))), flush=True)

    def revoked(consumer, partitions):
        if a.protocol == "consumer":
            owned.difference_update(p.partition for p in partitions)
            consumer.incremental_unassign(partitions)
            print("assigned " + ",".join(map(str, sorted(owned))), flush=True)

    c.subscribe([a.topic], on_assign=assigned, on_revoke=revoked)
    while True:
        m = c.poll(0.2)
        if m is not None and m.error():
            print(f"error {m.error()}", file=sys.stderr, flush=True)


def offsets(a):
    c = Consumer({"bootstrap.servers": a.bootstrap, "group.id": f"reader-{a.topic}"})
    found = []
    for time in a.times:
        if time < 0:
            start, end = c.get_watermark_offsets(TopicPartition(a.topic, 0), timeout=20)
            found.append(end if time == -1 else start)
        else:
            found.append(c.offsets_for_times([TopicPartition(a.topic, 0, time)], timeout=20)[0].offset)
    c.close()
    print("offsets=" + ",".join(map(str, found)))


def admin(a):
    adm = AdminClient({"bootstrap.servers": a.bootstrap})
    topic = NewTopic(a.topic, num_partitions=3, replication_factor=1, config={"retention.ms": "86400000"})
    adm.create_topics([topic])[a.topic].result()
    print(f"partitions={len(adm.list_topics(a.topic).topics[a.topic].partitions)}")

    def retention():
        resource = ConfigResource(ConfigResource.Type.TOPIC, a.topic)
        print("retention.ms=" + adm.describe_configs([resource])[resource].result()["retention.ms"].value)

    retention()
    change = ConfigEntry("retention.ms", "3600000", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, a.topic, incremental_configs=[change])
    adm.incremental_alter_configs([resource])[resource].result()
    dataset.settle()
    retention()
    adm.delete_topics([a.topic])[a.topic].result()
    dataset.settle()
    if a.topic not in adm.list_topics().topics:
        print("deleted")


def transact(a):
    p = Producer({"bootstrap.servers": a.bootstrap, "transactional.id": a.transactional_id})
    p.init_transactions(20)
    for name in ["aborted", "committed"]:
        p.begin_transaction()
        for i in range(a.count):
            p.produce(a.topic, f"{name}-{i}".encode(), partition=0)
        p.flush()
        if name == "aborted":
            p.abort_transaction(20)
        else:
            p.commit_transaction(20)
    c = Consumer({"bootstrap.servers": a.bootstrap, "group.id": f"reader-{a.topic}", "enable.auto.commit": False,
                  "isolation.level": "read_committed"})
    c.assign([TopicPartition(a.topic, 0, 0)])
    counts = dataset.Outcomes()
    for _ in range(20):
        for m in c.consume(1000, 1.0):
            counts.add(m.value())
        if counts.committed >= a.count:
            break
    c.close()
    print(counts.line())


if __name__ == "__main__":
    args = dataset.arguments()
    globals()[args.action](args)
