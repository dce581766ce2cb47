import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { appFixture, DAILY, expectError, SUMMARY } from '../app-fixture.ts'

const BERLIN = { at: '2025-05-01T00:00:00.000Z', lat: 52.5, lon: 13.4, timezone: 'Europe/Berlin' }
const TOKYO = { at: '2025-05-01T00:00:00.000Z', lat: 35.68, lon: 139.77, timezone: 'Asia/Tokyo', address: '丸の内' }

const urlOf = (id: string): string => `/v1/devices/${encodeURIComponent(id)}`

describe('GET /v1/devices', () => {
  test('goes over all devices in the order of UTF-16 units, each on one page', async () => {
    const { land, get } = await appFixture()
    const ids = ['10', '9', 'B', 'a', '__proto__', 'e\u0301', 'é', '😀', '\uFF5E', '%', '+', '&after=b', 'a b', '/']
    await land(ids.map((id) => visitors(id, 1)))
    const sorted = [...ids].sort()
    for (const limit of [1, 3, 14, 15]) {
      const pages: string[][] = []
      let after: string | null = null
      do {
        const more: string = after === null ? '' : `&after=${encodeURIComponent(after)}`
        const { devices, next } = (await get(`/v1/devices?limit=${limit}${more}`)).json()
        pages.push(devices.map(({ id }: { id: string }) => id))
        after = next
      } while (after !== null)
      expect(pages.flat()).toEqual(sorted)
      expect(pages.length).toBe(Math.ceil(ids.length / limit))
    }
  })

  test('an empty registry is an empty page', async () => {
    const { get } = await appFixture()
    expect((await get('/v1/devices')).json()).toEqual({ devices: [], next: null })
  })

  test('a limit that is no whole number from 1 to 1000 is refused', async () => {
    const { get } = await appFixture()
    for (const limit of ['0', '-1', '1001', '1.5', 'ten', '', 'NaN', 'Infinity', '5&limit=6']) {
      expectError(await get(`/v1/devices?limit=${limit}`), 'bad-request', /limit/, limit)
    }
  })

  test('first and last heard are those of the rolled-up events, placements aside', async () => {
    const { land, rollUp, get } = await appFixture()
    const heard = ['2025-06-01T20:00:00.000Z', '2025-06-01T08:00:00.000Z']
    await land([...heard.map((at) => visitors('a', 1, at)), { deviceId: 'a', type: 'placement', ...BERLIN }])
    const before = (await get('/v1/devices/a')).json()
    expect(before).toMatchObject({ id: 'a', firstHeardAt: null, lastHeardAt: null, retiredAt: null })
    await rollUp(DAY)
    const after = { ...before, firstHeardAt: heard[1], lastHeardAt: heard[0], placements: [BERLIN] }
    expect((await get('/v1/devices')).json().devices).toEqual([after])
  })
})

describe('/v1/devices/{id}', () => {
  test('an id of any characters is put and found under its percent-encoded form, and only it', async () => {
    const { put, get } = await appFixture()
    const ids = [
      '__proto__',
      'constructor',
      '%',
      '%2F',
      '/',
      'a/b',
      '?',
      '#',
      '+',
      ' ',
      '😀',
      '1',
      '01',
      '1.0',
      '0x1',
      ';',
      ':id',
    ]
    ids.push('é', 'e\u0301', '\u0000', '\r\n', '"', '€'.repeat(256))
    for (const id of ids) expect((await put(urlOf(id), {})).json(), id).toMatchObject({ id, placements: [] })
    for (const id of ids) expect((await get(urlOf(id))).json(), id).toMatchObject({ id })
    expect((await get('/v1/devices?limit=1000')).json().devices).toHaveLength(ids.length)
  })

  test('one that is not registered is not found, one of none or more than 256 units is refused', async () => {
    const { get, put } = await appFixture()
    for (const id of ['a', 'toString', '__proto__']) expectError(await get(urlOf(id)), 'not-found', /device/)
    expectError(await get('/v1/devices/'), 'bad-request', /256/)
    expectError(await get(urlOf('x'.repeat(257))), 'bad-request', /256/)
    expectError(await put(urlOf('x'.repeat(257)), {}), 'bad-request', /256/)
  })

  test('one whose encoding is broken is refused in the envelope', async () => {
    const { get } = await appFixture()
    for (const id of ['%', '%zz', '%E0%A4%A', '%ED%A0%80']) expectError(await get(`/v1/devices/${id}`), 'bad-request')
  })

  test('one far too long is refused in the envelope', async () => {
    const { get } = await appFixture()
    expectError(await get(`/v1/devices/${'x'.repeat(3000)}`), 'bad-request', /256/)
  })
})

