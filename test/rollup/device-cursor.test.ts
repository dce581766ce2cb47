import { expect, test } from 'vitest'
import { formatDay, utcDayOf } from '../../src/base/time.ts'
import type { CursorContext, CursorResult } from '../../src/rollup/cursor-context.ts'
import { gatherDayEvents } from '../../src/rollup/day-events.ts'
import { DeviceCursor } from '../../src/rollup/device-cursor.ts'
import { Calendars } from '../../src/rollup/local-day.ts'
import { StoredRollups } from '../../src/rollup/stored-rollups.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { HOUR_MS, land, NOW, power, rollUp, SETTINGS, visitor } from './shard-fixture.ts'

const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
const spanOf = (...instants: readonly [string, string]) => ({ from: at(instants[0]), to: at(instants[1]) })

/** Takes the one device of a store through its days, as a pass does: what it has put, by date, and what it left due. */
async function walk(store: Store, due: CursorContext['due'], more: Partial<CursorContext> = {}) {
  const days = new Map<number, CursorResult>()
  const left: number[] = []
  const context: CursorContext = {
    device: 0,
    calendar: new Calendars(SETTINGS).of([{ from: 0, zone: 'UTC' }]),
    placements: [],
    standIn: null,
    settings: SETTINGS,
    now: NOW,
    purgedBefore: 0,
    windowEnd: Infinity,
    due,
    moved: false,
    newFrom: -Infinity,
    ...more,
  }
  const cursor = await DeviceCursor.start(
    context,
    {
      stored: new StoredRollups(store.rollups, 0),
      put: (result) => void days.set(formatDay(result.day), result),
      stillDue: (_, fromAt) => void left.push(fromAt),
    },
    false,
  )
  const toItsEnd = async (step: () => Promise<void> | null): Promise<void> => {
    for (let reading = step(); reading !== null; reading = step()) await reading
  }
  let utcDay = await store.archive.nextDay(0, utcDayOf(cursor.at))
  for (; utcDay !== null && !cursor.done; utcDay = await store.archive.nextDay(0, utcDay + 1)) {
    const day = utcDay
    await toItsEnd(() => cursor.advanceTo(day * 24 * HOUR_MS))
    const events = gatherDayEvents(await store.archive.eventsOfDay(0, day), () => 0, 1)
    await toItsEnd(() => cursor.take(events, events.starts[0], events.starts[1], day))
  }
  await toItsEnd(() => cursor.advanceTo(NOW))
  return { days, left, done: cursor.done }
}

test('a day with events is put, and no other', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T12:00', 3))
  const { days, done } = await walk(store, [spanOf('05-10T12:00', '05-10T12:00')])
  expect([...days.keys()]).toEqual([20240510])
  expect(days.get(20240510)).toMatchObject({ rollup: { visitors: 3 }, old: null, closesAt: at('05-11T00:00') })
  expect(done).toBe(true)
})

test('days follow for as long as the power of before counts, and no longer', async () => {
  const store = temporaryStore()
  await land(store, power('05-10T12:00', true))
  const { days } = await walk(store, [spanOf('05-10T12:00', '05-10T12:00')])
  const hours = [...days].map(([day, { rollup }]) => [day, (rollup?.onMs ?? 0) / HOUR_MS])
  expect(hours).toEqual([
    [20240510, 12],
    [20240511, 24],
    [20240512, 12],
  ])
})

test('a late event that changes nothing of what a day leaves to the next ends there', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T12:00', 1), visitor('05-11T12:00', 2))
  await rollUp(store)
  await land(store, visitor('05-10T09:00', 5))
  const { days } = await walk(store, [spanOf('05-10T09:00', '05-10T09:00')])
  expect([...days]).toMatchObject([[20240510, { rollup: { visitors: 6 }, old: { visitors: 1 } }]])
})

test('one that changes the power goes on until what is stored is right again', async () => {
  const store = temporaryStore()
  await land(store, power('05-10T12:00', true), power('05-12T12:00', true), visitor('05-13T12:00', 1))
  await rollUp(store)
  await land(store, power('05-10T18:00', false))
  const { days } = await walk(store, [spanOf('05-10T18:00', '05-10T18:00')])
  const hours = [...days].map(([day, { old, rollup }]) => [
    day,
    (old?.onMs ?? 0) / HOUR_MS,
    (rollup?.onMs ?? 0) / HOUR_MS,
  ])
  expect(hours).toEqual([
    [20240510, 12, 6],
    [20240511, 24, 0],
    [20240512, 24, 12],
  ])
})

test('what begins behind the window is left due', async () => {
  const store = temporaryStore()
  await land(store, power('05-10T12:00', true))
  const { days, left, done } = await walk(store, [spanOf('05-10T12:00', '05-10T12:00')], {
    windowEnd: at('05-12T00:00'),
  })
  expect([...days.keys()]).toEqual([20240510, 20240511])
  expect(left).toEqual([at('05-12T00:00')])
  expect(done).toBe(true)
})
