import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DeviceLimit, isWithin } from '../../src/base/device-limit.ts'
import { devicesWithin } from '../../src/web/api/devices-within.ts'
import { DAY, manyVisitors, visitors } from '../helpers/events.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { oncePerGroup } from '../helpers/when-finished.ts'
import { DAILY, expectError, SUMMARY } from './app-fixture.ts'
import { type KeyWish, keyedApp } from './keyed-app.ts'

/** What one key sees of a fleet whose ids are nearly alike. */
const OWN = ['S7-', 'S7-1', 'S7-2', 'S7-\u{1F600}']
const OTHERS = ['S7', 'S70', 's7-1', 'S8-1', ' S7-1', 'S7\u20101', '__proto__', 'constructor']
const LABELS = { site: 'S7' }
const LIMITS = { 'a prefix': { prefix: 'S7-' }, 'a list': { devices: OWN }, 'a label': { labels: LABELS } }

/** An application with that fleet, and keys that are limited to their own. */
async function fleet(limit: Omit<KeyWish, 'scopes'>) {
  const app = await keyedApp({
    reader: { scopes: ['read'], ...limit },
    sender: { scopes: ['ingest'], ...limit },
    admin: { scopes: ['admin'], ...limit },
    all: { scopes: ['admin'] },
  })
  await app.fill([...OWN, ...OTHERS].map((id, index) => visitors(id, index + 1)))
  for (const id of OWN) await app.ask('all', 'PUT', `${urlOf(id)}/labels`, { ...LABELS, route: id.slice(0, 3) })
  return app
}

const urlOf = (id: string): string => `/v1/devices/${encodeURIComponent(id)}`
const idsOf = (answer: { json(): { data: { deviceStatusList: { assertId: string }[] } } }): string[] =>
  answer.json().data.deviceStatusList.map(({ assertId }) => assertId)

const RANGE = { startDay: DAY, endDay: DAY }

