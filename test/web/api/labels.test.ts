import { describe, expect, test } from 'vitest'
import { EXPORT_FORMATS, type ExportFormat } from '../../../src/report/export/formats.ts'
import { DAY, visitors } from '../../helpers/events.ts'
import { oncePerGroup } from '../../helpers/when-finished.ts'
import { csvRows, parquetRows, readWorkbook } from '../../report/export/read-back.ts'
import { appFixture, expectError } from '../app-fixture.ts'
import { keyedApp } from '../keyed-app.ts'

type Row = Record<string, unknown>

const LABELS = { customer: 'Kühl & Söhne', route: '12' }
const place = { at: '2025-06-01T00:00:00.000Z', lat: 52, lon: 13, address: 'Kurze Straße 1' }

describe('PUT /v1/devices/{id}/labels', () => {
  test('replaces all labels, which the device, the list and the fleet have from then on', async () => {
    const { put, get, land, rollUp } = await appFixture()
    await land([visitors('a', 1), visitors('b', 2)])
    await rollUp(DAY)
    const fleetLabels = async () => (await get(`/v1/fleet?day=${DAY}`)).json().rows.map((row: Row) => row.labels)
    expect(await fleetLabels()).toEqual([{}, {}])
    expect((await put('/v1/devices/a/labels', { model: 'X', ...LABELS })).json()).toMatchObject({ id: 'a' })
    const answer = await put('/v1/devices/a/labels', LABELS)
    expect([answer.statusCode, answer.json().labels]).toEqual([200, LABELS])
    expect((await get('/v1/devices/a')).json().labels).toEqual(LABELS)
    expect((await get('/v1/devices')).json().devices.map((device: Row) => device.labels)).toEqual([LABELS, {}])
    expect(await fleetLabels()).toEqual([LABELS, {}])
    expect((await put('/v1/devices/a', { labels: { route: '13' }, retired: false })).json().labels).toEqual({
      route: '13',
    })
    await put('/v1/devices/a', { placements: [place] })
    expect((await get('/v1/devices/a')).json()).toMatchObject({ labels: { route: '13' }, placements: [place] })
    expect((await put('/v1/devices/a/labels', {})).json().labels).toEqual({})
    expect(await fleetLabels()).toEqual([{}, {}])
  })

  test('refuses labels that are none, and devices that are unknown, and changes nothing', async () => {
    const { put, get, land, post } = await appFixture()
    await land([visitors('a', 1)])
    await put('/v1/devices/a/labels', LABELS)
    for (const [body, message] of [
      [[], /object/],
      ['', /empty/],
      [{ Route: '1' }, /label key "Route" must be/],
      [{ route: 1 }, /label route must be/],
      [{ route: 'a\tb' }, /label route must be/],
      [Object.fromEntries(Array.from({ length: 17 }, (_, nth) => [`k${nth}`, 'v'])), /at most 16/],
    ] as const)
      expectError(await put('/v1/devices/a/labels', body), 'bad-request', message)
    expectError(await put('/v1/devices/a', { labels: { route: '' } }), 'bad-request', /label route/)
    expectError(await put('/v1/devices/b/labels', LABELS), 'not-found', /"b"/)
    expectError(await post('/v1/devices/a/labels', LABELS), 'method-not-allowed')
    expect((await get('/v1/devices')).json().devices).toMatchObject([{ id: 'a', labels: LABELS }])
  })

  test('is for admin keys, and for their devices only', async () => {
    const { ask, fill } = await keyedApp({
      reader: { scopes: ['read'] },
      admin: { scopes: ['admin'], prefix: 'a' },
    })
    await fill([visitors('a', 1), visitors('b', 1)])
    expectError(await ask('reader', 'PUT', '/v1/devices/a/labels', LABELS), 'forbidden')
    expectError(await ask('admin', 'PUT', '/v1/devices/b/labels', LABELS), 'not-found')
    expect((await ask('admin', 'PUT', '/v1/devices/a/labels', LABELS)).statusCode).toBe(200)
    expect((await ask('admin', 'GET', `/v1/fleet?day=${DAY}`)).json().labelKeys).toEqual(['customer', 'route'])
  })
})

/** A fleet of four devices, three of them labelled. */
async function labelled() {
  const fixture = await appFixture()
  await fixture.land(['a', 'b', 'c', '=d'].map((id, nth) => visitors(id, nth)))
  await fixture.rollUp(DAY)
  await fixture.put('/v1/devices/a/labels', { route: '12', model: 'X' })
  await fixture.put('/v1/devices/b/labels', { route: '2', model: 'X' })
  await fixture.put('/v1/devices/%3Dd/labels', { route: '=1+1', constructor: 'Z' })
  const list = async (query: string) => (await fixture.get(`/v1/fleet?day=${DAY}${encodeURI(query)}`)).json()
  const ids = async (query: string) => (await list(query)).rows.map(({ id }: { id: string }) => id)
  return { ...fixture, list, ids }
}

const unchanged = oncePerGroup(labelled)

