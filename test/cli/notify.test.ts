import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { receiver, status } from '../notify/receiver.ts'
import { cooler } from './cooler.ts'

const HOUR_MS = 3_600_000
/** The last whole day in UTC but one. */
const MIDNIGHT = (Math.floor(Date.now() / (24 * HOUR_MS)) - 1) * 24 * HOUR_MS
const DAY = new Date(MIDNIGHT).toISOString().slice(0, 10).replaceAll('-', '')

const power = (hours: number, on: boolean): string =>
  JSON.stringify({ deviceId: 'CLR-1', at: MIDNIGHT + hours * HOUR_MS, type: 'power', on })

function fileOf(value: unknown): string {
  const file = join(temporaryFolder(), 'subscriptions.json')
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OFF = { id: 'off', kind: 'exceptions', when: 'settled', exceptions: { off: { hours: 2 } } }

test('subscriptions are imported, listed without their secrets, and what they tell of a day is listed', async () => {
  const { url, received } = await receiver(status(204))
  const program = cooler({ COOLER_WEBHOOK_PRIVATE: '1' })
  const channel = { type: 'webhook', url: `${url}/hook-s3cret`, format: 'json', secret: SECRET }
  const imported = await program.run(['subscriptions', '--import', fileOf([{ ...OFF, channel }]), '--json'])
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  expect(imported.stdout).not.toMatch(/s3cret|whsec/)
  await program.run(['ingest', '-'], { input: [power(1, false), power(7, true)].join('\n') })
  await program.run(['rollup'])
  expect(await program.json('notify', '--dry-run', DAY, '--json')).toEqual([
    {
      ...{ subscription: 'off', deviceId: 'CLR-1', exception: 'off', status: 'settled', timezone: 'UTC' },
      ...{ value: 6, limit: 2, unit: 'h' },
    },
  ])
  expect(received).toEqual([])
  const [shown] = await program.json('subscriptions', '--json')
  const again = await program.run(['subscriptions', '--import', fileOf(asShown(shown))])
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(await program.run(['notify'])).toMatchObject({ code: 0, stdout: expect.stringContaining('failed 0') })
  expect(await program.run(['subscriptions', '--remove', 'off'])).toMatchObject({ code: 0 })
  expect(await program.json('subscriptions', '--json')).toEqual([])
})

/** A subscription as it was shown, as somebody puts it again. */
const asShown = ({ channel }: Record<string, unknown>): object => ({ ...OFF, channel })

test.each([
  ['not JSON', '{"secret": "whsec_s3cret"', / is not JSON/],
  ['no subscription', [1], /subscription 1: a subscription must be an object/],
  [
    'a bad one behind a good one',
    [{ ...OFF, channel: { type: 'email', to: ['a@example.org'] } }, {}],
    /subscription 2: kind/,
  ],
])('a file with %s changes nothing, and quotes no secret', async (_, content, message) => {
  const program = cooler()
  const { code, stderr } = await program.run(['subscriptions', '--import', fileOf(content)])
  expect(code).toBe(1)
  expect(stderr).toMatch(message)
  expect(stderr).not.toContain('s3cret')
  expect(await program.json('subscriptions', '--json')).toEqual([])
})
