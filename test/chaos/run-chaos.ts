import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type Random, seededRandom } from '../helpers/random.ts'
import { type Arena, openArena } from './arena.ts'
import { type Fault, faultsOf } from './faults.ts'
import { type Balance, Ledger } from './ledger.ts'
import { drained, mqttProducer } from './mqtt.ts'
import { httpProducer, queueProducer, type Refusals } from './producers.ts'

export interface ChaosOptions {
  /** How long faults are inflicted. */
  minutes: number
  seed: number
}

export interface ChaosResult {
  faults: Record<string, number>
  /** Processes that were ended by a signal and started again, and Redis. */
  kills: number
  refusals: Record<string, number>
  balances: { queue: Balance; direct: Balance }
  integrity: { queue: unknown; direct: unknown }
  /** Exit codes of `cooler verify`. */
  verified: { queue: number | null; direct: number | null }
  failedJobs: number
  /** Acknowledged events of each MQTT broker. */
  overMqtt: number[]
}

/** How long everything may take to come to rest once no fault is inflicted any more. */
export const REST_MS = 300_000

/** Names of devices whose events have no time but that of their receipt: they may be of the day after. */
const RECEIVED = 'received'

/** Acknowledged events of each store without which a run tells nothing: on a slow machine it goes on until it has them. */
const FEWEST = 400

/** Producers send without a pause while faults are inflicted; when all is at rest the figures are held against the ledger. */
export async function runChaos({ minutes, seed }: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(seed)
  const arena = await openArena(minutes)
  const ledgers = { queue: new Ledger(), direct: new Ledger() }
  const refusals: Refusals = new Map()
  await atRest(arena) // All have started.
  const until = Date.now() + minutes * 60_000
  const enough = (): boolean => Object.values(ledgers).every(({ acknowledged }) => acknowledged >= FEWEST)
  const goesOn = (): boolean => Date.now() < until || (!enough() && Date.now() < until + REST_MS)
  const options = (name: string, ledger: Ledger) => ({
    name,
    ledger,
    random: seededRandom(random.between(0, 2 ** 31)),
    goesOn,
  })
  const producers = [
    httpProducer(arena.stores.queue.url, options('http-1', ledgers.queue), refusals),
    httpProducer(arena.stores.queue.url, options('http-2', ledgers.queue), refusals),
    queueProducer(arena, options('producer', ledgers.queue), refusals),
    httpProducer(arena.stores.direct.url, options('direct-1', ledgers.direct), refusals),
    httpProducer(arena.stores.direct.url, options('direct-2', ledgers.direct), refusals),
  ]
  const mqttProducers = arena.bridges.map((bridged) =>
    mqttProducer(bridged, options(bridged.isReceived ? RECEIVED : 'mqtt', ledgers[bridged.store]), refusals),
  )
  const faults = faultsOf(arena, random)
  const tell = (what: string): void => {
    if (minutes >= 1) console.log(`${new Date().toISOString()} ${what}`)
  }
  tell('faults begin')
  await inflict(faults, random, goesOn)
  tell('no fault any more')
  await Promise.all(producers)
  const overMqtt = await Promise.all(mqttProducers)
  for (const bridged of arena.bridges) await drained(bridged, arena.stores[bridged.store].url)
  tell('the bridges have taken all')
  const failedJobs = await atRest(arena)
  tell('all is at rest')
  const balances = {
    queue: await balanceOf(arena.stores.queue.url, ledgers.queue),
    direct: await balanceOf(arena.stores.direct.url, ledgers.direct),
  }
  const processes = [...arena.workers, arena.api, arena.direct, ...arena.bridges.map(({ bridge }) => bridge)]
  const kills = processes.reduce((sum, { starts }) => sum + starts() - 1, 0) + timesOf(faults, 'kill -9 of Redis')
  await arena.close()
  return {
    faults: Object.fromEntries(faults.map(({ name, times }) => [name, times])),
    kills,
    refusals: Object.fromEntries([...refusals].sort()),
    balances,
    integrity: { queue: integrityOf(arena.stores.queue.file), direct: integrityOf(arena.stores.direct.file) },
    verified: { queue: await verify(arena, 'queue'), direct: await verify(arena, 'direct') },
    failedJobs,
    overMqtt,
  }
}

const timesOf = (faults: readonly Fault[], name: string): number =>
  faults.find((fault) => fault.name === name)?.times ?? 0

