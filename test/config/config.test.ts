import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { CoolerError } from '../../src/base/errors.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { DAY_MS, HOUR_MS, NOTIFY, REFUSED, TAKEN } from './config-values.ts'

const DEFAULTS: Config = {
  host: '127.0.0.1',
  port: 8080,
  redisUrl: null,
  queue: 'direct',
  backlogLimit: 10_000,
  logLevel: 'info',
  store: './data/cooler.sqlite',
  reportStore: null,
  defaultTimezone: 'UTC',
  daytime: { startMinute: 360, endMinute: 1080 },
  exceptions: { offHours: 4, warmAboveSet: 4, warmAbove: 10, silentHours: 24 },
  silenceLimitMs: 168 * HOUR_MS,
  doorCount: 'events',
  rawRetentionMs: 400 * DAY_MS,
  rollupAtMinute: 20,
  refreshMs: 15 * 60_000,
  rejectsKept: 100_000,
  reportCacheBytes: 128 * 1024 * 1024,
  bodyLimitBytes: 32 * 1024 * 1024,
  threads: Math.min(64, availableParallelism()),
  traces: false,
  apiKeys: null,
  connectionsPerAddress: 256,
  insecure: false,
  requestsPerMinute: null,
  mapTiles: null,
  mqtt: { username: null, password: null },
  notify: NOTIFY,
  delivery: { folder: null, s3: null },
}

/** In an environment that holds nothing else. */
const configOf = (env: Record<string, string | undefined>): Config => readConfig(env, {})

function refusal(env: Record<string, string>): CoolerError {
  try {
    configOf(env)
  } catch (error) {
    expect(error).toBeInstanceOf(CoolerError)
    return error as CoolerError
  }
  throw new Error(`${JSON.stringify(env)} was taken`)
}

const allOf = (value: string | undefined) => Object.fromEntries(SETTINGS.map(({ name }) => [name, value]))

describe('a setting', () => {
  test('has its default where its variable is not there or empty', () => {
    expect(configOf({})).toEqual(DEFAULTS)
    for (const value of ['', undefined]) expect(configOf(allOf(value))).toEqual(DEFAULTS)
  })

  test('has its default spelled out, so that setting it to that changes nothing', () => {
    expect(configOf(Object.fromEntries(SETTINGS.map((one) => [one.name, one.default])))).toEqual(DEFAULTS)
  })

  test.each(TAKEN)('%s may be %j', (name, value, made) => {
    const store = made.store ?? DEFAULTS.store
    expect(configOf({ COOLER_STORE: store, [name]: value })).toEqual({ ...DEFAULTS, ...made })
  })

  test.each(REFUSED.flatMap(([name, right, ...values]) => values.map((value) => [name, value, right] as const)))(
    '%s must not be %j',
    (name, value, right) => {
      const error = refusal({ [name]: value })
      expect(error.code).toBe('bad-configuration')
      expect(error.message).toContain(`${name} is ${JSON.stringify(value)}: it must be ${right}`)
    },
  )

  test('is spoken of in one line, whatever its value', () => {
    for (const name of ['PORT', 'LOG_LEVEL', 'COOLER_DAYTIME', 'COOLER_ROLLUP_AT', 'COOLER_DEFAULT_TIMEZONE']) {
      const { message } = refusal({ [name]: 'a\nb\r\nc' })
      expect(message).toMatch(new RegExp(`^${name} is "a\\\\nb\\\\r\\\\nc": .+$`))
    }
  })

  test.each(['6:00-18:00', '06:00-24:01', '06:60-18:00', '06-18', '-', 'a-b'])(
    'COOLER_DAYTIME must not be %j, either',
    (value) => {
      expect(refusal({ COOLER_DAYTIME: value })).toMatchObject({
        code: 'bad-configuration',
        message: expect.stringMatching(/^COOLER_DAYTIME is .+$/),
      })
    },
  )

  test('is told of with its whole value, where that is a daytime', () => {
    expect(refusal({ COOLER_DAYTIME: '06:00-24:01' }).message).toMatch(/"06:00-24:01".*HH:MM-HH:MM/)
  })

  test('that is no Redis URL is refused without its text, which may hold a password', () => {
    for (const url of [
      'http://:s3cret@host',
      's3cret',
      'redis://:s3cret@host/x',
      'redis://host?s3cret=1&db=x',
      'redis+cluster://:s3cret@',
    ]) {
      const error = refusal({ REDIS_URL: url })
      expect(error.code).toBe('bad-configuration')
      expect(error.message).toMatch(/^REDIS_URL is .+$/)
      expect(error.message).not.toContain(url)
    }
  })

  test('that is no URL of a mail server or broker is refused without its text, which may hold a password', () => {
    const rests = [
      'user:s3cret@',
      '',
      'user:s3cret@host/path',
      'host?s3cret=1',
      'host#s3cret',
      '%s3cret@host',
      'host:99999',
    ]
    for (const [name, scheme] of [
      ['COOLER_SMTP_URL', 'smtp'],
      ['COOLER_NOTIFY_MQTT_URL', 'mqtts'],
    ]) {
      for (const url of ['s3cret', 'http://u:s3cret@host', ...rests.map((rest) => `${scheme}://${rest}`)]) {
        const { code, message } = refusal({ [name]: url })
        expect([code, message]).toEqual([
          'bad-configuration',
          expect.stringMatching(new RegExp(`^${name} must be .+$`)),
        ])
        expect(message).not.toContain('s3cret')
      }
    }
  })

  test('that may hold the login of a bucket is refused without its text', () => {
    const { code, message } = refusal({ COOLER_S3_ENDPOINT: 'https://key:s3cret@example.org' })
    expect(code).toBe('bad-configuration')
    expect(message).toMatch(/^COOLER_S3_ENDPOINT must be aws, or .+$/)
    expect(message).not.toContain('s3cret')
  })

  test('is each among those that these tests take and refuse', () => {
    const free = [
      ...['HOST', 'REDIS_URL', 'COOLER_MQTT_USERNAME', 'COOLER_MQTT_PASSWORD', 'COOLER_DELIVERY_FOLDER'],
      ...['COOLER_SMTP_URL', 'COOLER_NOTIFY_MQTT_URL'], // What is refused of URLs with a password stands above.
      'COOLER_API_KEYS', // What keys are refused stands in api-keys.test.ts.
    ]
    const names: string[] = SETTINGS.map(({ name }) => name)
    expect([...new Set(TAKEN.map(([name]) => name))]).toEqual(names)
    expect([...free, ...new Set(REFUSED.map(([name]) => name))].sort()).toEqual([...names].sort())
  })
})

