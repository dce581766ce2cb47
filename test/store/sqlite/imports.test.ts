import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { batchOf } from '../../../jobs/ingest.ts'
import { newImport } from '../../../src/event/import-note.ts'
import { Landings } from '../../../src/ingest/landings.ts'
import { visitors } from '../../helpers/events.ts'
import { compactAll, LONG_AFTER, rollUpAllShards } from '../../helpers/raw-events.ts'
import { temporaryStore } from '../../helpers/temporary-store.ts'

const AT = Date.parse('2025-06-01T12:00:00Z')
const ONE = newImport(['one.csv'], AT)
const OTHER = newImport(['other.csv', 'more.csv'], AT)
const place = (address?: string) => ({ deviceId: 'a', type: 'placement', at: AT, lat: 1, lon: 2, address })

function landed() {
  const store = temporaryStore()
  const landings = new Landings(store.landing, { now: () => LONG_AFTER, purgedBefore: () => 0 })
  const database = new Database(store.file, { readonly: true })
  onTestFinished(() => void database.close())
  const rows = (sql: string) => database.prepare(sql).raw().all()
  return { store, rows, land: (batch: object) => landings.land(batch as Parameters<Landings['land']>[0]) }
}

test('batches of several imports that land at once keep their imports, through compaction too', async () => {
  const { store, rows, land } = landed()
  await Promise.all([
    land({ events: [visitors('a', 1, AT), visitors('b', 1, AT)] }),
    land({ events: [visitors('a', 2, AT), 7, place()], import: ONE }),
    land({ events: [visitors('a', 1, AT), visitors('c', 3, AT)], import: OTHER }),
    land({ events: [visitors('a', 3, AT)], import: ONE }),
  ])
  expect(rows('SELECT id, files FROM import ORDER BY files')).toEqual([
    [ONE.id, 'one.csv'],
    [OTHER.id, 'other.csv, more.csv'],
  ])
  const [[one], [other]] = rows('SELECT number FROM import ORDER BY files') as [number][]
  const utcDay = Math.floor(AT / 86_400_000)
  const importsOf = async () => {
    const days = await store.archive.eventsOfDay(0, utcDay)
    const all = days.flatMap(({ a, count, imports }) =>
      Array.from({ length: count }, (_, row) => [a[row], imports?.[row] ?? 0]),
    )
    return all.sort()
  }
  const expected = [
    [1, 0],
    [1, other],
    [2, one],
    [3, one],
  ].sort()
  expect(await importsOf()).toEqual(expected)
  await rollUpAllShards(store)
  await compactAll(store)
  expect(rows('SELECT count(*) FROM segment')).toEqual([[0]])
  expect(await importsOf()).toEqual(expected)
  // What lands for a compacted day later is compacted with it.
  await land({ events: [visitors('a', 4, AT)], import: OTHER })
  await rollUpAllShards(store)
  await compactAll(store)
  expect(await importsOf()).toEqual([...expected, [4, other]].sort())
  expect(rows(`SELECT shard, utc_day FROM import_part WHERE import = ${one}`)).toEqual([[0, utcDay]])
  expect(rows('SELECT import FROM reject')).toEqual([[one]])
  expect(rows('SELECT import FROM device ORDER BY number')).toEqual([[0], [0], [other]])
})

test('a placement knows every import that told it, until a person puts it', async () => {
  const { store, rows, land } = landed()
  const sources = () => (rows('SELECT sources FROM placement') as [string][]).map(([text]) => JSON.parse(`${text}`))
  await land({ events: [place('b')], import: ONE })
  expect(sources()).toEqual([{ 1: 'b' }])
  await land({ events: [place('a')] })
  await land({ events: [place()], import: OTHER })
  await land({ events: [place('a')], import: ONE })
  expect(sources()).toEqual([{ 0: 'a', 1: 'b', 2: null }])
  const { placements } = { placements: (await store.registry.placements([0])).get(0) ?? [] }
  expect(placements).toMatchObject([{ address: 'b' }])
  await store.registry.put('a', { placements }, AT)
  expect(sources()).toEqual([null])
  expect(rows('SELECT import FROM device')).toEqual([[0]])
})

test('a job names its import; one that is malformed is refused', () => {
  expect(batchOf({ events: [], import: ONE })).toEqual({ events: [], import: ONE })
  expect(batchOf({ events: [] })).toEqual({ events: [] })
  for (const bad of [null, 7, 'imp', {}, { ...ONE, id: '' }, { ...ONE, id: 'a b' }, { ...ONE, startedAt: '1' }]) {
    expect(() => batchOf({ events: [], import: bad })).toThrow(expect.objectContaining({ code: 'bad-request' }))
  }
})
