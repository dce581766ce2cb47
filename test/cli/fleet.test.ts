import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { csvRows } from '../report/export/read-back.ts'
import { type Cooler, cooler } from './cooler.ts'
import { land, putDevice, rollUp } from './in-process.ts'

const at = (time: string): string => `2025-06-01T${time}:00Z`

/** A store with three devices, of which two have labels. */
async function filled(): Promise<Cooler> {
  const program = cooler()
  const power = { deviceId: 'a', at: at('00:00'), type: 'power', on: true }
  const zone = { deviceId: 'b', at: at('00:00'), type: 'placement', lat: 1, lon: 2, timezone: 'Asia/Tokyo' }
  await land(program, [power, visitors('a', 7), zone, visitors('b', 3), visitors('c', 5)])
  for (const [id, route] of [
    ['a', '2'],
    ['b', '12'],
  ]) {
    await putDevice(program, id, { labels: { route } })
  }
  await rollUp(program)
  return program
}

test('fleet prints a table, or the answer of the API, sorted and limited', async () => {
  const { run, json } = await filled()
  const { code, stdout, stderr } = await run(['fleet', String(DAY), '--sort', 'visitorCount', '--desc', '--limit', '2'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [title, head, ...rows] = stdout.trimEnd().split('\n')
  expect(title).toBe('Day 20250601, 3 of 3 devices, the first 2 of them')
  expect(head).toMatch(/^device +exceptions .* labels +zone/)
  expect(rows).toEqual([expect.stringMatching(/^a .* route:2 /), expect.stringMatching(/^c +no-power-data /)])
  const [list] = await json('fleet', String(DAY), '--to', String(DAY + 1), '--json', '--limit', '1')
  expect(list).toMatchObject({ devices: 3, matching: 3, labelKeys: ['route'], next: 1, sums: { devices: 3 } })
})

test.each([
  ['an exception and a text', ['--exception', 'no-power-data', '--search', 'C'], ['c']],
  ['a zone and a label', ['--timezone', 'Asia/Tokyo', '--label', 'route:12'], ['b']],
  ['two labels and a status', ['--label', 'route:12', '--label', 'route:2', '--status', 'settled'], []],
  ['an order by label', ['--sort', 'label:route', '--desc'], ['a', 'b', 'c']],
])('fleet by %s has the devices that match', async (_, options, ids) => {
  const { json } = await filled()
  const [{ rows }] = (await json('fleet', String(DAY), '--json', ...options)) as [{ rows: { id: string }[] }]
  expect(rows.map(({ id }) => id)).toEqual(ids)
})

test('fleet writes all devices that match to a file', async () => {
  const { run, store } = await filled()
  const path = join(dirname(store), 'fleet.csv')
  const outcome = await run(['fleet', String(DAY), '--format', 'csv', '--output', path, '--limit', '1'])
  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(csvRows(readFileSync(path))).toMatchObject([
    { id: 'a', 'label:route': '2' },
    { id: 'b', 'label:route': '12' },
    { id: 'c', 'label:route': null },
  ])
})

test.each([
  ['a day that is none', ['20250631'], /is not a calendar day/],
  ['a range that is too long', [String(DAY), '--to', '20250702'], /at most 30 days later/],
  ['a label that is none', [String(DAY), '--label', 'route'], /"route" is not a label; write KEY:VALUE/],
  ['a column that is none', [String(DAY), '--sort', 'colour'], /"colour" must be one of id, /],
])('fleet with %s ends with 2', async (_, args, message) => {
  const outcome = await cooler().run(['fleet', ...args])
  expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
})
