import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import { cooler } from './cooler.ts'

const DAILY = '/open/cooler/open/report_device_status/daily'

interface Made {
  key: string
  entry: Record<string, unknown>
}

/** A program whose keys were made by its own command, in a file. */
async function keyedCooler() {
  const program = cooler({ LOG_LEVEL: 'trace' })
  const [reader] = (await program.json(
    'key',
    'reader',
    '--scope',
    'read',
    '--prefix',
    'S7-',
    '--json',
  )) as unknown as Made[]
  const [admin] = (await program.json('key', 'admin', '--scope', 'admin', '--json')) as unknown as Made[]
  const file = join(dirname(program.store), 'keys.json')
  writeFileSync(file, JSON.stringify([reader.entry, admin.entry]))
  return { program, reader: reader.key, admin: admin.key, env: { COOLER_API_KEYS: file } }
}

const post = (url: string, key: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('key', () => {
  test('prints a key, and an entry that does not hold it', async () => {
    const { code, stdout, stderr } = await cooler().run([
      'key',
      'shop-7',
      '--scope',
      'read',
      '--scope',
      'ingest',
      '--device',
      'a',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [key] = /^cooler_[\w-]{43}$/m.exec(stdout) as RegExpExecArray
    expect(stdout.split(key)).toHaveLength(2)
    const entry = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string)
    expect(entry).toMatchObject({ name: 'shop-7', scopes: ['read', 'ingest'], devices: ['a'] })
  })

  test('used wrongly ends with 2 and one line that says what is right', async () => {
    const { run } = cooler()
    const wrong: [string[], RegExp][] = [
      [['a', '--scope', 'write'], /"write" is no scope: there are read, ingest, admin/],
      [['a'], /required option '--scope <scope>'/],
      [['a b', '--scope', 'read'], /name must be 1 to 64/],
      [['a', '--scope', 'read', '--prefix', ''], /prefix must be/],
      [['a', '--scope', 'read', '--prefix', 'x', '--device', 'y'], /exclude each other/],
    ]
    for (const [args, message] of wrong) {
      const outcome = await run(['key', ...args])
      expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    }
  })
})

describe('a service', () => {
  test('without keys does not start where others could reach it', async () => {
    const { code, stderr } = await cooler().run(['start'], { env: { HOST: '0.0.0.0', PORT: '0' } })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^cooler: HOST is "0\.0\.0\.0".*COOLER_API_KEYS.*\n$/)
  })

  test('with keys starts there, lets them in, and writes none of them in its log at trace level', async () => {
    const { program, reader, admin, env } = await keyedCooler()
    const { url, stderr, child, outcome } = await program.service(['start'], { ...env, HOST: '0.0.0.0' })
    expect((await fetch(`${url}/v1/devices`)).status).toBe(401)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const payload = 'AddressOfPayload'
    const events = [visitors('S7-1', 1), visitors('S8-1', 2), { deviceId: 'S7-1', at: DAY, type: payload }]
    expect((await post(`${url}/v1/telemetry`, admin, events)).status).toBe(202)
    expect((await post(`${url}/v1/telemetry`, reader, events)).status).toBe(403)
    expect((await post(`${url}/v1/rollups`, admin, { fromDay: DAY, toDay: DAY, wait: true })).status).toBe(200)
    const report = (await (await post(`${url}${DAILY}`, reader, { day: DAY })).json()) as {
      data: { deviceStatusList: unknown[] }
    }
    expect(report.data.deviceStatusList).toMatchObject([{ assertId: 'S7-1', visitorCount: 1 }])
    const wrong = admin.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await post(`${url}${DAILY}`, wrong, { day: DAY })).status).toBe(401)
    expect(
      (await fetch(`${url}/v1/devices?key=${admin}`, { headers: { authorization: `Bearer ${admin}` } })).status,
    ).toBe(200)
    expect((await fetch(`${url}/nothing/${admin}`, { headers: { authorization: `Bearer ${admin}` } })).status).toBe(404)
    expect((await post(`${url}${DAILY}`, admin, `${payload}`)).status).toBe(400)
    child.kill('SIGTERM')
    await outcome
    expect(stderr()).toMatch(/"keys":\["reader","admin"\]/)
    expect(stderr()).toMatch(/"route":"\/v1\/telemetry","key":"reader","address":"127\.0\.0\.1","code":"forbidden"/)
    expect(stderr()).toMatch(
      /"route":"\/open\/.*","key":null,"address":"127\.0\.0\.1","code":"unauthorized","msg":"refused"/,
    )
    for (const secret of [reader, admin, wrong]) expect(stderr()).not.toContain(secret.slice(7, 40))
    expect(stderr()).not.toContain(payload)
  })

  test('writes no password of its Redis in its log, though Redis refuses it', async () => {
    const { socket } = await privateRedis()
    const redis = new Redis(socket)
    onTestFinished(() => redis.disconnect())
    await redis.config('SET', 'requirepass', 'the-right-one')
    const [user, password] = ['u5er', 'pa55word']
    const env = { REDIS_URL: `redis+unix://${user}:${password}@localhost${socket}`, LOG_LEVEL: 'trace' }
    const { stderr } = cooler().spawn(['start'], { ...env, PORT: '0' })
    await eventually(stderr).toMatch(/WRONGPASS/)
    expect(stderr()).not.toContain(password)
  })
})
