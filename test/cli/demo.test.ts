import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { cooler } from './cooler.ts'

const SMALL = ['--devices', '3', '--days', '2']

/** What the demo prints, in order. */
const shown = (queue: string): RegExp =>
  new RegExp(
    [
      `^Queue: ${queue}.*`,
      'Fleet: 3 coolers, 2 days, [\\d,]+ events\\.',
      'Landed [\\d,]+, rejected \\d+; rolled up [1-9]\\d* device-days\\.',
      '',
      'Day \\d{8}, 3 devices\\n[\\s\\S]*CLR-000002.*\\n',
      'Range \\d{8} to \\d{8}, 3 devices\\n[\\s\\S]*CLR-000002.*\\n$',
    ].join('\\n'),
  )

test('demo --once sends a fleet through a queue of its own, prints both reports and leaves nothing behind', async () => {
  const TMPDIR = temporaryFolder()
  const { code, stdout, stderr } = await cooler({ TMPDIR }).run(['demo', '--once', ...SMALL])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^send: [\d,]+ events in .*\n$/) })
  expect(stdout).toMatch(shown('a redis-server of its own'))
  expect(readdirSync(TMPDIR)).toEqual([])
})

test('without redis-server on the PATH its batches land directly', async () => {
  const TMPDIR = temporaryFolder()
  const { code, stdout, stderr } = await cooler({ TMPDIR, PATH: TMPDIR }).run(['demo', '--once', ...SMALL])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^send: [\d,]+ events in .*\n$/) })
  expect(stdout).toMatch(shown('none, since redis-server is not on the PATH'))
  expect(readdirSync(TMPDIR)).toEqual([])
})

test('without redis-server it ends as soon as it has printed its reports', async () => {
  const TMPDIR = temporaryFolder()
  const { child, stdout } = cooler({ TMPDIR, PATH: TMPDIR }).spawn(['demo', '--once', ...SMALL])
  await eventually(stdout).toMatch(shown('none'))
  await expect.poll(() => child.exitCode, { timeout: 4000 }).toBe(0)
})

test('without --once the API runs on, its curl lines work, and SIGINT ends it', async () => {
  const program = cooler({ TMPDIR: temporaryFolder(), PORT: '0' })
  const { child, stdout, outcome } = program.spawn(['demo', ...SMALL])
  const lines = await new Promise<string[]>((resolve) => {
    child.stdout?.on('data', () => {
      const found = stdout().match(/curl -s .*'\n/g)
      if (found?.length === 2) resolve(found)
    })
  })
  for (const line of lines) {
    const [, url, body] = /^curl -s (\S+) -d '(.*)'\n$/.exec(line) as unknown as string[]
    const answer = await fetch(url, { method: 'POST', body })
    expect(await answer.json()).toMatchObject({ status: 200, message: 'OK' })
  }
  child.kill('SIGINT')
  expect(await outcome).toMatchObject({ code: 0 })
})
