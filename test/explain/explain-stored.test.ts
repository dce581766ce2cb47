import { describe, expect, test } from 'vitest'
import type { BodyPlace } from '../../src/base/checksum.ts'
import { parseDay } from '../../src/base/time.ts'
import { decodeBlock, encodeBlock } from '../../src/store/codec/block-codec.ts'
import type { DeviceDay } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/connection.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { event, land, power, rollUp, visitor } from '../rollup/shard-fixture.ts'
import { celsius, explain, fix, place } from './explain-fixture.ts'

const DAY = 20240510
const at = (time: string): number => Date.parse(`2024-${time}:00Z`)

/** A store with these events, rolled up. */
async function rolledUp(...events: readonly object[]): Promise<Store & { file: string }> {
  const store = temporaryStore()
  await land(store, ...events)
  await rollUp(store)
  return store
}

/** Writes other statistics over those that are stored of the day. */
function corrupt({ file }: { file: string }, change: Partial<DeviceDay>): void {
  const database = openSqlite(file)
  const where = `shard = 0 AND block = 0 AND day = ${parseDay(DAY)}`
  const { body } = database.prepare(`SELECT body FROM rollup_block WHERE ${where}`).get() as { body: Buffer }
  const place: BodyPlace = [0, 0, parseDay(DAY) as number]
  const block = decodeBlock(body, place).map((day) => day && { ...day, ...change })
  database.prepare(`UPDATE rollup_block SET body = ? WHERE ${where}`).run(encodeBlock(block, place))
  database.close()
}

describe('a late event', () => {
  test('revises the day: its figures of before are told, with the time and the cause', async () => {
    const store = await rolledUp(visitor('05-10T10:00', 1), celsius('05-10T10:00', 4))
    expect(await explain(store, DAY)).toMatchObject({ status: 'settled', revisions: [] })
    await land(store, visitor('05-10T11:00', 5))
    await rollUp(store, { now: at('06-02T00:00') })
    await land(store, visitor('05-10T12:00', 7))
    await rollUp(store, { now: at('06-03T00:00') })
    const { status, figures, revisions } = await explain(store, DAY)
    const old = { ...figures, visitorCount: 1 }
    expect([status, figures.visitorCount, figures.currTemp]).toEqual(['revised', 13, 4])
    expect(revisions).toEqual([
      { number: 1, revisedAt: '2024-06-02T00:00:00.000Z', causes: ['late-events'], figures: old, figuresErased: false },
      {
        number: 2,
        revisedAt: '2024-06-03T00:00:00.000Z',
        causes: ['late-events'],
        figures: { ...old, visitorCount: 6 },
        figuresErased: false,
      },
    ])
  })

  test('on a day that was settled without data has no figures of before', async () => {
    const store = await rolledUp(visitor('05-09T10:00', 1))
    await land(store, visitor('05-10T11:00', 5))
    await rollUp(store)
    expect(await explain(store, DAY)).toMatchObject({ status: 'revised', revisions: [{ number: 1, figures: null }] })
  })

  test('waits for a rollup, and is in no figure until then', async () => {
    const store = await rolledUp(visitor('05-10T10:00', 1))
    await land(store, visitor('05-10T11:00', 5), visitor('05-10T11:00', 5), visitor('05-11T00:00', 5))
    const waiting = await explain(store, DAY)
    expect(waiting).toMatchObject({ waiting: 2, due: null, matches: true, figures: { visitorCount: 1 } })
    expect(waiting.readings).toHaveLength(1)
    expect(await explain(store, 20240511)).toMatchObject({ waiting: 1, readings: [], matches: true })
    await rollUp(store)
    expect(await explain(store, DAY)).toMatchObject({ waiting: 0, repeats: 1, figures: { visitorCount: 6 } })
  })
})

test('rejected events of the day are counted by reason, those of other days and devices are not', async () => {
  const store = await rolledUp(
    visitor('05-10T00:00', -1),
    visitor('05-10T23:59', -1),
    visitor('05-11T00:00', -1),
    event('05-10T10:00', { type: 'gps', lat: 0, lon: 0 }),
    { ...visitor('05-10T10:00', -1), deviceId: 'b' },
    visitor('05-10T10:00', 1),
  )
  expect((await explain(store, DAY)).rejects).toEqual({ 'null-island': 1, 'out-of-range': 2 })
})

test('compaction of the raw events changes nothing', async () => {
  const others = Array.from({ length: 40 }, (_, number) => ({
    ...visitor('05-10T10:00', number),
    deviceId: `b${number}`,
  }))
  const twice = [visitor('05-10T10:00', 1), celsius('05-10T10:00', 4, 3)]
  const store = await rolledUp(...twice, ...twice, fix('05-10T12:00', 1, 1), ...others)
  const before = await explain(store, DAY)
  await compactDay(store.archive, 0, parseDay(DAY) as number)
  expect(await store.archive.daysToCompact(100_000)).not.toContainEqual({ shard: 0, utcDay: parseDay(DAY) })
  expect(await explain(store, DAY)).toEqual(before)
})

