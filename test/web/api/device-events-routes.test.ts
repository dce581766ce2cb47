import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { appFixture, expectError } from '../app-fixture.ts'
import { keyedApp } from '../keyed-app.ts'

const URL = '/v1/devices/a/events'
const DAY_1 = Date.parse('2025-06-01T00:00:00Z')
const span = (from: string, to: string): string => `?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`
const BOTH_DAYS = span('2025-06-01T00:00:00Z', '2025-06-03T00:00:00Z')
const at = (time: string): string => `2025-06-0${time}:00.000Z`

type Get = (url: string) => Promise<{ json(): { readings: object[]; next: string | null } }>

async function allPages(get: Get, query: string, limit: number): Promise<object[]> {
  const readings: object[] = []
  for (let after = ''; ; ) {
    const page = (await get(`${URL}${query}&limit=${limit}${after}`)).json()
    readings.push(...page.readings)
    expect(page.readings.length).toBeLessThanOrEqual(limit)
    if (page.next === null) return readings
    after = `&after=${page.next}`
  }
}

describe('the readings of a device', () => {
  test('have their kept values, in order, rolled up or not, with repeats marked and without placements', async () => {
    const { get, land, rollUp } = await appFixture()
    await land([
      { deviceId: 'a', at: at('1T08:00'), type: 'placement', lat: 1, lon: 2 },
      { deviceId: 'a', at: at('1T09:00'), type: 'gps', lat: 52.5201, lon: 13.4051, address: 'Hauptstraße 1' },
      { deviceId: 'a', at: at('1T08:00'), type: 'temperature', celsius: 3.4, setpoint: 4 },
      { deviceId: 'b', at: at('1T08:00'), type: 'power', on: false },
      { deviceId: 'a', at: at('1T10:00'), type: 'power', on: true, seq: 7 },
    ])
    await rollUp(DAY)
    await land([
      { deviceId: 'a', at: at('2T08:00'), type: 'door', open: true },
      { deviceId: 'a', at: at('1T08:00'), type: 'temperature', celsius: 3.4, setpoint: 4 },
      { deviceId: 'a', at: at('2T09:00'), type: 'visitor', total: 2 ** 40 },
    ])
    expect((await get(URL + BOTH_DAYS)).json()).toEqual({
      readings: [
        { at: at('1T08:00'), type: 'temperature', celsius: 3.4, setpoint: 4 },
        { at: at('1T08:00'), type: 'temperature', celsius: 3.4, setpoint: 4, repeat: true },
        { at: at('1T09:00'), type: 'gps', lat: 52.5201, lon: 13.4051, address: 'Hauptstraße 1' },
        { at: at('1T10:00'), seq: 7, type: 'power', on: true },
        { at: at('2T08:00'), type: 'door', open: true },
        { at: at('2T09:00'), type: 'visitor', total: 2 ** 40 },
      ],
      next: null,
      purgedBefore: null,
    })
  })

  test('are of a half-open span, however its ends are written', async () => {
    const { get, land } = await appFixture()
    await land(['1T08:00', '1T09:00', '1T10:00'].map((time) => visitors('a', 1, at(time))))
    for (const query of [
      span('2025-06-01T08:00:00Z', '2025-06-01T10:00:00Z'),
      span('2025-06-01T10:00:00+02:00', '2025-06-01T09:59:59.999Z'),
      span(String(Date.parse(at('1T08:00'))), String(Date.parse(at('1T10:00')))),
    ]) {
      const { readings } = (await get(URL + query)).json()
      expect(readings.map((one: { at: string }) => one.at)).toEqual([at('1T08:00'), at('1T09:00')])
    }
  })

  test('whose raw events have been deleted are reported as purged', async () => {
    const { get, land, rollUp, service } = await appFixture({ COOLER_RAW_RETENTION_DAYS: '400' })
    await land([visitors('a', 5), visitors('a', 6, at('2T08:00'))])
    await rollUp(DAY, DAY + 1)
    await service.pipeline.upkeep.pruneRaw(Date.now())
    const purgedBefore = '2025-06-03T00:00:00.000Z'
    expect((await get(URL + BOTH_DAYS)).json()).toEqual({ readings: [], next: null, purgedBefore })
    const later = span('2025-06-03T00:00:00Z', '2025-06-04T00:00:00Z')
    expect((await get(URL + later)).json()).toEqual({ readings: [], next: null, purgedBefore: null })
  })

  test('of devices named . and .. are asked for in the query', async () => {
    const { get, land } = await appFixture()
    await land([visitors('..', 1), visitors('-', 2)])
    const countOf = async (query: string) => (await get(`/v1/devices/-/events${BOTH_DAYS}${query}`)).json().readings
    expect(await countOf('&deviceId=..')).toMatchObject([{ count: 1 }])
    expect(await countOf('')).toMatchObject([{ count: 2 }])
  })

  test('outside of the limit of a key are those of no device', async () => {
    const { ask, fill } = await keyedApp({ own: { scopes: ['read'], devices: ['a'] } })
    await fill([visitors('a', 1), visitors('b', 1)])
    expect((await ask('own', 'GET', URL + BOTH_DAYS)).json().readings).toHaveLength(1)
    const other = await ask('own', 'GET', `/v1/devices/b/events${BOTH_DAYS}`)
    const unknown = await ask('own', 'GET', `/v1/devices/c/events${BOTH_DAYS}`)
    expectError(other, 'not-found', /"b"/)
    expect(other.body.replace('"b"', '"c"')).toBe(unknown.body.replace('\\"c\\"', '\\"b\\"').replace('"b"', '"c"'))
  })
})