/** Draws faults and inflicts them while it goes on; resolves when the last one is over. */
export async function inflict(faults: readonly Fault[], random: Random, goesOn: () => boolean): Promise<void> {
  const all = faults.reduce((sum, { weight }) => sum + weight, 0)
  const underWay = new Set<Promise<void>>()
  while (goesOn()) {
    await sleep(random.between(200, 1500))
    let drawn = random.next() * all
    const fault = faults.find(({ weight }) => (drawn -= weight) < 0) ?? faults[0]
    const inflicted = fault.inflict().finally(() => underWay.delete(inflicted))
    underWay.add(inflicted)
  }
  await Promise.all(underWay)
}

interface Status {
  queue: { waiting: number; active: number; delayed: number; failed: number } | null
  dueSegments: number
  dueDevices: number
}

/** Resolves when both services answer, the queue is empty and nothing is due; gives the number of failed jobs. */
async function atRest({ stores, workers, api, direct }: Arena): Promise<number> {
  const until = Date.now() + REST_MS
  let last = 'nothing'
  for (let quiet = 0; quiet < 3; ) {
    if (Date.now() > until) {
      const words = [...workers, api, direct].map(
        ({ name, starts, lastWords }) => `${name}, start ${starts()}: ${lastWords()}`,
      )
      throw new Error([`not at rest after ${REST_MS / 1000} s: ${last}`, ...words].join('\n'))
    }
    const statuses = await Promise.all([stores.queue.url, stores.direct.url].map(statusOf))
    last = JSON.stringify(statuses)
    quiet = statuses.every((status) => typeof status !== 'string' && isQuiet(status)) ? quiet + 1 : 0
    await sleep(300)
  }
  const status = await statusOf(stores.queue.url)
  if (typeof status === 'string') throw new Error(`no longer at rest: ${status}`)
  return status.queue?.failed ?? 0
}

/** Asks a service for its status; a text says why there is none. */
export async function statusOf(url: string): Promise<Status | string> {
  try {
    const answer = await fetch(`${url}/v1/status`, { signal: AbortSignal.timeout(10_000) })
    return answer.status === 200 ? ((await answer.json()) as Status) : `${answer.status} ${await answer.text()}`
  } catch (error) {
    return String(error)
  }
}

/** Tells whether nothing waits and nothing is due. */
export const isQuiet = ({ queue, dueSegments, dueDevices }: Status): boolean =>
  dueSegments === 0 && dueDevices === 0 && (queue === null || queue.waiting + queue.active + queue.delayed === 0)

/** Holds the figures of a service against the ledger. */
export async function balanceOf(url: string, ledger: Ledger): Promise<Balance> {
  const figures = new Map<string, number>()
  const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))
  for (const day of new Set([...ledger.days, today])) {
    const answer = await fetch(`${url}/open/cooler/open/report_device_status/daily`, {
      method: 'POST',
      body: JSON.stringify({ day }),
    })
    const { data } = (await answer.json()) as {
      data: { deviceStatusList: { assertId: string; visitorCount: number }[] }
    }
    for (const { assertId, visitorCount } of data.deviceStatusList) {
      const key = keyOf(day, assertId)
      figures.set(key, (figures.get(key) ?? 0) + visitorCount)
    }
  }
  return ledger.balance((day, deviceId) => figures.get(keyOf(day, deviceId)) ?? 0)
}

const keyOf = (day: number, deviceId: string): string =>
  deviceId.startsWith(RECEIVED) ? deviceId : `${day} ${deviceId}`

function integrityOf(file: string): unknown {
  const database = new Database(file)
  try {
    return database.pragma('integrity_check', { simple: true })
  } finally {
    database.close()
  }
}

async function verify({ program, stores }: Arena, store: 'queue' | 'direct'): Promise<number | null> {
  return (await program.run(['verify'], { env: { COOLER_STORE: stores[store].file } })).code
}

/** The outcome for people. */
export function chaosTable({
  faults,
  kills,
  refusals,
  balances,
  integrity,
  verified,
  failedJobs,
  overMqtt,
}: ChaosResult): string {
  const rows: [string, unknown][] = [
    ...Object.entries(faults),
    ['processes killed and started again', kills],
    ['jobs that failed for good', failedJobs],
    ['acknowledged over MQTT', overMqtt.join(' and ')],
    ...Object.entries(refusals).map(([what, times]): [string, number] => [`refused: ${what}`, times]),
  ]
  for (const store of ['queue', 'direct'] as const) {
    const name = store === 'queue' ? 'with a queue' : 'without a queue'
    for (const [what, count] of Object.entries(balances[store])) rows.push([`${name}: ${what}`, count])
    rows.push([`${name}: integrity_check`, integrity[store]], [`${name}: exit code of verify`, verified[store]])
  }
  const width = Math.max(...rows.map(([what]) => what.length))
  return rows.map(([what, value]) => `${what.padEnd(width)}  ${String(value)}`).join('\n')
}
