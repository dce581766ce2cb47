import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { DAY, lines, visitors } from '../helpers/events.ts'
import { cooler } from './cooler.ts'

const DEVICES = 400
const PROCESSES = 2

/** Each process lands every device, at seconds of its own. */
const eventsOf = (process: number): unknown[] =>
  Array.from({ length: DEVICES * 20 }, (_, number) =>
    visitors(`cooler-${number % DEVICES}`, 1, Date.UTC(2025, 5, 1, 12) + (number * PROCESSES + process) * 1000),
  )

test('processes that land into one store and roll it up at once keep it whole, and all that landed counts', async () => {
  const program = cooler({ COOLER_THREADS: '2' })
  await program.run(['devices'])
  const files = Array.from({ length: PROCESSES }, (_, process) => {
    const file = join(dirname(program.store), `events-${process}.ndjson`)
    writeFileSync(file, lines(eventsOf(process)))
    return file
  })
  let landing = PROCESSES
  const land = async (file: string): Promise<void> => {
    for (let round = 0; round < 3; round++) expect((await program.run(['ingest', file])).code).toBe(0)
    landing--
  }
  const rollUp = async (): Promise<void> => {
    do expect((await program.run(['rollup'])).code).toBe(0)
    while (landing > 0)
  }
  await Promise.all([...files.map(land), rollUp(), rollUp()])
  await program.run(['rollup'])
  const [{ data }] = await program.json('report', String(DAY), '--json')
  const { deviceStatusList } = data as { deviceStatusList: { visitorCount: number }[] }
  expect(deviceStatusList).toHaveLength(DEVICES)
  // Three times the same events count once.
  expect(new Set(deviceStatusList.map(({ visitorCount }) => visitorCount))).toEqual(new Set([20 * PROCESSES]))
  const database = new Database(program.store, { readonly: true })
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(database.prepare('SELECT count(*) FROM due_segment').pluck().get()).toBe(0)
  database.close()
})
