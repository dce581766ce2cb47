import { describe, expect, test } from 'vitest'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { HOUR_MS, land, power, rollUp, SETTINGS, visitor } from '../rollup/shard-fixture.ts'
import { door, explain, place, spans, total } from './explain-fixture.ts'

const DAY = 20240510
const HOUR_SECONDS = 3600

async function explained(events: readonly object[], day = DAY, settings = SETTINGS, now?: string) {
  const store = temporaryStore()
  await land(store, ...events)
  await rollUp(store, now === undefined ? {} : { now: Date.parse(now) }, settings)
  return explain(store, day, {}, settings)
}

describe('on, off and unknown add up to the day', () => {
  test('of 24 hours, and to its daytime', async () => {
    const { coverage, from } = await explained([power('05-10T08:00', true), power('05-10T20:00', false)])
    expect(coverage).toMatchObject({
      lengthSeconds: 24 * HOUR_SECONDS,
      passedSeconds: 24 * HOUR_SECONDS,
      onSeconds: 12 * HOUR_SECONDS,
      offSeconds: 4 * HOUR_SECONDS,
      unknownSeconds: 8 * HOUR_SECONDS,
      unknownBecause: { 'no-power-event': 8 * HOUR_SECONDS, silence: 0, 'after-as-of': 0 },
      daytime: {
        lengthSeconds: 12 * HOUR_SECONDS,
        passedSeconds: 12 * HOUR_SECONDS,
        onSeconds: 10 * HOUR_SECONDS,
        offSeconds: 0,
        unknownSeconds: 2 * HOUR_SECONDS,
      },
    })
    expect(from).toMatchObject({
      powerDuration: { readings: 2, spans: 1, sumSeconds: 12 * HOUR_SECONDS },
      powerDayDuration: { readings: 2, spans: 1, sumSeconds: 10 * HOUR_SECONDS },
    })
  })

  test.each([
    ['23', 20240331, '2024-03-30T23:00:00.000Z', '2024-03-31T22:00:00.000Z', '04:00', '16:00'],
    ['25', 20231029, '2023-10-28T22:00:00.000Z', '2023-10-29T23:00:00.000Z', '05:00', '17:00'],
  ])('of %s hours', async (hours, day, start, end, daytimeStart, daytimeEnd) => {
    const events = [place('2023-01-01T00:00', 'Europe/Berlin'), power(start.slice(0, 16), true)]
    const explanation = await explained(
      events,
      day,
      { ...SETTINGS, silenceLimitMs: 20 * HOUR_MS },
      '2024-12-01T00:00:00Z',
    )
    expect(explanation).toMatchObject({
      ...{ start, end, closesAt: end, status: 'settled', matches: true },
      daytimeStart: `${end.slice(0, 10)}T${daytimeStart}:00.000Z`,
      daytimeEnd: `${end.slice(0, 10)}T${daytimeEnd}:00.000Z`,
      zones: [{ zone: 'Europe/Berlin', from: start }],
      figures: { powerDuration: 20, powerDayDuration: 12 },
      coverage: {
        lengthSeconds: Number(hours) * HOUR_SECONDS,
        onSeconds: 20 * HOUR_SECONDS,
        unknownSeconds: (Number(hours) - 20) * HOUR_SECONDS,
        unknownBecause: { silence: (Number(hours) - 20) * HOUR_SECONDS },
      },
    })
  })

  test('that runs on after a move to another zone', async () => {
    const berlin = place('2024-01-01T00:00', 'Europe/Berlin')
    const explanation = await explained([
      berlin,
      power('05-10T06:00', true),
      place('05-10T12:00', 'America/New_York', 40.7, -74),
    ])
    expect(explanation).toMatchObject({
      start: '2024-05-09T22:00:00.000Z',
      end: '2024-05-11T04:00:00.000Z',
      zones: [
        { zone: 'Europe/Berlin', from: '2024-05-09T22:00:00.000Z' },
        { zone: 'America/New_York', from: '2024-05-10T12:00:00.000Z' },
      ],
      places: [
        { lat: 52.5, lon: 13.4, by: 'placement', from: '2024-05-09T22:00:00.000Z' },
        { lat: 40.7, lon: -74, by: 'placement', from: '2024-05-10T12:00:00.000Z' },
      ],
      coverage: { lengthSeconds: 30 * HOUR_SECONDS, onSeconds: 22 * HOUR_SECONDS, unknownSeconds: 8 * HOUR_SECONDS },
      matches: true,
    })
  })
})