describe.each(Object.entries(LIMITS))('a key limited to %s', (_, limit) => {
  /** Of the tests that change nothing. */
  const unchanged = oncePerGroup(() => fleet(limit))

  test('gets only its devices in either report of all of them', async () => {
    const { ask } = unchanged()
    expect(idsOf(await ask('reader', 'POST', DAILY, { day: DAY }))).toEqual(OWN)
    expect(idsOf(await ask('reader', 'POST', SUMMARY, RANGE))).toEqual(OWN)
    expect((await ask('reader', 'POST', DAILY, { day: DAY, assertIds: null })).json().data.deviceCount).toBe(4)
    expect(idsOf(await ask('all', 'POST', DAILY, { day: DAY }))).toEqual([...OWN, ...OTHERS].sort())
  })

  test('gets others as it gets unknown ones: left out, few or many asked for', async () => {
    const { ask } = unchanged()
    const unknown = Array.from({ length: 100 }, (__, number) => `S7-x${number}`)
    for (const more of [[], unknown]) {
      const assertIds = [...OTHERS, ...more, 'S7-2']
      expect(idsOf(await ask('reader', 'POST', DAILY, { day: DAY, assertIds }))).toEqual(['S7-2'])
      expect(idsOf(await ask('reader', 'POST', SUMMARY, { ...RANGE, assertIds }))).toEqual(['S7-2'])
    }
    expect(idsOf(await ask('reader', 'POST', DAILY, { day: DAY, assertIds: OTHERS }))).toEqual([])
  })

  test('gets the figures that an unlimited key gets', async () => {
    const { ask } = unchanged()
    const own = (await ask('reader', 'POST', SUMMARY, RANGE)).json()
    const asked = (await ask('all', 'POST', SUMMARY, { ...RANGE, assertIds: OWN })).json()
    expect(own).toEqual(asked)
  })

  test('goes over the pages of its devices, and past no other', async () => {
    const { ask } = unchanged()
    for (const size of [1, 2, 3, 4, 5]) {
      const pages: string[][] = []
      for (let after: string | null = null, more = true; more; more = after !== null) {
        const cursor: string = after === null ? '' : `&after=${encodeURIComponent(after)}`
        const { devices, next } = (await ask('reader', 'GET', `/v1/devices?limit=${size}${cursor}`)).json()
        pages.push(devices.map(({ id }: { id: string }) => id))
        after = next
      }
      expect(pages.flat()).toEqual(OWN)
      expect(pages.length).toBe(Math.ceil(4 / size))
    }
    const countAfter = async (id: string) =>
      (await ask('reader', 'GET', `/v1/devices?after=${id}`)).json().devices.length
    expect([await countAfter('S7'), await countAfter('S7-1'), await countAfter('S70'), await countAfter('a')]).toEqual([
      4, 2, 0, 0,
    ])
  })

  test('is told of another what it is told of an unknown one, word for word', async () => {
    const { ask } = unchanged()
    const calls = [
      (id: string) => ask('reader', 'GET', urlOf(id)),
      (id: string) => ask('reader', 'GET', `${urlOf(id)}/days/${DAY}`),
      (id: string) => ask('reader', 'GET', `${urlOf(id)}/days/${DAY}?figure=distance`),
      (id: string) => ask('admin', 'PUT', urlOf(id), { retired: true }),
      (id: string) => ask('admin', 'PUT', urlOf(id), '{'),
      (id: string) => ask('admin', 'DELETE', `${urlOf(id)}/events`),
    ]
    for (const call of calls) {
      for (const id of [...OTHERS, 'unknown']) {
        const answer = await call(id)
        expectError(answer, 'not-found', /^no such device: /, id)
        expect(answer.json().message).toBe(`no such device: ${JSON.stringify(id)}`)
      }
    }
    const unknown = await ask('reader', 'GET', urlOf('S7-unknown'))
    const explained = await ask('reader', 'GET', `${urlOf('S7-unknown')}/days/${DAY}`)
    if ('prefix' in limit)
      expect([unknown.json(), explained.json()].map(({ message }) => message)).toEqual(
        Array(2).fill('no such device: "S7-unknown"'),
      )
  })

  test('changes and explains its own, and leaves others as they were', async () => {
    const { ask } = await fleet(limit)
    const before = await Promise.all(OTHERS.map(async (id) => (await ask('all', 'GET', urlOf(id))).json()))
    for (const id of OTHERS) await ask('admin', 'PUT', urlOf(id), { retired: true })
    await ask('admin', 'PUT', urlOf('fresh'), {})
    expect(await Promise.all(OTHERS.map(async (id) => (await ask('all', 'GET', urlOf(id))).json()))).toEqual(before)
    expectError(await ask('all', 'GET', urlOf('fresh')), 'not-found')
    expect((await ask('admin', 'PUT', urlOf('S7-1'), { retired: true })).json()).toMatchObject({ id: 'S7-1' })
    expect((await ask('reader', 'GET', urlOf('S7-1'))).json().retiredAt).toMatch(/Z$/)
    expectError(await ask('reader', 'DELETE', `${urlOf('S7-1')}/events`), 'forbidden', /scope admin/)
    expect((await ask('admin', 'DELETE', `${urlOf('S7-1')}/events?type=power`)).json()).toMatchObject({ erased: 0 })
    expect((await ask('reader', 'GET', `${urlOf('S7-1')}/days/${DAY}`)).json()).toMatchObject({ deviceId: 'S7-1' })
  })

  test('may not call what is of all devices', async () => {
    const { ask } = unchanged()
    for (const url of ['/v1/status', '/v1/rejects']) expectError(await ask('admin', 'GET', url), 'forbidden', /limited/)
    expectError(await ask('admin', 'POST', '/v1/rollups', { fromDay: DAY, toDay: DAY }), 'forbidden', /limited/)
    expectError(await ask('reader', 'GET', '/v1/status'), 'forbidden', /limited/)
  })

  test('lands events of its own devices', async () => {
    const { ask, service } = await fleet(limit)
    const events = OWN.map((id) => visitors(id, 7, '2025-06-01T13:00:00Z'))
    expect((await ask('sender', 'POST', '/v1/telemetry', { events })).json()).toMatchObject({ accepted: 4 })
    expect((await ask('sender', 'POST', '/v1/telemetry', [{}, 7])).json()).toMatchObject({ rejected: 2 })
    expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 16, rejected: 2 })
  })

  test('lands nothing of a batch with an event of another, good or bad, and is told which', async () => {
    const { app, keys, service } = unchanged()
    const own = visitors('S7-1', 7, '2025-06-01T13:00:00Z')
    const send = (payload: string, type = 'application/json') =>
      app.inject({
        method: 'POST',
        url: '/v1/telemetry',
        headers: { 'x-api-key': keys.sender, 'content-type': type },
        payload,
      })
    for (const id of OTHERS) {
      const foreign = {
        good: visitors(id, 1),
        bad: { deviceId: id },
        placement: { ...visitors(id, 1), type: 'placement' },
      }
      for (const event of Object.values(foreign)) {
        const batch = [own, own, event, own].map((one) => JSON.stringify(one))
        expectError(await send(`[${batch}]`), 'forbidden', /event 2 /, id)
        expectError(await send(`{"events":[${batch}]}`), 'forbidden', /event 2 /, id)
        expectError(await send(batch.join('\n\n'), 'application/x-ndjson'), 'forbidden', /event 2 /, id)
      }
    }
    expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 12, rejected: 0 })
  })

  test('is not taken in by an event that names two devices, or names one in an odd way', async () => {
    const { app, keys, service } = unchanged()
    const rest = '"at":"2025-06-01T12:00:00Z","type":"visitor","count":1'
    const twice = [
      `{"deviceId":"S7-1",${rest},"deviceId":"S8-1"}`,
      `{"deviceId":"S7-1",${rest},"\\u0064eviceId":"S8-1"}`,
    ]
    const odd = [`{"deviceId":"\\u00538-1",${rest}}`, `{"deviceId":"S8\\u002d1",${rest}}`]
    for (const line of [...twice, ...odd]) {
      for (const [type, payload] of Object.entries({ 'application/json': `[${line}]`, 'application/x-ndjson': line })) {
        const headers = { 'x-api-key': keys.sender, 'content-type': type }
        expectError(
          await app.inject({ method: 'POST', url: '/v1/telemetry', headers, payload }),
          'forbidden',
          /event 0 /,
          line,
        )
      }
    }
    expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 12, rejected: 0 })
  })
})

