import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TelemetryEvent } from '../../src/event/telemetry-event.ts'
import { CITIES } from '../../src/simulate/city.ts'
import type { SimulatedEvent } from '../../src/simulate/faults.ts'
import { type FleetOptions, simulateFleet } from '../../src/simulate/fleet.ts'
import { Random } from '../../src/simulate/random.ts'

const DAY_MS = 86_400_000
const SLOT_MS = 900_000
const WEEK: FleetOptions & { faults?: false } = { devices: 120, startDay: 20260601, days: 7, seed: 1 }

const eventsOf = (options: FleetOptions & { faults?: false }): TelemetryEvent[] => [...simulateFleet(options)]
const instantOf = ({ at }: { at: string | number }): number => (typeof at === 'number' ? at : Date.parse(at))
const slotOf = (event: { at: string | number }): number => Math.floor(instantOf(event) / SLOT_MS)
const ofType = <T extends TelemetryEvent['type']>(events: readonly TelemetryEvent[], type: T) =>
  events.filter((event): event is Extract<TelemetryEvent, { type: T }> => event.type === type)

function byDevice<T extends { deviceId: string }>(events: readonly T[]): Map<string, T[]> {
  const devices = new Map<string, T[]>()
  for (const event of events) {
    const own = devices.get(event.deviceId)
    if (own) own.push(event)
    else devices.set(event.deviceId, [event])
  }
  return devices
}

function hashOf(events: Iterable<SimulatedEvent>): string {
  const hash = createHash('sha256')
  for (const event of events) hash.update(`${JSON.stringify(event)}\n`)
  return hash.digest('hex')
}

const isBetween = (value: unknown, low: number, high: number): boolean =>
  typeof value === 'number' && value >= low && value <= high

const isCount = (value: unknown, low: number, high = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && isBetween(value, low, high)

/** RULES.md section 2, written anew. */
function isValid(event: SimulatedEvent): boolean {
  const { deviceId, at, type, seq, ...rest } = event as Record<string, unknown>
  if (typeof deviceId !== 'string' || deviceId.length < 1 || deviceId.length > 256) return false
  const isText = typeof at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/.test(at)
  if (!isText && !isCount(at, Date.UTC(2000, 0, 1))) return false
  if (seq !== undefined && !isCount(seq, 0)) return false
  const isPlace = isBetween(rest.lat, -90, 90) && isBetween(rest.lon, -180, 180) && rest.lat !== 0
  const readings = [rest.celsius, rest.setpoint].filter((reading) => reading !== undefined)
  switch (type) {
    case 'door':
      return 'open' in rest ? typeof rest.open === 'boolean' && !('count' in rest) : isCount(rest.count, 1, 100_000)
    case 'temperature':
      return readings.length > 0 && readings.every((reading) => isBetween(reading, -60, 80))
    case 'power':
      return typeof rest.on === 'boolean'
    case 'gps':
      return isPlace && isBetween(rest.accuracy, 0, 500)
    case 'visitor':
      return 'total' in rest ? isCount(rest.total, 0) && !('count' in rest) : isCount(rest.count, 0, 1_000_000)
    case 'placement':
      return isPlace && CITIES.some(({ zone }) => zone === rest.timezone) && typeof rest.address === 'string'
    default:
      return false
  }
}

/** `YYYY-MM-DD HH:MM:SS` on the clocks of the zone. */
function wallClockIn(zone: string): (event: TelemetryEvent) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (event) => format.format(instantOf(event))
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('options', () => {
  it.each<[string, Partial<FleetOptions>]>([
    ['devices', { devices: -1 }],
    ['devices', { devices: 1.5 }],
    ['days', { days: 0 }],
    ['seed', { seed: Number.NaN }],
    ['until', { until: -1 }],
    ['startDay', { startDay: 20260230 }],
    ['startDay', { startDay: 19991231 }],
    ['idPrefix', { idPrefix: 'x'.repeat(249) }],
    ['zones', { zones: ['Europe/Atlantis'] }],
  ])('%s out of its bounds throws a RangeError that names it, at the call', (name, change) => {
    expect(() => simulateFleet({ ...WEEK, ...change })).toThrow(RangeError)
    expect(() => simulateFleet({ ...WEEK, ...change })).toThrow(new RegExp(`^${name}: `))
  })

  it('a fleet of no coolers sends nothing', () => {
    expect(eventsOf({ ...WEEK, devices: 0 })).toEqual([])
  })

  it('ids are the prefix and six digits, each cooler its own', () => {
    const placements = ofType(eventsOf({ ...WEEK, days: 1, idPrefix: 'kühl/' }), 'placement')
    const ids = placements.map(({ deviceId }) => deviceId).sort()
    expect(ids).toEqual(Array.from({ length: 120 }, (_, index) => `kühl/${String(index).padStart(6, '0')}`))
  })

  it('zones are taken turn by turn, also one that has no city', () => {
    const placements = ofType(eventsOf({ ...WEEK, devices: 4, days: 1, zones: ['UTC', 'Asia/Kathmandu'] }), 'placement')
    const zones = placements.sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1)).map(({ timezone }) => timezone)
    expect(zones).toEqual(['UTC', 'Asia/Kathmandu', 'UTC', 'Asia/Kathmandu'])
  })

  it.each([0, 1])('no event is later than until, and all before it are the same (%i ms past a slot)', (extraMs) => {
    const until = Date.UTC(2026, 5, 3, 10, 15) + extraMs
    const few = { ...WEEK, devices: 30 }
    const all = eventsOf(few)
    const some = eventsOf({ ...few, until })
    expect(some.every((event) => instantOf(event) <= until)).toBe(true)
    expect(hashOf(some)).toBe(hashOf(all.filter((event) => instantOf(event) <= until)))
  })

  it('until before the first day leaves nothing', () => {
    expect(eventsOf({ ...WEEK, until: Date.UTC(2026, 0, 1) })).toEqual([])
  })
})

