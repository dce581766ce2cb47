import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { type Config, readConfig, SETTINGS } from '../src/config.ts'
import { CoolerError } from '../src/errors.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const DEFAULTS: Config = {
  host: '127.0.0.1',
  port: 8080,
  redisUrl: null,
  queue: 'direct',
  backlogLimit: 10_000,
  logLevel: 'info',
  store: './data/cooler.sqlite',
  defaultTimezone: 'UTC',
  daytime: { startMinute: 360, endMinute: 1080 },
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
  insecure: false,
  requestsPerMinute: null,
  mapTiles: null,
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

const TILES = 'https://tiles.example.org/{z}/{x}/{y}.png'
const NO_TILES = [
  'tiles.example.org/{z}/{x}/{y}.png',
  'ftp://tiles.example.org/{z}/{x}/{y}.png',
  'https://tiles.example.org/{z}/{x}.png',
  'https://{s}.tiles.example.org/{z}/{x}/{y}.png',
  'https://tiles.example.org/{z}/{x}/{y}{r}.png',
  'https://{x}.example.org/{z}/{x}/{y}.png',
  'https://user:s3cret@tiles.example.org/{z}/{x}/{y}.png',
  'https://*.example.org/{z}/{x}/{y}.png',
  "https://example.org;default-src'self'/{z}/{x}/{y}.png",
  'https://example.org:99999/{z}/{x}/{y}.png',
  'http://[::1]/{z}/{x}/{y}.png',
  'https://tiles.example.org/{z}/{x}/{y} .png',
  '/{z}/{x}/{y}.png',
]

/** Values that a variable may have, with what they make of the configuration. */
const TAKEN: readonly [name: string, value: string, made: Partial<Config>][] = [
  ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65_535 }],
  ['REDIS_URL', 'redis://127.0.0.1:6379/1', { redisUrl: 'redis://127.0.0.1:6379/1', queue: 'redis' }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
  ['COOLER_STORE', 'C:\\data\\store.sqlite', { store: 'C:\\data\\store.sqlite' }],
  ['COOLER_QUEUE', 'direct', { queue: 'direct' }],
  ['COOLER_BACKLOG_LIMIT', '1', { backlogLimit: 1 }],
  ['COOLER_BACKLOG_LIMIT', '1000000000', { backlogLimit: 1e9 }],
  [
    'COOLER_API_KEYS',
    JSON.stringify([{ name: 'a', scopes: ['read'], sha256: 'ab'.repeat(32) }]),
    { apiKeys: [{ name: 'a', scopes: ['read'], hash: Buffer.alloc(32, 0xab), devices: null }] },
  ],
  ['COOLER_INSECURE', '1', { insecure: true }],
  ['COOLER_INSECURE', '0', { insecure: false }],
  ['COOLER_RATE_LIMIT', '1', { requestsPerMinute: 1 }],
  ['COOLER_RATE_LIMIT', '1000000', { requestsPerMinute: 1_000_000 }],
  ['COOLER_DEFAULT_TIMEZONE', 'Europe/Berlin', { defaultTimezone: 'Europe/Berlin' }],
  ['COOLER_DAYTIME', '00:00-24:00', { daytime: { startMinute: 0, endMinute: 1440 } }],
  ['COOLER_DAYTIME', '22:30-22:30', { daytime: { startMinute: 1350, endMinute: 1350 } }],
  ['COOLER_SILENCE_LIMIT_HOURS', '0.001', { silenceLimitMs: 3600 }],
  ['COOLER_SILENCE_LIMIT_HOURS', '1000000', { silenceLimitMs: 1e6 * HOUR_MS }],
  ['COOLER_DOOR_COUNT', 'changes', { doorCount: 'changes' }],
  ['COOLER_DOOR_COUNT', 'events', { doorCount: 'events' }],
  ['COOLER_RAW_RETENTION_DAYS', '0', { rawRetentionMs: null }],
  ['COOLER_RAW_RETENTION_DAYS', '1', { rawRetentionMs: DAY_MS }],
  ['COOLER_RAW_RETENTION_DAYS', '100000', { rawRetentionMs: 100_000 * DAY_MS }],
  ['COOLER_ROLLUP_AT', '00:00', { rollupAtMinute: 0 }],
  ['COOLER_ROLLUP_AT', '23:59', { rollupAtMinute: 1439 }],
  ['COOLER_REFRESH_MINUTES', '0.05', { refreshMs: 3000 }],
  ['COOLER_REFRESH_MINUTES', '0.001', { refreshMs: 60 }],
  ['COOLER_REFRESH_MINUTES', '1440', { refreshMs: DAY_MS }],
  ['COOLER_REJECTS_KEPT', '0', { rejectsKept: 0 }],
  ['COOLER_REJECTS_KEPT', '1000000000', { rejectsKept: 1e9 }],
  ['COOLER_REPORT_CACHE_MB', '0', { reportCacheBytes: 0 }],
  ['COOLER_REPORT_CACHE_MB', '64', { reportCacheBytes: 64 * 1024 * 1024 }],
  ['COOLER_BODY_LIMIT_MB', '1', { bodyLimitBytes: 1024 * 1024 }],
  ['COOLER_BODY_LIMIT_MB', '512', { bodyLimitBytes: 512 * 1024 * 1024 }],
  ['COOLER_THREADS', '1', { threads: 1 }],
  ['COOLER_THREADS', '64', { threads: 64 }],
  ['COOLER_TRACES', '0', { traces: false }],
  ['COOLER_TRACES', '1', { traces: true }],
  ['COOLER_MAP_TILES', TILES, { mapTiles: { template: TILES, origin: 'https://tiles.example.org', attribution: '' } }],
  ['COOLER_MAP_ATTRIBUTION', '© The makers', {}],
]

