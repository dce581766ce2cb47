import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { formatDay } from '../../src/base/time.ts'
import { Calendars } from '../../src/rollup/local-day.ts'
import { addDays } from '../reference/calendar-date.ts'
import { daytimeOfDay } from '../reference/daytime.ts'
import { SCENES } from '../reference/generators/scenes.ts'
import { dayContaining, windowOfDay, type ZonePlacement } from '../reference/local-day.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYTIME = { startMinute: 360, endMinute: 1080 }

type Move = [from: string, zone: string]

const calendarOf = (moves: readonly Move[], daytime = DAYTIME, rollupAtMinute = 20) =>
  new Calendars({ daytime, rollupAtMinute }).of(moves.map(([from, zone]) => ({ from: Date.parse(from), zone })))

/** An instant without its seconds, as short as the tables below have them. */
const short = (instant: number): string => new Date(instant).toISOString().slice(5, 16)

function dayOf(moves: readonly Move[], instant: string, daytime = DAYTIME) {
  const { day, start, end, daytimeStart, daytimeEnd } = calendarOf(moves, daytime).dayAt(Date.parse(instant))
  return [formatDay(day), ...[start, end, daytimeStart, daytimeEnd].map(short)]
}

const since2000 = (zone: string): Move[] => [['2000-01-01T00:00:00Z', zone]]

test('a device needs a zone', () => {
  expect(() => new Calendars({ daytime: DAYTIME, rollupAtMinute: 20 }).of([])).toThrow(RangeError)
})

test.each([
  // zone, instant, date, first instant, end, start and end of the daytime; all instants of UTC
  ['UTC', '2024-05-10T23:59:59.999Z', 20240510, '05-10T00:00', '05-11T00:00', '05-10T06:00', '05-10T18:00'],
  ['Europe/Berlin', '2024-03-31T00:59Z', 20240331, '03-30T23:00', '03-31T22:00', '03-31T04:00', '03-31T16:00'],
  ['Europe/Berlin', '2024-10-27T01:30Z', 20241027, '10-26T22:00', '10-27T23:00', '10-27T05:00', '10-27T17:00'],
  ['America/New_York', '2024-03-11T03:59Z', 20240310, '03-10T05:00', '03-11T04:00', '03-10T10:00', '03-10T22:00'],
  // Midnight comes twice: the day starts at the first.
  ['Atlantic/Azores', '2018-10-28T00:30Z', 20181028, '10-28T00:00', '10-29T01:00', '10-28T07:00', '10-28T19:00'],
  // The clock is set back just as midnight comes: the day goes on.
  ['Asia/Pyongyang', '2015-08-14T15:10Z', 20150814, '08-13T15:00', '08-14T15:30', '08-13T21:00', '08-14T09:00'],
  // The clock runs back over midnight: the new day has begun though the clock shows the old date again.
  ['America/St_Johns', '2010-11-07T02:31Z', 20101107, '11-07T02:30', '11-08T03:30', '11-07T09:30', '11-07T21:30'],
  // Midnight is skipped.
  ['America/Sao_Paulo', '2018-11-04T03:00Z', 20181104, '11-04T03:00', '11-05T02:00', '11-04T08:00', '11-04T20:00'],
  ['Asia/Pyongyang', '2018-05-04T14:59Z', 20180504, '05-03T15:30', '05-04T15:00', '05-03T21:30', '05-04T09:30'],
  // A date is skipped.
  ['Pacific/Apia', '2011-12-30T09:59Z', 20111229, '12-29T10:00', '12-30T10:00', '12-29T16:00', '12-30T04:00'],
  ['Pacific/Apia', '2011-12-30T10:00Z', 20111231, '12-30T10:00', '12-31T10:00', '12-30T16:00', '12-31T04:00'],
  ['Australia/Lord_Howe', '2024-04-06T15:00Z', 20240407, '04-06T13:00', '04-07T13:30', '04-06T19:30', '04-07T07:30'],
  ['Antarctica/Troll', '2024-03-31T12:00Z', 20240331, '03-31T00:00', '03-31T22:00', '03-31T04:00', '03-31T16:00'],
  ['Africa/Casablanca', '2023-03-19T12:00Z', 20230319, '03-18T23:00', '03-20T00:00', '03-19T06:00', '03-19T18:00'],
  ['Asia/Kathmandu', '2024-06-10T18:15Z', 20240611, '06-10T18:15', '06-11T18:15', '06-11T00:15', '06-11T12:15'],
  ['Etc/GMT+12', '2022-01-05T12:00Z', 20220105, '01-05T12:00', '01-06T12:00', '01-05T18:00', '01-06T06:00'],
  ['Pacific/Kiritimati', '2022-01-05T09:59Z', 20220105, '01-04T10:00', '01-05T10:00', '01-04T16:00', '01-05T04:00'],
])('in %s, %s is of the day %i', (zone, instant, ...expected) => {
  expect(dayOf(since2000(zone), instant)).toEqual(expected)
})

