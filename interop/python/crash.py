"""The load of `cargo xtask crash`: numbered values through one idempotent producer that lives through every crash.

crash.py produce BOOTSTRAP TOPIC PARTITIONS   writes until SIGTERM; prints `partition offset value` for each
                                              acknowledged record, after it was acknowledged
crash.py dump BOOTSTRAP TOPIC PARTITIONS      prints the same for every record that is stored
"""
import random
import signal
import sys

from confluent_kafka import Consumer, Producer, TopicPartition

running = True


def stop(_signum, _frame):
    global running
    running = False


def produce(bootstrap, topic, partitions):
    signal.signal(signal.SIGTERM, stop)
    failed = []
    p = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "acks": "all", "linger.ms": 1,
                  "message.timeout.ms": 120000, "reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 100,
                  "retry.backoff.ms": 20, "queue.buffering.max.messages": 2000, "batch.num.messages": 50})

    def delivered(error, message):
        if error is not None:
            failed.append(str(error))
            return
        number = message.value().split(b" ", 1)[0].decode()
        print(message.partition(), message.offset(), number, flush=True)

    number = 0
    rng = random.Random(1)
    while running and not failed:
        try:
            p.produce(topic, value=b"%d " % number + b"x" * rng.randrange(1500), partition=number % partitions,
                      on_delivery=delivered)
            number += 1
        except BufferError:
            p.poll(0.02)
        p.poll(0)
    left = p.flush(60)
    if failed or left:
        sys.exit(f"{left} never acknowledged, errors: {failed[:3]}")


def dump(bootstrap, topic, partitions):
    c = Consumer({"bootstrap.servers": bootstrap, "group.id": "crash-dump", "enable.auto.commit": False,
                  "auto.offset.reset": "error"})
    ends = {}
    for index in range(partitions):
        start, end = c.get_watermark_offsets(TopicPartition(topic, index), timeout=10)
        if start != 0:
            sys.exit(f"partition {index} starts at {start}")
        ends[index] = end
    c.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    seen = {index: 0 for index in range(partitions)}
    idle = 0
    while any(seen[index] < ends[index] for index in ends) and idle < 30:
        messages = c.consume(5000, 0.5)
        idle = 0 if messages else idle + 1
        for m in messages:
            if m.error():
                sys.exit(str(m.error()))
            print(m.partition(), m.offset(), m.value().split(b" ", 1)[0].decode())
            seen[m.partition()] = m.offset() + 1
    c.close()
    if any(seen[index] < ends[index] for index in ends):
        sys.exit(f"read up to {seen}, the ends are {ends}")


if __name__ == "__main__":
    action, address, name, count = sys.argv[1:]
    {"produce": produce, "dump": dump}[action](address, name, int(count))
