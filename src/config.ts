import { availableParallelism } from 'node:os'
import { type ApiKey, readApiKeys } from './api-keys.ts'
import { parseRedisUrl } from './enqueue/redis-url.ts'
import { CoolerError } from './errors.ts'
import { type MapTiles, mapTilesOf } from './map-tiles.ts'
import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from './time.ts'
import { zoneName } from './zone.ts'

/** Settings as the program uses them; where each comes from stands in SETTINGS. */
export interface Config {
  host: string
  port: number
  redisUrl: string | null
  queue: 'redis' | 'direct'
  /** Jobs that may wait in the telemetry queue before batches are refused. */
  backlogLimit: number
  logLevel: string
  store: string
  defaultTimezone: string
  daytime: { startMinute: number; endMinute: number }
  silenceLimitMs: number
  doorCount: 'events' | 'changes'
  /** Raw events older than this are deleted; null keeps them for ever. */
  rawRetentionMs: number | null
  /** Local wall clock at which a day closes, in minutes after midnight. */
  rollupAtMinute: number
  refreshMs: number
  rejectsKept: number
  bodyLimitBytes: number
  /** Most bytes of reports of all devices that are kept. */
  reportCacheBytes: number
  threads: number
  /** Whether batches and rollups that go through the queue make OpenTelemetry spans. */
  traces: boolean
  /** Who may call the API; null: whoever reaches it, which is loopback only unless `insecure`. */
  apiKeys: readonly ApiKey[] | null
  insecure: boolean
  /** Of one key, or of one address without a key; null for no limit. */
  requestsPerMinute: number | null
  /** What the map of the dashboard shows; null: an outline of the world. */
  mapTiles: MapTiles | null
}

