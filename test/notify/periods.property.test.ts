import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDay, parseDay } from '../../src/base/time.ts'
import { lastPeriod, nextDue, type Schedule } from '../../src/notify/periods.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** The wall clock of a zone as YYYY-MM-DD HH:MM, straight from the runtime. */
function clockOf(timeZone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  return (instant) => format.format(instant)
}

const isoOf = (utcMidnight: number): string => new Date(utcMidnight).toISOString().slice(0, 10)

/** The first minute at which the clock reads a text or a later one, by trying each. */
function firstAt(clock: (instant: number) => string, text: string): number {
  for (let instant = Date.parse(`${text.slice(0, 10)}T00:00Z`) - 15 * 60 * MINUTE; ; instant += MINUTE)
    if (clock(instant) >= text) return instant
}

/** All periods around an instant, from the calendar of UTC, with the instants at which they are due. */
function periodsAround({ every, at, timezone }: Schedule, now: number) {
  const clock = clockOf(timezone)
  const span = { day: 3, week: 15, month: 63 }[every]
  const midnight = Math.floor(now / DAY) * DAY
  const begins = (day: number): boolean => {
    const date = new Date(day)
    return every === 'day' || (every === 'week' ? date.getUTCDay() === 1 : date.getUTCDate() === 1)
  }
  const starts = Array.from({ length: 2 * span }, (_, nth) => midnight + (nth - span) * DAY).filter(begins)
  return starts.slice(1).map((end, nth) => ({
    fromDay: starts[nth] / DAY,
    toDay: end / DAY - 1,
    dueAt: firstAt(clock, `${isoOf(end)} ${at}`),
  }))
}

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo', // Skipped midnights until 2018.
  'Asia/Beirut', // Changes at midnight.
  'America/Scoresbysund', // Set back over midnight.
  'Pacific/Apia', // Skipped 2011-12-30.
  'Pacific/Kiritimati',
]

const pad = (value: number): string => String(value).padStart(2, '0')
const schedules = fc.record({
  every: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  at: fc.record({ hour: fc.nat(23), minute: fc.nat(59) }).map(({ hour, minute }) => `${pad(hour)}:${pad(minute)}`),
  timezone: fc.constantFrom(...ZONES),
})

/** Near the changes of clocks, or anywhere. */
const instants = fc.oneof(
  fc
    .record({
      near: fc.constantFrom(
        '2011-12-30',
        '2018-11-04',
        '2025-03-30',
        '2025-10-26',
        '2026-03-29',
        '2026-04-05',
        '2026-11-01',
      ),
      minutes: fc.integer({ min: -3000, max: 3000 }),
    })
    .map(({ near, minutes }) => Date.parse(`${near}T00:00Z`) + minutes * MINUTE),
  fc.integer({ min: Date.parse('2008-01-01'), max: Date.parse('2030-01-01') }),
)

describe('periods', () => {
  test('are the last one that is due, and the next, as trying every minute finds them', () => {
    fc.assert(
      fc.property(schedules, instants, (schedule, now) => {
        const all = periodsAround(schedule, now)
        const due = all.filter(({ dueAt }) => dueAt <= now)
        expect(lastPeriod(schedule, now)).toEqual(due.at(-1))
        expect(nextDue(schedule, now)).toBe(all[due.length].dueAt)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['day', '2026-11-30T05:29:59Z', 20261128, 20261128, '2026-11-29T05:30:00Z', '2026-11-30T05:30:00Z'],
    ['day', '2026-11-30T05:30:00Z', 20261129, 20261129, '2026-11-30T05:30:00Z', '2026-12-01T05:30:00Z'],
    ['week', '2026-11-30T05:30:00Z', 20261123, 20261129, '2026-11-30T05:30:00Z', '2026-12-07T05:30:00Z'],
    ['week', '2026-11-29T12:00:00Z', 20261116, 20261122, '2026-11-23T05:30:00Z', '2026-11-30T05:30:00Z'],
    ['month', '2026-11-30T12:00:00Z', 20261001, 20261031, '2026-11-01T05:30:00Z', '2026-12-01T05:30:00Z'],
    ['month', '2024-03-01T05:30:00Z', 20240201, 20240229, '2024-03-01T05:30:00Z', '2024-04-01T04:30:00Z'],
  ] as const)('of each %s at %s', (every, now, fromDay, toDay, dueAt, next) => {
    const schedule = { every, at: '06:30', timezone: 'Europe/Berlin' }
    const last = lastPeriod(schedule, Date.parse(now))
    expect([formatDay(last.fromDay), formatDay(last.toDay), last.dueAt]).toEqual([fromDay, toDay, Date.parse(dueAt)])
    expect(nextDue(schedule, Date.parse(now))).toBe(Date.parse(next))
  })

  test.each([
    ['a time that is skipped is due when the clock goes on', '02:30', 20260328, '2026-03-29T01:00:00Z'],
    ['a time that is read twice is due the first time', '02:30', 20261024, '2026-10-25T00:30:00Z'],
  ])('%s', (_, at, day, dueAt) => {
    const schedule: Schedule = { every: 'day', at, timezone: 'Europe/Berlin' }
    expect(lastPeriod(schedule, Date.parse(dueAt))).toMatchObject({ toDay: parseDay(day), dueAt: Date.parse(dueAt) })
    expect(lastPeriod(schedule, Date.parse(dueAt) - 1).toDay).toBe((parseDay(day) as number) - 1)
  })
})
