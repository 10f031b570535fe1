// KafkaJS. See ../README.md for the command line. Snappy and LZ4 come from plug-ins, zstd from a package for it.
const crypto = require('node:crypto')
const { Kafka, CompressionTypes, CompressionCodecs, ConfigResourceTypes, logLevel } = require('kafkajs')

const CODECS = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
}

function installCodecs() {
  CompressionCodecs[CompressionTypes.Snappy] = require('kafkajs-snappy')
  const Lz4 = require('kafkajs-lz4')
  CompressionCodecs[CompressionTypes.LZ4] = new (Lz4.default || Lz4)().codec
  const zstd = require('@bokuweb/zstd-wasm')
  const started = zstd.init()
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: async encoder => {
      await started
      return Buffer.from(zstd.compress(encoder.buffer, 3))
    },
    decompress: async buffer => {
      await started
      return Buffer.from(zstd.decompress(buffer))
    },
  })
}

function record(i, baseMs) {
  return {
    timestamp: String(baseMs + i),
    partition: 0,
    key: i % 11 === 5 ? null : `key-${i % 1000}`,
    value: i % 7 === 3 && i % 11 !== 5 ? null : `value-${i}-${'x'.repeat(i % 64)}`,
    headers: { seq: String(i), dup: ['a', 'b'], empty: '' },
  }
}

const text = data => (data === null || data === undefined ? '-' : Buffer.from(data).toString('hex'))

async function produce(kafka, a) {
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const size = 2000
  for (let start = 0; start < a.count; start += size) {
    const messages = []
    for (let i = start; i < Math.min(a.count, start + size); i++) messages.push(record(i, a['base-ms']))
    await producer.send({ topic: a.topic, acks: -1, compression: CODECS[a.codec], messages })
  }
  await producer.disconnect()
  console.log(`cannot: null header values`)
  console.log(`produced=${a.count}`)
}

async function consume(kafka, a) {
  const consumer = kafka.consumer({ groupId: `reader-${a.topic}-${process.pid}`, minBytes: 1, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [a.topic], fromBeginning: true })
  const sha = crypto.createHash('sha256')
  let count = 0
  const headerLine = headers =>
    Object.entries(headers || {})
      .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(v => `${name}=${text(v)}`))
      .join(';')
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`only ${count} records in 60 s`)), 60000).unref()
    consumer.on(consumer.events.CRASH, e => reject(e.payload.error))
    consumer
      .run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          for (const m of batch.messages) {
            if (count === a.count) break
            sha.update(`${m.offset}|${m.timestamp}|${text(m.key)}|${text(m.value)}|${headerLine(m.headers)}\n`)
            count++
          }
          if (count === a.count) resolve()
        },
      })
      .catch(reject)
  })
  console.log(`count=${count} sha256=${sha.digest('hex')}`)
  await consumer.disconnect()
}

async function member(kafka, a) {
  const consumer = kafka.consumer({ groupId: a.group, sessionTimeout: 6000, heartbeatInterval: 500 })
  consumer.on(consumer.events.GROUP_JOIN, e => {
    const partitions = Object.values(e.payload.memberAssignment).flat()
    console.log(`assigned ${partitions.join(',')}`)
  })
  await consumer.connect()
  await consumer.subscribe({ topics: [a.topic], fromBeginning: true })
  await consumer.run({ autoCommitInterval: 500, eachMessage: async () => {} })
}

async function offsets(kafka, a) {
  const admin = kafka.admin()
  await admin.connect()
  const [ends] = await admin.fetchTopicOffsets(a.topic)
  const found = []
  for (const time of a.times.split(',').map(Number)) {
    if (time === -1) found.push(ends.high)
    else if (time === -2) found.push(ends.low)
    else found.push((await admin.fetchTopicOffsetsByTimestamp(a.topic, time))[0].offset)
  }
  console.log(`offsets=${found.join(',')}`)
  await admin.disconnect()
}

async function administer(kafka, a) {
  const admin = kafka.admin()
  await admin.connect()
  const retention = async () => {
    const names = [{ type: ConfigResourceTypes.TOPIC, name: a.topic, configNames: ['retention.ms'] }]
    const { resources } = await admin.describeConfigs({ resources: names, includeSynonyms: false })
    console.log(`retention.ms=${resources[0].configEntries[0].configValue}`)
  }
  const configEntries = [{ name: 'retention.ms', value: '86400000' }]
  await admin.createTopics({ topics: [{ topic: a.topic, numPartitions: 3, replicationFactor: 1, configEntries }] })
  const { topics } = await admin.fetchTopicMetadata({ topics: [a.topic] })
  console.log(`partitions=${topics[0].partitions.length}`)
  await retention()
  console.log('cannot: change one config (it has no IncrementalAlterConfigs)')
  await admin.deleteTopics({ topics: [a.topic] })
  if (!(await admin.listTopics()).includes(a.topic)) console.log('deleted')
  await admin.disconnect()
}

async function transact(kafka, a) {
  const options = { transactionalId: a['transactional-id'], idempotent: true, maxInFlightRequests: 1 }
  const producer = kafka.producer({ ...options, retry: { retries: 3 } })
  await producer.connect()
  for (const name of ['aborted', 'committed']) {
    const transaction = await producer.transaction()
    const messages = []
    for (let i = 0; i < a.count; i++) messages.push({ partition: 0, value: `${name}-${i}` })
    await transaction.send({ topic: a.topic, messages })
    await (name === 'aborted' ? transaction.abort() : transaction.commit())
  }
  await producer.disconnect()
  const consumer = kafka.consumer({ groupId: `reader-${a.topic}-${process.pid}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [a.topic], fromBeginning: true })
  const seen = { committed: 0, aborted: 0 }
  await new Promise(resolve => {
    setTimeout(resolve, 20000).unref()
    const eachMessage = async ({ message }) => {
      seen[message.value.toString().split('-')[0]]++
      if (seen.committed === a.count) resolve()
    }
    consumer.run({ autoCommit: false, eachMessage })
  })
  console.log(`committed=${seen.committed} aborted=${seen.aborted}`)
  await consumer.disconnect()
}

async function main() {
  const [action, ...rest] = process.argv.slice(2)
  const a = {}
  for (let i = 0; i + 1 < rest.length; i += 2) a[rest[i].slice(2)] = rest[i + 1]
  for (const name of ['count', 'base-ms']) a[name] = Number(a[name] || 0)
  installCodecs()
  const kafka = new Kafka({ brokers: [a.bootstrap], logLevel: logLevel.ERROR })
  await { produce, consume, member, offsets, admin: administer, transact }[action](kafka, a)
  if (action !== 'member') process.exit(0)
}

main().catch(e => {
  console.error(e)
  process.exit(1)
})
