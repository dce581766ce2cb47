import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { cooler } from '../cli/cooler.ts'
import { DAY } from '../helpers/events.ts'
import { quantile } from './latencies.ts'

/** 1 is what src/README.md tells; the tests are content with less. */
const SHARE = Number(process.env.LOAD_SIEGE ?? 0.05)
const MIB = 1024 * 1024
const few = (count: number): number => Math.max(8, Math.round(count * SHARE))

const DAILY = '/open/cooler/open/report_device_status/daily'

interface Sent {
  status: number
  code?: string
}

/** Sends a body over a connection of its own; 0 where the connection broke. */
function post(url: string, path: string, body: Buffer, headers: Record<string, string> = {}): Promise<Sent> {
  return new Promise((resolve) => {
    const call = request(`${url}${path}`, { method: 'POST', headers, agent: new Agent() }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, code: JSON.parse(text || '{}').code }))
      answer.on('error', () => resolve({ status: 0 }))
    })
    call.on('error', () => resolve({ status: 0 }))
    call.end(body)
  })
}

/** On a thread of its own, since the siege keeps this one busy: each time on a new connection, as a health check does. */
const WATCHER = `
  const { Agent, request } = require('node:http')
  const { parentPort, workerData } = require('node:worker_threads')
  const milliseconds = [], faults = []
  let isOver = false
  const ask = () => {
    const from = performance.now()
    const next = () => isOver ? parentPort.postMessage({ milliseconds, faults }) : setTimeout(ask, 20)
    request(workerData + '/healthz', { agent: new Agent() }, (answer) => {
      answer.resume().on('end', () => {
        milliseconds.push(performance.now() - from)
        if (answer.statusCode !== 200) faults.push(String(answer.statusCode))
        next()
      })
    }).on('error', (error) => { faults.push(error.message); next() }).end()
  }
  parentPort.once('message', () => { isOver = true })
  ask()`

/** Asks how the service is until it is stopped; gives how long each answer took, ascending, and what went wrong. */
function watch(url: string): () => Promise<{ milliseconds: number[]; faults: string[] }> {
  const worker = new Worker(WATCHER, { eval: true, workerData: url })
  return async () => {
    worker.postMessage('enough')
    const [{ milliseconds, faults }] = await once(worker, 'message')
    await worker.terminate()
    return { milliseconds: milliseconds.sort((one: number, other: number) => one - other), faults }
  }
}

/** Most memory that a process has had, in MiB, since it was asked last. */
function peakMemory(pid: number | undefined): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return `${Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)} MiB`
  } catch {
    return 'unknown'
  }
}

/** The longest time in ms for which the service's event loop was held, since it was asked last. */
async function heldMs(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]) * 1000
}

async function dialled(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const eventsOf = (count: number, device: string): Buffer =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: count }, (_, nth) => ({
        deviceId: `${device}-${nth % 50}`,
        at: Date.UTC(2025, 5, 1, 12) + nth,
        type: 'temperature',
        celsius: 4,
        setpoint: 3.5,
      })),
    ),
  )

test('under siege the process lives, tells its health at once, and serves others or tells them to come again', async () => {
  const program = cooler({ NODE_OPTIONS: '--max-old-space-size=512', COOLER_REFRESH_MINUTES: '60' })
  const { url, child } = await program.service(['start'])
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  const small = eventsOf(10, 'other')
  const phases: [string, () => Promise<Record<string, number>>][] = [
    ['32 MiB of {} to a report', async () => counted([await post(url, DAILY, Buffer.alloc(32 * MIB, '{}'))])],
    [
      '4 MiB of {} to a report, 8 at once',
      async () => {
        const body = Buffer.from(`{"day":${DAY},"a":[${'{},'.repeat(1_300_000)}{}]}`)
        return counted(await Promise.all(Array.from({ length: 8 }, () => post(url, DAILY, body))))
      },
    ],
    [
      '32 KB of gzip with 11 million elements, 16 at once',
      async () => {
        const bomb = gzipSync(`[${'{},'.repeat(11_000_000)}{}]`, { level: 9 })
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
        return counted(await Promise.all(Array.from({ length: 16 }, () => post(url, '/v1/telemetry', bomb, headers))))
      },
    ],
    [
      `${few(800)} posts of 10 000 events at once`,
      async () => {
        const body = eventsOf(10_000, 'many')
        return counted(await Promise.all(Array.from({ length: few(800) }, () => post(url, '/v1/telemetry', body))))
      },
    ],
    [
      `${few(5000)} silent connections`,
      async () => {
        for (let count = 0; count < few(5000); count += 100) {
          const some = Math.min(100, few(5000) - count)
          sockets.push(...(await Promise.all(Array.from({ length: some }, () => dialled(url)))))
        }
        await sleep(2000 * SHARE)
        return counted([await post(url, '/v1/telemetry', small)])
      },
    ],
    [
      '8 slow readers of exports',
      async () => {
        await post(url, '/v1/rollups', Buffer.from(`{"fromDay":${DAY},"toDay":${DAY},"wait":true}`))
        for (let count = 0; count < 8; count++) {
          const socket = await dialled(url)
          sockets.push(socket)
          socket.pause()
          socket.write(`GET /v1/reports/daily?day=${DAY}&format=csv HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        }
        await sleep(1000 * SHARE)
        return counted([await post(url, DAILY, Buffer.from(`{"day":${DAY},"assertIds":["other-1"]}`))])
      },
    ],
  ]
  for (const [name, work] of phases) {
    await heldMs(url)
    const stop = watch(url)
    await sleep(500 * SHARE)
    const others = post(url, '/v1/telemetry', small)
    const outcome = await work()
    const { milliseconds, faults } = await stop()
    console.log(
      `siege: ${name}: ${JSON.stringify(outcome)}; /healthz n ${milliseconds.length} p50 ${quantile(milliseconds, 0.5).toFixed(0)} p99 ${quantile(milliseconds, 0.99).toFixed(0)} most ${quantile(milliseconds, 1).toFixed(0)} ms; event loop held ${(await heldMs(url)).toFixed(0)} ms at most; peak memory so far ${peakMemory(child.pid)}`,
    )
    expect([name, faults]).toEqual([name, []])
    expect([202, 503]).toContain((await others).status)
    expect(child.exitCode).toBeNull()
  }
}, 300_000)

/** How often each status came. */
function counted(all: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, code } of all) {
    const name = `${status}${code === undefined ? '' : ` ${code}`}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
