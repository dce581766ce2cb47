import { expect, test } from 'vitest'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { DAY_MS, LANDED_AT, MIDNIGHT, place, UTC_DAY, visitors } from '../landing-fixture.ts'
import type { Engine } from '../test-store.ts'

/** What lands is there, due and counted. */
export function landingContract({ open }: Engine): void {
  test('a landing makes one segment, and one that is due, for each UTC day and shard', async () => {
    const { landing, due, archive } = await open()
    const { shards } = archive
    const ids = Array.from({ length: shards + 1 }, (_, number) => `device ${number}`)
    const events = ids.flatMap((id, number): [string, number, number][] => [
      [id, MIDNIGHT - 1, number],
      [id, MIDNIGHT + number, number],
      [id, MIDNIGHT, number],
    ])
    await landing.land(visitors(...events), LANDED_AT)

    expect(await due.shards()).toEqual(Array.from({ length: shards }, (_, shard) => shard))
    for (let shard = 0; shard < shards; shard++) {
      const segments = await due.segments(shard)
      expect(segments.map(({ utcDay }) => utcDay)).toEqual([UTC_DAY - 1, UTC_DAY])
      const numbers = ids.map((_, number) => number).filter((number) => number % shards === shard)
      const [early, late] = [...(await archive.segments(shard, segments)).values()]
      expect([...early.device]).toEqual(numbers)
      expect([...early.at]).toEqual(numbers.map(() => DAY_MS - 1))
      expect([...late.device]).toEqual(numbers.flatMap((number) => [number, number]))
      expect([...late.at]).toEqual(numbers.flatMap((number) => [number, 0]))
      expect(await archive.eventsOfDay(shard, UTC_DAY)).toEqual([late])
      expect(await archive.nextDay(shard, 0)).toBe(UTC_DAY - 1)
      expect(await archive.nextDay(shard, UTC_DAY)).toBe(UTC_DAY)
      expect(await archive.nextDay(shard, UTC_DAY + 1)).toBe(null)
    }
  })

  test('segments of a day are given in the order of their last events', async () => {
    const { landing, archive } = await open()
    for (const count of [3, 1, 2]) await landing.land(visitors(['a', MIDNIGHT + 10 - count, count]), LANDED_AT)
    expect((await archive.eventsOfDay(0, UTC_DAY)).map(({ a }) => a[0])).toEqual([3, 2, 1])
  })

  const rejecting = (...names: readonly string[]): EventBatch => {
    const batch = new EventBatch()
    for (const name of names) batch.reject(name < 'm' ? 'bad-at' : 'unknown-type', name)
    return batch
  }

  test('of the rejected events the newest are kept, and the others are counted', async () => {
    const { landing, rejects } = await open(3)
    await landing.land(rejecting('a', 'b'), LANDED_AT)
    expect((await rejects.page({ limit: 10 })).map((reject) => reject.raw)).toEqual(['b', 'a'])
    await landing.land(rejecting('x', 'c'), LANDED_AT + 1)
    expect((await rejects.page({ limit: 10 })).map((reject) => reject.raw)).toEqual(['c', 'x', 'b'])
    await landing.land(rejecting('d', 'e', 'y', 'f', 'g'), LANDED_AT + 2)
    const kept = await rejects.page({ limit: 10 })
    expect(kept.map((reject) => reject.raw)).toEqual(['g', 'f', 'y'])
    expect(await rejects.counts()).toEqual({ 'bad-at': 2, 'unknown-type': 1 })
    expect(kept[2]).toMatchObject({ reason: 'unknown-type', rejectedAt: LANDED_AT + 2, rawBytes: 1 })
    expect((await rejects.page({ limit: 1, before: kept[0].id })).map((reject) => reject.raw)).toEqual(['f'])
    const rejectedByReason = { 'bad-at': 7, 'unknown-type': 2 }
    expect(await landing.counters()).toEqual({ landed: 0, erased: 0, rejected: 9, rejectsDropped: 6, rejectedByReason })
  })

  test('where no rejected event is to be kept, all of them are counted', async () => {
    const { landing, rejects } = await open(0)
    await landing.land(rejecting('a', 'b'), LANDED_AT)
    await landing.land(rejecting('c'), LANDED_AT)
    expect(await rejects.page({ limit: 10 })).toEqual([])
    expect(await landing.counters()).toMatchObject({ rejected: 3, rejectsDropped: 3 })
  })

  test('events and placements count as landed, each as often as it lands', async () => {
    const { landing } = await open()
    expect(await landing.counters()).toEqual({
      landed: 0,
      erased: 0,
      rejected: 0,
      rejectsDropped: 0,
      rejectedByReason: {},
    })
    const batch = visitors(['a', MIDNIGHT, 1], ['b', MIDNIGHT, 1])
    place(batch, 'a')
    await landing.land(batch, LANDED_AT)
    await landing.land(batch, LANDED_AT)
    expect((await landing.counters()).landed).toBe(6)
  })
}
