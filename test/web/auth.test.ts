import crypto, { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, onTestFinished, test } from 'vitest'
import { appFixture, DAILY, expectError } from './app-fixture.ts'
import { bearer, type KeyWish, keyedApp, makeKeys } from './keyed-app.ts'

/** The pairs that are compared in constant time until the test ends. */
function comparedPairs(): [Buffer, Buffer][] {
  const pairs: [Buffer, Buffer][] = []
  const compare = crypto.timingSafeEqual
  crypto.timingSafeEqual = (one, other) => {
    pairs.push([Buffer.from(one as Buffer), Buffer.from(other as Buffer)])
    return compare(one, other)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    crypto.timingSafeEqual = compare
    syncBuiltinESMExports()
  })
  return pairs
}

const DEVICES = '/v1/devices'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** An application that knows one key, whatever text that is. */
const appThatKnows = (key: string) =>
  appFixture({ COOLER_API_KEYS: JSON.stringify([{ name: 'any', scopes: ['admin'], sha256: sha256(key) }]) })

describe('a request is unauthorized', () => {
  test('without a key, and told how to send one', async () => {
    const { app } = await keyedApp({ reader: { scopes: ['read'] } })
    for (const headers of [{}, { authorization: '' }, { authorization: 'Bearer' }, { authorization: 'Basic YTpi' }]) {
      const answer = await app.inject({ url: DEVICES, headers })
      expectError(answer, 'unauthorized', /Authorization: Bearer KEY/, JSON.stringify(headers))
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="cooler-reports"')
    }
  })

  test('with anything but the key itself', async () => {
    const { app, keys } = await keyedApp({ reader: { scopes: ['read'] } })
    const key = keys.reader
    const others = {
      'its hash': sha256(key),
      'its name': 'reader',
      'all but its last character': key.slice(0, -1),
      'one character more': `${key}A`,
      'other case': key.toUpperCase(),
      'without its prefix': key.replace('cooler_', ''),
      padded: `${key}=`,
      twice: `${key}, ${key}`,
      quoted: `"${key}"`,
      'a name of the prototype': '__proto__',
      'another name of it': 'constructor',
      'a wildcard': '*'.repeat(50),
      empty: '',
    }
    for (const [what, other] of Object.entries(others)) {
      expectError(await app.inject({ url: DEVICES, headers: bearer(other) }), 'unauthorized', /key/, what)
      expectError(await app.inject({ url: DEVICES, headers: { 'x-api-key': other } }), 'unauthorized', /key/, what)
    }
  })

  test('with the key anywhere else', async () => {
    const { app, keys } = await keyedApp({ reader: { scopes: ['read'] } })
    const key = keys.reader
    const places = [
      { url: `${DEVICES}?key=${key}&api_key=${key}&access_token=${key}` },
      { url: DEVICES, headers: { cookie: `key=${key}` } },
      { url: DEVICES, headers: { authorization: key } },
      { url: DEVICES, headers: { authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` } },
      { url: DEVICES, headers: { authorization: `Bearer: ${key}` } },
      { url: DEVICES, headers: { authorization: `Token ${key}` } },
    ]
    for (const place of places) expectError(await app.inject(place), 'unauthorized', /key/, JSON.stringify(place))
  })

  test('with a good key in Authorization where X-API-Key has a bad one: that comes first', async () => {
    const { app, keys } = await keyedApp({ reader: { scopes: ['read'] } })
    const headers = { ...bearer(keys.reader), 'x-api-key': 'x'.repeat(50) }
    expectError(await app.inject({ url: DEVICES, headers }), 'unauthorized')
  })

  test('before anything is said of the body, the path, the method or the device', async () => {
    const { ask } = await keyedApp({ reader: { scopes: ['read'] } })
    expectError(await ask(null, 'POST', DAILY, '{'), 'unauthorized')
    expectError(await ask(null, 'POST', '/v1/telemetry', ' '.repeat(33 * 1024 * 1024)), 'unauthorized')
    expectError(await ask(null, 'GET', '/nothing'), 'unauthorized')
    expectError(await ask(null, 'POST', DEVICES), 'unauthorized')
    expectError(await ask(null, 'GET', `${DEVICES}/${'x'.repeat(300)}`), 'unauthorized')
  })
})

describe('a key', () => {
  test('opens by either header, the scheme in any case', async () => {
    const { app, keys } = await keyedApp({ reader: { scopes: ['read'] } })
    const key = keys.reader
    const ways = [bearer(key), { authorization: `bearer ${key}` }, { authorization: `BEARER   ${key}` }]
    const headers = [...ways, { 'x-api-key': key }, { 'x-api-key': key, authorization: 'Basic YTpi' }]
    for (const one of headers) {
      expect((await app.inject({ url: DEVICES, headers: one })).statusCode, JSON.stringify(one)).toBe(200)
    }
  })

  test('may have a name of the prototype', async () => {
    const wishes: [string, KeyWish][] = [
      ['constructor', { scopes: ['read'] }],
      ['hasOwnProperty', { scopes: ['ingest'] }],
      ['__proto__', { scopes: ['admin'] }],
    ]
    const { ask } = await keyedApp(Object.fromEntries(wishes))
    expect((await ask('constructor', 'GET', DEVICES)).statusCode).toBe(200)
    expectError(await ask('hasOwnProperty', 'GET', DEVICES), 'forbidden')
    expect((await ask('__proto__', 'GET', '/v1/rejects')).statusCode).toBe(200)
  })

  test('may be one of your own, of the characters that a Bearer token has', async () => {
    for (const key of ['A'.repeat(22), 'a.b-c_d~e+f/0123456789==', 'x'.repeat(256)]) {
      const { app } = await appThatKnows(key)
      expect((await app.inject({ url: DEVICES, headers: bearer(key) })).statusCode, key).toBe(200)
    }
  })

  test('must not be a short password, nor of other characters, though its hash is known', async () => {
    const odd = ['hunter2', 'A'.repeat(21), 'x'.repeat(257), `${'a'.repeat(30)} b`, `${'ä'.repeat(30)}`]
    for (const key of [...odd, `${'a'.repeat(30)}"`, `${'a'.repeat(30)},`, `${'a'.repeat(30)}===`, '']) {
      const { app } = await appThatKnows(key)
      expectError(await app.inject({ url: DEVICES, headers: bearer(key) }), 'unauthorized', /key/, key)
      expectError(await app.inject({ url: DEVICES, headers: { 'x-api-key': key } }), 'unauthorized', /key/, key)
    }
  })

  test('is compared in constant time with every key there is, by hashes, whichever it is', async () => {
    const wishes = Object.fromEntries(
      Array.from({ length: 7 }, (_, number) => [`k${number}`, { scopes: ['read'] as const }]),
    )
    const { app, keys } = await keyedApp(wishes)
    const lengths: number[] = []
    const compared = comparedPairs()
    for (const key of [keys.k0, keys.k3, keys.k6, 'n'.repeat(50)]) {
      compared.length = 0
      await app.inject({ url: DEVICES, headers: bearer(key) })
      expect(compared.every(([, presented]) => presented.toString('hex') === sha256(key))).toBe(true)
      lengths.push(compared.length)
    }
    expect(lengths).toEqual([7, 7, 7, 7])
  })
})

describe('without keys', () => {
  test('nothing is asked for, and what is sent is not looked at', async () => {
    const { app } = await appFixture()
    for (const headers of [{}, bearer('x'.repeat(50)), { 'x-api-key': '?' }]) {
      expect((await app.inject({ url: DEVICES, headers })).statusCode).toBe(200)
    }
  })

  test('a page of another site cannot change anything through a browser on this machine', async () => {
    const { app } = await appFixture()
    const sent = (method: 'GET' | 'POST' | 'PUT', url: string, site: string) =>
      app.inject({ method, url, headers: { 'sec-fetch-site': site }, payload: '[]' })
    for (const site of ['cross-site', 'same-site']) {
      expectError(await sent('POST', '/v1/telemetry', site), 'forbidden', /another site/)
      expectError(await sent('PUT', `${DEVICES}/a`, site), 'forbidden', /another site/)
    }
    for (const site of ['same-origin', 'none']) expect((await sent('POST', '/v1/telemetry', site)).statusCode).toBe(202)
    expect((await app.inject({ url: DEVICES, headers: { 'sec-fetch-site': 'cross-site' } })).statusCode).toBe(200)
  })

  test('nor through one that says no more than where the page is from', async () => {
    const { app } = await appFixture({ COOLER_INSECURE: '1' })
    const sent = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', origin: string, host = 'localhost:8080') =>
      app.inject({ method, url: '/v1/telemetry', headers: { origin, host }, payload: '[]' })
    const others = [
      'http://evil.example',
      'http://localhost',
      'http://localhost:8081',
      'https://localhost:8443',
      'null',
    ]
    for (const origin of [...others, 'file://', '', 'http://localhost:8080, http://evil.example']) {
      for (const method of ['POST', 'PUT', 'DELETE'] as const)
        expectError(await sent(method, origin), 'forbidden', /another site/, `${method} ${origin}`)
    }
    for (const [origin, host] of [
      ['http://localhost:8080', 'localhost:8080'],
      ['http://localhost:8080', 'LOCALHOST:8080'],
      ['http://127.0.0.1', '127.0.0.1:80'],
      ['https://cooler.example', 'cooler.example'],
      ['https://cooler.example', 'cooler.example:443'],
      ['http://[::1]:8080', '[::1]:8080'],
    ])
      expect((await sent('POST', origin, host)).statusCode, `${origin} ${host}`).toBe(202)
    expect((await sent('GET', 'http://evil.example')).statusCode).toBe(405)
  })

  test('nor can it read anything by a name of its own that it makes mean this machine', async () => {
    const asked = async (host: string, settings = {}) =>
      (await appFixture(settings)).app.inject({ url: DEVICES, headers: { host } })
    for (const host of ['evil.example', 'evil.example:3000', 'localhost.evil.example:80', '192.0.2.1', 'a@b', '::1'])
      expectError(await asked(host), 'forbidden', /without API keys/, host)
    for (const host of ['localhost', 'localhost:3000', '127.0.0.1:3000', '127.9.9.9', '[::1]:3000'])
      expect((await asked(host)).statusCode, host).toBe(200)
    expect((await asked('proxy.example', { COOLER_INSECURE: '1' })).statusCode).toBe(200)
    const { settings, keys } = makeKeys({ reader: { scopes: ['read'] } })
    const { app } = await appFixture(settings)
    const answer = await app.inject({ url: DEVICES, headers: { host: 'api.example', ...bearer(keys.reader) } })
    expect(answer.statusCode).toBe(200)
  })
})

test('healthz and readyz are open, and say nothing beyond that', async () => {
  const { settings } = makeKeys({ reader: { scopes: ['read'] } })
  const { app } = await appFixture(settings)
  expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok' })
  expectError(await app.inject('/readyz'), 'internal', /^internal error$/) // The fixture has no status.
})
