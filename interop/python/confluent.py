"""confluent-kafka (librdkafka)."""
import sys

import dataset
from confluent_kafka import Consumer, Producer, TopicPartition


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
            digest.add(m.timestamp()[1], m.key(), m.value(), m.headers())
    c.close()
    print(digest.line())


def member(a):
    c = Consumer({"bootstrap.servers": a.bootstrap, "group.id": a.group, "auto.offset.reset": "earliest",
                  "enable.auto.commit": True, "auto.commit.interval.ms": 500, "session.timeout.ms": 6000,
                  "heartbeat.interval.ms": 500})

    def assigned(_consumer, partitions):
        print("assigned " + ",".join(str(p.partition) for p in partitions), flush=True)

    c.subscribe([a.topic], on_assign=assigned)
    while True:
        m = c.poll(0.2)
        if m is not None and m.error():
            print(f"error {m.error()}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    args = dataset.arguments()
    globals()[args.action](args)
