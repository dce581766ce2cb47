import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { seal, unseal } from '../../src/base/checksum.ts'
import { formatDay } from '../../src/base/time.ts'
import { Calendars } from '../../src/rollup/local-day.ts'
import type { RollupSettings } from '../../src/rollup/rollup-request.ts'
import type { Store } from '../../src/store/open-store.ts'
import { planChunks } from '../../src/verify/plan-chunks.ts'
import { repairChunk, verifyChunk } from '../../src/verify/verify-chunk.ts'
import type { VerifyRequest, VerifyResult } from '../../src/verify/verify-task.ts'

export type Asked = Partial<VerifyRequest> & { now: number }

/** What a verification finds, all of its chunks together. */
export async function verified(store: Store, settings: RollupSettings, asked: Asked): Promise<VerifyResult> {
  const request = { from: null, to: null, devices: null, most: 100_000, ...asked }
  const calendars = new Calendars(settings)
  const results: VerifyResult[] = []
  for (const task of await planChunks(store, request)) {
    results.push(await verifyChunk(store, settings, calendars, task))
  }
  const sum = (name: Exclude<keyof VerifyResult, 'differences' | 'blocks'>): number =>
    results.reduce((total, result) => total + result[name], 0)
  return {
    devices: sum('devices'),
    deviceDays: sum('deviceDays'),
    dueDevices: sum('dueDevices'),
    dueDays: sum('dueDays'),
    withoutRaw: sum('withoutRaw'),
    differing: sum('differing'),
    differences: results.flatMap(({ differences }) => differences),
    blocks: results.flatMap(({ blocks }) => blocks),
  }
}

/** The differences as lines: day, device number and kind, with the names of what differs. */
export async function differences(store: Store, settings: RollupSettings, asked: Asked): Promise<string[]> {
  const result = await verified(store, settings, asked)
  return result.differences.map(({ device, day, kind, fields }) =>
    [day === null ? 'now' : formatDay(day), device, kind, ...Object.keys(fields)].join(' '),
  )
}

export async function repaired(store: Store, settings: RollupSettings, asked: Asked): Promise<void> {
  const request = { from: null, to: null, devices: null, most: 0, ...asked }
  const calendars = new Calendars(settings)
  for (const task of await planChunks(store, request)) {
    if (!(await repairChunk(store, settings, calendars, task))) throw new Error('somebody else has written')
  }
}

/** Changes the body of the first block of the first shard on a day, and gives it the checksum of the changed one. */
export function changeBody(database: Database.Database, day: number, change: (body: Buffer) => void): void {
  const row = 'shard = 0 AND block = 0 AND day = ?'
  const stored = database.prepare(`SELECT body FROM rollup_block WHERE ${row}`).pluck().get(day) as Buffer
  const body = unseal(stored, [0, 0, day])
  change(body)
  database.prepare(`UPDATE rollup_block SET body = ? WHERE ${row}`).run(seal(body, [0, 0, day]), day)
}

/** Copies a row of the first shard to another place, as if a rollup had written it there. */
export function copyRow(database: Database.Database, fromDay: number, to: { block?: number; day: number }): void {
  const { block = 0, day } = to
  const row = 'SELECT next_close_at, body FROM rollup_block WHERE shard = 0 AND block = 0 AND day = ?'
  const { next_close_at, body } = database.prepare(row).get(fromDay) as { next_close_at: number | null; body: Buffer }
  const sealed = seal(unseal(body, [0, 0, fromDay]), [0, block, day])
  database.prepare('INSERT INTO rollup_block VALUES (0, ?, ?, ?, ?)').run(block, day, next_close_at, sealed)
}

/** A connection of its own to a store's file, for doing damage. */
export function rawDatabase(file: string): Database.Database {
  const database = new Database(file)
  onTestFinished(() => void database.close())
  return database
}