describe('determinism', () => {
  const options: FleetOptions = { ...WEEK, devices: 60, days: 2, faults: true }

  it('the same seed gives the same events', () => {
    expect(hashOf(simulateFleet(options))).toBe(hashOf(simulateFleet(options)))
  })

  it.each([2, -1, 1 + 2 ** 32])('seed %i gives other events than seed 1', (seed) => {
    expect(hashOf(simulateFleet({ ...options, seed }))).not.toBe(hashOf(simulateFleet(options)))
  })

  it('the time zone of the process changes nothing', () => {
    const zones = ['Pacific/Chatham', 'America/Los_Angeles', 'UTC']
    const offsets = new Set<number>()
    const hashes = new Set<string>()
    for (const zone of zones) {
      vi.stubEnv('TZ', zone)
      offsets.add(new Date(Date.UTC(2026, 0, 1)).getTimezoneOffset())
      hashes.add(hashOf(simulateFleet(options)))
    }
    expect(offsets.size).toBe(zones.length)
    expect(hashes.size).toBe(1)
  })

  it('the life of a cooler does not hang on how many others of its place there are', () => {
    const small = eventsOf({ ...WEEK, days: 2, devices: 4 })
    const large = eventsOf({ ...WEEK, days: 2, devices: 40 })
    expect(byDevice(large).get('CLR-000003')).toEqual(byDevice(small).get('CLR-000003'))
  })

  it('a stream of draws fills 0 to 1 evenly and never reaches 1', () => {
    const random = new Random(7, 0)
    const tenths = new Array<number>(10).fill(0)
    for (let draw = 0; draw < 100_000; draw++) tenths[Math.floor(random.uniform() * 10)]++
    expect(tenths.length).toBe(10)
    expect(tenths.every((count) => count > 9500 && count < 10_500)).toBe(true)
  })
})

