import { describe, expect, test } from 'vitest'
import { Landing } from '../../../src/ingest/landing.ts'
import { LONGEST_DAY_MS, takenFrom } from '../../../src/store/archive.ts'
import { END_OF_TIME } from '../../../src/store/due.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { compactAll, readEverything, rollUpAllShards } from '../../helpers/raw-events.ts'
import { event, land, NOW, rollUp, visitor } from '../../rollup/shard-fixture.ts'
import type { Engine } from '../test-store.ts'

/** Raw events of whole days go, with the bound that tells so, and nothing that is still needed. */
export function pruningContract(engine: Engine): void {
  const { open } = engine
  const DAY_MS = 86_400_000
  const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
  const utcDay = (date: string): number => at(`${date}T00:00`) / DAY_MS
  const END = utcDay('12-31')

  const of = (deviceId: string, one: object): object => ({ ...one, deviceId })
  /** A device of the last shard. */
  const fleet = Array.from({ length: 16 }, (_, number) => `device ${number}`)

  const daysLeft = async ({ archive }: Store): Promise<(number | null)[]> =>
    Promise.all(Array.from({ length: archive.shards }, (_, shard) => archive.nextDay(shard, 0)))

  describe('pruning deletes', () => {
    test('whole UTC days, the earliest of all shards first, and only those before the given one', async () => {
      const store = await open()
      const { archive } = store
      const middle = fleet.map((id) => of(id, visitor('05-10T12:00', 1)))
      await land(store, of('device 0', visitor('05-12T00:00', 1)), of('device 0', visitor('05-11T23:59', 1)), ...middle)
      await rollUpAllShards(store)
      await compactAll(store)
      await land(store, of('device 5', visitor('05-03T07:00', 1)), of('device 5', visitor('05-10T12:00', 1)))
      await rollUpAllShards(store)
      expect(await archive.purgedBefore()).toBe(0)
      expect(await archive.pruneDay(utcDay('05-03'))).toBe(null)
      expect(await archive.pruneDay(utcDay('05-04'))).toEqual({ utcDay: utcDay('05-03'), events: 1 })
      expect(await archive.purgedBefore()).toBe(at('05-04T00:00'))
      expect(await archive.pruneDay(utcDay('05-10'))).toBe(null)
      expect(await archive.purgedBefore()).toBe(at('05-04T00:00'))
      expect(await archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-10'), events: 17 })
      expect(await archive.purgedBefore()).toBe(at('05-11T00:00'))
      expect((await daysLeft(store)).filter((day) => day !== null)).toEqual([utcDay('05-11')])
      expect(await archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-11'), events: 1 })
      expect(await archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-12'), events: 1 })
      expect(await archive.pruneDay(END)).toBe(null)
      expect(await archive.purgedBefore()).toBe(at('05-13T00:00'))
      expect(await readEverything(store)).toMatchObject({ byDay: [], byDevice: [] })
    })

    test('nothing of an empty store', async () => {
      const { archive } = await open()
      expect(await archive.pruneDay(END_OF_TIME)).toBe(null)
      expect(await archive.purgedBefore()).toBe(0)
    })
  })

  describe('of a day up to three days before', () => {
    /** When 05-01 has just closed. */
    const CLOSED = at('05-02T00:00')

    /** Events of 05-01 that have been rolled up; then something else happens. */
    async function prunedAfter(happens: (store: Store) => Promise<unknown>): Promise<unknown[]> {
      const store = await open()
      await land(store, visitor('05-01T12:00', 1), ...fleet.map((id) => of(id, visitor('05-20T12:00', 1))))
      await rollUpAllShards(store, CLOSED)
      await happens(store)
      const before = await readEverything(store)
      const pruned = await store.archive.pruneDay(utcDay('05-02'))
      if (pruned === null) {
        expect(await readEverything(store)).toEqual(before)
        expect(await store.archive.purgedBefore()).toBe(0)
      }
      // What is due is done, what is open is closed: then it goes.
      await rollUpAllShards(store)
      return [pruned?.events ?? null, (await store.archive.pruneDay(utcDay('05-02')))?.events ?? null]
    }

    const KEPT = [null, 1]
    const GONE = [1, null]

    test('a segment that is due keeps the raw events, of whatever shard it is', async () => {
      expect(await prunedAfter((store) => land(store, visitor('05-01T13:00', 1)))).toEqual([null, 2])
      expect(await prunedAfter((store) => land(store, visitor('05-04T23:59', 1)))).toEqual(KEPT)
      expect(await prunedAfter((store) => land(store, of('device 9', visitor('05-04T23:59', 1))))).toEqual(KEPT)
      expect(await prunedAfter((store) => land(store, visitor('05-05T00:00', 1)))).toEqual(GONE)
    })

    test('a device that is due keeps them', async () => {
      const moved = (...days: readonly string[]) => {
        const fields = { type: 'placement', lat: 1, lon: 1 }
        return (store: Store) => land(store, ...days.map((day) => of('device 9', event(day, fields))))
      }
      // The first placement holds for the time before it, too.
      expect(await prunedAfter(moved('05-21T00:00'))).toEqual(KEPT)
      const later = (day: string) => async (store: Store) => {
        await moved('04-01T00:00')(store)
        await rollUpAllShards(store, CLOSED)
        await moved(day)(store)
      }
      expect(await prunedAfter(later('05-05T00:00'))).toEqual(KEPT)
      expect(await prunedAfter(later('05-05T00:01'))).toEqual(GONE)
    })

    test('a day that has not closed keeps them', async () => {
      const openOn = (day: string) => async (store: Store) => {
        await land(store, of('device 9', visitor(day, 1)))
        await rollUpAllShards(store, CLOSED)
      }
      expect(await prunedAfter(openOn('05-03T12:00'))).toEqual(KEPT)
      expect(await prunedAfter(openOn('05-04T12:00'))).toEqual(GONE)
    })
  })

  describe('after pruning', () => {
    const BOUND = takenFrom(at('05-11T00:00'))
    const landing = ({ landing }: Pick<Store, 'landing'>, bound: number) =>
      new Landing(landing, { now: () => NOW, purgedBefore: () => bound })

    async function pruned(given?: Store): Promise<Store> {
      const store = given ?? (await open())
      await land(store, visitor('05-10T12:00', 1), visitor('05-20T12:00', 2))
      await rollUp(store)
      expect(await store.archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-10'), events: 1 })
      expect(takenFrom(await store.archive.purgedBefore())).toBe(BOUND)
      expect(BOUND).toBe(at('05-11T00:00') + LONGEST_DAY_MS)
      return store
    }

    test('events of before what is taken are rejected alone as raw-purged, placements and all others land', async () => {
      const store = await pruned()
      const place = { type: 'placement', lat: 1, lon: 1 }
      const events = [
        { ...visitor('05-10T12:00', 1) },
        { ...visitor('05-10T12:00', 1), at: BOUND - 1 },
        { ...visitor('05-10T12:00', 1), at: BOUND },
        event('05-01T00:00', place),
      ]
      expect(await landing(store, BOUND).land({ events })).toEqual({
        landed: 2,
        rejected: 2,
        rejections: [0, 1].map((index) => ({ index, reason: 'raw-purged' })),
      })
      expect((await store.landing.counters()).rejectedByReason).toEqual({ 'raw-purged': 2 })
      expect((await store.registry.placements([0])).get(0)).toHaveLength(1)
      expect((await readEverything(store)).byDay).toHaveLength(2)
    })

    test('a batch of a group counts with the oldest bound that one of the group was checked against', async () => {
      const store = await pruned()
      let bound = 0
      const group = new Landing(store.landing, { now: () => NOW, purgedBefore: () => bound })
      const old = group.land({ events: [{ ...visitor('05-10T12:00', 1), at: BOUND - 1 }] })
      bound = BOUND
      const other = group.land({ events: [visitor('05-20T12:00', 3)] })
      await expect(old).rejects.toMatchObject({ code: 'store-busy' })
      await expect(other).rejects.toMatchObject({ code: 'store-busy' })
      expect((await store.landing.counters()).landed).toBe(2)
    })

    test('its bound is there after a restart, and only ever grows', async () => {
      const [store, again] = await engine.connect()
      await pruned(store)
      expect(await again.archive.purgedBefore()).toBe(at('05-11T00:00'))
      expect(await again.archive.pruneDay(utcDay('05-01'))).toBe(null)
      expect(await again.archive.purgedBefore()).toBe(at('05-11T00:00'))
      expect(await again.archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-20'), events: 1 })
      expect(await store.archive.purgedBefore()).toBe(at('05-21T00:00'))
    })
  })
}