describe('a silence', () => {
  const settings = { ...SETTINGS, silenceLimitMs: 2 * HOUR_MS }

  test('beyond the limit is unknown until the device is heard again, of whatever type the event is', async () => {
    const explanation = await explained([power('05-10T06:00', true), visitor('05-10T12:00', 1)], DAY, settings)
    expect(spans(explanation)).toEqual([
      'no-power-event 00:00-06:00',
      'on 06:00-08:00',
      'silence 08:00-12:00',
      'on 12:00-14:00',
      'silence 14:00-00:00',
    ])
    expect(explanation.readings?.[1]).toMatchObject({
      endsSilence: true,
      figures: ['visitorCount', 'powerDuration', 'powerDayDuration'],
    })
    expect(explanation.coverage).toMatchObject({
      firstHeardAt: '2024-05-10T06:00:00.000Z',
      lastHeardAt: '2024-05-10T12:00:00.000Z',
      longestSilence: {
        seconds: 12 * HOUR_SECONDS,
        from: '2024-05-10T12:00:00.000Z',
        to: '2024-05-11T00:00:00.000Z',
      },
    })
  })

  test('of just the limit is none', async () => {
    const explanation = await explained([power('05-10T06:00', true), visitor('05-10T08:00', 1)], DAY, settings)
    expect(spans(explanation)?.[1]).toBe('on 06:00-10:00')
    expect(explanation.readings?.[1]).not.toHaveProperty('endsSilence')
  })

  test('that began before the day is as long as it was', async () => {
    const { coverage } = await explained([visitor('05-08T12:00', 1), visitor('05-10T12:00', 1)])
    expect(coverage.longestSilence).toMatchObject({ seconds: 48 * HOUR_SECONDS, from: '2024-05-08T12:00:00.000Z' })
  })

  test('on a day in which nothing was heard is all of it, and what was before', async () => {
    const { coverage } = await explained([power('05-09T12:00', true)])
    expect(coverage).toMatchObject({
      firstHeardAt: null,
      lastHeardAt: null,
      longestSilence: {
        seconds: 36 * HOUR_SECONDS,
        from: '2024-05-09T12:00:00.000Z',
        to: '2024-05-11T00:00:00.000Z',
      },
    })
  })
})

describe('state', () => {
  test('is carried in from the last stored day, however long before, and out of the day', async () => {
    const explanation = await explained([
      power('04-01T10:00', true),
      door('04-01T11:00', true),
      total('04-01T12:00', 70),
      total('05-10T12:00', 75),
    ])
    const carriedIn = { power: 'on', door: 'open', lastHeardAt: '2024-04-01T12:00:00.000Z', visitorTotal: 70 }
    expect(explanation.carriedIn).toEqual({ ...carriedIn, fromDay: 20240403 })
    expect(explanation.carriedOut).toEqual({ ...carriedIn, lastHeardAt: '2024-05-10T12:00:00.000Z', visitorTotal: 75 })
    expect(explanation.figures).toMatchObject({ visitorCount: 5, powerDuration: 12 })
    expect(spans(explanation)).toEqual(['silence 00:00-12:00', 'on 12:00-00:00'])
  })

  test('is unknown before the first day', async () => {
    const nothing = { power: 'unknown', door: 'unknown', lastHeardAt: null, visitorTotal: null }
    const { carriedIn, carriedOut } = await explained([visitor('05-11T10:00', 1)])
    expect([carriedIn, carriedOut]).toEqual([{ ...nothing, fromDay: null }, nothing])
  })
})