describe('a fleet without faults', () => {
  const events = eventsOf(WEEK)
  const devices = byDevice(events)

  it('every event is valid', () => {
    expect(events.filter((event) => !isValid(event))).toEqual([])
  })

  it('no event comes twice', () => {
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(events.length)
  })

  it('a cooler has about 300 events a day', () => {
    const perDeviceDay = events.length / WEEK.devices / WEEK.days
    expect(perDeviceDay).toBeGreaterThan(270)
    expect(perDeviceDay).toBeLessThan(330)
  })

  it.each([
    ['temperature', 93, 96],
    ['gps', 23, 24],
    ['power', 8, 9],
    ['visitor', 48, 62],
    ['door', 95, 140],
  ] as const)('%s: %i to %i events a device and day', (type, low, high) => {
    const perDeviceDay = ofType(events, type).length / WEEK.devices / WEEK.days
    expect(perDeviceDay).toBeGreaterThan(low)
    expect(perDeviceDay).toBeLessThan(high)
  })

  it('events of a cooler come in order of time, those of the fleet within a quarter of an hour', () => {
    const isInOrder = (values: number[]): boolean =>
      values.every((value, index) => index === 0 || value >= values[index - 1])
    expect(isInOrder(events.map(slotOf))).toBe(true)
    for (const own of devices.values()) expect(isInOrder(own.map(instantOf))).toBe(true)
  })

  it('every cooler begins with its placement and its power, on its first local day, and ends on its last', () => {
    for (const [first, ...others] of devices.values()) {
      if (first?.type !== 'placement') throw new Error('the first event is no placement')
      const wallClockOf = wallClockIn(first.timezone as string)
      expect(wallClockOf(first)).toBe('2026-06-01 00:00:00')
      expect(others.slice(0, 8).some(({ type }) => type === 'power')).toBe(true)
      expect(wallClockOf(others[others.length - 1]) < '2026-06-08').toBe(true)
    }
  })

  it('zones have whole, half and quarter hours of offset, and every city has a cooler', () => {
    const placements = ofType(events, 'placement')
    const minutes = new Set(placements.map(({ at }) => (instantOf({ at }) / 60_000) % 60))
    expect(minutes).toEqual(new Set([0, 15, 30]))
    expect(new Set(placements.map(({ timezone }) => timezone))).toEqual(new Set(CITIES.map(({ zone }) => zone)))
  })

  it('doors are opened by day, on the local clock', () => {
    for (const zone of ['Asia/Tokyo', 'America/Los_Angeles']) {
      const doors = ofType(eventsOf({ ...WEEK, devices: 30, days: 2, zones: [zone] }), 'door')
      const wallClockOf = wallClockIn(zone)
      const byDay = doors.filter((event) => /^.{11}(0[6-9]|1\d|2[0-2])/.test(wallClockOf(event)))
      expect(byDay.length / doors.length).toBeGreaterThan(0.9)
    }
  })

  it('a door that tells its states opens and closes in turn', () => {
    for (const own of devices.values()) {
      const states = ofType(own, 'door').flatMap((event) => ('open' in event ? [event.open] : []))
      expect(states).toEqual(states.map((_, index) => index % 2 === 0))
    }
  })

  it('temperatures stay near the setpoint but for outages and rushes, in hundredths of a degree', () => {
    const readings = ofType(events, 'temperature').filter((event) => event.setpoint !== undefined)
    const near = readings.filter(({ celsius = 99, setpoint = 0 }) => Math.abs(celsius - setpoint) < 2.5)
    expect(near.length / readings.length).toBeGreaterThan(0.85)
    expect(readings.some(({ celsius = 0, setpoint = 0 }) => celsius - setpoint > 8)).toBe(true)
    expect(readings.every(({ celsius = 0 }) => celsius === Number(celsius.toFixed(2)))).toBe(true)
  })

  it('power fails now and then and comes back', () => {
    const states = ofType(events, 'power').map(({ on }) => on)
    const failures = states.filter((on) => !on).length / WEEK.devices / WEEK.days
    expect(failures).toBeGreaterThan(0.05)
    expect(failures).toBeLessThan(0.8)
  })

  it('one cooler in 100 is carried off by kilometres and stays away, the others stand within 50 m', () => {
    const carried: string[] = []
    for (const [deviceId, own] of devices) {
      const [home] = ofType(own, 'placement')
      const metersNorth = ofType(own, 'gps').map(({ lat }) => Math.abs(lat - home.lat) * 111_195)
      const firstAway = metersNorth.findIndex((meters) => meters > 50)
      if (firstAway < 0) continue
      carried.push(deviceId)
      expect(metersNorth.slice(firstAway).every((meters) => meters > 1900)).toBe(true)
    }
    expect(carried).toEqual(expect.arrayContaining(['CLR-000007', 'CLR-000107']))
    expect(carried.length).toBe(2)
  })

  it('one cooler in 100 is silent for a day or more', () => {
    const month = byDevice(eventsOf({ ...WEEK, devices: 12, days: 31 }))
    const silent = [...month].filter(([, own]) =>
      own.some((event, index) => index > 0 && instantOf(event) - instantOf(own[index - 1]) > DAY_MS),
    )
    expect(silent.map(([deviceId]) => deviceId)).toEqual(['CLR-000011'])
  })

  it('models differ: states and counts of doors, counts and totals of visitors, numbered or not, three clocks', () => {
    expect(ofType(events, 'door').some((event) => 'count' in event)).toBe(true)
    expect(ofType(events, 'visitor').some((event) => 'total' in event)).toBe(true)
    expect(ofType(events, 'gps').some(({ address }) => address === undefined)).toBe(true)
    expect(ofType(events, 'gps').some(({ address }) => address !== undefined)).toBe(true)
    const clocks = events.map(({ at }) => (typeof at === 'number' ? 'ms' : at.endsWith('Z') ? 'utc' : 'local'))
    expect(new Set(clocks)).toEqual(new Set(['ms', 'utc', 'local']))
  })

  it('a numbered model counts its events up from 0, a silence leaves a gap', () => {
    const numbered = [...devices.values()].filter(([first]) => first?.seq !== undefined)
    expect(numbered.length).toBeGreaterThan(20)
    for (const own of numbered) {
      const gaps = own.filter((event, index) => index > 0 && event.seq !== (own[index - 1].seq ?? 0) + 1)
      expect(own[0].seq).toBe(0)
      expect(gaps.length).toBeLessThanOrEqual(1)
    }
  })

  it('a running total of visitors grows, and sometimes begins again', () => {
    const month = byDevice(ofType(eventsOf({ ...WEEK, devices: 60, days: 31 }), 'visitor'))
    const totals = [...month.values()].map((own) => own.flatMap((event) => ('total' in event ? [event.total] : [])))
    const steps = totals.flatMap((own) => own.slice(1).map((total, index) => total - own[index]))
    const restarts = steps.filter((step) => step < 0).length
    expect(restarts).toBeGreaterThan(0)
    expect(restarts / steps.length).toBeLessThan(0.01)
  })
})