describe('a placement that came late', () => {
  test('makes the day due: what is stored is not what the events give now', async () => {
    const store = await rolledUp(place('05-01T00:00', 'UTC', 0, 0.001), fix('05-10T10:00', 0, 0.001))
    await land(store, place('05-02T00:00', 'UTC', 0, 0.002))
    const before = await explain(store, DAY)
    expect(before).toMatchObject({ matches: false, due: { causes: ['placement'] } })
    expect([before.figures.distance, before.recomputed?.distance]).toEqual([0, 111.2])
    await rollUp(store)
    expect(await explain(store, DAY)).toMatchObject({
      ...{ matches: true, recomputed: null, due: null, status: 'revised', figures: { distance: 111.2 } },
      revisions: [{ causes: ['placement'], figures: { distance: 0 } }],
    })
  })

  test('may give the day other bounds than those it was rolled up with', async () => {
    const store = await rolledUp(place('05-01T00:00', 'UTC'), visitor('05-10T23:00', 5))
    await land(store, place('05-02T00:00', 'Europe/Berlin'))
    expect(await explain(store, DAY)).toMatchObject({
      ...{ matches: false, start: '2024-05-09T22:00:00.000Z', due: { causes: ['placement'] } },
      ...{ figures: { visitorCount: 5 }, recomputed: { visitorCount: 0 }, readings: [] },
    })
    await rollUp(store)
    expect(await explain(store, DAY)).toMatchObject({ matches: true, figures: { visitorCount: 0 }, status: 'revised' })
  })

  test('may leave the device without the date: what is stored is told from its rollup', async () => {
    const store = await rolledUp(place('2011-01-01T00:00', 'UTC'), visitor('2011-12-30T12:00', 3))
    await land(store, place('2011-01-02T00:00', 'Pacific/Apia'))
    expect(await explain(store, 20111230)).toMatchObject({
      ...{ matches: false, recomputed: null, rawPurged: false, readings: null, daytimeStart: null, zones: [] },
      ...{ figures: { visitorCount: 3 }, start: '2011-12-30T00:00:00.000Z', due: { causes: ['placement'] } },
    })
  })
})

describe('what is stored and is not what the events give is told', () => {
  test.each<[string, Partial<DeviceDay>]>([
    ['a figure', { visitors: 8 }],
    ['the carried state', { lastTotal: 5 }],
    ['the number of events', { events: 7 }],
    ['its start', { startAt: 5 }],
    ['its length', { lengthMs: 7 }],
  ])('where it differs in %s', async (_, change) => {
    const store = await rolledUp(visitor('05-10T10:00', 1))
    expect((await explain(store, DAY)).matches).toBe(true)
    corrupt(store, change)
    const explanation = await explain(store, DAY)
    expect(explanation).toMatchObject({ matches: false, recomputed: { visitorCount: 1 }, readings: [{ counts: 1 }] })
    expect(explanation.figures.visitorCount).toBe(change.visitors ?? 1)
    expect(explanation.from.visitorCount.sum).toBe(1)
  })

  test('where a rollup is missing, of a day with events or into which a power state is carried', async () => {
    const store = await rolledUp(power('05-09T12:00', true), visitor('05-10T10:00', 1))
    for (const day of [DAY, 20240511]) {
      const database = openSqlite(store.file)
      database.prepare(`DELETE FROM rollup_block WHERE day = ${parseDay(day)}`).run()
      database.close()
      expect(await explain(store, day)).toMatchObject({ matches: false, figures: { powerDuration: 0 } })
    }
  })
})

describe('a day whose raw events have been deleted', () => {
  test('is told from its rollup and the days around it', async () => {
    const store = await rolledUp(
      power('05-10T06:00', true),
      visitor('05-10T10:00', 1),
      visitor('05-10T10:00', 1),
      celsius('05-10T10:00', 4, 3),
      celsius('05-10T11:00', 5),
      fix('05-10T12:00', 1, 1),
      visitor('05-10T10:00', -1),
      visitor('05-11T10:00', 1),
    )
    const before = await explain(store, DAY)
    expect(await store.archive.pruneDay((parseDay(DAY) as number) + 1)).toMatchObject({ events: 6 })
    const after = await explain(store, DAY)
    const { coverage } = before
    expect(after).toEqual({
      ...before,
      ...{ rawPurged: true, matches: null, readings: null, spans: null },
      coverage: {
        ...{ ...coverage, unknownBecause: null, firstHeardAt: null, longestSilence: null },
        daytime: { ...coverage.daytime, offSeconds: null, unknownSeconds: null },
      },
      from: {
        ...before.from,
        visitorCount: { readings: null, sum: 1, restarts: null },
        openCloseNum: { readings: null, sum: 0 },
        maxTemp: { ...before.from.maxTemp, at: null },
        minTemp: { ...before.from.minTemp, at: null },
        powerDuration: { readings: null, spans: null, sumSeconds: 18 * 3600 },
        powerDayDuration: { readings: null, spans: null, sumSeconds: 12 * 3600 },
      },
    })
    expect(await explain(store, 20240511)).toMatchObject({ rawPurged: false, matches: true, readings: [{ counts: 1 }] })
  })

  test('keeps the bounds that it was rolled up with, though the device was moved since', async () => {
    const store = await rolledUp(visitor('05-10T23:00', 5), visitor('05-20T10:00', 1))
    await store.archive.pruneDay((parseDay(DAY) as number) + 1)
    await land(store, place('05-01T00:00', 'Europe/Berlin'))
    await rollUp(store)
    const explanation = await explain(store, DAY)
    expect(explanation).toMatchObject({
      start: '2024-05-10T00:00:00.000Z',
      status: 'settled',
      figures: { visitorCount: 5 },
    })
    expect(explanation).toMatchObject({
      rawPurged: true,
      matches: null,
      daytimeStart: null,
      coverage: { daytime: null },
    })
  })

  test('and that has no rollup had no data', async () => {
    const store = await rolledUp(visitor('05-10T23:00', 5), visitor('05-20T10:00', 1))
    await store.archive.pruneDay((parseDay(DAY) as number) + 1)
    expect(await explain(store, 20240501)).toMatchObject({
      ...{ rawPurged: true, status: 'settled', matches: null, readings: null, events: 0 },
      coverage: { onSeconds: 0, unknownSeconds: 86_400 },
    })
  })
})
