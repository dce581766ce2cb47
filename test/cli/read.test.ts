import { expect, test } from 'vitest'
import { DAY, lines, NOON, visitors } from '../helpers/events.ts'
import { type Cooler, cooler } from './cooler.ts'
import { land, rollUp } from './in-process.ts'

const BERLIN = {
  deviceId: 'Kühler 1',
  at: '2025-05-01T00:00:00Z',
  type: 'placement',
  lat: 52.5,
  lon: 13.4,
  timezone: 'Europe/Berlin',
}
const EVENTS = [
  BERLIN,
  visitors('Kühler 1', 7),
  { deviceId: 'Kühler 1', at: NOON, type: 'temperature', celsius: 4.125 },
  { deviceId: 'Kühler 1', at: '2025-06-01T06:00:00Z', type: 'power', on: true, seq: 0 },
  visitors('b', 1, '2025-06-02T01:00:00Z'),
  visitors('b', -1),
]

/** A store with these events, rolled up. */
async function filled(): Promise<Cooler> {
  const program = cooler()
  await land(program, EVENTS)
  await rollUp(program)
  return program
}

test('rollup tells its device-days, and with nothing due none', async () => {
  const program = cooler()
  await program.run(['ingest', '-'], { input: lines(EVENTS) })
  const { stdout, code } = await program.run(['rollup'])
  expect({ stdout, code }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ device-days from 4 events\n$/) })
  expect(await program.json('rollup', '--json')).toEqual([{ deviceDays: 0, events: 0, repeats: 0, passes: 0 }])
  const days = ['--from', '20250601', '--to', '20250602']
  expect(await program.json('rollup', '--json', ...days)).toMatchObject([{ deviceDays: expect.any(Number) }])
})

test('report prints a table, and with --json the answer of the API, of all devices or of some', async () => {
  const program = await filled()
  const { code, stdout, stderr } = await program.run(['report', String(DAY)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Day 20250601, 2 devices\n/)
  expect(stdout).toMatch(/Kühler 1 .* 7 .* 4\.13 /)
  const [daily] = await program.json('report', String(DAY), '--json', '--id', 'b', '--id', 'x')
  expect(daily).toMatchObject({ status: 200, message: 'OK', data: { day: DAY, deviceCount: 1 } })
  const [range] = await program.json('report', String(DAY), '--to', '20250602', '--json')
  const summary = [
    { assertId: 'Kühler 1', throwinDate: '2025-05-01 02:00:00' },
    { assertId: 'b', visitorCount: 1 },
  ]
  expect(range).toMatchObject({ data: { deviceCount: 2, deviceStatusList: summary } })
})

test('devices, events and rejects print what is there, and fail where it is not', async () => {
  const program = await filled()
  expect(await program.json('devices', '--json')).toMatchObject([
    { id: 'Kühler 1', zone: 'Europe/Berlin', position: '52.5,13.4', lastHeardAt: '2025-06-01T12:00:00.000Z' },
    { id: 'b', zone: null, position: null, retiredAt: null },
  ])
  expect(await program.json('devices', '--json', '--after', 'Kühler 1', '--limit', '1')).toMatchObject([{ id: 'b' }])
  expect(await program.json('events', 'Kühler 1')).toEqual([
    { deviceId: 'Kühler 1', at: '2025-06-01T06:00:00.000Z', seq: 0, type: 'power', on: true },
    { deviceId: 'Kühler 1', at: '2025-06-01T12:00:00.000Z', type: 'temperature', celsius: 4.125 },
    { deviceId: 'Kühler 1', at: '2025-06-01T12:00:00.000Z', type: 'visitor', count: 7 },
  ])
  expect(await program.json('events', 'b', '--from', '20250603')).toEqual([])
  expect(await program.json('rejects', '--json')).toMatchObject([
    { reason: 'out-of-range', raw: JSON.stringify(EVENTS[5]) },
  ])
  const { stdout } = await program.run(['rejects'])
  expect(stdout).toMatch(/out-of-range/)
  const unknown = await program.run(['events', 'c'])
  expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'cooler: no device "c"\n' })
})

test('a reader that has seen enough ends the program, which is no fault', async () => {
  const program = cooler()
  const events = Array.from({ length: 30_000 }, (_, second) => visitors('a', 1, Date.UTC(2025, 5, 1) + second * 1000))
  await program.run(['ingest', '-'], { input: lines(events) })
  for (const args of [
    ['events', 'a'],
    ['simulate', '--devices', '500'],
  ]) {
    const { child, outcome } = program.spawn(args)
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await outcome).toMatchObject({ code: 0, stderr: '' })
  }
})

test.each([['America/Los_Angeles'], ['Pacific/Kiritimati']])('a process in %s prints the same report', async (TZ) => {
  const program = cooler({ TZ })
  await program.run(['ingest', '-'], { input: lines(EVENTS) })
  await program.run(['rollup'])
  const args = ['report', '20250601', '--to', '20250630']
  const here = await (await filled()).run(args, { env: { TZ: 'UTC' } })
  expect(here.stdout).toContain('2025-05-01 02:00:00')
  expect(await program.run(args)).toEqual(here)
})
