import { describe, expect, test } from 'vitest'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import type { Placement } from '../../src/event/placement.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { adoptRules } from '../../src/rollup/rules.ts'
import { takenFrom } from '../../src/store/archive.ts'
import { type DeviceDay, isOpen } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import {
  event,
  HOUR_MS,
  land,
  NOW,
  power,
  rollUp,
  SETTINGS,
  storedDays,
  visitor,
  watchCommits,
} from './shard-fixture.ts'

const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
/** Raw events before it are gone. */
const BOUND = at('05-10T00:00')

const fix = (instant: string, lat: number): object => event(instant, { type: 'gps', lat, lon: 10 })
const placed = (instant: string, timezone?: string): object =>
  event(instant, { type: 'placement', lat: 52, lon: 10, ...(timezone === undefined ? {} : { timezone }) })

/** Some of everything on each of twenty days, states carried from one to the next. */
const history = Array.from({ length: 20 }, (_, index) => {
  const day = `05-${String(index + 1).padStart(2, '0')}`
  return [
    power(`${day}T07:00`, index % 3 !== 0),
    event(`${day}T09:00`, { type: 'door', open: index % 2 === 0 }),
    event(`${day}T12:00`, { type: 'visitor', total: 100 * index }),
    fix(`${day}T13:00`, 50 + index / 100),
    event(`${day}T18:00`, { type: 'temperature', celsius: index }),
  ]
}).flat()

/** What is sent after the pruning; before its bound only placements are taken. */
const send = ({ landing }: Store, ...events: readonly object[]) =>
  new Landing(landing, { now: () => NOW, purgedBefore: () => takenFrom(BOUND) }).land({ events })

type Days = Map<number, DeviceDay>
const keptOf = (days: Days): Days => new Map([...days].filter(([, { startAt }]) => startAt < BOUND))
const daysFrom = (days: Days, instant: number): Days =>
  new Map([...days].filter(([, { startAt }]) => startAt >= instant))

/** The history of a device placed first as told, rolled up; in one of two stores all before the bound is pruned. */
async function prunedAndWhole(...first: readonly object[]): Promise<{ pruned: Store; whole: Store; old: Days }> {
  const [pruned, whole] = [temporaryStore(), temporaryStore()]
  for (const store of [pruned, whole]) {
    await adoptRules(store, SETTINGS, NOW)
    await land(store, ...first, ...history)
    await rollUp(store)
  }
  while ((await pruned.archive.pruneDay(BOUND / (24 * HOUR_MS))) !== null);
  expect(await pruned.archive.purgedBefore()).toBe(BOUND)
  return { pruned, whole, old: keptOf(await storedDays(pruned)) }
}

const sinceNewYear = (zone: string): Placement => {
  return { at: at('01-01T00:00'), seq: NO_SEQ, lat: 51e7, lon: 1e8, zone, address: null }
}
const put =
  (...placements: readonly Placement[]) =>
  (store: Store) =>
    store.registry.put('a', { placements }, NOW)

type Change = (store: Store) => Promise<unknown>

