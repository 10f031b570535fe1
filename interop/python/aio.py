"""aiokafka, a client for asyncio."""
import asyncio
import sys

import dataset
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType


async def produce(a):
    codec = None if a.codec == "none" else a.codec
    p = AIOKafkaProducer(bootstrap_servers=a.bootstrap, compression_type=codec, linger_ms=20,
                         max_batch_size=256 * 1024, enable_idempotence=True)
    await p.start()
    pending = []
    for i in range(a.count):
        ts, key, value, headers = dataset.record(i, a.base_ms)
        pending.append(await p.send(a.topic, value=value, key=key, headers=headers, partition=0, timestamp_ms=ts))
    await p.flush()
    for i, done in enumerate(pending):
        offset = (await done).offset
        if offset != i:
            sys.exit(f"record {i} got offset {offset}")
    await p.stop()
    print(f"produced={a.count}")


async def consume(a):
    c = AIOKafkaConsumer(bootstrap_servers=a.bootstrap, enable_auto_commit=False, auto_offset_reset="none",
                         check_crcs=True)
    await c.start()
    c.assign([TopicPartition(a.topic, 0)])
    c.seek(TopicPartition(a.topic, 0), 0)
    digest = dataset.Digest()
    idle = 0
    while digest.count < a.count and idle < 20:
        batches = await c.getmany(timeout_ms=1000)
        idle = 0 if batches else idle + 1
        for batch in batches.values():
            for m in batch[:a.count - digest.count]:
                digest.add(m.offset, m.timestamp, m.key, m.value, m.headers)
    await c.stop()
    print(digest.line())


class Printer(ConsumerRebalanceListener):
    async def on_partitions_revoked(self, revoked):
        pass

    async def on_partitions_assigned(self, assigned):
        print("assigned " + ",".join(str(tp.partition) for tp in sorted(assigned)), flush=True)


async def member(a):
    c = AIOKafkaConsumer(bootstrap_servers=a.bootstrap, group_id=a.group, auto_offset_reset="earliest",
                         enable_auto_commit=True, auto_commit_interval_ms=500, session_timeout_ms=6000,
                         heartbeat_interval_ms=500)
    c.subscribe([a.topic], listener=Printer())
    await c.start()
    while True:
        await c.getmany(timeout_ms=200)


async def offsets(a):
    c = AIOKafkaConsumer(bootstrap_servers=a.bootstrap)
    await c.start()
    tp = TopicPartition(a.topic, 0)
    c.assign([tp])
    found = []
    for time in a.times:
        if time == -1:
            found.append((await c.end_offsets([tp]))[tp])
        elif time == -2:
            found.append((await c.beginning_offsets([tp]))[tp])
        else:
            found.append((await c.offsets_for_times({tp: time}))[tp].offset)
    await c.stop()
    print("offsets=" + ",".join(map(str, found)))


async def admin(a):
    adm = AIOKafkaAdminClient(bootstrap_servers=a.bootstrap)
    await adm.start()
    await adm.create_topics([NewTopic(a.topic, 3, 1, topic_configs={"retention.ms": "86400000"})])
    described = await adm.describe_topics([a.topic])
    print(f"partitions={len(described[0]['partitions'])}")
    resource = ConfigResource(ConfigResourceType.TOPIC, a.topic)

    async def retention():
        for answer in await adm.describe_configs([resource]):
            for entry in answer.resources[0][4]:
                if entry[0] == "retention.ms":
                    print(f"retention.ms={entry[1]}")

    await retention()
    print("cannot: change one config (it has no IncrementalAlterConfigs)")
    await adm.delete_topics([a.topic])
    dataset.settle()
    if a.topic not in await adm.list_topics():
        print("deleted")
    await adm.close()


async def transact(a):
    p = AIOKafkaProducer(bootstrap_servers=a.bootstrap, transactional_id=a.transactional_id)
    await p.start()
    for name in ["aborted", "committed"]:
        await p.begin_transaction()
        for i in range(a.count):
            await p.send(a.topic, f"{name}-{i}".encode(), partition=0)
        await p.flush()
        await (p.abort_transaction() if name == "aborted" else p.commit_transaction())
    await p.stop()
    c = AIOKafkaConsumer(bootstrap_servers=a.bootstrap, isolation_level="read_committed")
    await c.start()
    c.assign([TopicPartition(a.topic, 0)])
    c.seek(TopicPartition(a.topic, 0), 0)
    counts = dataset.Outcomes()
    for _ in range(20):
        for batch in (await c.getmany(timeout_ms=1000)).values():
            for m in batch:
                counts.add(m.value)
        if counts.committed >= a.count:
            break
    await c.stop()
    print(counts.line())


if __name__ == "__main__":
    args = dataset.arguments()
    asyncio.run(globals()[args.action](args))
