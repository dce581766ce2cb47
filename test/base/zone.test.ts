import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { zoneName, zoneOf } from '../../src/base/zone.ts'
import { isOlderZoneData, RUNTIME_ZONES } from '../../src/base/zone-clock.ts'

const TZDATA = '/usr/share/zoneinfo/tzdata.zi'

/** Names of zones and links; `Factory` is no place. */
const released = (): string[] =>
  !existsSync(TZDATA)
    ? []
    : readFileSync(TZDATA, 'utf8')
        .split('\n')
        .map((line) => line.split(' '))
        .flatMap(([kind, first, second]) => (kind === 'Z' ? [first] : kind === 'L' ? [second] : []))
        .filter((name) => name !== 'Factory')

describe('the name of a zone', () => {
  test('is in the letter case that IANA gives it, however it is spelled', () => {
    const names = [...Intl.supportedValuesOf('timeZone'), ...released(), 'GMT0', 'Etc/GMT+12', 'US/Eastern', 'GB-Eire']
    for (const name of names) {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) expect(zoneName(spelling)).toBe(name)
    }
  })

  test.each([
    '',
    'Europe',
    'Europe/Berlin ',
    '+02:00',
    'UTC+3',
    'BST',
    'pst',
    'Mars/Olympus',
    'Asia/Ho_Chi_Min\u212A',
    null,
    9,
    {},
  ])('is not %j', (text) => {
    expect(zoneName(text)).toBe(null)
  })

  test('is one zone in all of its spellings', () => {
    expect(zoneOf('europe/BERLIN')).toBe(zoneOf('Europe/Berlin'))
  })
})

describe('the fingerprint of a clock', () => {
  test('is that of all zones with the same clock, and of no other', () => {
    const of = (zone: string): number => RUNTIME_ZONES.fingerprintOf(zone)
    expect(of('Asia/Calcutta')).toBe(of('Asia/Kolkata'))
    const others = ['UTC', 'Europe/Berlin', 'Europe/London', 'Africa/Casablanca', 'Asia/Gaza', 'Pacific/Apia']
    expect(new Set(others.map(of)).size).toBe(others.length)
  })

  test('comes with a release, of which the older one is known', () => {
    expect(RUNTIME_ZONES.version).toMatch(/^\d{4}[a-z]+$/)
    expect(isOlderZoneData('2025c', '2026a')).toBe(true)
    expect(isOlderZoneData('2025c', '2025c')).toBe(false)
    expect(isOlderZoneData('', '1999a')).toBe(true)
  })
})
