import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { DeviceLimit } from '../base/device-limit.ts'
import { CoolerError } from '../base/errors.ts'
import { checkLabels, type Labels } from '../base/labels.ts'

/** Permissions that a key may have; `admin` includes all of them. */
export const SCOPES = ['read', 'ingest', 'admin'] as const

export type Scope = (typeof SCOPES)[number]

/** A key in memory. Only its hash is held, never the key itself. */
export interface ApiKey {
  name: string
  scopes: readonly Scope[]
  /** SHA-256 of the key. */
  hash: Buffer
  /** Null for all devices. */
  devices: DeviceLimit | null
  /** If set, the key is limited to devices with all of these labels: `devices` has none until they are looked up. */
  labels: Labels | null
}

/** An entry of COOLER_API_KEYS. */
export interface ApiKeyEntry {
  name: string
  scopes: readonly Scope[]
  /** In hexadecimal digits. */
  sha256: string
  devices?: readonly string[]
  prefix?: string
  labels?: Labels
}

/** A request is compared with every key, so that timing reveals nothing. 1000 keys take about 0.2 ms. */
const MOST_KEYS = 1000
/** Most device ids of one key. They are sent to a thread with each large report. */
const MOST_DEVICES = 10_000

/** 256 random bits need no deliberately slow hash, which would cost too much for each request anyway. */
const KEY_BYTES = 32
/** Lets people and secret scanners recognise a leaked key. */
const KEY_PREFIX = 'cooler_'

/** Returns the SHA-256 of a key; an entry has it in hexadecimal as `sha256`. */
export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Makes a new random key and its entry. The key is stored nowhere; only its hash goes into the entry. */
export function makeKey(about: Omit<ApiKeyEntry, 'sha256'>): { key: string; entry: ApiKeyEntry } {
  const key = `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`
  const entry = { ...about, sha256: hashOf(key).toString('hex') }
  entryOf(entry)
  return { key, entry }
}

/**
 * Reads the keys of COOLER_API_KEYS, which is a JSON array of entries or the path of a file that holds such an array.
 *
 * @throws CoolerError `bad-configuration`, one line. The message does not quote the value, which may be a key that was
 *   put there by mistake.
 */
export function readApiKeys(value: string): ApiKey[] {
  const entries = parsed(value.trimStart().startsWith('[') ? value : fileText(value))
  if (!Array.isArray(entries)) throw bad('must be a JSON array of entries')
  if (entries.length === 0 || entries.length > MOST_KEYS) throw bad(`must have 1 to ${MOST_KEYS} entries`)
  const keys = entries.map((entry, index) => {
    try {
      return entryOf(entry)
    } catch (error) {
      throw bad(`entry ${index + 1}: ${(error as Error).message}`)
    }
  })
  refuseRepeats(
    keys.map(({ name }) => name),
    'name',
  )
  refuseRepeats(
    keys.map(({ hash }) => hash.toString('hex')),
    'key',
  )
  return keys
}

const bad = (message: string): CoolerError => new CoolerError('bad-configuration', `COOLER_API_KEYS: ${message}`)

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw bad(`neither a JSON array nor the path of a file that can be read (${code ?? 'bad path'})`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    // The message of JSON.parse is dropped because it quotes part of the text.
    throw bad('is not JSON')
  }
}

function refuseRepeats(texts: readonly string[], what: string): void {
  const second = texts.findIndex((text, index) => texts.indexOf(text) !== index)
  if (second >= 0) throw bad(`entries ${texts.indexOf(texts[second]) + 1} and ${second + 1} have the same ${what}`)
}

const FIELDS = ['name', 'scopes', 'sha256', 'devices', 'prefix', 'labels']

/** Checks an entry and converts it to a key. @throws TypeError that says what is wrong with the entry. */
function entryOf(entry: unknown): ApiKey {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw new TypeError('must be an object')
  const unknown = Object.keys(entry).filter((field) => !FIELDS.includes(field))
  if (unknown.length > 0) throw new TypeError(`unknown field; there are ${FIELDS.join(', ')}`)
  const { name, scopes, sha256, devices, prefix, labels } = entry as Record<string, unknown>
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) {
    throw new TypeError('name must be 1 to 64 letters, digits, dots, hyphens or underscores')
  }
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new TypeError('sha256 must be 64 hexadecimal digits in small letters: the hash of a key, not the key')
  }
  if ([devices, prefix, labels].filter((limit) => limit !== undefined).length > 1)
    throw new TypeError('devices, prefix and labels exclude each other')
  return {
    name,
    scopes: scopesOf(scopes),
    hash: Buffer.from(sha256, 'hex'),
    devices: labels === undefined ? limitOf(devices, prefix) : { ids: new Set() },
    labels: labels === undefined ? null : labelsOf(labels),
  }
}

function scopesOf(scopes: unknown): Scope[] {
  const known = Array.isArray(scopes) ? SCOPES.filter((scope) => scopes.includes(scope)) : []
  if (known.length === 0 || known.length !== (scopes as unknown[]).length) {
    throw new TypeError(`scopes must be an array of one or more of ${SCOPES.join(', ')}, each once`)
  }
  return known
}

function limitOf(devices: unknown, prefix: unknown): DeviceLimit | null {
  if (prefix !== undefined) {
    if (!isText(prefix)) throw new TypeError('prefix must be a text with which device ids begin')
    return { prefix }
  }
  if (devices === undefined) return null
  if (!Array.isArray(devices) || devices.length === 0 || devices.length > MOST_DEVICES || !devices.every(isText)) {
    throw new TypeError(`devices must be an array of 1 to ${MOST_DEVICES} device ids`)
  }
  return { ids: new Set(devices) }
}

function labelsOf(value: unknown): Labels {
  const labels = checkLabels(value)
  if (Object.keys(labels).length === 0) throw new TypeError('labels must have one label or more')
  return labels
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0
