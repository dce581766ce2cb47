import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CoolerError } from '../../src/base/errors.ts'
import { type ApiKeyEntry, hashOf, makeKey, readApiKeys } from '../../src/config/api-keys.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'

const SHA256 = 'ab'.repeat(32)
const GOOD = { name: 'reader', scopes: ['read'], sha256: SHA256 }

function refusal(value: string): string {
  try {
    readApiKeys(value)
  } catch (error) {
    expect(error).toBeInstanceOf(CoolerError)
    expect((error as CoolerError).code).toBe('bad-configuration')
    return (error as CoolerError).message
  }
  throw new Error(`${value} was taken`)
}

const refusalOf = (entry: unknown): string => refusal(JSON.stringify([entry]))

describe('COOLER_API_KEYS is refused, in one line', () => {
  test('where a scope is unknown, and told which there are', () => {
    for (const scopes of [
      ['write'],
      ['read', 'Read'],
      ['__proto__'],
      ['constructor'],
      ['read '],
      [['read']],
      [0],
      [null],
    ]) {
      expect(refusalOf({ ...GOOD, scopes })).toBe(
        'COOLER_API_KEYS: entry 1: scopes must be an array of one or more of read, ingest, admin, each once',
      )
    }
  })

  test('where scopes are none, no array, or said twice', () => {
    for (const scopes of [[], undefined, null, 'read', { length: 1 }, ['read', 'read']]) {
      expect(refusalOf({ ...GOOD, scopes })).toMatch(/^COOLER_API_KEYS: entry 1: scopes must be .*$/)
    }
  })

  test('where a name is none', () => {
    for (const name of ['', 'a b', 'ä', 'a/b', 'a\nb', 'x'.repeat(65), 7, null, undefined]) {
      expect(refusalOf({ ...GOOD, name })).toMatch(/^COOLER_API_KEYS: entry 1: name must be 1 to 64 .*$/)
    }
  })

  test('where a hash is none, without repeating what is there: it may be the key', () => {
    const { key } = makeKey({ name: 'a', scopes: ['read'] })
    for (const sha256 of [key, SHA256.toUpperCase(), SHA256.slice(1), `${SHA256}0`, '', 7, undefined, [SHA256]]) {
      const message = refusalOf({ ...GOOD, sha256 })
      expect(message).toMatch(/^COOLER_API_KEYS: entry 1: sha256 must be 64 hexadecimal digits .*$/)
      expect(message).not.toContain(key)
    }
  })

  test('where a limit is none: one that would be ignored, or see nothing', () => {
    for (const devices of [[], [''], [7], 'a', { 0: 'a' }, null, Array.from({ length: 10_001 }, (_, n) => `d${n}`)]) {
      expect(refusalOf({ ...GOOD, devices })).toMatch(/^COOLER_API_KEYS: entry 1: devices must be .*$/)
    }
    for (const prefix of ['', 7, null, ['a']]) {
      expect(refusalOf({ ...GOOD, prefix })).toMatch(/^COOLER_API_KEYS: entry 1: prefix must be .*$/)
    }
    expect(refusalOf({ ...GOOD, devices: ['a'], prefix: 'a' })).toMatch(/exclude each other$/)
    expect(refusalOf({ ...GOOD, labels: { a: '1' }, prefix: 'a' })).toMatch(/exclude each other$/)
    expect(refusalOf({ ...GOOD, labels: {} })).toMatch(/one label or more$/)
    expect(refusalOf({ ...GOOD, labels: { A: '1' } })).toMatch(/label key "A" must be/)
  })

  test('where a field is unknown: a limit that is misspelled would be none', () => {
    for (const field of ['device', 'Prefix', 'scope', 'key', 'hash', 'constructor']) {
      expect(refusalOf({ ...GOOD, [field]: 'a' })).toMatch(/^COOLER_API_KEYS: entry 1: unknown field; there are name, /)
    }
    expect(refusal(`[{"__proto__":{"prefix":"a"},${JSON.stringify(GOOD).slice(1)}]`)).toMatch(/unknown field/)
  })

  test('where an entry is no object, and told which', () => {
    for (const entry of [null, 7, 'reader', [GOOD]]) {
      expect(refusal(JSON.stringify([GOOD, entry]))).toBe('COOLER_API_KEYS: entry 2: must be an object')
    }
  })

  test('where two have one name, or are one key', () => {
    const other = { ...GOOD, sha256: 'cd'.repeat(32) }
    expect(refusal(JSON.stringify([GOOD, other]))).toBe('COOLER_API_KEYS: entries 1 and 2 have the same name')
    expect(refusal(JSON.stringify([GOOD, { ...GOOD, name: 'b' }]))).toBe(
      'COOLER_API_KEYS: entries 1 and 2 have the same key',
    )
  })

  test('where there are none, or too many', () => {
    expect(refusal('[]')).toBe('COOLER_API_KEYS: must have 1 to 1000 entries')
    const many = Array.from({ length: 1001 }, (_, number) => ({
      ...GOOD,
      name: `k${number}`,
      sha256: hashOf(`${number}`).toString('hex'),
    }))
    expect(refusal(JSON.stringify(many))).toMatch(/1 to 1000/)
    expect(readApiKeys(JSON.stringify(many.slice(1)))).toHaveLength(1000)
  })

  test('where it is no JSON array or file of one, without repeating any of it: it may be a key', () => {
    const { key } = makeKey({ name: 'a', scopes: ['read'] })
    const folder = temporaryFolder()
    const file = join(folder, 'keys.json')
    writeFileSync(file, key)
    const wrong = [
      key,
      `[${key}]`,
      `[{"name":"${key}`,
      file,
      folder,
      join(folder, 'none'),
      'a\0b',
      ' ',
      `{"a":"${key}"}`,
    ]
    for (const value of wrong) {
      const message = refusal(value)
      expect(message, value).toMatch(/^COOLER_API_KEYS: .+$/)
      expect(message, value).not.toContain(key)
      expect(message, value).not.toContain('cooler_')
    }
    writeFileSync(file, JSON.stringify(GOOD))
    expect(refusal(file)).toBe('COOLER_API_KEYS: must be a JSON array of entries')
  })
})

