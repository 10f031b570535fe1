// @platformatic/kafka. See ../README.md for the command line. It runs on the Node.js that its package.json locks.
import crypto from 'node:crypto'
import { Admin, Consumer, Producer } from '@platformatic/kafka'

const text = data => (data === null || data === undefined ? '-' : Buffer.from(data).toString('hex'))

function record(i, a) {
  // Header names are buffers, so that a map can hold one name twice.
  const headers = new Map([
    [Buffer.from('seq'), Buffer.from(String(i))],
    [Buffer.from('dup'), Buffer.from('a')],
    [Buffer.from('dup'), Buffer.from('b')],
    [Buffer.from('empty'), Buffer.alloc(0)],
    [Buffer.from('none'), null],
  ])
  return {
    topic: a.topic,
    partition: 0,
    timestamp: BigInt(a['base-ms'] + i),
    key: i % 11 === 5 ? null : Buffer.from(`key-${i % 1000}`),
    value: i % 7 === 3 && i % 11 !== 5 ? null : Buffer.from(`value-${i}-${'x'.repeat(i % 64)}`),
    headers,
  }
}

const common = a => ({ clientId: 'interop', bootstrapBrokers: [a.bootstrap], autocreateTopics: true, retries: 20 })

async function produce(a) {
  const producer = new Producer({ ...common(a), idempotent: true, compression: a.codec })
  const size = 2000
  for (let start = 0; start < a.count; start += size) {
    const messages = []
    for (let i = start; i < Math.min(a.count, start + size); i++) messages.push(record(i, a))
    const { offsets } = await producer.send({ messages, acks: -1 })
    if (offsets[0].offset !== BigInt(start)) throw new Error(`record ${start} got offset ${offsets[0].offset}`)
  }
  await producer.close()
  console.log(`produced=${a.count}`)
}

async function read(a, count, patience, more, each) {
  const consumer = new Consumer({ ...common(a), groupId: `reader-${a.topic}-${process.pid}`, maxWaitTime: 200, ...more })
  const stream = await consumer.consume({
    topics: [a.topic],
    mode: 'manual',
    offsets: [{ topic: a.topic, partition: 0, offset: 0n }],
    autocommit: false,
  })
  const timer = setTimeout(() => stream.destroy(), patience)
  let seen = 0
  for await (const m of stream) if (each(m) && ++seen === count) break
  clearTimeout(timer)
  await consumer.close(true)
}

async function consume(a) {
  const sha = crypto.createHash('sha256')
  let count = 0
  await read(a, a.count, 60000, {}, m => {
    const headers = m.headerEntries.map(([name, value]) => `${name}=${text(value)}`).join(';')
    sha.update(`${m.offset}|${m.timestamp}|${text(m.key)}|${text(m.value)}|${headers}\n`)
    count++
    return true
  })
  console.log(`count=${count} sha256=${sha.digest('hex')}`)
}

async function member(a) {
  const consumer = new Consumer({ ...common(a), groupId: a.group, sessionTimeout: 6000, heartbeatInterval: 500 })
  consumer.on('consumer:group:join', ({ assignments }) => {
    const partitions = assignments.filter(x => x.topic === a.topic).flatMap(x => x.partitions)
    console.log(`assigned ${partitions.join(',')}`)
  })
  const stream = await consumer.consume({
    topics: [a.topic],
    mode: 'committed',
    fallbackMode: 'earliest',
    autocommit: 500,
    maxWaitTime: 200,
  })
  for await (const _ of stream);
}

async function offsets(a) {
  const admin = new Admin(common(a))
  const found = []
  for (const timestamp of a.times.split(',').map(BigInt)) {
    const [topic] = await admin.listOffsets({ topics: [{ name: a.topic, partitions: [{ partitionIndex: 0, timestamp }] }] })
    found.push(topic.partitions[0].offset)
  }
  console.log(`offsets=${found.join(',')}`)
  await admin.close()
}

// Gives the broker time to see what the controller has done: Apache Kafka answers before that.
const settle = () => new Promise(resolve => setTimeout(resolve, 500))

async function administer(a) {
  const admin = new Admin(common(a))
  const resource = { resourceType: 2, resourceName: a.topic }
  const retention = async () => {
    const [answer] = await admin.describeConfigs({ resources: [{ ...resource, configurationKeys: ['retention.ms'] }] })
    console.log(`retention.ms=${answer.configs[0].value}`)
  }
  const configs = [{ name: 'retention.ms', value: '86400000' }]
  await admin.createTopics({ topics: [a.topic], partitions: 3, replicas: 1, configs })
  const { topics } = await admin.metadata({ topics: [a.topic], forceUpdate: true })
  console.log(`partitions=${topics.get(a.topic).partitionsCount}`)
  await retention()
  await admin.incrementalAlterConfigs({
    resources: [{ ...resource, configs: [{ name: 'retention.ms', configOperation: 0, value: '3600000' }] }],
  })
  await settle()
  await retention()
  await admin.deleteTopics({ topics: [a.topic] })
  await settle()
  if (!(await admin.listTopics()).includes(a.topic)) console.log('deleted')
  await admin.close()
}

async function transact(a) {
  const producer = new Producer({ ...common(a), idempotent: true, transactionalId: a['transactional-id'], retries: 5 })
  for (const name of ['aborted', 'committed']) {
    const transaction = await producer.beginTransaction()
    const messages = []
    for (let i = 0; i < a.count; i++) messages.push({ topic: a.topic, partition: 0, value: Buffer.from(`${name}-${i}`) })
    await transaction.send({ messages, acks: -1 })
    await (name === 'aborted' ? transaction.abort() : transaction.commit())
  }
  await producer.close()
  let committed = 0
  let aborted = 0
  await read(a, a.count, 20000, { isolationLevel: 1 }, m => {
    const good = m.value.toString().startsWith('committed-')
    if (good) committed++
    else aborted++
    return good
  })
  console.log(`committed=${committed} aborted=${aborted}`)
}

const [action, ...rest] = process.argv.slice(2)
const a = {}
for (let i = 0; i + 1 < rest.length; i += 2) a[rest[i].slice(2)] = rest[i + 1]
for (const name of ['count', 'base-ms']) a[name] = Number(a[name] || 0)
await { produce, consume, member, offsets, admin: administer, transact }[action](a)
if (action !== 'member') process.exit(0)