describe('the fleet', () => {
  test('is filtered by one label or by several, with sums of those that have them', async () => {
    const { list, ids } = unchanged()
    expect(await ids('&label=model:X')).toEqual(['a', 'b'])
    expect(await ids('&label=model:X&label=route:2')).toEqual(['b'])
    expect(await ids('&label=route:2&label=route:12')).toEqual([])
    expect(await ids('&label=constructor:x')).toEqual([])
    expect(await ids('&label=model:X&search=B')).toEqual(['b'])
    const { sums, devices, matching, labelKeys } = await list('&label=model:X')
    expect({ devices, matching, labelKeys }).toEqual({
      devices: 4,
      matching: 2,
      labelKeys: ['constructor', 'model', 'route'],
    })
    expect(sums).toMatchObject({ devices: 2, figures: { visitorCount: 1 } })
  })

  test('is sorted by a label as text, devices without it last in either direction', async () => {
    const { ids } = unchanged()
    expect(await ids('&sort=label:route')).toEqual(['a', 'b', '=d', 'c'])
    expect(await ids('&sort=label:route&order=desc')).toEqual(['=d', 'b', 'a', 'c'])
    expect(await ids('&sort=label:model')).toEqual(['a', 'b', '=d', 'c'])
    expect(await ids('&sort=label:none')).toEqual(['=d', 'a', 'b', 'c'])
  })

  test('asked for by what is no label is refused', async () => {
    const { get } = await appFixture()
    for (const query of ['label=route', 'label=', 'label=A:b', 'label=route:', 'sort=label:', 'sort=label:A'])
      expectError(await get(`/v1/fleet?day=${DAY}&${query}`), 'bad-request', /label|sort/, query)
  })
})

const READERS: Record<ExportFormat, (bytes: Uint8Array) => Promise<Row[]> | Row[]> = {
  csv: csvRows,
  xlsx: async (bytes) => (await readWorkbook(bytes)).rows,
  parquet: parquetRows,
}

describe('the fleet as a file', () => {
  test('has all devices that match, in the order asked for, in every format the same', async () => {
    const { get, put, list, land, rollUp } = await labelled()
    await land([{ deviceId: 'a', at: '2025-06-01T20:00:00Z', type: 'gps', lat: 53, lon: 13 }])
    await put('/v1/devices/a', { placements: [place] })
    await rollUp(DAY)
    const query = '&label=model:X&sort=label:route&order=desc'
    const { rows } = await list(query)
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(['b', 'a'])
    expect(rows[1]).toMatchObject({ exceptions: ['moved', 'no-power-data'], status: 'revised' })
    const expected = rows.map(({ lastFix: _, exceptionDays: __, exceptions, placement, labels, ...row }: Row) => {
      const { at = null, lat = null, lon = null } = (placement ?? {}) as Record<string, unknown>
      const { model, route } = labels as Record<string, string>
      return {
        ...{ fromDay: DAY, toDay: DAY },
        ...row,
        exceptions: (exceptions as string[]).join(' '),
        ...{ placedAt: at, placedLatitude: lat, placedLongitude: lon },
        ...{ 'label:constructor': null, 'label:model': model, 'label:route': route },
      }
    })
    for (const format of Object.keys(EXPORT_FORMATS) as ExportFormat[]) {
      const answer = await get(encodeURI(`/v1/fleet?day=${DAY}${query}&limit=1&format=${format}`))
      expect(answer.statusCode, answer.body).toBe(200)
      expect(answer.headers['content-type']).toBe(EXPORT_FORMATS[format].contentType)
      expect(answer.headers['content-disposition']).toBe(`attachment; filename="cooler-fleet-${DAY}.${format}"`)
      expect(await READERS[format](answer.rawPayload)).toEqual(expected)
    }
  })

  test('guards against formulas in ids and labels, and begins with a mark where asked to', async () => {
    const { get } = unchanged()
    const { body, rawPayload } = await get(`/v1/fleet?day=${DAY}&format=csv&bom=1`)
    expect([...rawPayload.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const line = body.split('\r\n').find((text) => text.includes(",'=d,"))
    expect(line).toMatch(/,Z,,'=1\+1$/)
  })

  test('of more devices than a slice or a page has all of them, as many as the list counts', async () => {
    const { get, land, rollUp } = await appFixture()
    await land(Array.from({ length: 1100 }, (_, nth) => visitors(`d${nth}`, nth % 7)))
    await rollUp(DAY)
    const range = `fromDay=${DAY}&toDay=${DAY + 1}&sort=visitorCount&order=desc`
    const answer = await get(`/v1/fleet?${range}&format=csv`)
    expect(answer.headers['content-disposition']).toMatch(/cooler-fleet-20250601-20250602\.csv/)
    const rows = csvRows(answer.rawPayload)
    const counts = rows.map((row) => Number(row.visitorCount))
    expect(rows).toHaveLength(1100)
    expect(counts).toEqual(counts.toSorted((one, other) => other - one))
    expect(new Set(rows.map((row) => row.id)).size).toBe(1100)
  })

  test('has only devices within the limit of a key, and only their labels as columns', async () => {
    const { ask, fill } = await keyedApp({ reader: { scopes: ['read'], prefix: 'a' }, admin: { scopes: ['admin'] } })
    await fill([visitors('a', 1), visitors('b', 1)])
    await ask('admin', 'PUT', '/v1/devices/b/labels', LABELS)
    const rows = csvRows((await ask('reader', 'GET', `/v1/fleet?day=${DAY}&format=csv`)).rawPayload)
    expect(rows.map((row) => row.id)).toEqual(['a'])
    expect(Object.keys(rows[0]).filter((name) => name.startsWith('label:'))).toEqual([])
  })
})