describe('a bound of the daytime', () => {
  const bounds = (zone: string, instant: string, startMinute: number, endMinute: number) =>
    dayOf(since2000(zone), instant, { startMinute, endMinute }).slice(3)

  test('that the clock skips is the first instant after it', () => {
    expect(bounds('Europe/Berlin', '2024-03-31T12:00Z', 150, 210)).toEqual(['03-31T01:00', '03-31T01:30'])
    expect(bounds('America/Sao_Paulo', '2018-11-04T12:00Z', 30, 60)).toEqual(['11-04T03:00', '11-04T03:00'])
  })

  test('that comes twice is its first instant', () => {
    expect(bounds('Europe/Berlin', '2024-10-27T12:00Z', 150, 180)).toEqual(['10-27T00:30', '10-27T02:00'])
  })

  test('of 00:00 and 24:00 is that of the day', () => {
    expect(bounds('America/St_Johns', '2010-11-07T12:00Z', 0, 1440)).toEqual(['11-07T02:30', '11-08T03:30'])
  })
})

describe('where the zone changes, the day under way runs on', () => {
  const days = (moves: Move[], from: string, count: number): (string | number)[][] => {
    const calendar = calendarOf(moves)
    let day = calendar.dayAt(Date.parse(from))
    return Array.from({ length: count }, () => {
      const row = [formatDay(day.day), short(day.start), short(day.end)]
      day = calendar.dayAt(day.end)
      return row
    })
  }

  test('to the next midnight of the new zone, westwards beyond its own length', () => {
    const moves: Move[] = [...since2000('Europe/Berlin'), ['2022-06-10T21:59:59Z', 'America/New_York']]
    expect(days(moves, '2022-06-10T12:00Z', 2)).toEqual([
      [20220610, '06-09T22:00', '06-11T04:00'],
      [20220611, '06-11T04:00', '06-12T04:00'],
    ])
  })

  test('but a day that ends at the instant of the move is over: the next one runs on', () => {
    const moves: Move[] = [...since2000('Europe/Berlin'), ['2022-06-10T22:00:00Z', 'America/New_York']]
    expect(days(moves, '2022-06-10T12:00Z', 3)).toEqual([
      [20220610, '06-09T22:00', '06-10T22:00'],
      [20220611, '06-10T22:00', '06-12T04:00'],
      [20220612, '06-12T04:00', '06-13T04:00'],
    ])
  })

  test('and where both zones begin a date at the instant of the move, the later date begins', () => {
    const moves: Move[] = [...since2000('Pacific/Pago_Pago'), ['2024-05-10T11:00:00Z', 'Pacific/Tongatapu']]
    expect(days(moves, '2024-05-10T10:00Z', 2)).toEqual([
      [20240509, '05-09T11:00', '05-10T11:00'],
      [20240511, '05-10T11:00', '05-11T11:00'],
    ])
  })

  test('while a zone that is in force for no time begins no date', () => {
    const moves: Move[] = [
      ...since2000('Europe/Berlin'),
      ['2022-06-10T04:00:00Z', 'America/New_York'],
      ['2022-06-10T04:00:00Z', 'Europe/Berlin'],
    ]
    expect(days(moves, '2022-06-10T00:00Z', 1)).toEqual([[20220610, '06-09T22:00', '06-10T22:00']])
  })

  test('and ends with the move where it is just that midnight', () => {
    const moves: Move[] = [...since2000('UTC'), ['2024-05-10T12:00:00Z', 'Pacific/Auckland']]
    expect(days(moves, '2024-05-10T11:59Z', 2)).toEqual([
      [20240510, '05-10T00:00', '05-10T12:00'],
      [20240511, '05-10T12:00', '05-11T12:00'],
    ])
  })

  test('over a date, where the new zone is a day ahead', () => {
    const moves: Move[] = [...since2000('Pacific/Pago_Pago'), ['2022-01-07T10:30:00Z', 'Pacific/Kiritimati']]
    expect(days(moves, '2022-01-07T10:00Z', 2)).toEqual([
      [20220106, '01-06T11:00', '01-08T10:00'],
      [20220109, '01-08T10:00', '01-09T10:00'],
    ])
  })

  test('to a date later than its own, where the new zone is a day behind', () => {
    const moves: Move[] = [...since2000('Pacific/Kiritimati'), ['2022-01-07T10:30:00Z', 'Pacific/Pago_Pago']]
    expect(days(moves, '2022-01-07T10:00Z', 2)).toEqual([
      [20220108, '01-07T10:00', '01-09T11:00'],
      [20220109, '01-09T11:00', '01-10T11:00'],
    ])
  })
})

