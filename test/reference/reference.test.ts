import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Case } from './cases/case.ts'
import { playCase } from './cases/play-case.ts'
import { checkEvent } from './check-event.ts'
import { daytimeOfDay } from './daytime.ts'
import { dayFigures, dayStatistics } from './figures.ts'
import type { KeptEvent } from './kept-event.ts'
import { dayContaining, windowOfDay } from './local-day.ts'
import { parseRfc3339 } from './rfc3339.ts'
import { plainDegrees, roundedQuotient } from './rounding.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')
const CASES = fileURLToPath(new URL('../../../shared/cases', import.meta.url))

function land(...values: object[]): KeptEvent[] {
  return values.map((value) => {
    const result = checkEvent({ deviceId: 'a', ...value }, NOW)
    if ('reason' in result) throw new Error(result.reason)
    return result.event
  })
}

const reasonOf = (value: object) => {
  const result = checkEvent({ deviceId: 'a', at: '2024-05-10T09:00:00Z', ...value }, NOW)
  return 'reason' in result ? result.reason : null
}

const span = (start: string, end: string) => ({ start: Date.parse(start), end: Date.parse(end) })

describe('events', () => {
  test('of several reasons the first in the order of the rules is told, over all fields', () => {
    expect(reasonOf({ type: 'gps', lat: 'x', accuracy: -1 })).toBe('missing-field')
    expect(reasonOf({ type: 'gps', lat: 91, lon: '1' })).toBe('not-a-number')
    expect(reasonOf({ type: 'gps', lat: 0, lon: 0, accuracy: -1 })).toBe('out-of-range')
    expect(reasonOf({ type: 'gps', lat: -0, lon: 0, accuracy: 501 })).toBe('null-island')
    expect(reasonOf({ type: 'door', open: true, count: 'x' })).toBe('one-of-two')
    expect(reasonOf({ type: 'visitor', count: null, total: 'x' })).toBe('one-of-two')
    expect(reasonOf({ type: 'power', on: 1, seq: 'x' })).toBe('not-a-boolean')
    expect(reasonOf({ type: 'door', open: null })).toBe('not-a-boolean')
    expect(reasonOf({ type: 'placement', lat: 0, lon: 0, timezone: 'pst' })).toBe('bad-timezone')
    expect(reasonOf({ type: 'placement', lat: 0, lon: 0, timezone: 'Est' })).toBe(null)
  })

  test('inherited fields are no fields', () => {
    const value = Object.create({ deviceId: 'a' })
    expect(checkEvent(value, NOW)).toEqual({ reason: 'bad-device-id' })
  })

  test('a leap second is the midnight after it, and is nowhere else', () => {
    expect(parseRfc3339('2017-01-01t00:59:60.25+01:00')).toBe(Date.parse('2017-01-01T00:00:00.250Z'))
    expect(parseRfc3339('2016-12-31T23:59:60+01:00')).toBe(null)
    expect(parseRfc3339('2016-12-31T24:00:00Z')).toBe(null)
  })
})