test('a large report is made by a thread, which keeps to the limit', async () => {
  const { ask, fill } = await keyedApp({ reader: { scopes: ['read'], prefix: 'own-' }, all: { scopes: ['read'] } })
  await fill([...manyVisitors(300, 'own-'), ...manyVisitors(300, 'other-')])
  const assertIds = [...manyVisitors(300, 'own-'), ...manyVisitors(300, 'other-')].map(({ deviceId }) => deviceId)
  for (const body of [{}, { assertIds }]) {
    const daily = await ask('reader', 'POST', DAILY, { day: DAY, ...body })
    const summary = await ask('reader', 'POST', SUMMARY, { ...RANGE, ...body })
    for (const answer of [daily, summary]) {
      expect(idsOf(answer)).toHaveLength(300)
      expect(idsOf(answer).every((id) => id.startsWith('own-'))).toBe(true)
    }
    expect(idsOf(await ask('all', 'POST', DAILY, { day: DAY, ...body }))).toHaveLength(600)
  }
})

test('a prefix is compared as it is: neither case nor Unicode form is made the same', async () => {
  const { ask, fill } = await keyedApp({ reader: { scopes: ['read'], prefix: 'é' } })
  await fill(['é1', 'e\u03011', 'É1', 'e1'].map((id) => visitors(id, 1)))
  expect(idsOf(await ask('reader', 'POST', DAILY, { day: DAY }))).toEqual(['é1'])
})

test('whatever the ids and the limit, its pages hold the devices within it, in order', async () => {
  const id = fc.string({
    unit: fc.constantFrom('a', 'b', '\u0000', '\uFFFF', '\uD83D', '\uDE00', 'é'),
    minLength: 1,
    maxLength: 4,
  })
  const limit: fc.Arbitrary<DeviceLimit> = fc.oneof(
    id.map((prefix) => ({ prefix })),
    fc.array(id, { minLength: 1 }).map((ids) => ({ ids: new Set(ids) })),
  )
  const store = temporaryStore()
  const ids = fc.sample(id, { numRuns: 120, seed: 1 })
  for (const one of ids) await store.registry.put(one, {}, 0)
  const all = (await store.registry.devices()).map((device) => device.id)
  await fc.assert(
    fc.asyncProperty(limit, fc.option(id), fc.integer({ min: 1, max: 30 }), async (within, after, count) => {
      const page = await devicesWithin(store.registry, within, after, count)
      const expected = all.filter((one) => isWithin(within, one) && (after === null || one > after)).slice(0, count)
      expect(page.map((device) => device.id)).toEqual(expected)
    }),
  )
})