describe('days whose raw events are gone stay as they are, and all later ones follow', () => {
  const berlin = [placed('01-01T00:00', 'Europe/Berlin')]
  const changes: [string, readonly object[], Change][] = [
    ['where a first placement lands', [], (store) => send(store, placed('05-15T12:00'))],
    ['where a placement lands for the time long before', [], (store) => send(store, placed('01-01T00:00'))],
    ['where a placement is replaced', berlin, put(sinceNewYear('Europe/Berlin'))],
    ['where all placements are removed', [placed('01-01T00:00')], put()],
    ['where a fix before all others that are left lands', [], (store) => send(store, fix('05-13T00:00', 60))],
    ['where late events land', [], (store) => send(store, power('05-13T00:00', false), visitor('05-15T00:00', 7))],
    ['where all are asked for', [], (store) => rollUp(store, { days: { from: 0, to: 100_000 } })],
  ]

  test.each(changes)('%s', async (_, first, change) => {
    const { pruned, whole, old } = await prunedAndWhole(...first)
    for (const store of [pruned, whole]) {
      await change(store)
      await rollUp(store)
    }
    expect(keptOf(await storedDays(pruned))).toEqual(old)
    const later = daysFrom(await storedDays(pruned), BOUND)
    expect(later).toEqual(daysFrom(await storedDays(whole), BOUND))
    expect(later.size).toBeGreaterThanOrEqual(11)
    expect(await pruned.due.shards()).toEqual([])
  })

  // The day at the bound may have no whole new day beside it: from two days later on all is as if nothing had gone.
  const zones = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Pacific/Kiritimati', 'Etc/GMT+12', 'UTC']
  const moves = zones.flatMap((zone) => zones.map((other) => [zone, other] as const))
  test.each(moves)('where a device is moved from %s to %s for all time', async (zone, other) => {
    const { pruned, whole, old } = await prunedAndWhole(placed('01-01T00:00', zone))
    for (const store of [pruned, whole]) {
      await put(sinceNewYear(other))(store)
      watchCommits(store)
      await rollUp(store)
    }
    const days = await storedDays(pruned)
    expect(keptOf(days)).toEqual(old)
    expect(daysFrom(days, at('05-12T00:00'))).toEqual(daysFrom(await storedDays(whole), at('05-12T00:00')))
    expect(await pruned.due.shards()).toEqual([])
  })

  test.each([
    ['a longer silence', { silenceLimitMs: 500 * HOUR_MS }],
    ['a shorter silence', { silenceLimitMs: HOUR_MS }],
    ['another door count', { doorCount: 'changes' as const }],
    ['another daytime', { daytime: { startMinute: 0, endMinute: 480 } }],
  ])('where rules with %s are adopted', async (_, other) => {
    const { pruned, whole, old } = await prunedAndWhole()
    const settings = { ...SETTINGS, ...other }
    for (const store of [pruned, whole]) {
      expect(await adoptRules(store, settings, NOW)).toBe('all')
      await rollUp(store, {}, settings)
      await rollUp(store, { days: { from: 0, to: 100_000 } }, settings)
    }
    expect(keptOf(await storedDays(pruned))).toEqual(old)
    expect(daysFrom(await storedDays(pruned), BOUND)).toEqual(daysFrom(await storedDays(whole), BOUND))
  })

  test('where the clock is set back far before, and set right again', async () => {
    const { pruned, old } = await prunedAndWhole()
    const settled = await storedDays(pruned)
    await rollUp(pruned, { now: at('05-05T12:00') })
    const behind = await storedDays(pruned)
    expect(keptOf(behind)).toEqual(old)
    expect([...daysFrom(behind, BOUND).values()].every(isOpen)).toBe(true)
    await rollUp(pruned)
    expect(await storedDays(pruned)).toEqual(settled)
  })

  test('where several of these come one after the other', async () => {
    const { pruned, old } = await prunedAndWhole()
    const settings = { ...SETTINGS, defaultZone: 'Asia/Kathmandu' }
    await send(pruned, placed('05-12T00:00', 'Pacific/Kiritimati'))
    await rollUp(pruned)
    await put()(pruned)
    await rollUp(pruned, { now: at('05-11T12:00'), refresh: true })
    await adoptRules(pruned, settings, NOW)
    await rollUp(pruned, { days: { from: 0, to: 100_000 } }, settings)
    await rollUp(pruned, {}, settings)
    expect(keptOf(await storedDays(pruned))).toEqual(old)
  })
})

describe('a move after pruning', () => {
  // In Kiritimati no whole day has the date of the bound. In New York hours lie between the bound and the first whole day.
  test.each([
    ['Pacific/Kiritimati', 'UTC'],
    ['Pacific/Kiritimati', 'America/New_York'],
  ])(
    'to %s, and to %s while the clock is far behind, leaves out no day once the clock is right',
    async (away, back) => {
      const [pruned, whole] = [temporaryStore(), temporaryStore()]
      for (const store of [pruned, whole]) {
        await land(store, placed('01-01T00:00', 'UTC'), power('05-09T12:00', true))
        await rollUp(store)
      }
      while ((await pruned.archive.pruneDay(BOUND / (24 * HOUR_MS))) !== null);
      for (const store of [pruned, whole]) {
        await put(sinceNewYear(away))(store)
        await rollUp(store)
        await put(sinceNewYear(back))(store)
        await rollUp(store, { now: at('05-05T12:00') })
        await rollUp(store, { refresh: true })
      }
      const days = daysFrom(await storedDays(pruned), BOUND)
      expect([...days.keys()]).toEqual([20240510, 20240511])
      expect(days).toEqual(daysFrom(await storedDays(whole), BOUND))
    },
  )

  /** Of the day whose raw events are gone in part, and has no whole day any more. */
  test('carries on what happened between the last day that is kept and the first new one', async () => {
    const [pruned, whole] = [temporaryStore(), temporaryStore()]
    for (const store of [pruned, whole]) {
      await land(store, placed('01-01T00:00', 'UTC'), power('05-09T12:00', true), power('05-10T03:00', false))
      await land(store, visitor('05-11T12:00', 1))
      await rollUp(store)
    }
    while ((await pruned.archive.pruneDay(BOUND / (24 * HOUR_MS))) !== null);
    for (const store of [pruned, whole]) {
      await put(sinceNewYear('America/New_York'))(store)
      await rollUp(store)
    }
    const on = (days: Days) => [...days].map(([day, { onMs }]) => [day, onMs / HOUR_MS])
    const expected = on(daysFrom(await storedDays(whole), BOUND))
    expect(on(daysFrom(await storedDays(pruned), BOUND))).toEqual(expected)
    await rollUp(pruned, { days: { from: 0, to: 100_000 } }) // The first day alone is computed the same way.
    expect(on(daysFrom(await storedDays(pruned), BOUND))).toEqual(expected)
  })
})
