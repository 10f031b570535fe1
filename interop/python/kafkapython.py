"""kafka-python, a client written in Python from the protocol's definition."""
import sys

import dataset
from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition


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
        digest.add(m.timestamp, m.key, m.value, m.headers)
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


if __name__ == "__main__":
    args = dataset.arguments()
    globals()[args.action](args)