describe('COOLER_API_KEYS is taken', () => {
  test('as a JSON array, and as the path of a file with one, alike', () => {
    const entries = [GOOD, { name: '__proto__', scopes: ['admin', 'ingest'], sha256: 'cd'.repeat(32), prefix: 'S7-' }]
    const file = join(temporaryFolder(), 'keys.json')
    writeFileSync(file, `\uFEFF${JSON.stringify(entries, null, 2)}\n`)
    const keys = [
      { name: 'reader', scopes: ['read'], hash: Buffer.from(SHA256, 'hex'), devices: null, labels: null },
      {
        name: '__proto__',
        scopes: ['ingest', 'admin'],
        hash: Buffer.alloc(32, 0xcd),
        devices: { prefix: 'S7-' },
        labels: null,
      },
    ]
    expect(readApiKeys(file)).toEqual(keys)
    expect(readApiKeys(` \n${JSON.stringify(entries)}`)).toEqual(keys)
  })

  test('with labels, which see nothing until their devices are looked up', () => {
    const labels = { route: '12', customer: 'Kühl' }
    const [key] = readApiKeys(JSON.stringify([{ ...GOOD, labels }]))
    expect(key).toMatchObject({ labels, devices: { ids: new Set() } })
  })

  test('with devices of any characters', () => {
    const devices = ['__proto__', 'é', 'e\u0301', '\uD83D', ' ', 'x'.repeat(256)]
    expect(readApiKeys(JSON.stringify([{ ...GOOD, devices }]))).toMatchObject([{ devices: { ids: new Set(devices) } }])
  })
})

describe('a key that is made', () => {
  test('is random, of 256 bits, of characters that a Bearer token has, and known by its hash alone', () => {
    const made = Array.from({ length: 100 }, () => makeKey({ name: 'a', scopes: ['read'], prefix: 'S7-' }))
    expect(new Set(made.map(({ key }) => key)).size).toBe(100)
    for (const { key, entry } of made) {
      expect(key).toMatch(/^cooler_[\w-]{43}$/)
      expect(entry).toEqual({ name: 'a', scopes: ['read'], prefix: 'S7-', sha256: hashOf(key).toString('hex') })
      expect(JSON.stringify(entry)).not.toContain(key.slice(7))
    }
  })

  test('is made only of what its entry may be', () => {
    expect(() => makeKey({ name: 'a b', scopes: ['read'] })).toThrow(/^name must be/)
    expect(() => makeKey({ name: 'a', scopes: ['write'] } as unknown as ApiKeyEntry)).toThrow(/^scopes must be/)
    expect(() => makeKey({ name: 'a', scopes: ['read'], prefix: '' })).toThrow(/^prefix must be/)
  })
})
