// npm run bench:reports: what the API answers from a store of a large fleet, beside a bare Fastify answer of the same
// size: requests a second for one device, and for all devices the time of an answer that is made and of one that is
// kept. Prints a table and how long the event loop was held.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './measure.mjs'
import { deviceId, makeReportStore } from './report-store.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DAILY = '/open/cooler/open/report_device_status/daily'
const FIRST_DAY = Date.UTC(2026, 6, 1) / 86_400_000
const [FIRST, ONE_DAY] = [20260701, 20260705]

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    days: { type: 'string', default: '31' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
  },
})
const [devices, days, runs] = [options.devices, options.days, options.runs].map(Number)
const work = mkdtempSync(join(tmpdir(), 'cooler-bench-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

/** A process that prints the address it listens at, and with its last line how long its event loop was held. */
async function started(args, env) {
  const child = spawn(process.execPath, ['--import', join(ROOT, 'test/bench/event-loop.mjs'), ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'info', PORT: '0', ...env },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  while (!/http:\/\/[\d.]+:(\d+)/.test(text)) {
    if (child.exitCode !== null) throw new Error(`it ended: ${text}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    port: Number(/http:\/\/[\d.]+:(\d+)/.exec(text)[1]),
    /** Longest time, in ms, that the event loop was held since the last call. */
    async held() {
      const before = text.length
      child.kill('SIGUSR2')
      while (!text.slice(before).includes('held')) await new Promise((resolve) => setTimeout(resolve, 5))
      return Number(/held ([\d.]+)/.exec(text.slice(before))[1])
    },
    end: () => void child.kill('SIGKILL'),
  }
}

const requestOf = (path, body) => {
  const text = JSON.stringify(body)
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

/** One answer on one connection, its bytes counted and thrown away; ms until the last of them. */
function timeOf(port, request) {
  return new Promise((resolve, reject) => {
    const from = performance.now()
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let left = null
    socket.on('data', (chunk) => {
      if (left === null) {
        const head = chunk.indexOf('\r\n\r\n')
        const text = chunk.toString('latin1', 0, head)
        if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text))
        left = Number(/content-length: (\d+)/i.exec(text)[1]) + head + 4
      }
      left -= chunk.length
      if (left > 0) return
      resolve(performance.now() - from)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** How long the body of an answer is. */
async function bytesOf(port, request) {
  const [head, body] = request.split('\r\n\r\n')
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}${head.split(' ')[1]}`, { method: 'POST', headers, body })
  return (await answer.arrayBuffer()).byteLength
}

/** Answers a second that so many connections get which ask again as soon as they are answered. */
async function rateOf(port, request, seconds, connections = 16) {
  let answers = 0
  let size = 0
  const until = performance.now() + seconds * 1000
  const one = () =>
    new Promise((resolve, reject) => {
      let got = 0
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      socket.on('data', (chunk) => {
        if (size === 0) {
          const head = chunk.indexOf('\r\n\r\n')
          size = Number(/content-length: (\d+)/i.exec(chunk.toString('latin1', 0, head))[1]) + head + 4
        }
        got += chunk.length
        if (got < size) return
        got = 0
        answers++
        if (performance.now() < until) socket.write(request)
        else socket.end(resolve)
      })
      socket.on('error', reject)
    })
  const from = performance.now()
  await Promise.all(Array.from({ length: connections }, one))
  return (answers / (performance.now() - from)) * 1000
}

async function medianOf(times, measured) {
  const values = []
  for (let run = 0; run < times; run++) values.push(await measured())
  return median(values)
}

const store = join(work, 'store.sqlite')
console.log(`making a store of ${devices} devices x ${days} days`)
await makeReportStore(store, { devices, days, firstDay: FIRST_DAY })
const service = (env) => started([join(ROOT, 'dist/src/cli.js'), 'serve'], { COOLER_STORE: store, ...env })
const one = deviceId(Math.floor(devices * 0.55))
const range = { startDay: FIRST, endDay: FIRST + days - 1 }
const requests = {
  'day, one device': requestOf(DAILY, { day: ONE_DAY, assertIds: [one] }),
  'range, one device': requestOf(`${DAILY}/summary`, { ...range, assertIds: [one] }),
  'day, all devices': requestOf(DAILY, { day: ONE_DAY }),
  'range, all devices': requestOf(`${DAILY}/summary`, range),
}

const [making, keeping] = [await service({ COOLER_REPORT_CACHE_MB: '0' }), await service({})]
const rows = []
for (const name of ['day, one device', 'range, one device']) {
  const bytes = await bytesOf(keeping.port, requests[name])
  const bare = await started([join(ROOT, 'test/bench/bare-fastify.mjs'), String(bytes)], {})
  await keeping.held()
  const rates = { ours: [], bare: [] }
  for (let run = 0; run < runs; run++) {
    rates.ours.push(await rateOf(keeping.port, requests[name], Number(options.seconds) / 2))
    rates.bare.push(await rateOf(bare.port, requests[name], Number(options.seconds) / 2))
  }
  const [ours, floor] = [median(rates.ours), median(rates.bare)]
  rows.push({
    name,
    ours: `${ours.toFixed(0)}/s`,
    'bare Fastify': `${floor.toFixed(0)}/s`,
    ratio: (ours / floor).toFixed(2),
    'held ms': (await keeping.held()).toFixed(0),
  })
  bare.end()
}
for (const name of ['day, all devices', 'range, all devices']) {
  const first = await timeOf(making.port, requests[name])
  await making.held()
  const made = await medianOf(runs, () => timeOf(making.port, requests[name]))
  const heldMaking = await making.held()
  await timeOf(keeping.port, requests[name])
  const bytes = await bytesOf(keeping.port, requests[name])
  const bare = await started([join(ROOT, 'test/bench/bare-fastify.mjs'), String(bytes)], {})
  await timeOf(bare.port, requests[name])
  await keeping.held()
  const times = { kept: [], bare: [] }
  for (let run = 0; run < runs * 3; run++) {
    times.kept.push(await timeOf(keeping.port, requests[name]))
    times.bare.push(await timeOf(bare.port, requests[name]))
  }
  rows.push(
    { name: `${name}, first of a service`, ours: `${first.toFixed(0)} ms` },
    { name: `${name}, made`, ours: `${made.toFixed(0)} ms`, 'held ms': heldMaking.toFixed(0) },
    {
      name: `${name}, kept`,
      ours: `${median(times.kept).toFixed(0)} ms`,
      'bare Fastify': `${median(times.bare).toFixed(0)} ms`,
      ratio: (median(times.kept) / median(times.bare)).toFixed(2),
      'held ms': (await keeping.held()).toFixed(0),
    },
  )
  bare.end()
}
console.table(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])))
for (const one of [making, keeping]) one.end()