test('a span that is none or too long, a wrong page, and an unknown device are refused', async () => {
  const { get, land } = await appFixture()
  await land([visitors('a', 1)])
  for (const [query, message] of [
    ['', /from is missing/],
    ['?from=2025-06-01T00:00:00Z', /to is missing/],
    [span('2025-06-01', '2025-06-02T00:00:00Z'), /from must be RFC 3339/],
    [span('2025-06-02T00:00:00Z', '2025-06-02T00:00:00Z'), /from must be before to/],
    [span('2025-06-02T00:00:00Z', '2025-06-01T00:00:00Z'), /from must be before to/],
    [span('2025-06-01T00:00:00Z', '2025-07-03T00:00:00.001Z'), /at most 32 days/],
    [`${BOTH_DAYS}&limit=0`, /limit/],
    [`${BOTH_DAYS}&limit=10001`, /limit/],
    [`${BOTH_DAYS}&after=x`, /after/],
  ] as const)
    expectError(await get(URL + query), 'bad-request', message, query)
  expectError(await get(`/v1/devices/b/events${BOTH_DAYS}`), 'not-found', /"b"/)
  const longest = span('2025-06-01T00:00:00Z', '2025-07-03T00:00:00Z')
  expect((await get(URL + longest)).json().readings).toHaveLength(1)
})

/** Sorts as RULES.md 2 does: by instant, `seq` (absent first), then count. */
const inOrder = (one: Sent, other: Sent): number =>
  one.at - other.at || (one.seq ?? -1) - (other.seq ?? -1) || one.count - other.count

interface Sent {
  at: number
  count: number
  seq?: number
}

test('any events, however they were landed and compacted, are read back in pages of any size', async () => {
  const { get, land, rollUp, service } = await appFixture()
  const event = fc.record(
    {
      // Few instants, so that many events share one, on both sides of a midnight.
      at: fc.integer({ min: 0, max: 12 }).map((step) => DAY_1 + (step - 3) * 4 * 3_600_000),
      count: fc.integer({ min: 0, max: 2 }),
      seq: fc.integer({ min: 0, max: 2 }),
    },
    { requiredKeys: ['at', 'count'] },
  )
  const sent: Sent[] = []
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 12 })),
      fc.boolean(),
      async (events, limit, [start, length], compacts) => {
        await land(events.map((one) => ({ deviceId: 'a', type: 'visitor', ...one })))
        sent.push(...events)
        if (compacts) {
          await rollUp(20250531, DAY + 2)
          await service.pipeline.upkeep.compact(Date.now())
        }
        const from = DAY_1 + (start - 3) * 4 * 3_600_000
        const to = from + length * 4 * 3_600_000
        const wanted = sent.filter((one) => one.at >= from && one.at < to).sort(inOrder)
        const repeats = wanted.map((one, nth) => nth > 0 && inOrder(wanted[nth - 1], one) === 0)
        expect(await allPages(get, `?from=${from}&to=${to}`, limit)).toEqual(
          wanted.map(({ at: instant, count, seq }, nth) => ({
            at: new Date(instant).toISOString(),
            ...(seq === undefined ? {} : { seq }),
            ...{ type: 'visitor', count },
            ...(repeats[nth] ? { repeat: true } : {}),
          })),
        )
      },
    ),
    { numRuns: 25 },
  )
})