/** A device that moves up to five times within days of a change of clocks, and an instant to look at. */
const moving = fc.constantFrom(...SCENES).chain(({ zones, changeAt }) => {
  const near = fc.oneof(
    fc.integer({ min: -120, max: 120 }).map((hours) => changeAt + hours * HOUR_MS),
    fc.integer({ min: -5 * DAY_MS, max: 5 * DAY_MS }).map((ms) => changeAt + ms),
  )
  return fc.record({
    placements: fc
      .array(fc.record({ at: near, timezone: fc.constantFrom(...zones) }), { minLength: 1, maxLength: 5, size: 'max' })
      .map((all): ZonePlacement[] => all.toSorted((one, other) => one.at - other.at)),
    defaultZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'),
    daytime: fc.constantFrom([360, 1080], [0, 1440], [150, 180], [30, 1410]),
    instant: near,
  })
})

test('days and daytimes of devices that move are those of the plain reference, and tile time', () => {
  fc.assert(
    fc.property(moving, ({ placements, defaultZone, daytime: [startMinute, endMinute], instant }) => {
      const periods = placements.map(({ at, timezone }) => ({ from: at, zone: timezone ?? defaultZone }))
      const calendar = new Calendars({ daytime: { startMinute, endMinute }, rollupAtMinute: 0 }).of(periods)
      let day = calendar.dayAt(instant)
      for (let count = 0; count < 4; count++) {
        const { day: epochDay, start, end, daytimeStart, daytimeEnd } = day
        const date = formatDay(epochDay)
        expect({ day: date, start, end }).toEqual(dayContaining(placements, defaultZone, start))
        expect({ start: daytimeStart, end: daytimeEnd }).toEqual(
          daytimeOfDay(placements, defaultZone, date, startMinute, endMinute),
        )
        expect(calendar.dayAt(end - 1)).toEqual(day)
        expect(day.closesAt).toBe(end)
        day = calendar.dayAt(end)
        expect(day.start).toBe(end)
        for (let skipped = addDays(date, 1); skipped < formatDay(day.day); skipped = addDays(skipped, 1))
          expect(windowOfDay(placements, defaultZone, skipped)).toBe(null)
      }
    }),
    { numRuns: 120 },
  )
})

