import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { cooler } from './cooler.ts'

const COMMANDS = [
  'start',
  'serve',
  'work',
  'ingest',
  'rollup',
  'report',
  'fleet',
  'devices',
  'events',
  'rejects',
  'key',
  'simulate',
  'demo',
]

/** One line on standard error that begins with the program's name, nothing on standard output. */
const oneLine = (pattern: RegExp) => ({
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^cooler: .*${pattern.source}.*\n$`)),
})

describe('help', () => {
  test('of the program names every command', async () => {
    const { code, stdout } = await cooler().run(['--help'])
    expect(code).toBe(0)
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
  })

  test.each(COMMANDS)('of %s tells its usage and what it does, and touches no store', async (name) => {
    const { code, stdout, stderr } = await cooler({ COOLER_STORE: '/dev/null/no-store' }).run([name, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: cooler ${name} [\\s\\S]*\n\n\\w[\\s\\S]*\n\nOptions:\n`))
  })
})

describe('used wrongly it ends with 2 and says how it is used', () => {
  test.each([[[]], [['land']], [['devices', '--jsn']], [['report']], [['start', 'now']]])('%j', async (args) => {
    const { code, stdout, stderr } = await cooler().run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^(error: .*\n[\s\S]*\(--help tells more\)|Usage: cooler)/)
  })

  test('a day that is none, days in the wrong order or too far apart', async () => {
    const { run } = cooler()
    for (const day of ['20250229', '2025-06-01']) {
      expect(await run(['report', day])).toEqual({ code: 2, ...oneLine(/is not a calendar day; write YYYYMMDD/) })
    }
    const report = ['report', '20250601', '--to']
    expect(await run([...report, '20250702'])).toEqual({ code: 2, ...oneLine(/--to.*30/) })
    expect(await run(['rollup', '--from', '20250601'])).toEqual({ code: 2, ...oneLine(/--from and --to/) })
    expect(await run(['rollup', '--from', '20250602', '--to', '20250601'])).toEqual({ code: 2, ...oneLine(/before/) })
  })

  test('a number that is none or out of its bounds', async () => {
    const { run } = cooler()
    expect(await run(['devices', '--limit', '0'])).toEqual({ code: 2, ...oneLine(/whole number from 1/) })
    expect(await run(['simulate', '--days', '3661'])).toEqual({ code: 2, ...oneLine(/from 1 to 3660/) })
  })

  test('ingest --queue without a queue', async () => {
    expect(await cooler().run(['ingest', '--queue', '-'])).toEqual({ code: 2, ...oneLine(/REDIS_URL/) })
  })
})

describe('what stops the start, with 1 and one line', () => {
  test('an unknown setting, of any command', async () => {
    const { run } = cooler({ COOLER_STOER: 'x' })
    for (const args of [['start'], ['devices']]) {
      expect(await run(args)).toEqual({ code: 1, ...oneLine(/COOLER_STOER: no such setting; there are COOLER_STORE/) })
    }
  })

  test('a setting with a bad value', async () => {
    const { run } = cooler()
    const bad = { PORT: '65536', COOLER_DEFAULT_TIMEZONE: 'Berlin' }
    for (const [name, value] of Object.entries(bad)) {
      const outcome = await run(['start'], { env: { [name]: value } })
      expect(outcome).toEqual({ code: 1, ...oneLine(new RegExp(`${name} is "${value}": it must be`)) })
    }
  })

  test('a Redis URL that is none, whose password is not told', async () => {
    const { run } = cooler({ REDIS_URL: 'http://user:secret@localhost' })
    const outcome = await run(['start'])
    expect(outcome).toEqual({ code: 1, ...oneLine(/redis:\/\//) })
    expect(outcome.stderr).not.toContain('secret')
  })

  test('a store of a newer program, and one that cannot be made', async () => {
    const { run, store } = cooler()
    await run(['rollup'])
    const database = new Database(store)
    database.pragma('user_version = 999')
    database.close()
    expect(await run(['devices'])).toEqual({ code: 1, ...oneLine(/schema 999.*newer/) })
    const nowhere = { env: { COOLER_STORE: '/dev/null/store.sqlite' } }
    expect(await run(['devices'], nowhere)).toEqual({ code: 1, ...oneLine(/\/dev\/null/) })
  })

  test('a file that is no store', async () => {
    const { run } = cooler({ COOLER_STORE: process.execPath })
    expect(await run(['devices'])).toEqual({ code: 1, ...oneLine(/database/) })
  })
})
