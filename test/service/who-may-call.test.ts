import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { requireKeys, tellWhoMayCall } from '../../src/service/who-may-call.ts'
import { testConfig } from '../helpers/temporary-service.ts'

const BEYOND = [
  '0.0.0.0',
  '::',
  '192.0.2.1',
  '2001:db8::1',
  'cooler.example',
  '::ffff:192.0.2.1',
  '128.0.0.1',
  '126.255.255.255',
]
const ODD = [
  '127.1',
  '0',
  '2130706433',
  '0x7f.1',
  'localhost.',
  'localhost.example',
  '[::1]',
  '127.0.0.1.example',
  ' 127.0.0.1',
]
const LOOPBACK = [
  '127.0.0.1',
  '127.0.0.9',
  '127.255.255.255',
  '::1',
  '0:0:0:0:0:0:0:1',
  'localhost',
  '::ffff:127.0.0.1',
]
const KEYS = JSON.stringify([{ name: 'a', scopes: ['read'], sha256: 'ab'.repeat(32) }])

/** The lines of the log on the start with some settings. */
function told(settings: Record<string, string>): { level: number; msg: string }[] {
  const lines: { level: number; msg: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  tellWhoMayCall(testConfig(settings), pino({ level: 'info' }, stream))
  return lines
}

describe('without keys', () => {
  test.each([...BEYOND, ...ODD])('HOST=%j is refused with what to do', (HOST) => {
    expect(() => requireKeys(testConfig({ HOST }))).toThrow(
      expect.objectContaining({
        code: 'bad-configuration',
        message: expect.stringMatching(/^HOST is ".*".*COOLER_API_KEYS.*COOLER_INSECURE=1.*$/),
      }),
    )
  })

  test.each(LOOPBACK)('HOST=%j is taken', (HOST) => {
    expect(() => requireKeys(testConfig({ HOST }))).not.toThrow()
  })

  test('any HOST is taken where COOLER_INSECURE says so, and warned of', () => {
    for (const HOST of BEYOND) {
      expect(() => requireKeys(testConfig({ HOST, COOLER_INSECURE: '1' }))).not.toThrow()
      expect(told({ HOST, COOLER_INSECURE: '1' })).toMatchObject([
        { level: 40, msg: expect.stringMatching(/open to whoever/) },
      ])
    }
  })

  test('the log says that the API is open to this machine only', () => {
    expect(told({})).toMatchObject([{ level: 30, msg: expect.stringMatching(/no API keys.*loopback only/) }])
  })
})

describe('with keys', () => {
  test('any HOST is taken', () => {
    for (const HOST of [...BEYOND, ...ODD]) {
      expect(() => requireKeys(testConfig({ HOST, COOLER_API_KEYS: KEYS }))).not.toThrow()
    }
  })

  test('the log says their names', () => {
    expect(told({ COOLER_API_KEYS: KEYS })).toMatchObject([
      { keys: ['a'], msg: expect.stringMatching(/asks for a key/) },
    ])
  })
})
