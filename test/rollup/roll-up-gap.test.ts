import { describe, expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { eraseAll, eraseSteps } from '../../src/erase/erase.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { adoptRules } from '../../src/rollup/rules.ts'
import type { Store } from '../../src/store/open-store.ts'
import { door, explain, total } from '../explain/explain-fixture.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { verified } from '../verify/verify-fixture.ts'
import { HOUR_MS, land, NOW, power, rollUp, SETTINGS, storedDays, visitor } from './shard-fixture.ts'

const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
const settings = { ...SETTINGS, silenceLimitMs: HOUR_MS, doorCount: 'changes' as const }

/** Places a device in a zone for all time, or until it comes to another one. */
async function move(store: Store, zone: string, then?: { at: number; zone: string }): Promise<void> {
  const placements = [{ at: at('01-01T00:00'), zone }, ...(then === undefined ? [] : [then])].map((one) => {
    return { ...one, seq: NO_SEQ, lat: 51e7, lon: 1e8, address: null }
  })
  await store.registry.put('a', { placements }, NOW)
}

async function pruneTo(store: Store, instant: string): Promise<void> {
  while ((await store.archive.pruneDay(at(instant) / (24 * HOUR_MS))) !== null);
}

const askForAll = (store: Store, own = settings) => rollUp(store, { days: { from: 0, to: 100_000 } }, own)

interface Moved {
  /** Of the day from which on raw events are kept. */
  prunedTo: string
  from: string
  to: string
}

/** A store with these events whose device is moved for all time, after a pruning; and one that was never pruned. */
async function movedStores({ prunedTo, from, to }: Moved, events: readonly object[]): Promise<[Store, Store]> {
  const stores: [Store, Store] = [temporaryStore(), temporaryStore()]
  for (const [index, store] of stores.entries()) {
    await adoptRules(store, settings, NOW)
    await move(store, from)
    await land(store, ...events)
    await rollUp(store, {}, settings)
    if (index === 0) await pruneTo(store, prunedTo)
    await move(store, to)
    await rollUp(store, {}, settings)
  }
  return stores
}

const dayOf = async (store: Store, date: number) => (await storedDays(store)).get(date)
const datesOf = async (store: Store): Promise<number[]> => [...(await storedDays(store)).keys()]

/** The last day whose raw events are gone is 05-09 in UTC; the first one in New York begins at 04:00. */
describe('what happens in the gap after deleted events is carried on', () => {
  const moved = { prunedTo: '05-10T00:00', from: 'UTC', to: 'America/New_York' }
  const before = [door('05-09T12:00', true), power('05-09T12:00', true), total('05-09T12:00', 100)]
  const within = [door('05-10T03:00', false), power('05-10T03:00', false), total('05-10T03:00', 150)]
  const after = [door('05-20T12:00', true), visitor('05-20T12:00', 0), total('05-20T12:00', 160)]

  const stores = () => movedStores(moved, [...before, ...within, ...after])

  test('to a day long after it, also where that day alone is computed again', async () => {
    const [pruned, whole] = await stores()
    const expected = await dayOf(whole, 20240520)
    expect(expected).toMatchObject({ doors: 1, visitors: 10, onMs: 0 })
    expect(await dayOf(pruned, 20240520)).toEqual(expected)
    await askForAll(pruned)
    expect(await dayOf(pruned, 20240520)).toEqual(expected)
    for (const from of [undefined, 20240515, 20240520]) {
      const range = from === undefined ? {} : { from: parseDay(from) as number }
      expect((await verified(pruned, settings, { now: NOW, ...range })).differences).toEqual([])
    }
  })

  test.each(['05-11T00:00', '05-15T00:00'])('also once its own events are deleted up to %s', async (bound) => {
    const [pruned, whole] = await stores()
    await pruneTo(pruned, bound)
    await askForAll(pruned)
    expect(await dayOf(pruned, 20240520)).toEqual(await dayOf(whole, 20240520))
    const other = { ...settings, daytime: { startMinute: 0, endMinute: 60 } }
    await adoptRules(pruned, other, NOW)
    await rollUp(pruned, {}, other)
    expect(await dayOf(pruned, 20240520)).toEqual(await dayOf(whole, 20240520))
    expect((await verified(pruned, other, { now: NOW })).differences).toEqual([])
  })

  test('until it is erased', async () => {
    const [pruned] = await movedStores(moved, [...before, door('05-10T03:00', false), ...after])
    const span = { device: 'a', fromAt: at('05-10T00:00'), toAt: at('05-10T04:00'), type: null }
    expect((await eraseAll(eraseSteps(pruned), span, { now: NOW })).erased).toBe(1)
    await rollUp(pruned, {}, settings)
    expect(await datesOf(pruned)).toEqual([20240509, 20240520])
    expect(await dayOf(pruned, 20240520)).toMatchObject({ doors: 0, visitors: 60 })
    expect((await verified(pruned, settings, { now: NOW })).differences).toEqual([])
  })

  test('and told by the explanation of the day after it', async () => {
    const [pruned] = await movedStores(moved, [...before, ...within, visitor('05-10T12:00', 1), ...after])
    const explained = await explain(pruned, 20240510, {}, settings)
    expect(explained).toMatchObject({ matches: true, carriedIn: { door: 'closed', power: 'off', visitorTotal: 150 } })
  })
})

/** Its day 05-10 in Kiritimati ends at 10:00; that of Etc/GMT+12 begins at 12:00. */
test('a day after deleted events never takes the place of a kept one of the same date', async () => {
  const events = [visitor('05-09T12:00', 1), visitor('05-10T15:00', 2), visitor('05-11T15:00', 4)]
  const moved = { prunedTo: '05-10T00:00', from: 'Pacific/Kiritimati', to: 'Etc/GMT+12' }
  const [pruned] = await movedStores(moved, events)
  const days = await storedDays(pruned)
  expect(days.get(20240510)).toMatchObject({ startAt: at('05-09T10:00'), visitors: 1 })
  expect(days.get(20240511)).toMatchObject({ startAt: at('05-11T12:00'), visitors: 4 })
  const span = { device: 'a', fromAt: at('05-10T15:00'), toAt: at('05-10T16:00'), type: null }
  expect((await eraseAll(eraseSteps(pruned), span, { now: NOW })).erased).toBe(1)
  await rollUp(pruned, {}, settings)
  expect(await dayOf(pruned, 20240510)).toEqual(days.get(20240510))
  expect(await dayOf(pruned, 20240511)).toMatchObject({ startAt: at('05-11T12:00'), visitors: 4 })
  expect((await verified(pruned, settings, { now: NOW })).differences).toEqual([])
})

/**
 * The day 05-10 begins before the raw events that are kept, and lasts by now until 05-11T12:00: what was 05-11 before
 * the move ends before that, and has the date of the day that begins there.
 */
test('what is stored under the date of the first day after deleted events is carried into it', async () => {
  const events = [door('05-09T12:00', true), door('05-10T12:00', false), door('05-20T12:00', true)]
  const [store, zone] = [temporaryStore(), 'Pacific/Kiritimati']
  await adoptRules(store, settings, NOW)
  await move(store, zone)
  await land(store, ...events)
  await rollUp(store, {}, settings)
  await pruneTo(store, '05-10T00:00')
  const kept = await dayOf(store, 20240510)
  await move(store, zone, { at: at('05-10T06:00'), zone: 'Etc/GMT+12' })
  for (const again of [() => rollUp(store, {}, settings), () => askForAll(store)]) {
    await again()
    const days = await storedDays(store)
    expect(days.get(20240510)).toEqual(kept)
    expect(days.get(20240511)).toMatchObject({ startAt: at('05-11T12:00'), doors: 0, door: 1 })
    expect(days.get(20240520)).toMatchObject({ doors: 1 })
    expect((await verified(store, settings, { now: NOW })).differences).toEqual([])
  }
})