test('the queue is in Redis where there is one, unless it is to be direct', () => {
  const redis = { REDIS_URL: '/run/redis.sock' }
  expect(configOf({ ...redis, COOLER_QUEUE: 'redis' })).toMatchObject({ queue: 'redis' })
  expect(configOf({ ...redis, COOLER_QUEUE: 'direct' })).toMatchObject({ queue: 'direct' })
})

test('map tiles have one origin, and are whose the attribution says', () => {
  const template = 'HTTP://Tiles.Example.org:8081/a/{x}-{y}-{z}?key=1&z={z}'
  const attribution = '© The <makers> & "others"'
  expect(configOf({ COOLER_MAP_TILES: template, COOLER_MAP_ATTRIBUTION: attribution }).mapTiles).toEqual({
    template,
    origin: 'http://tiles.example.org:8081',
    attribution,
  })
})

test('what is given beside the environment comes before it', () => {
  const environment = { PORT: '1', HOST: 'example.net', COOLER_QUEUE: 'direct' }
  expect(readConfig({ PORT: '2', COOLER_THREADS: '5' }, environment)).toEqual({
    ...DEFAULTS,
    host: 'example.net',
    port: 2,
    threads: 5,
  })
  expect(() => readConfig({}, { COOLER_PORT: '1' })).toThrow('COOLER_PORT: no such setting')
})

describe('a variable that begins with COOLER_', () => {
  test.each(['COOLER_', 'COOLER_TIMEZONE', 'COOLER_store', 'COOLER_PORT', 'COOLER_DAYTIME_'])(
    '%s is refused',
    (name) => {
      const error = refusal({ [name]: '', COOLER_DAYTIME: '06:00-18:00' })
      expect(error.code).toBe('bad-configuration')
      expect(error.message).toMatch(
        new RegExp(`^${name}: no such setting; there are COOLER_STORE, .*${SETTINGS.at(-1)?.name}$`),
      )
    },
  )

  test('is told of together with all the others that are refused', () => {
    expect(refusal({ COOLER_A: '1', COOLER_B: '2' }).message).toMatch(/^COOLER_A, COOLER_B: no such setting/)
  })

  test('is the only kind that must be known', () => {
    expect(configOf({ PATH: '/bin', cooler_store: 'x', MY_COOLER_STORE: 'x' })).toEqual(DEFAULTS)
  })
})
