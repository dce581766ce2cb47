import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eraseAll, eraseSteps } from '../../src/erase/erase.ts'
import type { EraseRequest } from '../../src/erase/erase-request.ts'
import { newImport } from '../../src/event/import-note.ts'
import { Landing } from '../../src/ingest/landing.ts'
import type { Store } from '../../src/store/open-store.ts'
import { startReader } from '../helpers/overlapping-readers.ts'
import { compactAll, LONG_AFTER, rollUpAllShards } from '../helpers/raw-events.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'

const SECRET = 'Geheimgasse 77'
const DAY_MS = 86_400_000
const START = Date.parse('2025-06-01T00:00:00Z')
const ALWAYS = { fromAt: 0, toAt: LONG_AFTER, type: null }
const IMPORT = newImport(['a.csv'], START)

const land = (store: Store, events: readonly object[]) =>
  new Landing(store.landing, { now: () => LONG_AFTER, purgedBefore: () => 0, import: IMPORT }).land({ events })

/** How often the secret is in the store's file and its write-ahead log, as it is in uncompressed rows. */
function copies(file: string): number {
  const files = [file, `${file}-wal`].filter((name) => existsSync(name))
  return files.reduce((sum, name) => sum + readFileSync(name).toString('latin1').split(SECRET).length - 1, 0)
}

const fix = (deviceId: string, day: number, hour: number, address = SECRET) => {
  return { deviceId, at: START + day * DAY_MS + hour * 3_600_000, type: 'gps', lat: 52.5, lon: 13.4, address }
}

/** Segments of all sizes, landed, rolled up and compacted in turns, so that copies are left in freed pages. */
async function livedStore() {
  const store = temporaryStore()
  for (let round = 0; round < 4; round++) {
    for (let day = 0; day < 6; day++) {
      const many = Array.from({ length: day * 40 }, (_, number) =>
        fix(`other ${number}`, day, round, `Platz ${number}`),
      )
      await land(store, [fix('a', day, round), ...many, fix('a', day, round + 6)])
    }
    await land(store, [
      { ...fix('a', 1, 1), lat: 91 },
      { ...fix('a', 0, 0), type: 'placement' },
    ])
    await rollUpAllShards(store)
    if (round < 3) await compactAll(store)
  }
  // Many copies, all of them in pages that compaction frees last.
  const many = Array.from({ length: 600 }, (_, number) => fix('a', 5, 10 + number / 1000))
  await land(store, many)
  await rollUpAllShards(store)
  await compactAll(store)
  await land(store, [fix('a', 3, 23)])
  return store
}

test.each<[string, EraseRequest[]]>([
  [
    'a device',
    [
      { device: 'a', ...ALWAYS },
      { device: 'a', ...ALWAYS, type: 'placement' },
    ],
  ],
  ['an import', [{ import: IMPORT.id }]],
])('no byte of what was erased is left in the file or its log: %s', async (_, requests) => {
  const store = await livedStore()
  expect(copies(store.file)).toBeGreaterThan(10)
  for (const request of requests) {
    const erased = await eraseAll(eraseSteps(store), request, { now: LONG_AFTER })
    expect(erased.logEmptied).toBe(true)
  }
  expect(copies(store.file)).toBe(0)
  await rollUpAllShards(store)
  expect(copies(store.file)).toBe(0)
})

test('while somebody reads an older state the log keeps its copies, which is said', async () => {
  const store = temporaryStore()
  await land(store, [fix('a', 0, 0)])
  const reader = await startReader(store.file, null)
  const first = await eraseAll(eraseSteps(store), { device: 'a', ...ALWAYS }, { now: LONG_AFTER })
  expect(first).toMatchObject({ erased: 1, logEmptied: false })
  await reader.end()
  expect(await store.erasure.overwriteFreed()).toBe(true)
  expect(copies(store.file)).toBe(0)
})
