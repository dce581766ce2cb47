import { openSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { DAY, lines } from '../helpers/events.ts'
import type { Cooler } from './cooler.ts'
import { dailyOf, rollUp } from './in-process.ts'

export const post = (url: string, events: readonly unknown[]): Promise<number> =>
  fetch(`${url}/v1/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines(events),
  }).then(async (answer) => ((await answer.text()) ? answer.status : 0))

export const beside = (program: Cooler, name: string): string => join(dirname(program.store), name)

/** A store by itself, read without the program. */
export function inside(file: string): { landed: number; check: unknown } {
  const database = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const landed = database.prepare("SELECT coalesce(max(value), 0) FROM counter WHERE name = 'landed'").pluck().get()
    return { landed: landed as number, check: database.pragma('integrity_check', { simple: true }) }
  } finally {
    database.close()
  }
}

/** The visitors of each device on the day of the tests. */
export async function visitorCounts(program: Cooler): Promise<Record<string, number>> {
  await rollUp(program)
  const entries = await dailyOf(program, DAY)
  return Object.fromEntries(entries.map(({ assertId, visitorCount }) => [assertId, visitorCount]))
}

/** Overwrites a page in the middle. */
export function damage(file: string): void {
  const middle = Math.floor(statSync(file).size / 4096 / 2) * 4096
  writeSync(openSync(file, 'r+'), Buffer.alloc(4096, 0x5a), 0, 4096, middle)
}
