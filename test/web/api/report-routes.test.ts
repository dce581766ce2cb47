import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { NO_FIGURES } from '../../helpers/no-figures.ts'
import { appFixture, DAILY, expectError, SUMMARY } from '../app-fixture.ts'
import { cooler } from '../every-figure.ts'

const RANGE = { startDay: DAY, endDay: DAY }

const FIGURES = {
  assertId: 'a',
  visitorCount: 7,
  openCloseNum: 3,
  currTemp: 4.5,
  setTemp: 0,
  maxTemp: 5,
  minTemp: 4.01,
  powerDuration: 18,
  powerDayDuration: 12,
  distance: 203.07,
  distanceMore: 1,
}

describe('a misspelt selection is refused with the right name', () => {
  test.each(['assertId', 'assetIds', 'assetId', 'assetsIds', 'deviceIds', 'deviceId', 'ids', 'ASSERTIDS', 'AssertIds'])(
    '%s, in any letter case',
    async (name) => {
      const { post, get } = await appFixture()
      for (const spelt of [name, name.toUpperCase(), name.toLowerCase()]) {
        for (const [path, body, query] of [
          [DAILY, { day: DAY }, `/v1/reports/daily?day=${DAY}`],
          [SUMMARY, RANGE, `/v1/reports/summary?startDay=${DAY}&endDay=${DAY}`],
        ] as const) {
          expectError(await post(path, { ...body, [spelt]: ['a'] }), 'bad-request', /assertIds/)
          expectError(await post(`${path}?${spelt}=a`, body), 'bad-request', /assertIds/)
          expectError(await get(`${query}&${spelt}=a`), 'bad-request', /assertIds/)
        }
      }
    },
  )

  test('the right name in the address of a POST, where it would select nothing', async () => {
    const { post } = await appFixture()
    expectError(await post(`${DAILY}?assertIds=a`, { day: DAY }), 'bad-request', /body/)
  })
})

describe('answers have the fields of the interface, in its order', () => {
  test('daily', async () => {
    const { land, rollUp, post } = await appFixture()
    await land([...cooler('a'), visitors('b', 1, '2025-06-02T12:00:00Z')])
    await rollUp(DAY, DAY + 1)
    const answer = await post(DAILY, { day: DAY, more: { fields: 'ignored' } })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    const deviceStatusList = [FIGURES, { assertId: 'b', ...NO_FIGURES }]
    const data = { day: DAY, deviceCount: 2, deviceStatusList }
    expect(answer.body).toBe(JSON.stringify({ status: 200, message: 'OK', data }))
  })

  test('summary', async () => {
    const { land, rollUp, post } = await appFixture()
    await land(cooler('a'))
    await rollUp(DAY)
    const current = { location: '52.5,13.403', address: 'Hauptstraße 1', throwinDate: '2025-06-01 00:00:00' }
    const data = { deviceCount: 1, deviceStatusList: [{ ...FIGURES, ...current }] }
    const { body } = await post(SUMMARY, RANGE)
    expect(body).toBe(JSON.stringify({ status: 200, message: 'OK', data }))
  })
})

describe('the body', () => {
  test('is read as JSON whatever its media type says', async () => {
    const { post } = await appFixture()
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'image/png', 'multipart/form-data; boundary=x']
    for (const type of types) {
      expect((await post(DAILY, { day: DAY }, { 'content-type': type })).json().status, type).toBe(200)
      expect((await post(SUMMARY, RANGE, { 'content-type': type })).json().status, type).toBe(200)
    }
    expect((await post(DAILY, `\uFEFF{"day":${DAY}}`)).json().status).toBe(200)
  })

  test('is read as JSON where its media type is malformed, too', async () => {
    const { post } = await appFixture()
    for (const type of ['json', ';', '', 'application/']) {
      expect((await post(DAILY, { day: DAY }, { 'content-type': type })).statusCode, type).toBe(200)
    }
  })

  test('must be a JSON object', async () => {
    const { app, post } = await appFixture()
    const latin1 = Buffer.from('{"day":20250601,"assertIds":["K\xfchler"]}', 'latin1')
    for (const url of [DAILY, SUMMARY]) {
      for (const body of ['', 'null', '[]', '7', '"day"', '{', '{"day":20250601}}', `day=${DAY}`, latin1]) {
        expectError(await post(url, body), 'bad-request', /body/, String(body))
      }
      expectError(await app.inject({ method: 'POST', url }), 'bad-request', /empty/)
    }
  })

  test('has its own fields only, not those of a prototype', async () => {
    const { post } = await appFixture()
    expectError(await post(DAILY, `{"__proto__":{"day":${DAY}}}`), 'bad-request', /day is missing/)
    expectError(await post(SUMMARY, `{"constructor":{"prototype":{"startDay":${DAY}}}}`), 'bad-request', /missing/)
  })
})

describe('days', () => {
  test('must be integers of the calendar, YYYYMMDD', async () => {
    const { post } = await appFixture()
    const values = [
      undefined,
      null,
      true,
      '20250601',
      [DAY],
      {},
      0,
      -DAY,
      DAY + 0.5,
      20250229,
      20250631,
      20250600,
      1e300,
    ]
    for (const value of values) {
      expectError(
        await post(DAILY, { day: value }),
        'bad-request',
        /^day (is missing|must be).*YYYYMMDD/,
        String(value),
      )
      expectError(
        await post(SUMMARY, { ...RANGE, startDay: value }),
        'bad-request',
        /^startDay (is missing|must be)/,
        String(value),
      )
      expectError(
        await post(SUMMARY, { ...RANGE, endDay: value }),
        'bad-request',
        /^endDay (is missing|must be)/,
        String(value),
      )
    }
    expectError(await post(DAILY, `{"day":1e999}`), 'bad-request', /^day must be/)
  })

  test('may be written in any way that JSON has for the integer', async () => {
    const { post } = await appFixture()
    for (const day of ['20250601', '20250601.0', '2.0250601e7']) {
      expect((await post(DAILY, `{"day":${day}}`)).json().data.day).toBe(DAY)
    }
    expect((await post(DAILY, { day: 20240229 })).statusCode).toBe(200)
  })

  test('nested beyond any stack are refused like other values', async () => {
    const { post } = await appFixture()
    const nested = (levels: number): string => `{"day":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expectError(await post(DAILY, nested(5_000)), 'bad-request')
    expectError(await post(DAILY, nested(400_000)), 'body-too-large')
  })

  test('a range has at most 31 of them, both ends counted, its start not after its end', async () => {
    const { post } = await appFixture()
    expect((await post(SUMMARY, { startDay: 20250501, endDay: 20250531 })).statusCode).toBe(200)
    expect((await post(SUMMARY, { startDay: 20240201, endDay: 20240302 })).statusCode).toBe(200)
    expectError(await post(SUMMARY, { startDay: 20250501, endDay: 20250601 }), 'bad-request', /32 days/)
    expectError(await post(SUMMARY, { startDay: 20250602, endDay: 20250601 }), 'bad-request', /before/)
  })
})
