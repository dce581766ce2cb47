import { availableParallelism } from 'node:os'
import { CoolerError } from '../base/errors.ts'
import type { ExceptionLimits } from '../base/exceptions.ts'
import { parseRedisUrl } from '../base/redis-url.ts'
import { isPostgres, serversOf, shownLocation } from '../base/store-location.ts'
import { millisecondsInDay, millisecondsInHour, millisecondsInMinute } from '../base/time.ts'
import { zoneName } from '../base/zone.ts'
import { type ApiKey, readApiKeys } from './api-keys.ts'
import { type MapTiles, mapTilesOf } from './map-tiles.ts'
import { type NotifySettings, notifyOf } from './notify.ts'
import { s3ServerOf } from './s3-server.ts'
import { SETTING_DEFAULTS, SETTINGS, type SettingName } from './settings.ts'

/** Settings in the form that the program uses. SETTINGS lists the variables they come from. */
export interface Config {
  host: string
  port: number
  redisUrl: string | null
  queue: 'redis' | 'direct'
  /** Jobs that may wait in the telemetry queue before batches are refused. */
  backlogLimit: number
  logLevel: string
  store: string
  /** URL of replicas of the store, which reports are read from; null for none. */
  reportStore: string | null
  defaultTimezone: string
  daytime: { startMinute: number; endMinute: number }
  /** From when on a day has an exception. */
  exceptions: ExceptionLimits
  silenceLimitMs: number
  doorCount: 'events' | 'changes'
  /** Raw events older than this are deleted; null keeps them for ever. */
  rawRetentionMs: number | null
  /** Local time at which the day before closes, in minutes after midnight. */
  rollupAtMinute: number
  refreshMs: number
  rejectsKept: number
  bodyLimitBytes: number
  /** Most bytes of cached reports on all devices. */
  reportCacheBytes: number
  threads: number
  /** Whether batches and rollups that go through the queue create OpenTelemetry spans. */
  traces: boolean
  /** Keys that may call the API. Null: no key is needed, and only loopback can call unless `insecure`. */
  apiKeys: readonly ApiKey[] | null
  insecure: boolean
  /** Limit for each key, or for each address that calls without a key; null for no limit. */
  requestsPerMinute: number | null
  /** Most concurrent connections from one address; null for no limit. Loopback is not limited. */
  connectionsPerAddress: number | null
  /** Tiles of the dashboard's map; null shows an outline of the world instead. */
  mapTiles: MapTiles | null
  /** Login at MQTT brokers, of a bridge and for messages. Each part that is set takes precedence over a broker's URL. */
  mqtt: { username: string | null; password: string | null }
  /** By which servers messages go out. */
  notify: NotifySettings
  /** Folder and S3 server that subscriptions may deliver files to; null: not set up. `endpoint` null is Amazon S3. */
  delivery: { folder: string | null; s3: { endpoint: string | null } | null }
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings from the environment; `overrides` take precedence. An empty value counts as not set.
 *
 * @throws CoolerError `bad-configuration`, one line with the variable, its value unless secret, and what it should be.
 */
export function readConfig(overrides: Environment = {}, environment: Environment = process.env): Config {
  const env = { ...environment, ...overrides }
  refuseUnknown(env)
  const text = (name: SettingName): string => {
    const given = env[name]
    return given === undefined || given === '' ? SETTING_DEFAULTS[name] : given
  }
  const redisUrl = redisUrlOf(text('REDIS_URL'))
  const threads = number(text, 'COOLER_THREADS', 0, 64, true)
  const requestsPerMinute = number(text, 'COOLER_RATE_LIMIT', 0, 1e6, true)
  const connectionsPerAddress = number(text, 'COOLER_CONNECTIONS_PER_ADDRESS', 0, 65_536, true)
  const retentionDays = number(text, 'COOLER_RAW_RETENTION_DAYS', 0, 100_000, true)
  return {
    host: text('HOST'),
    port: number(text, 'PORT', 0, 65_535, true),
    redisUrl,
    queue: queueOf(text('COOLER_QUEUE'), redisUrl),
    backlogLimit: number(text, 'COOLER_BACKLOG_LIMIT', 1, 1e9, true),
    logLevel: oneOf(text, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    store: storeOf(text('COOLER_STORE')),
    reportStore: reportStoreOf(text('COOLER_REPORT_STORE'), text('COOLER_STORE')),
    defaultTimezone: zone(text('COOLER_DEFAULT_TIMEZONE')),
    daytime: daytime(text('COOLER_DAYTIME')),
    exceptions: {
      offHours: number(text, 'COOLER_OFF_HOURS', 0, 1e6, false),
      warmAboveSet: number(text, 'COOLER_WARM_ABOVE_SET', -100, 200, false),
      warmAbove: number(text, 'COOLER_WARM_ABOVE', -100, 200, false),
      silentHours: number(text, 'COOLER_SILENT_HOURS', 0, 1e6, false),
    },
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
    connectionsPerAddress: connectionsPerAddress === 0 ? null : connectionsPerAddress,
    mapTiles: mapTilesOf(text('COOLER_MAP_TILES'), text('COOLER_MAP_ATTRIBUTION')),
    mqtt: { username: text('COOLER_MQTT_USERNAME') || null, password: text('COOLER_MQTT_PASSWORD') || null },
    notify: notifyOf(text, oneOf(text, 'COOLER_WEBHOOK_PRIVATE', ['0', '1']) === '1'),
    delivery: { folder: text('COOLER_DELIVERY_FOLDER') || null, s3: s3ServerOf(text('COOLER_S3_ENDPOINT')) },
  }
}

/** Returns the names of the settings that are set in the environment, in the order of SETTINGS. */
export const givenSettings = (environment: Environment = process.env): SettingName[] =>
  SETTINGS.map(({ name }) => name).filter((name) => (environment[name] ?? '') !== '')

/** Returns COOLER_API_KEYS as it is set, or '' if it is not set. */
export const apiKeysSetting = (environment: Environment = process.env): string => environment.COOLER_API_KEYS ?? ''

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
    // The message omits the URL itself, because it may hold a password.
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
  if (isPostgres(value)) serversOf(value)
  else if (/^[a-z]+:\/\//i.test(value)) throw bad('COOLER_STORE', value, 'a file, or a postgres:// URL')
  return value
}

function reportStoreOf(value: string, store: string): string | null {
  if (value === '') return null
  if (!isPostgres(value)) throw bad('COOLER_REPORT_STORE', shownLocation(value), 'a postgres:// URL')
  if (!isPostgres(store))
    throw bad('COOLER_REPORT_STORE', shownLocation(value), 'left out where COOLER_STORE is a file')
  serversOf(value, 'COOLER_REPORT_STORE')
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

/** Returns the minutes after midnight of HH:MM, or null if the text is not a time or the time is after `max`. */
function minuteOf(text: string, max: number): number | null {
  const match = /^(\d\d):([0-5]\d)$/.exec(text.trim())
  const minute = match ? Number(match[1]) * 60 + Number(match[2]) : Infinity
  return minute <= max ? minute : null
}