describe('a day closes when the clock there reads COOLER_ROLLUP_AT on the date that follows', () => {
  const closing = (moves: readonly Move[], instant: string, rollupAtMinute: number) => {
    const { end, closesAt } = calendarOf(moves, DAYTIME, rollupAtMinute).dayAt(Date.parse(instant))
    return [short(end), short(closesAt)]
  }

  test.each([
    // zone, instant, COOLER_ROLLUP_AT in minutes, end and closing of the day
    ['UTC', '2024-05-10T12:00:00Z', 20, '05-11T00:00', '05-11T00:20'],
    ['UTC', '2024-05-10T12:00:00Z', 0, '05-11T00:00', '05-11T00:00'],
    ['UTC', '2024-05-10T12:00:00Z', 1439, '05-11T00:00', '05-11T23:59'],
    ['Asia/Kathmandu', '2024-05-10T12:00:00Z', 20, '05-10T18:15', '05-10T18:35'],
    // The clock is set forward from 02:00 to 03:00: 02:30 never comes.
    ['Europe/Berlin', '2024-03-30T12:00:00Z', 150, '03-30T23:00', '03-31T01:00'],
    // It is set back from 03:00 to 02:00: 02:30 comes twice, the first time counts.
    ['Europe/Berlin', '2024-10-26T12:00:00Z', 150, '10-26T22:00', '10-27T00:30'],
    // Midnight itself never comes: the date begins at 01:00.
    ['America/Santiago', '2024-09-07T12:00:00Z', 20, '09-08T04:00', '09-08T04:00'],
    // The clock runs back over midnight, from 00:00 to 23:00: the date begins when it is midnight again.
    ['America/Santiago', '2024-04-06T12:00:00Z', 20, '04-07T04:00', '04-07T04:20'],
    // The date that follows is skipped.
    ['Pacific/Apia', '2011-12-30T09:00:00Z', 20, '12-30T10:00', '12-30T10:20'],
  ])('in %s at %s, closing at minute %i', (zone, instant, minute, end, closesAt) => {
    expect(closing(since2000(zone), instant, minute)).toEqual([end, closesAt])
  })

  test('of the zone that the device has moved to by then', () => {
    const moves: Move[] = [...since2000('Europe/Berlin'), ['2024-05-10T12:00:00Z', 'America/New_York']]
    expect(closing(moves, '2024-05-10T11:00:00Z', 20)).toEqual(['05-11T04:00', '05-11T04:20'])
  })
})

describe('the zone of the process', () => {
  const own = process.env.TZ
  afterEach(() => {
    if (own === undefined) delete process.env.TZ
    else process.env.TZ = own
    vi.resetModules()
  })

  test.each([
    ['Europe/Berlin', -60],
    ['Pacific/Apia', -840],
    ['America/St_Johns', 210],
  ])('%s changes no day', async (zone, minutes) => {
    const at = Date.parse('2011-12-30T10:00:00Z')
    const moves: Move[] = [...since2000('Pacific/Apia'), ['2011-12-31T12:00:00Z', 'Europe/Berlin']]
    const expected = [-2, -1, 0, 1, 2].map((days) => calendarOf(moves).dayAt(at + days * DAY_MS))
    process.env.TZ = zone
    vi.resetModules()
    const fresh = await import('../../src/rollup/local-day.ts')
    expect(fresh.Calendars).not.toBe(Calendars)
    expect(new Date(at).getTimezoneOffset()).toBe(minutes)
    const calendar = new fresh.Calendars({ daytime: DAYTIME, rollupAtMinute: 20 }).of(
      moves.map(([from, name]) => ({ from: Date.parse(from), zone: name })),
    )
    expect([-2, -1, 0, 1, 2].map((days) => calendar.dayAt(at + days * DAY_MS))).toEqual(expected)
  })
})
