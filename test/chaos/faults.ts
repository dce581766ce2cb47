import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type Job, Queue } from 'bullmq'
import { firstConnection } from '../../src/queue/first-connection.ts'
import { queuesOn, TELEMETRY_QUEUE } from '../../src/queue/queue-contract.ts'
import { connectProducer } from '../../src/queue/redis-client.ts'
import type { Random } from '../helpers/random.ts'
import type { Arena } from './arena.ts'
import { restartBroker } from './mqtt.ts'
import { damageStore, moveStore, removeStore } from './store-faults.ts'

/** One kind of fault. */
export interface Fault {
  name: string
  /** How often it is drawn, against the others. */
  weight: number
  /** Resolves when it is over. */
  inflict(): Promise<void>
  /** How often it was inflicted. */
  times: number
}

/** Longer than a writer waits for its lock, so that some are refused. */
const LOCK_MS = 12_000

/** All faults that can be had here. Those that take long run beside the others. */
export function faultsOf(arena: Arena, random: Random): Fault[] {
  const { redis, workers, api, direct, stores, bridges, disk } = arena
  const processes = [...workers, api, direct, ...bridges.map(({ bridge }) => bridge)]
  const kill = (signal: 'SIGKILL' | 'SIGTERM') => async (): Promise<void> => {
    if (!arena.isHeld()) random.pick(processes).kill(signal)
  }
  const inTurn = takeTurns()
  const faults: Omit<Fault, 'times'>[] = [
    { name: 'kill -9 of a process', weight: 10, inflict: kill('SIGKILL') },
    { name: 'SIGTERM of a process', weight: 3, inflict: kill('SIGTERM') },
    {
      name: 'kill -9 of Redis',
      weight: 2,
      inflict: async () => {
        await redis.kill('SIGKILL')
        await sleep(random.between(0, 3000))
        await redis.restart()
      },
    },
    {
      name: 'Redis stands still',
      weight: 1,
      inflict: async () => {
        redis.freeze()
        await sleep(random.between(500, 4000))
        redis.wake()
      },
    },
    {
      name: 'write lock held',
      weight: 0.5,
      inflict: inTurn(() => holdLock(random.pick([stores.queue, stores.direct]).file)),
    },
    { name: 'jobs repeated and delayed', weight: 3, inflict: () => repeatJobs(arena, random) },
    {
      name: 'compaction, most of them killed half-way',
      weight: 2,
      inflict: inTurn(() => compactAndKill(arena, random)),
    },
    { name: 'backup beside it all', weight: 0.5, inflict: inTurn(() => backUp(arena, random)) },
    { name: 'store moved away and back', weight: 0.5, inflict: inTurn(() => moveStore(arena, random)) },
    {
      name: 'store removed, and restored from what was saved',
      weight: 0.5,
      inflict: inTurn(() => removeStore(arena, random)),
    },
    { name: 'rollups damaged and mended', weight: 0.7, inflict: inTurn(() => damageStore(arena, random)) },
  ]
  if (bridges.length > 0) {
    const inflict = (): Promise<void> => restartBroker(random.pick(bridges), random)
    faults.push({ name: 'MQTT broker killed or restarted', weight: 2, inflict })
  }
  if (disk !== null) faults.push({ name: 'disk full', weight: 0.7, inflict: () => fillDisk(disk, random) })
  return faults.map(alone)
}

/** What needs the files of the stores where they are does so one after the other. */
function takeTurns(): (work: () => Promise<void>) => () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return (work) => () => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
}

/** Makes a fault that is not begun again while it is still going on. */
export function alone(fault: Omit<Fault, 'times'>): Fault {
  let underWay = false
  return {
    ...fault,
    times: 0,
    async inflict() {
      if (underWay) return
      underWay = true
      this.times++
      try {
        await fault.inflict()
      } finally {
        underWay = false
      }
    },
  }
}

async function holdLock(file: string): Promise<void> {
  const other = new Database(file, { timeout: 2000 })
  try {
    other.exec('BEGIN IMMEDIATE')
    await sleep(LOCK_MS)
    other.exec('ROLLBACK')
  } catch {
    // Someone else wrote for all that time: no lock this time.
  } finally {
    other.close()
  }
}

async function repeatJobs({ redis }: Arena, random: Random): Promise<void> {
  const connection = connectProducer(redis.socket)
  connection.on('error', () => {}) // As below.
  await firstConnection(connection)
  const queue = new Queue(TELEMETRY_QUEUE, queuesOn(connection))
  queue.on('error', () => {}) // Redis may be away: then nothing is repeated.
  try {
    const jobs: Job[] = await queue.getJobs(['waiting', 'active', 'completed'], 0, 20)
    for (const job of jobs) {
      if (job?.data) await queue.add(job.name, job.data, { delay: random.between(0, 2000), attempts: 8 })
    }
  } catch {
    // As above.
  } finally {
    await queue.close().catch(() => {})
    connection.disconnect()
  }
}

/** The days that are compacted are among those that events are still late for. */
async function compactAndKill({ program, stores }: Arena, random: Random): Promise<void> {
  const { file } = random.pick([stores.queue, stores.direct])
  const { child, outcome } = program.spawn(['compact'], { COOLER_STORE: file })
  const timer = setTimeout(() => child.kill('SIGKILL'), random.between(200, 3000))
  await outcome
  clearTimeout(timer)
}

/** What there is no room for, or what cannot be read for a lock, gives none; a backup that is damaged fails the run. */
async function backUp({ program, stores, folder }: Arena, random: Random): Promise<void> {
  const { file } = random.pick([stores.queue, stores.direct])
  const args = ['backup', join(folder, 'backup.sqlite'), '--force', '--check', 'full']
  const { code, stderr } = await program.spawn(args, { COOLER_STORE: file }).outcome
  if (code !== 0 && /damaged/.test(stderr)) throw new Error(`a damaged store: ${stderr}`)
}

/** Writes until there is no room left, and takes it all away again. */
async function fillDisk(disk: string, random: Random): Promise<void> {
  const path = join(disk, 'filler')
  const file = openSync(path, 'w')
  const until = Date.now() + random.between(1000, 5000)
  for (let bytes = 1024 * 1024; Date.now() < until; ) {
    try {
      writeSync(file, Buffer.alloc(bytes))
    } catch {
      // Full, for pieces of this size: smaller ones, then what others have freed meanwhile.
      bytes = Math.max(4096, bytes / 16)
      if (bytes === 4096) await sleep(50)
    }
  }
  closeSync(file)
  rmSync(path)
}