describe('PUT /v1/devices/{id}', () => {
  test('replaces the placements, in their order, and answers with the device', async () => {
    const { put, get } = await appFixture()
    const later = { ...TOKYO, at: '2025-07-01T00:00:00.000Z', seq: 3 }
    const { placements } = (await put('/v1/devices/a', { placements: [later, BERLIN] })).json()
    expect(placements).toEqual([BERLIN, later])
    await put('/v1/devices/a', {})
    expect((await get('/v1/devices/a')).json().placements).toEqual([BERLIN, later])
    await put('/v1/devices/a', { placements: [later] })
    expect((await get('/v1/devices/a')).json().placements).toEqual([later])
    expect((await put('/v1/devices/a', { placements: [] })).json().placements).toEqual([])
  })

  test('a changed zone and place make the days due: they are rolled up by it', async () => {
    const { land, rollUp, put, post } = await appFixture()
    const late = '2025-06-01T20:00:00Z' // In Tokyo the next day has begun.
    await land([visitors('a', 5, late), { deviceId: 'a', at: late, type: 'gps', lat: 35.68, lon: 139.77 }])
    await rollUp(DAY)
    await put('/v1/devices/a', { placements: [TOKYO] })
    await rollUp(DAY, DAY + 1)
    const figures = async (day: number) => (await post(DAILY, { day })).json().data.deviceStatusList[0]
    expect(await figures(DAY)).toMatchObject({ visitorCount: 0, distance: null })
    expect(await figures(DAY + 1)).toMatchObject({ visitorCount: 5, distance: 0 })
    const summary = (await post(SUMMARY, { startDay: DAY, endDay: DAY })).json().data.deviceStatusList[0]
    expect(summary).toMatchObject({ throwinDate: '2025-05-01 09:00:00', address: '丸の内', location: '35.68,139.77' })
  })

  test('a removed placement does not come back when its event is delivered again', async () => {
    const { land, put, get } = await appFixture()
    const event = { deviceId: 'a', type: 'placement', ...BERLIN }
    await land([event])
    await put('/v1/devices/a', { placements: [] })
    await land([event])
    expect((await get('/v1/devices/a')).json().placements).toEqual([])
  })

  test('a placement may be planned ten years ahead', async () => {
    const { put } = await appFixture()
    const planned = { ...BERLIN, at: `${new Date().getUTCFullYear() + 9}-01-01T00:00:00.000Z` }
    expect((await put('/v1/devices/a', { placements: [planned] })).json().placements).toEqual([planned])
    const tooFar = { ...BERLIN, at: `${new Date().getUTCFullYear() + 11}-01-01T00:00:00.000Z` }
    expectError(await put('/v1/devices/a', { placements: [tooFar] }), 'bad-request', /\[0\]: at-in-future/)
  })

  test('one bad placement refuses all, tells its place and reason, and changes nothing', async () => {
    const { put, get } = await appFixture()
    await put('/v1/devices/a', { placements: [BERLIN] })
    const bad = {
      'bad-timezone': { ...BERLIN, timezone: 'Berlin' },
      'not-a-number': { ...BERLIN, lat: '52.5' },
      'out-of-range': { ...BERLIN, lon: 181 },
      'missing-field': { ...BERLIN, lat: undefined },
      'bad-at': { ...BERLIN, at: '2025-05-01' },
      'not-an-object': 7,
    }
    for (const [reason, placement] of Object.entries(bad)) {
      const answer = await put('/v1/devices/a', { placements: [TOKYO, placement], retired: true })
      expectError(answer, 'bad-request', new RegExp(`placements\\[1\\]: ${reason}`))
    }
    expect((await get('/v1/devices/a')).json()).toMatchObject({ placements: [BERLIN], retiredAt: null })
  })

  test('a body that is none is refused, and registers nothing', async () => {
    const { put, get } = await appFixture()
    for (const body of [
      '',
      'null',
      '[]',
      '{',
      '{"placements":{}}',
      '{"placements":null}',
      '{"retired":1}',
      '{"retired":null}',
    ]) {
      expectError(await put('/v1/devices/a', body), 'bad-request', /\w/, body)
    }
    const tooMany = Array.from({ length: 1001 }, (_, seq) => ({ ...BERLIN, seq }))
    expectError(await put('/v1/devices/a', { placements: tooMany }), 'bad-request', /1000/)
    expectError(await get('/v1/devices/a'), 'not-found')
  })

  test('a retired device is left out of later reports of all, is there by its id, and may come back', async () => {
    const { land, put, post } = await appFixture()
    await land([visitors('a', 1), visitors('b', 1)])
    expect((await put('/v1/devices/a', { retired: true })).json().retiredAt).toMatch(/^\d{4}-.*Z$/)
    const day = 20990101
    const ids = async (body: object) =>
      (await post(DAILY, body)).json().data.deviceStatusList.map(({ assertId }: { assertId: string }) => assertId)
    expect(await ids({ day })).toEqual(['b'])
    expect(await ids({ day: DAY })).toEqual(['a', 'b'])
    expect(await ids({ day, assertIds: ['a'] })).toEqual(['a'])
    expect((await put('/v1/devices/a', { retired: false })).json().retiredAt).toBe(null)
    expect(await ids({ day })).toEqual(['a', 'b'])
  })

  test('it may be retired since an instant in the past, or from one that is planned', async () => {
    const { land, put, post } = await appFixture()
    await land([visitors('a', 1), visitors('b', 1)])
    const ids = async (day: number) =>
      (await post(DAILY, { day })).json().data.deviceStatusList.map(({ assertId }: { assertId: string }) => assertId)
    const retire = async (retiredAt: unknown) => (await put('/v1/devices/a', { retiredAt })).json().retiredAt
    expect(await retire('2025-06-01T12:00:00+02:00')).toBe('2025-06-01T10:00:00.000Z')
    expect([await ids(20250601), await ids(20250602)]).toEqual([['a', 'b'], ['b']])
    expect(await retire(Date.UTC(2025, 5, 2))).toBe('2025-06-02T00:00:00.000Z')
    expect([await ids(20250602), await ids(20250603)]).toEqual([['a', 'b'], ['b']])
    const planned = new Date(Date.now() + 86_400_000).toISOString()
    expect(await retire(planned)).toBe(planned)
    expect(await retire(null)).toBe(null)
    const bad = [
      '2025-06-01',
      '2025-06-01T12:00:00',
      1_750_000_000,
      1.5e12 + 0.5,
      'now',
      true,
      {},
      '1999-12-31T23:59:59Z',
    ]
    for (const retiredAt of [...bad, Date.now() + 11 * 366 * 86_400_000]) {
      const answer = await put('/v1/devices/a', { retiredAt })
      expectError(answer, 'bad-request', /retiredAt must be/, String(retiredAt))
    }
    const both = await put('/v1/devices/a', { retired: true, retiredAt: null })
    expectError(both, 'bad-request', /exclude each other/)
  })

  test('a field that there is not is refused and named, and nothing is changed', async () => {
    const { put, get } = await appFixture()
    for (const body of [{ retire: true }, { placements: [], placement: [] }, { __proto__x: 1 }, { id: 'a' }]) {
      expectError(
        await put('/v1/devices/a', body),
        'bad-request',
        /is no field of these: placements, retired, retiredAt/,
      )
    }
    const misspelt = { placements: [{ ...BERLIN, timeZone: 'Europe/Berlin' }] }
    expectError(await put('/v1/devices/a', misspelt), 'bad-request', /placements\[0\]: "timeZone" is no field/)
    expectError(await get('/v1/devices/a'), 'not-found')
  })
})
