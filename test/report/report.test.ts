import { describe, expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { dailyEntries, type SummaryEntry, summaryEntries } from '../../src/report/report.ts'
import type { Store } from '../../src/store/open-store.ts'
import { NO_FIGURES } from '../helpers/no-figures.ts'
import { landAll, productSettings, reportContext, rollUpAll } from '../helpers/run-history.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { DEFAULT_SETTINGS } from '../reference/settings.ts'

const NOW = Date.parse('2024-06-01T00:00:00Z')
const SETTINGS = productSettings(DEFAULT_SETTINGS)
const epochDay = (day: number): number => parseDay(day) as number
const DAY = epochDay(20240510)

const visitor = (deviceId: string, count = 1, day = 10): object => {
  return { deviceId, at: `2024-05-${day}T12:00:00Z`, type: 'visitor', count }
}

async function storeOf(...events: readonly object[]): Promise<Store> {
  const store = temporaryStore()
  await landAll(store, [events], NOW)
  await rollUpAll(store, SETTINGS, NOW)
  return store
}

const daily = (store: Store, ids?: readonly string[], day = DAY) =>
  dailyEntries(reportContext(store, SETTINGS, NOW), day, ids)

const summary = (store: Store, ids?: readonly string[], fromDay = DAY, toDay = DAY) =>
  summaryEntries(reportContext(store, SETTINGS, NOW), { fromDay, toDay }, ids)

const idsOf = (entries: readonly { assertId: string }[]): string[] => entries.map(({ assertId }) => assertId)

const UNPLACED = { location: null, address: null, throwinDate: null }

describe('the devices of a report', () => {
  // By code point the ice cube would be the last one, and by language the capitals would be anywhere.
  const ORDERED = ['10', '9', 'B', '__proto__', 'a', 'a\0', 'aa', 'é', '\uD83E', '\u{1F9CA}', '\uDDCA', '\uFF5E']
  const shuffled = [3, 10, 0, 7, 11, 5, 1, 9, 2, 8, 4, 6].map((index) => ORDERED[index])

  test('stand in ascending order of their ids by UTF-16 unit, whether all of them or those asked for', async () => {
    const store = await storeOf(...shuffled.map((id) => visitor(id)))
    for (const report of [daily, summary]) {
      expect(idsOf(await report(store))).toEqual(ORDERED)
      expect(idsOf(await report(store, shuffled))).toEqual(ORDERED)
    }
  })

  test('are each there once, however often they are asked for, and unknown ones are left out', async () => {
    const store = await storeOf(visitor('a', 3), visitor('b', 4))
    for (const report of [daily, summary]) {
      const entries = await report(store, ['b', 'nobody', 'a', 'b', '', 'A', 'a', 'a '])
      expect(entries.map(({ assertId, visitorCount }) => [assertId, visitorCount])).toEqual([
        ['a', 3],
        ['b', 4],
      ])
    }
  })

  test('are none where none is asked for, or there is none', async () => {
    const store = await storeOf(visitor('a'))
    expect([await daily(store, []), await summary(store, [])]).toEqual([[], []])
    const empty = temporaryStore()
    expect([await daily(empty), await summary(empty), await daily(empty, ['a'])]).toEqual([[], [], []])
  })

  test('have an entry without data on a day without events, or without any event at all', async () => {
    const store = await storeOf(visitor('a'))
    await store.registry.put('placed', { placements: [] }, NOW)
    const nothing = ['a', 'placed'].map((assertId) => ({ assertId, ...NO_FIGURES }))
    expect(await daily(store, undefined, DAY + 1)).toEqual(nothing)
    expect(await summary(store, undefined, DAY + 1, DAY + 9)).toEqual(
      nothing.map((entry) => ({ ...entry, ...UNPLACED })),
    )
  })

  test('have their own figures, in reports of many as in reports of one', async () => {
    const ids = Array.from({ length: 1100 }, (_, index) => `device ${index}`)
    const store = await storeOf(...ids.map((id, index) => visitor(id, index)))
    const expected = ids
      .map((assertId, index) => ({ assertId, visitorCount: index }))
      .sort((one, other) => (one.assertId < other.assertId ? -1 : 1))
    const all = await summary(store)
    expect(all.map(({ assertId, visitorCount }) => ({ assertId, visitorCount }))).toEqual(expected)
    expect(await summary(store, ids)).toEqual(all)
    for (const id of ['device 0', 'device 700', 'device 1099'])
      expect(await summary(store, [id])).toEqual(all.filter(({ assertId }) => assertId === id))
  })

  test('that are retired are left out of reports of all on later days, and are there where asked for', async () => {
    const store = await storeOf(visitor('kept'), visitor('retired', 7))
    await store.registry.put('retired', { retiredAt: Date.parse('2024-05-10T15:00:00Z') }, NOW)
    for (const report of [daily, summary]) {
      expect(idsOf(await report(store, undefined))).toEqual(['kept', 'retired'])
      expect(idsOf(await report(store, ['retired']))).toEqual(['retired'])
    }
    expect(idsOf(await daily(store, undefined, DAY + 1))).toEqual(['kept'])
    expect(await daily(store, ['retired'], DAY + 1)).toEqual([{ assertId: 'retired', ...NO_FIGURES }])
    expect(idsOf(await summary(store, undefined, DAY, DAY + 5))).toEqual(['kept', 'retired'])
    expect(idsOf(await summary(store, undefined, DAY + 1, DAY + 5))).toEqual(['kept'])
    await store.registry.put('retired', { retiredAt: null }, NOW)
    expect(idsOf(await daily(store, undefined, DAY + 1))).toEqual(['kept', 'retired'])
  })
})

test('a range has both its end days, and its means are over all readings', async () => {
  const reading = (day: number, celsius: number) => ({ ...visitor('a', 1, day), type: 'temperature', celsius })
  const store = await storeOf(
    ...[9, 10, 12, 13].map((day) => visitor('a', 10 ** (day - 9), day)),
    ...[reading(9, 50), reading(10, 1), reading(10, 2), reading(12, 6), reading(13, 50)],
  )
  const [entry] = await summary(store, ['a'], DAY, epochDay(20240512))
  expect(entry).toMatchObject({ visitorCount: 1010, currTemp: 3, minTemp: 1, maxTemp: 6, setTemp: null })
})

describe('what is current in a summary', () => {
  const currentOf = async (...events: readonly object[]): Promise<Partial<SummaryEntry>> => {
    const store = await storeOf(...events.map((event) => ({ deviceId: 'a', at: '2024-05-10T12:00:00Z', ...event })))
    // A range long before.
    const [{ location, address, throwinDate }] = await summary(store, ['a'], DAY - 100, DAY - 90)
    return { location, address, throwinDate }
  }
  const fix = { type: 'gps', lat: 52.52, lon: -13.4, address: 'Fix 1' }
  const placement = { type: 'placement', lat: 1.5, lon: 2, address: 'Place 1', timezone: 'Asia/Kolkata' }

  test('is unknown where nothing tells it', async () => {
    expect(await currentOf(visitor('a'))).toEqual(UNPLACED)
  })

  test('is that of the latest fix, and of the placement in force', async () => {
    const later = { ...fix, at: '2024-05-11T12:00:00Z', lat: 0.0000001, address: 'Fix 2' }
    const future = { ...placement, at: '2024-06-01T12:00:00Z', lat: 9 }
    expect(await currentOf(later, fix, placement, future)).toEqual({
      location: '0.0000001,-13.4',
      address: 'Fix 2',
      throwinDate: '2024-05-10 17:30:00',
    })
  })

  test('is the place and the address of the placement, where there is no fix or it has no address', async () => {
    const { address: _, ...bare } = fix
    const throwinDate = '2024-05-10 17:30:00'
    expect(await currentOf(placement)).toEqual({ location: '1.5,2', address: 'Place 1', throwinDate })
    expect(await currentOf(placement, bare)).toEqual({ location: '52.52,-13.4', address: 'Place 1', throwinDate })
  })

  test('has no placement before the first one is in force', async () => {
    expect(await currentOf({ ...placement, at: '2024-06-01T00:00:00.001Z' })).toEqual(UNPLACED)
  })

  test('has the time of the default zone, where the placement names none', async () => {
    expect(await currentOf({ ...placement, timezone: undefined })).toMatchObject({ throwinDate: '2024-05-10 12:00:00' })
  })
})
