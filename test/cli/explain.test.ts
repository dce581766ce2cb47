import { expect, test } from 'vitest'
import { DAY, NOON, visitors } from '../helpers/events.ts'
import { type Cooler, cooler } from './cooler.ts'
import { land, rollUp } from './in-process.ts'

const ID = 'Kühler 1'
const at = (time: string): string => `2025-06-01T${time}:00Z`
const EVENTS = [
  {
    ...{ deviceId: ID, at: '2025-05-01T00:00:00Z', type: 'placement' },
    ...{ lat: 52.5, lon: 13.4, timezone: 'Europe/Berlin' },
  },
  visitors(ID, 7),
  visitors(ID, 7),
  { deviceId: ID, at: at('06:00'), type: 'power', on: true },
  { deviceId: ID, at: NOON, type: 'temperature', celsius: 4.125, setpoint: 4 },
  { deviceId: ID, at: at('12:01'), type: 'gps', lat: 52.5, lon: 13.4 },
  { deviceId: ID, at: at('12:02'), type: 'gps', lat: 53.5, lon: 13.4 },
  { deviceId: ID, at: at('12:03'), type: 'gps', lat: 52.5, lon: 13.4 },
  { deviceId: ID, at: at('13:00'), type: 'visitor', total: 50 },
  visitors(ID, -1),
]

/** A store with these events, rolled up, and one more that waits. */
async function filled(): Promise<Cooler> {
  const program = cooler()
  await land(program, EVENTS)
  await rollUp(program)
  await land(program, [visitors(ID, 3)])
  return program
}

test('explain refuses what is no day, figure, limit or cursor as wrong usage', async () => {
  const program = cooler()
  for (const args of [
    [ID],
    [ID, '2025061'],
    [ID, '20250631'],
    [ID, '20250601', '--figure', 'visitors'],
    [ID, '20250601', '--limit', '0'],
    [ID, '20250601', '--limit', '1001'],
    [ID, '20250601', '--after', '12'],
  ]) {
    const { code, stdout, stderr } = await program.run(['explain', ...args])
    expect({ code, stdout }, `${args} ${stderr}`).toEqual({ code: 2, stdout: '' })
  }
})

test('explain fails where there is no such device', async () => {
  const program = cooler()
  await program.run(['rollup'])
  const { code, stdout, stderr } = await program.run(['explain', 'x', String(DAY)])
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'cooler: no such device: "x"\n' })
})

test('explain fails by other settings than those of the store, and tells them', async () => {
  const program = await filled()
  const { code, stderr } = await program.run(['explain', ID, String(DAY)], { env: { COOLER_DAYTIME: '08:00-20:00' } })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/made by .*"daytime":\[360,1080\].*settings here/)])
})

test('explain tells what each figure comes from, the spans and the readings', async () => {
  const program = await filled()
  const { code, stdout, stderr } = await program.run(['explain', ID, String(DAY)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const line of [
    /^Kühler 1, day 20250601: settled$/m,
    /^from 2025-05-31T22:00:00\.000Z to 2025-06-01T22:00:00\.000Z, Europe\/Berlin$/m,
    /^daytime from 2025-06-01T04:00:00\.000Z to 2025-06-01T16:00:00\.000Z$/m,
    /^meant to stand at 52\.5,13\.4$/m,
    /^Further events of the day that wait for a rollup: 1\.$/m,
    /^visitorCount +7 +2 readings, in all 7$/m,
    /^openCloseNum +0 +no reading$/m,
    /^currTemp +4\.13 +mean of 1 reading, in all 4\.125 °C$/m,
    /^maxTemp +4\.13 +highest of 1 reading, 4\.125 °C, first at 2025-06-01T12:00:00\.000Z$/m,
    /^powerDuration +16 +1 span, in all 57600 s$/m,
    /^distance +0 +mean of 2 fixes, in all 0 m; spikes left out: 1$/m,
    /^unknown +28800 +7200$/m,
    /^ {2}no-power-event +28800 +-$/m,
    /^longest silence 9 h, from 2025-06-01T13:00/m,
    /^power +unknown +on$/m,
    /^visitor total +- +50$/m,
    /^events: 7; repeats dropped: 1; spikes left out: 1; rejected: out-of-range 1$/m,
    /^on +2025-06-01T06:00:00\.000Z +2025-06-01T22:00:00\.000Z +57600 +36000 +16 h$/m,
    /^2025-06-01T12:00:00\.000Z +- +visitor +count 7 +counts 7 +visitorCount$/m,
    /repeat: counts nothing/,
    /^2025-06-01T12:02:00\.000Z .*lat 53\.5, lon 13\.4 +111195\.08 m off, spike: left out/m,
    /total 50 +counts 0, the first total/,
    /power +on true +on from here on/,
  ]) {
    expect(stdout).toMatch(line)
  }
})

test('explain goes on behind a page, and keeps to one figure', async () => {
  const program = await filled()
  const args = ['explain', ID, String(DAY), '--figure', 'visitorCount', '--limit', '2']
  const { stdout } = await program.run(args)
  const [, cursor] = /^More readings: --after (\S+)$/m.exec(stdout) ?? []
  expect(cursor).toBeDefined()
  const [rest] = await program.json(...args, '--after', cursor, '--json')
  expect(rest).toMatchObject({ readings: [{ type: 'visitor', total: 50 }], spans: [], next: null })
})

test("explain --json prints the API's answer", async () => {
  const program = await filled()
  const [explanation] = await program.json('explain', ID, String(DAY), '--json')
  expect(explanation).toMatchObject({ deviceId: ID, day: DAY, waiting: 1, matches: true, figures: { visitorCount: 7 } })
})
