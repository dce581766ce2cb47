// npm run bench: events on disk to rollups, and through the queue to rollups, beside the peers of ../shared where they
// are installed, in alternation on the same file: for a fleet of 10,000, and once for one of 100,000 where memory and
// disk allow. Prints a table for each; --keep adds the medians to history.ndjson. With --engine postgres: a store in
// PostgreSQL in comparison with SQLite (postgres.mjs).
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { cpus, freemem, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { measure, median, watch } from './measure.mjs'
import { stagesOf } from './stages.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PEERS = join(ROOT, '../shared/peers/')
const HISTORY = join(ROOT, 'test/bench/history.ndjson')
const FIRST_DAY = '20260601'
/** How a peer is named by its own runner. */
const FILE_PEERS = ['duckdb', 'clickhouse', 'sqlite']
const QUEUE_PEER = 'bullmq-500'

/** The large fleet takes so much memory (the peers') and disk; of it, one run, with the peers that it does not take long. */
const LARGE = { devices: '100000', runs: '1', peers: ['duckdb', 'clickhouse'], memoryBytes: 8e9, diskBytes: 20e9 }

function defaultSizes() {
  const { bavail, bsize } = statfsSync(tmpdir())
  const isRoom = freemem() >= LARGE.memoryBytes && bavail * bsize >= LARGE.diskBytes
  return isRoom ? `10000,${LARGE.devices}` : '10000'
}

const { values: options } = parseArgs({
  options: {
    // Sizes of fleets, with commas.
    devices: { type: 'string', default: defaultSizes() },
    days: { type: 'string', default: '1' },
    // 3; 5 with --engine postgres.
    runs: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
    // Events of one day that are there already, and how large the fleet is of which an hour is run; for postgres.
    events: { type: 'string' },
    'hour-devices': { type: 'string', default: '1000000' },
    // Names of the peers' runner, with commas; none for ''.
    peers: { type: 'string', default: [...FILE_PEERS, QUEUE_PEER].join(',') },
    // Where the peers are installed, if that is not where they are kept.
    'peers-folder': { type: 'string', default: PEERS },
    queue: { type: 'boolean', default: true },
    keep: { type: 'boolean', default: false },
    out: { type: 'string', default: '' },
  },
  allowNegative: true,
})
const work = mkdtempSync(join(tmpdir(), 'cooler-bench-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

const count = (value) => Math.round(value).toLocaleString('en')
const cooler = (args, env, more = []) =>
  measure(process.execPath, [...more, join(ROOT, 'dist/src/cli.js'), ...args], { env, cwd: work })

/** Events of a fleet in a file, made by the peers' own generator where it is there. */
async function makeEvents(devices) {
  const file = join(work, 'events.ndjson')
  const { days } = options
  const generator = join(options['peers-folder'], 'generate.mjs')
  if (existsSync(generator)) {
    const args = ['--devices', devices, '--days', days, '--start', FIRST_DAY, '--out', file]
    const { stdout } = await measure(process.execPath, [generator, ...args])
    return { file, events: JSON.parse(stdout).lines, bytes: statSync(file).size }
  }
  const { stdout } = await cooler(['simulate', '--devices', devices, '--days', days, '--start', FIRST_DAY], {})
  writeFileSync(file, stdout)
  return { file, events: stdout.split('\n').length - 1, bytes: statSync(file).size }
}

const environment = (folder, more = {}) => {
  const { PATH } = process.env
  return { PATH, COOLER_STORE: join(folder, 'store.sqlite'), COOLER_RAW_RETENTION_DAYS: '0', ...more }
}

const freshFolder = () => mkdtempSync(join(work, 'run-'))

/**
 * Whole commands, the start of Node.js included: both stages by one command, which is what counts, and by one for each,
 * which tells how the time is shared.
 */
async function fileToRollups(file, { profiles } = {}) {
  const env = () => environment(freshFolder())
  const more = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const both = env()
  const { seconds, cpuSeconds, peakBytes } = await cooler(['ingest', '--rollup', file], both, more)
  const result = { total: seconds, cpu: cpuSeconds, peakBytes, bytes: statSync(both.COOLER_STORE).size }
  if (profiles === undefined) {
    const single = env()
    result.load = (await cooler(['ingest', file], single)).seconds
    result.loadedBytes = usedBytes(single.COOLER_STORE)
    result.rollup = (await cooler(['rollup'], single)).seconds
    await cooler(['compact'], single)
    result.compactedBytes = usedBytes(single.COOLER_STORE)
    rmSync(dirname(single.COOLER_STORE), { recursive: true })
  }
  rmSync(dirname(both.COOLER_STORE), { recursive: true })
  return result
}

/** Bytes of a store without the pages that wait to be used again. */
function usedBytes(file) {
  const database = new Database(file, { readonly: true })
  const [size, count, free] = ['page_size', 'page_count', 'freelist_count'].map((name) =>
    database.pragma(name, { simple: true }),
  )
  database.close()
  return (count - free) * size
}

/** A producer fills the queue of a durable Redis, a service drains it meanwhile and rolls up. */
async function queueToRollups(file, batch = []) {
  const folder = freshFolder()
  const socket = join(folder, 'r.sock')
  const redis = spawn(
    'redis-server',
    [
      '--port',
      '0',
      '--unixsocket',
      socket,
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--appendfsync',
      'everysec',
      '--save',
      '',
    ],
    { stdio: 'ignore' },
  )
  const env = environment(folder, {
    REDIS_URL: socket,
    PORT: '0',
    COOLER_REFRESH_MINUTES: '600',
    COOLER_BACKLOG_LIMIT: '20000',
  })
  const service = spawn(process.execPath, [join(ROOT, 'dist/src/cli.js'), 'start'], { env, cwd: folder })
  try {
    const url = await listening(service)
    const watched = [redis, service].map(({ pid }) => watch(pid))
    const before = watched.map((one) => one.cpuSeconds())
    const from = performance.now()
    const producer = await cooler(['ingest', '--queue', ...batch, file], env)
    await drained(url)
    const body = JSON.stringify({ fromDay: Number(FIRST_DAY), toDay: Number(FIRST_DAY), wait: true })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/rollups`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`the rollup answers ${answer.status}: ${await answer.text()}`)
    const total = (performance.now() - from) / 1000
    for (const one of watched) one.look()
    for (const one of watched) one.stop()
    return {
      total,
      cpu: producer.cpuSeconds + watched.reduce((sum, one, index) => sum + one.cpuSeconds() - before[index], 0),
      peakBytes: producer.peakBytes + watched.reduce((sum, one) => sum + one.peakBytes(), 0),
    }
  } finally {
    service.kill('SIGKILL')
    redis.kill('SIGKILL')
    await new Promise((resolve) => redis.once('close', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

function listening(service) {
  return new Promise((resolve, reject) => {
    let text = ''
    service.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const url = /"url":"(http:[^"]+)"/.exec(text)
      if (url) resolve(url[1])
    })
    service.once('exit', () => reject(new Error(`the service ended: ${text.slice(-1000)}`)))
  })
}

async function drained(url) {
  for (;;) {
    const { queue } = await (await fetch(`${url}/v1/status`)).json()
    if (queue.waiting + queue.active + queue.delayed === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** One run of a peer, by its own runner, on the same file (its generator is seeded). */
async function peer(name, devices) {
  const out = join(work, 'peer.json')
  const skip = ['--no-check', '--no-limits', '--no-reports', '--runs', '1', '--only', name, '--out', out]
  const size = ['--devices', devices, '--days', options.days, '--start', FIRST_DAY, '--work', freshFolder()]
  await measure(process.execPath, [join(options['peers-folder'], 'run.mjs'), ...size, ...skip], { cwd: work })
  const result = JSON.parse(readFileSync(out, 'utf8')).peers[name]
  const { load, rollup, total, totalCpu, memory, bytesPerEvent, others } = result
  return { load, rollup, total, cpu: totalCpu, peakBytes: memory, bytesPerEvent, others }
}

const ours = 'cooler-reports'
const oursQueued = 'cooler-reports, queue'
const oursQueued500 = 'cooler-reports, queue, jobs of 500'
const hasPeers = existsSync(join(options['peers-folder'], 'node_modules'))
if (!hasPeers) console.log('peers: none installed (see --peers-folder)')
const allPeers = hasPeers ? options.peers.split(',').filter((name) => name !== '') : []
const { stdout: commit } = await measure('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT }).catch(() => ({
  stdout: '',
}))

/** All runs of one size of fleet, in alternation: by name, a list. */
async function runsOf(file, devices, runs) {
  const peers = devices === LARGE.devices ? allPeers.filter((name) => LARGE.peers.includes(name)) : allPeers
  const results = new Map()
  const add = (name, run) => results.set(name, [...(results.get(name) ?? []), run])
  for (let run = 0; run < runs; run++) {
    add(ours, await fileToRollups(file))
    for (const name of peers.filter((one) => one !== QUEUE_PEER)) add(name, await peer(name, devices))
    if (!options.queue) continue
    add(oursQueued, await queueToRollups(file))
    add(oursQueued500, await queueToRollups(file, ['--batch', '500']))
    if (peers.includes(QUEUE_PEER)) add(QUEUE_PEER, await peer(QUEUE_PEER, devices))
  }
  return results
}

const COLUMNS = ['load', 'rollup', 'total', 'cpu', 'peakBytes', 'loadedBytes', 'compactedBytes']

/** The medians of the runs of each, and what follows from them. */
function mediansOf(results, events) {
  return [...results].map(([name, all]) => {
    const middle = (pick) => {
      const values = all.map(pick).filter((value) => value !== undefined && value !== null)
      return values.length === 0 ? null : median(values)
    }
    const row = Object.fromEntries(COLUMNS.map((field) => [field, middle((run) => run[field])]))
    const perEvent = (bytes) => (bytes === null ? null : bytes / events)
    return {
      name,
      ...row,
      busy: row.cpu / row.total / cpus().length,
      bytesPerEvent: middle((run) => run.bytesPerEvent) ?? perEvent(row.loadedBytes),
      compactedPerEvent: perEvent(row.compactedBytes),
      eventsPerSecond: events / row.total,
    }
  })
}

const fixed = (value, digits = 2) => (value === null ? '' : value.toFixed(digits))
const percent = (share) => `${(100 * share).toFixed(0)} %`
const TITLES = ['', 'load s', 'rollup s', 'total s', 'events/s', 'x of ours', 'CPU s', 'cores busy', 'peak MB']
const BYTES_TITLES = ['bytes/event loaded', 'compacted']

function printTable(rows) {
  const base = (name) => rows.find((row) => row.name === (name === QUEUE_PEER ? oursQueued : ours))?.total ?? Number.NaN
  const table = rows.map((row) => [
    row.name,
    fixed(row.load),
    fixed(row.rollup),
    fixed(row.total),
    count(row.eventsPerSecond),
    fixed(row.total / base(row.name)),
    fixed(row.cpu, 1),
    percent(row.busy),
    fixed(row.peakBytes / 1e6, 0),
    fixed(row.bytesPerEvent, 1),
    fixed(row.compactedPerEvent, 1),
  ])
  const titles = [...TITLES, ...BYTES_TITLES]
  const widths = titles.map((title, column) => Math.max(title.length, ...table.map((row) => row[column].length)))
  for (const row of [titles, ...table]) {
    console.log(
      row.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]))).join('  '),
    )
  }
}

/** How the CPU time of ours is shared, from one more run. */
async function stagesOfRun(file, devices) {
  const profiles = join(work, `profiles-${devices}`)
  mkdirSync(profiles)
  await fileToRollups(file, { profiles })
  const stages = stagesOf(profiles)
  const inAll = Object.values(stages).reduce((sum, one) => sum + one, 0)
  const shares = Object.entries(stages).map(([stage, ms]) => `${stage} ${percent(ms / inAll)}`)
  console.log(`where the CPU time of ours goes: ${shares.join(', ')}`)
  return stages
}

const ofRecord = () => ({
  date: new Date().toISOString().slice(0, 10),
  commit: commit.trim(),
  machine: `${cpus().length} x ${cpus()[0].model}, Node.js ${process.version}`,
})
const records = []

async function comparePostgres() {
  const { benchPostgres } = await import('./postgres.mjs')
  const [devices] = options.devices.split(',')
  const file = options.events ?? (await makeEvents(devices)).file
  const hourCopies = Math.round(Number(options['hour-devices']) / Number(devices))
  records.push({
    ...ofRecord(),
    ...(await benchPostgres({ file, work, runs: Number(options.runs ?? '5'), hourCopies })),
  })
}

async function measureFleet(devices) {
  const { file, events, bytes } = await makeEvents(devices)
  console.log(`${count(events)} events of ${count(devices)} devices, ${options.days} days, ${count(bytes / 1e6)} MB`)
  const runs = Number(devices === LARGE.devices ? LARGE.runs : (options.runs ?? '3'))
  const results = mediansOf(await runsOf(file, devices, runs), events)
  printTable(results)
  const stages = await stagesOfRun(file, devices)
  records.push({ ...ofRecord(), devices: Number(devices), days: Number(options.days), runs, events, results, stages })
}

if (options.engine === 'postgres') await comparePostgres()
else for (const devices of options.devices.split(',')) await measureFleet(devices)
if (options.out !== '') writeFileSync(options.out, JSON.stringify(records, null, 2))
if (options.keep) for (const record of records) appendFileSync(HISTORY, `${JSON.stringify(record)}\n`)