describe('days on which clocks change', () => {
  it.each([
    ['Europe/Berlin', 20261025, 25],
    ['Europe/Berlin', 20260329, 23],
    ['Australia/Lord_Howe', 20261004, 23.5],
    ['Australia/Lord_Howe', 20260405, 24.5],
    ['Africa/Cairo', 20260424, 23],
    ['America/Santiago', 20260906, 23],
  ])('a day in %s on %i is reported for %d hours', (zone, startDay, hours) => {
    const events = eventsOf({ devices: 3, startDay, days: 1, seed: 1, zones: [zone] })
    for (const own of byDevice(ofType(events, 'temperature')).values()) expect(own.length).toBe(hours * 4)
  })

  it('a local clock tells the offset that holds', () => {
    const options = { devices: 100, startDay: 20261025, days: 1, seed: 1, zones: ['Europe/Berlin'] }
    const texts = eventsOf(options).flatMap(({ at }) => (typeof at === 'string' ? [at] : []))
    expect(new Set(texts.map((text) => text.slice(23)))).toEqual(new Set(['Z', '+02:00', '+01:00']))
  })
})

describe('a fleet with faults', () => {
  const options: FleetOptions = { ...WEEK, faults: true }
  const arrived = [...simulateFleet(options)]
  const sent = eventsOf(WEEK).map((event) => JSON.stringify(event))
  const texts = arrived.filter(isAccepted).map((event) => JSON.stringify(event))

  function isAccepted(event: SimulatedEvent): boolean {
    return isValid(event)
  }

  it('every event sent arrives, and nothing else is valid', () => {
    const valid = new Set(texts)
    expect(sent.every((text) => valid.has(text))).toBe(true)
    expect(valid.size).toBe(sent.length)
  })

  it('one event in 200 comes twice', () => {
    const share = texts.length / sent.length - 1
    expect(share).toBeGreaterThan(0.004)
    expect(share).toBeLessThan(0.006)
  })

  it('one event in 1000 comes a day late, one report in 50 a quarter of an hour late', () => {
    let latest = -Infinity
    const late = new Map<number, number>()
    for (const event of arrived.filter(isAccepted) as TelemetryEvent[]) {
      latest = Math.max(latest, slotOf(event))
      const slots = latest - slotOf(event)
      late.set(slots, (late.get(slots) ?? 0) + 1 / sent.length)
    }
    expect(late.get(96)).toBeGreaterThan(0.0007)
    expect(late.get(96)).toBeLessThan(0.0013)
    expect(late.get(1)).toBeGreaterThan(0.018)
    expect(late.get(1)).toBeLessThan(0.026)
  })

  it('one event in 2000 is followed by an invalid one, of many kinds', () => {
    const invalid = arrived.filter((event) => !isAccepted(event)) as Record<string, unknown>[]
    expect(invalid.length / sent.length).toBeGreaterThan(0.0003)
    expect(invalid.length / sent.length).toBeLessThan(0.0007)
    expect(new Set(invalid.map(({ type }) => type)).size).toBe(6)
  })

  it('until holds for what is late and for what is invalid', () => {
    const until = Date.UTC(2026, 5, 3, 10, 15)
    const instants = [...simulateFleet({ ...options, until })].map((event) => new Date(event.at as string).getTime())
    expect(instants.length).toBeGreaterThan(50_000)
    expect(instants.every((instant) => instant <= until)).toBe(true)
  })
})