interface Setting {
  name: string
  default: string
  about: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Every environment variable that is read, here and nowhere else. An unknown COOLER_* name stops the start. */
export const SETTINGS = [
  { name: 'HOST', default: '127.0.0.1', about: 'address the server listens on' },
  { name: 'PORT', default: '8080', about: 'port the server listens on, 0 to 65535; 0 takes a free one' },
  {
    name: 'REDIS_URL',
    default: '',
    about: 'redis://, rediss:// or redis+unix:// URL, or the path of a socket; none: no queue',
  },
  { name: 'LOG_LEVEL', default: 'info', about: 'fatal, error, warn, info, debug, trace or silent' },
  { name: 'COOLER_STORE', default: './data/cooler.sqlite', about: 'file of the store' },
  { name: 'COOLER_QUEUE', default: '', about: 'redis or direct; redis where REDIS_URL is set, else direct' },
  {
    name: 'COOLER_BACKLOG_LIMIT',
    // 5 million events in batches of 500: some 500 MB of Redis, and some minutes of landing.
    default: '10000',
    about: 'batches that may wait in the queue, 1 to 10^9; beyond it further ones are refused for the moment',
  },
  {
    name: 'COOLER_API_KEYS',
    default: '',
    about: 'path of a JSON file of API keys, or the JSON array itself; none: everybody may call, on loopback only',
  },
  { name: 'COOLER_INSECURE', default: '0', about: '1: without API keys HOST may be any address' },
  { name: 'COOLER_RATE_LIMIT', default: '0', about: 'requests a minute of one key, 0 to 1000000; 0: no limit' },
  { name: 'COOLER_DEFAULT_TIMEZONE', default: 'UTC', about: 'IANA zone of a placement that names none' },
  {
    name: 'COOLER_DAYTIME',
    default: '06:00-18:00',
    about: 'daytime by the local wall clock, HH:MM-HH:MM, up to 24:00',
  },
  { name: 'COOLER_SILENCE_LIMIT_HOURS', default: '168', about: 'hours of a silence that still count, above 0' },
  { name: 'COOLER_DOOR_COUNT', default: 'events', about: 'events: each report counts; changes: only a changed state' },
  {
    name: 'COOLER_RAW_RETENTION_DAYS',
    default: '400',
    about: 'days for which late events are taken; raw events are deleted three days later; 0 keeps them for ever',
  },
  {
    name: 'COOLER_ROLLUP_AT',
    default: '00:20',
    about: 'local time of each zone at which the day before closes, HH:MM',
  },
  {
    name: 'COOLER_REFRESH_MINUTES',
    default: '15',
    about: 'minutes between rollups of today and of late days; fractions allowed',
  },
  {
    name: 'COOLER_REJECTS_KEPT',
    default: '100000',
    about: 'rejected events kept; beyond it the oldest are dropped, and counted',
  },
  {
    name: 'COOLER_REPORT_CACHE_MB',
    default: '128',
    about: 'MiB of reports of all devices that are kept until a rollup changes them, 0 to 65536; 0: none',
  },
  { name: 'COOLER_BODY_LIMIT_MB', default: '32', about: 'largest request body in MiB, 1 to 512' },
  {
    name: 'COOLER_THREADS',
    default: '0',
    about: 'threads that roll up, and that land files, 1 to 64; 0: one for each core',
  },
  { name: 'COOLER_TRACES', default: '0', about: '1: OpenTelemetry spans of what goes through the queue' },
  { name: 'COOLER_MAP_TILES', default: '', about: 'URL of map tiles with {z}, {x} and {y}; none: an outline' },
  { name: 'COOLER_MAP_ATTRIBUTION', default: '', about: 'whose map tiles these are, as their makers want it told' },
] as const satisfies readonly Setting[]

type SettingName = (typeof SETTINGS)[number]['name']

const DEFAULTS = Object.fromEntries(SETTINGS.map((setting) => [setting.name, setting.default])) as Record<
  SettingName,
  string
>

/**
 * Reads the settings from the environment; `overrides` come before it. An empty value is as good as none.
 *
 * @throws CoolerError `bad-configuration`, one line that names the variable, its value and what it should be.
 */
export function readConfig(overrides: Environment = {}, environment: Environment = process.env): Config {
  const env = { ...environment, ...overrides }
  refuseUnknown(env)
  const text = (name: SettingName): string => {
    const given = env[name]
    return given === undefined || given === '' ? DEFAULTS[name] : given
  }
  const redisUrl = redisUrlOf(text('REDIS_URL'))
  const threads = number(text, 'COOLER_THREADS', 0, 64, true)
  const requestsPerMinute = number(text, 'COOLER_RATE_LIMIT', 0, 1e6, true)
  const retentionDays = number(text, 'COOLER_RAW_RETENTION_DAYS', 0, 100_000, true)
  return {
    host: text('HOST'),
    port: number(text, 'PORT', 0, 65_535, true),
    redisUrl,
    queue: queueOf(text('COOLER_QUEUE'), redisUrl),
    backlogLimit: number(text, 'COOLER_BACKLOG_LIMIT', 1, 1e9, true),
    logLevel: oneOf(text, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    store: storeOf(text('COOLER_STORE')),
    defaultTimezone: zone(text('COOLER_DEFAULT_TIMEZONE')),
    daytime: daytime(text('COOLER_DAYTIME')),
    silenceLimitMs: Math.round(number(text, 'COOLER_SILENCE_LIMIT_HOURS', 1e-3, 1e6, false) * millisecondsInHour),
    doorCount: oneOf(text, 'COOLER_DOOR_COUNT', ['events', 'changes']),
    rawRetentionMs: retentionDays === 0 ? null : retentionDays * millisecondsInDay,
    rollupAtMinute: timeOfDay(text, 'COOLER_ROLLUP_AT'),
    refreshMs: Math.round(number(text, 'COOLER_REFRESH_MINUTES', 1e-3, 1440, false) * millisecondsInMinute),
    rejectsKept: number(text, 'COOLER_REJECTS_KEPT', 0, 1e9, true),
    reportCacheBytes: number(text, 'COOLER_REPORT_CACHE_MB', 0, 65_536, true) * 1024 * 1024,
    bodyLimitBytes: number(text, 'COOLER_BODY_LIMIT_MB', 1, 512, true) * 1024 * 1024,
    threads: threads === 0 ? Math.max(1, Math.min(64, availableParallelism())) : threads,
    traces: oneOf(text, 'COOLER_TRACES', ['0', '1']) === '1',
    apiKeys: text('COOLER_API_KEYS') === '' ? null : readApiKeys(text('COOLER_API_KEYS')),
    insecure: oneOf(text, 'COOLER_INSECURE', ['0', '1']) === '1',
    requestsPerMinute: requestsPerMinute === 0 ? null : requestsPerMinute,
    mapTiles: mapTilesOf(text('COOLER_MAP_TILES'), text('COOLER_MAP_ATTRIBUTION')),
  }
}

function refuseUnknown(env: Environment): void {
  const names = new Set<string>(SETTINGS.map(({ name }) => name))
  const unknown = Object.keys(env).filter((name) => name.startsWith('COOLER_') && !names.has(name))
  if (unknown.length === 0) return
  const known = [...names].filter((name) => name.startsWith('COOLER_')).join(', ')
  throw new CoolerError('bad-configuration', `${unknown.join(', ')}: no such setting; there are ${known}`)
}

type Text = (name: SettingName) => string

const bad = (name: SettingName, value: string, right: string): CoolerError =>
  new CoolerError('bad-configuration', `${name} is ${JSON.stringify(value)}: it must be ${right}`)

function number(text: Text, name: SettingName, min: number, max: number, whole: boolean): number {
  const value = Number(text(name))
  const fits = text(name).trim() !== '' && value >= min && value <= max && (!whole || Number.isInteger(value))
  if (!fits) throw bad(name, text(name), `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`)
  return value
}

function oneOf<Value extends string>(text: Text, name: SettingName, values: readonly Value[]): Value {
  const value = values.find((one) => one === text(name))
  if (value === undefined) throw bad(name, text(name), `one of ${values.join(', ')}`)
  return value
}

function redisUrlOf(value: string): string | null {
  if (value === '') return null
  try {
    parseRedisUrl(value)
    return value
  } catch (error) {
    // The URL itself is not repeated: it may hold a password.
    throw new CoolerError('bad-configuration', `REDIS_URL is ${(error as Error).message}`, { cause: error })
  }
}

function queueOf(value: string, redisUrl: string | null): 'redis' | 'direct' {
  if (value === '') return redisUrl === null ? 'direct' : 'redis'
  if (value === 'direct') return 'direct'
  if (value !== 'redis') throw bad('COOLER_QUEUE', value, 'redis or direct')
  if (redisUrl === null) throw bad('COOLER_QUEUE', value, 'direct as long as REDIS_URL is not set')
  return 'redis'
}

function storeOf(value: string): string {
  if (/^[a-z]+:\/\//i.test(value)) throw bad('COOLER_STORE', value, 'a file: other engines are not there yet')
  return value
}

function zone(value: string): string {
  const name = zoneName(value)
  if (name === null) throw bad('COOLER_DEFAULT_TIMEZONE', value, 'an IANA time zone name, such as Europe/Berlin')
  return name
}

function daytime(value: string): { startMinute: number; endMinute: number } {
  const [start = '', end = '', ...more] = value.split('-')
  const startMinute = minuteOf(start, 1440)
  const endMinute = minuteOf(end, 1440)
  if (startMinute === null || endMinute === null || more.length > 0 || startMinute > endMinute) {
    throw bad('COOLER_DAYTIME', value, 'a span within one day as HH:MM-HH:MM, up to 24:00, its start not after its end')
  }
  return { startMinute, endMinute }
}

function timeOfDay(text: Text, name: SettingName): number {
  const minute = minuteOf(text(name), 1439)
  if (minute === null) throw bad(name, text(name), 'a time of day as HH:MM')
  return minute
}

/** Minutes after midnight of HH:MM, or null where the text is none or the time later than `max`. */
function minuteOf(text: string, max: number): number | null {
  const match = /^(\d\d):([0-5]\d)$/.exec(text.trim())
  const minute = match ? Number(match[1]) * 60 + Number(match[2]) : Infinity
  return minute <= max ? minute : null
}