describe('a provisional day', () => {
  const closing = { ...SETTINGS, rollupAtMinute: 20 }
  const events = [power('05-10T06:00', true)]

  test('counts up to the rollup, and what has not passed is unknown', async () => {
    const explanation = await explained(events, DAY, closing, '2024-05-10T10:00:00Z')
    expect(explanation).toMatchObject({
      status: 'provisional',
      asOf: '2024-05-10T10:00:00.000Z',
      closesAt: '2024-05-11T00:20:00.000Z',
      figures: { powerDuration: 4 },
      matches: true,
      coverage: {
        passedSeconds: 10 * HOUR_SECONDS,
        unknownBecause: { 'no-power-event': 6 * HOUR_SECONDS, 'after-as-of': 14 * HOUR_SECONDS },
        daytime: { passedSeconds: 4 * HOUR_SECONDS, onSeconds: 4 * HOUR_SECONDS, unknownSeconds: 8 * HOUR_SECONDS },
        longestSilence: { seconds: 4 * HOUR_SECONDS, to: '2024-05-10T10:00:00.000Z' },
      },
    })
    expect(spans(explanation)).toEqual(['no-power-event 00:00-06:00', 'on 06:00-10:00', 'after-as-of 10:00-00:00'])
  })

  test('is one that is over and has not closed, and settled from then on', async () => {
    const over = await explained(events, DAY, closing, '2024-05-11T00:10:00Z')
    expect(over).toMatchObject({ status: 'provisional', asOf: '2024-05-11T00:00:00.000Z', matches: true })
    const closed = await explained(events, DAY, closing, '2024-05-11T00:20:00Z')
    expect(closed).toMatchObject({ status: 'settled', asOf: '2024-05-11T00:20:00.000Z', matches: true })
    expect(closed.coverage).toEqual(over.coverage)
  })

  test('that has not begun has its readings and no time', async () => {
    const ahead = [...events, power('05-11T06:00', false)]
    const explanation = await explained(ahead, 20240511, closing, '2024-05-10T10:00:00Z')
    expect(explanation).toMatchObject({
      status: 'provisional',
      asOf: '2024-05-10T10:00:00.000Z',
      matches: true,
      readings: [{ state: 'off' }],
      coverage: { passedSeconds: 0, onSeconds: 0, longestSilence: null },
    })
    expect(spans(explanation)).toEqual(['after-as-of 00:00-00:00'])
  })
})

describe('a day without data', () => {
  const none = { visitorCount: 0, openCloseNum: 0, currTemp: null, powerDuration: 0, distance: null, distanceMore: 0 }

  test('is settled where the shard was rolled up after its close, and all of it unknown', async () => {
    for (const day of [20240401, 20240520]) {
      const explanation = await explained([visitor('05-10T12:00', 1)], day)
      expect(explanation).toMatchObject({ status: 'settled', figures: none, matches: true, readings: [], next: null })
      expect(spans(explanation)).toEqual(['no-power-event 00:00-00:00'])
      expect(explanation.coverage).toMatchObject({
        passedSeconds: 24 * HOUR_SECONDS,
        unknownSeconds: 24 * HOUR_SECONDS,
      })
    }
  })

  test('is provisional before that, as of no instant', async () => {
    const store = temporaryStore()
    await store.registry.put('a', {}, 0)
    for (const day of [DAY, 10000101, 99991230]) {
      const explanation = await explain(store, day)
      expect(explanation).toMatchObject({ status: 'provisional', asOf: null, figures: none, matches: true })
      expect(explanation.coverage).toMatchObject({ passedSeconds: 0, unknownSeconds: 24 * HOUR_SECONDS })
    }
  })

  test('into which a power state is carried is provisional until it is rolled up', async () => {
    const explanation = await explained([power('05-10T06:00', true)], 20240511, SETTINGS, '2024-05-10T23:00:00Z')
    expect(explanation).toMatchObject({ status: 'provisional', asOf: null, figures: none, matches: true })
    expect(spans(explanation)).toEqual(['after-as-of 00:00-00:00'])
  })
})