/** Values that a variable must not have, with what its message says is right. */
const REFUSED: readonly [name: string, right: string, ...values: string[]][] = [
  ['PORT', 'a whole number from 0 to 65535', '-1', '65536', '80.5', 'http', ' ', 'NaN', 'Infinity', '8080,8081'],
  ['LOG_LEVEL', 'one of fatal, error, warn, info, debug, trace, silent', 'verbose', 'INFO', 'info '],
  ['COOLER_STORE', 'a file: other engines are not there yet', 'postgres://localhost/cooler', 'MYSQL://x'],
  ['COOLER_QUEUE', 'redis or direct', 'Redis', 'none'],
  ['COOLER_QUEUE', 'direct as long as REDIS_URL is not set', 'redis'],
  ['COOLER_BACKLOG_LIMIT', 'a whole number from 1 to 1000000000', '0', '-1', '1.5', '1000000001', 'none'],
  ['COOLER_INSECURE', 'one of 0, 1', 'true', 'yes', '2', ' 1'],
  ['COOLER_RATE_LIMIT', 'a whole number from 0 to 1000000', '-1', '1.5', '1000001', '100/min'],
  ['COOLER_DEFAULT_TIMEZONE', 'an IANA time zone name, such as Europe/Berlin', 'Berlin', '+02:00', 'PST', 'UTC+3'],
  ['COOLER_DAYTIME', 'a span within one day as HH:MM-HH:MM', '06:00', '06:00-12:00-18:00', '06:00\u201318:00'],
  ['COOLER_DAYTIME', 'a span within one day as HH:MM-HH:MM', '18:00-06:00'],
  ['COOLER_SILENCE_LIMIT_HOURS', 'a number from 0.001 to 1000000', '0', '-1', '0.0009', '1000001', 'one', '1h'],
  ['COOLER_DOOR_COUNT', 'one of events, changes', 'change', 'Events'],
  ['COOLER_RAW_RETENTION_DAYS', 'a whole number from 0 to 100000', '-1', '0.5', '100001', 'for ever'],
  ['COOLER_ROLLUP_AT', 'a time of day as HH:MM', '24:00', '0:20', '00:60', '00:20:00', '20', 'midnight'],
  ['COOLER_REFRESH_MINUTES', 'a number from 0.001 to 1440', '0', '-15', '0.0001', '1440.1', '15m'],
  ['COOLER_REJECTS_KEPT', 'a whole number from 0 to 1000000000', '-1', '1.5', '1000000001', 'all'],
  ['COOLER_REPORT_CACHE_MB', 'a whole number from 0 to 65536', '-1', '65537', '1.5', '64MB'],
  ['COOLER_BODY_LIMIT_MB', 'a whole number from 1 to 512', '0', '513', '1.5', '32MB'],
  ['COOLER_THREADS', 'a whole number from 0 to 64', '-1', '65', '1.5', 'all'],
  ['COOLER_TRACES', 'one of 0, 1', 'true', 'otlp', '2'],
  ['COOLER_MAP_TILES', 'an http or https URL with {z}, {x} and {y} in its path', ...NO_TILES],
  ['COOLER_MAP_ATTRIBUTION', 'one line of at most 200 characters', 'x'.repeat(201), 'a\nb', 'a\u0000b'],
]

describe('a setting', () => {
  test('has its default where its variable is not there or empty', () => {
    expect(configOf({})).toEqual(DEFAULTS)
    expect(configOf(Object.fromEntries(SETTINGS.map(({ name }) => [name, ''])))).toEqual(DEFAULTS)
    expect(configOf(Object.fromEntries(SETTINGS.map(({ name }) => [name, undefined])))).toEqual(DEFAULTS)
  })

  test('has its default spelled out, so that setting it to that changes nothing', () => {
    expect(configOf(Object.fromEntries(SETTINGS.map((setting) => [setting.name, setting.default])))).toEqual(DEFAULTS)
  })

  test.each(TAKEN)('%s may be %j', (name, value, made) => {
    expect(configOf({ [name]: value })).toEqual({ ...DEFAULTS, ...made })
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
    for (const url of ['http://:s3cret@host', 's3cret', 'redis://:s3cret@host/x', 'redis://host?s3cret=1&db=x']) {
      const error = refusal({ REDIS_URL: url })
      expect(error.code).toBe('bad-configuration')
      expect(error.message).toMatch(/^REDIS_URL is .+$/)
      expect(error.message).not.toContain(url)
    }
  })

  test('is each among those that these tests take and refuse', () => {
    const free = ['HOST', 'REDIS_URL', 'COOLER_API_KEYS'] // What keys are refused stands in api-keys.test.ts.
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
        new RegExp(`^${name}: no such setting; there are COOLER_STORE, .*COOLER_MAP_ATTRIBUTION$`),
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
