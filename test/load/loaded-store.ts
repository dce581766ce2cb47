import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import type { Cooler } from '../cli/cooler.ts'
import type { Fleet } from './lanes.ts'

export interface StoreSize {
  devices: number
  /** Local days of each device. */
  days: number
  seed: number
  /** A folder in which the store stays, to be used again; '' for none. */
  folder: string
}

const DAY_MS = 86_400_000

/** Makes the store that the program works on: a simulated fleet, landed and rolled up. Gives what is in it. */
export async function makeStore(program: Cooler, size: StoreSize): Promise<Fleet> {
  const { devices, days, seed, folder } = size
  if (folder === '') return fillStore(program, size)
  const kept = join(folder, `load-${devices}-${days}-${seed}`)
  if (existsSync(`${kept}.json`)) {
    copyFileSync(`${kept}.sqlite`, program.store)
    return JSON.parse(readFileSync(`${kept}.json`, 'utf8'))
  }
  const fleet = await fillStore(program, size)
  intoOneFile(program.store)
  mkdirSync(folder, { recursive: true })
  copyFileSync(program.store, `${kept}.sqlite`)
  writeFileSync(`${kept}.json`, JSON.stringify(fleet))
  return fleet
}

/** Of a store that nobody has open: what its write-ahead log still holds is moved into the file. */
function intoOneFile(store: string): void {
  const database = new Database(store)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}

/** The days are those before yesterday: closed in every zone. */
async function fillStore(program: Cooler, { devices, days, seed }: StoreSize): Promise<Fleet> {
  const fleet = { devices, fromDay: dayBefore(days + 1), toDay: dayBefore(2) }
  await simulateInto(
    program,
    ['--devices', devices, '--days', days, '--seed', seed, '--start', fleet.fromDay].map(String),
  )
  await succeeded(program.spawn(['rollup']).outcome)
  return fleet
}

/** YYYYMMDD of so many days ago, in UTC. */
const dayBefore = (days: number): number =>
  Number(new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''))

async function simulateInto(program: Cooler, args: readonly string[]): Promise<void> {
  const source = program.spawn(['simulate', ...args])
  const landing = program.spawn(['ingest', '-'])
  source.child.stdout?.removeAllListeners('data') // Not to be kept: it is large.
  const { stdout } = source.child
  const { stdin } = landing.child
  if (!stdout || !stdin) throw new Error('a command without standard streams')
  await pipeline(stdout.setEncoding('utf8'), stdin)
  await succeeded(source.outcome)
  await succeeded(landing.outcome)
}

async function succeeded(outcome: Promise<{ code: number | null; stderr: string }>): Promise<void> {
  const { code, stderr } = await outcome
  if (code !== 0) throw new Error(`a command ended with ${code}: ${stderr.slice(-2000)}`)
}