describe('local days', () => {
  const moves = (...places: [string, string | null][]) =>
    places.map(([at, timezone]) => ({ at: Date.parse(at), timezone }))

  test('a zone that changes just at the old midnight does so on the day that begins there', () => {
    // 10T22:00Z is midnight in Berlin; in New York it is 18:00 of the 10th. The midnight that begins the 12th is 12T04:00Z.
    const placements = moves(['2022-06-01T00:00:00Z', 'Europe/Berlin'], ['2022-06-10T22:00:00Z', 'America/New_York'])
    expect(windowOfDay(placements, 'UTC', 20220610)).toEqual(span('2022-06-09T22:00:00Z', '2022-06-10T22:00:00Z'))
    expect(windowOfDay(placements, 'UTC', 20220611)).toEqual(span('2022-06-10T22:00:00Z', '2022-06-12T04:00:00Z'))
  })

  test('a date that never begins has no span', () => {
    const apia = moves(['2000-01-01T00:00:00Z', 'Pacific/Apia'])
    expect(windowOfDay(apia, 'UTC', 20111230)).toBe(null)
    expect(dayContaining(apia, 'UTC', Date.parse('2011-12-30T10:00:00Z')).day).toBe(20111231)
  })

  test('days tile time over moves in both directions', () => {
    const placements = moves(
      ['2022-01-05T03:00:00Z', 'Pacific/Kiritimati'],
      ['2022-01-07T10:00:00Z', 'Pacific/Pago_Pago'],
      ['2022-01-07T11:00:00.001Z', 'Pacific/Kiritimati'],
      ['2022-01-08T12:00:00Z', null],
    )
    let day = dayContaining(placements, 'America/St_Johns', Date.parse('2022-01-01T00:00:00Z'))
    for (let i = 0; i < 12; i += 1) {
      const next = dayContaining(placements, 'America/St_Johns', day.end)
      expect(next.start).toBe(day.end)
      expect(next.day).toBeGreaterThan(day.day)
      expect(windowOfDay(placements, 'America/St_Johns', next.day)).toEqual({ start: next.start, end: next.end })
      day = next
    }
  })

  test('daytime bounds that the clock skips are the first instant after them', () => {
    const berlin = moves(['2000-01-01T00:00:00Z', 'Europe/Berlin'])
    const daytime = daytimeOfDay(berlin, 'UTC', 20240331, 150, 210)
    expect(daytime).toEqual(span('2024-03-31T01:00:00Z', '2024-03-31T01:30:00Z'))
  })
})

describe('figures', () => {
  test('numbers are rounded half away from zero and written plainly', () => {
    expect([roundedQuotient(-5, 1000, 2), roundedQuotient(-4, 1000, 2), roundedQuotient(1, 0, 2)]).toEqual([
      -0.01,
      0,
      null,
    ])
    expect([1, -1, 0, 1_805_000_000].map(plainDegrees)).toEqual(['0.0000001', '-0.0000001', '0', '180.5'])
  })

  test('on, off and unknown time make up the day, as of an instant', () => {
    const events = land(
      { at: '2024-05-10T06:00:00Z', type: 'power', on: true },
      { at: '2024-05-10T08:00:00Z', type: 'power', on: false },
    )
    const asOf = Date.parse('2024-05-10T20:00:00Z')
    const hours = (ms: number) => ms / 3_600_000
    const { onMs, offMs, unknownMs, lengthMs } = dayStatistics(events, 'a', 20240510, DEFAULT_SETTINGS, asOf)
    expect([onMs, offMs, unknownMs, lengthMs].map(hours)).toEqual([2, 12, 10, 24])
    const shortOfHearing = { ...DEFAULT_SETTINGS, silenceLimitHours: 1 }
    const silent = dayStatistics(events, 'a', 20240510, shortOfHearing, asOf)
    expect([silent.onMs, silent.offMs, silent.unknownMs].map(hours)).toEqual([1, 1, 22])
  })

  test('counting changes, a state already held counts nothing, the day before included', () => {
    const events = land(
      { at: '2024-05-09T10:00:00Z', type: 'door', open: true },
      { at: '2024-05-10T10:00:00Z', type: 'door', open: true },
      { at: '2024-05-10T11:00:00Z', type: 'door', count: 5 },
      { at: '2024-05-10T12:00:00Z', type: 'door', open: false },
    )
    const changes = { ...DEFAULT_SETTINGS, doorCount: 'changes' as const }
    expect(dayFigures(events, 'a', 20240509, changes, NOW).openCloseNum).toBe(1)
    expect(dayFigures(events, 'a', 20240510, changes, NOW).openCloseNum).toBe(6)
  })
})

describe.skipIf(!existsSync(CASES))('black-box cases', { timeout: 60_000 }, () => {
  const files = existsSync(CASES) ? readdirSync(CASES).filter((name) => name.endsWith('.json')) : []
  test.each(files)('%s', (name) => {
    const { expected, actual } = playCase(JSON.parse(readFileSync(`${CASES}/${name}`, 'utf8')) as Case, NOW)
    expect(actual).toEqual(expected)
  })
})
