import { renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type ApiKeyEntry, makeKey } from '../../src/config/api-keys.ts'
import { cooler } from '../cli/cooler.ts'
import { eventually } from '../helpers/eventually.ts'

const newKey = (name: string) => makeKey({ name, scopes: ['read'] })

test('keys are read again on SIGHUP and when their file changes; a bad file keeps those before, and is logged', async () => {
  const program = cooler()
  const file = join(dirname(program.store), 'keys.json')
  const write = (text: string): void => {
    // As editors and configuration tools do: another file takes its place.
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  const writeKeys = (...entries: ApiKeyEntry[]): void => write(JSON.stringify(entries))
  const [first, second, third] = ['first', 'second', 'third'].map(newKey)
  writeKeys(first.entry)
  const { url, child, stderr, outcome } = await program.service(['serve'], { COOLER_API_KEYS: file })
  const status = async (key: string): Promise<number> =>
    (await fetch(`${url}/v1/devices`, { headers: { 'x-api-key': key } })).status
  expect([await status(first.key), await status(second.key)]).toEqual([200, 401])
  writeKeys(second.entry)
  child.kill('SIGHUP')
  await eventually(async () => [await status(first.key), await status(second.key)]).toEqual([401, 200])
  write('[{"name": "broken"')
  child.kill('SIGHUP')
  await eventually(stderr).toMatch(/API keys not read again/)
  expect(stderr()).toMatch(/"reason":"COOLER_API_KEYS: is not JSON"/)
  expect(await status(second.key)).toBe(200)
  writeKeys(third.entry) // By itself, in a while.
  await expect
    .poll(async () => [await status(second.key), await status(third.key)], { timeout: 20_000 })
    .toEqual([401, 200])
  child.kill('SIGTERM')
  expect((await outcome).code).toBe(0)
})
