import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { adoptRules } from '../../src/rollup/rules.ts'
import type { Store } from '../../src/store/open-store.ts'
import { migrations } from '../../src/store/sqlite/migrations.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { dailyEntries, landAll, reportContext, rollUpAll, summaryEntries } from '../helpers/run-history.ts'
import { renderSchema } from '../helpers/schema-snapshot.ts'
import { temporaryFolder, temporaryStore } from '../helpers/temporary-store.ts'
import { SETTINGS } from '../rollup/shard-fixture.ts'
import { FIRST_DAY, HISTORY, LAST_DAY, SEQUEL } from './history.ts'

const FROM = parseDay(FIRST_DAY) as number
const TO = parseDay(LAST_DAY) as number

const dumpOf = (version: number): string => readFileSync(new URL(`./version-${version}.sql`, import.meta.url), 'utf8')

/** A store as the program of that schema version left it. */
function olderStore(version: number): string {
  const file = join(temporaryFolder(), 'store.sqlite')
  const database = new Database(file)
  database.exec(dumpOf(version))
  expect(database.pragma('user_version', { simple: true })).toBe(version)
  database.close()
  return file
}

function opened(file: string): Store {
  const store = openSqliteStore({ location: file, rejectsKept: 1000 })
  onTestFinished(() => store.close())
  return store
}

/** A store of this program that has been told the same. */
async function sameHistory(): Promise<Store> {
  const store = temporaryStore()
  for (const { events, rolledUpAt } of HISTORY) {
    await landAll(store, [events], rolledUpAt ?? HISTORY[0].rolledUpAt)
    if (rolledUpAt !== null) await rollUpAll(store, SETTINGS, rolledUpAt, true)
  }
  return store
}

async function reportsOf(store: Store): Promise<unknown[]> {
  const context = reportContext(store, SETTINGS, SEQUEL.rolledUpAt)
  const reports: unknown[] = [await summaryEntries(context, { fromDay: FROM, toDay: TO })]
  for (let day = FROM; day <= TO; day++) reports.push(await dailyEntries(context, day))
  return reports
}

const older = Array.from({ length: migrations().length - 1 }, (_, index) => index + 1)

describe.each(older)('a store of schema %i', (version) => {
  test('becomes one of the newest schema, and its reports are what they were', async () => {
    const file = olderStore(version)
    const store = opened(file)
    expect(renderSchema(file)).toBe(renderSchema(temporaryStore().file))
    const reports = await reportsOf(store)
    expect(reports).toEqual(await reportsOf(await sameHistory()))
    expect(JSON.stringify(reports)).toMatch(/"powerDuration":1/) // They do tell something.
    expect(await store.landing.counters()).toMatchObject({ landed: 16, rejected: 2 })
    expect(await store.rejects.page({ limit: 9 })).toMatchObject([
      { reason: 'not-an-object' },
      { reason: 'unknown-type' },
    ])
  })

  // From schema 3 on, none is written.
  test.runIf(version < 3)('keeps no empty address', async () => {
    const file = olderStore(version)
    const database = new Database(file)
    database.exec("UPDATE placement SET address = x''; UPDATE device_state SET last_fix_address = x''")
    database.close()
    const reports = JSON.stringify(await reportsOf(opened(file)))
    expect(reports).toMatch(/"address":null/)
    expect(reports).not.toMatch(/"address":""/)
  })

  test('goes on as if it had always been one: with what was due, and with late events', async () => {
    const store = opened(olderStore(version))
    const fresh = await sameHistory()
    for (const one of [store, fresh]) {
      await adoptRules(one, SETTINGS, SEQUEL.rolledUpAt)
      await rollUpAll(one, SETTINGS, SEQUEL.rolledUpAt, true)
      await landAll(one, [SEQUEL.events], SEQUEL.rolledUpAt)
      await rollUpAll(one, SETTINGS, SEQUEL.rolledUpAt, true)
      expect(await one.due.counts(SEQUEL.rolledUpAt)).toEqual({
        dueSegments: 0,
        dueDevices: 0,
        lateDays: 0,
        oldestDueAt: null,
      })
    }
    const reports = await reportsOf(store)
    expect(reports).toEqual(await reportsOf(fresh))
    expect(reports).not.toEqual(await reportsOf(await sameHistory()))
    const device = 0
    for (let day = FROM; day <= TO; day++) {
      expect(await store.rollups.revisions(device, day)).toEqual(await fresh.rollups.revisions(device, day))
    }
  })
})

test('there is a store of every earlier schema: a dump that is written once and never again', () => {
  for (const version of older) expect(dumpOf(version)).toMatch(`PRAGMA user_version = ${version};`)
})
