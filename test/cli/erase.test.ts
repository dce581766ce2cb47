import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { lines } from '../helpers/events.ts'
import { cooler } from './cooler.ts'

const EVENTS = [
  { deviceId: 'a', at: '2025-06-01T10:00:00Z', type: 'gps', lat: 1, lon: 2, address: 'Secret 1' },
  { deviceId: 'a', at: '2025-06-01T11:00:00Z', type: 'visitor', count: 3 },
  { deviceId: 'a', at: '2025-06-01T12:00:00Z', type: 'placement', lat: 1, lon: 2 },
]

test('a device is erased: counted first, then gone from events and reports, and logged without what it was', async () => {
  const program = cooler()
  await program.run(['ingest', '--rollup', '-'], { input: lines(EVENTS) })
  const args = ['erase', 'a', '--from', '2025-06-01T12:00:00+02:00', '--to', '1748781000000', '--type', 'gps']
  const counted = { erased: 1, byType: { gps: 1 }, rejects: 0, placements: 0, devices: 0, placementsLeft: 0 }
  const dry = await program.run([...args, '--dry-run', '--json'])
  expect(JSON.parse(dry.stdout)).toEqual({ dryRun: true, ...counted, purgedDays: null, logEmptied: null })
  expect(dry.stderr).not.toContain('"msg"')
  const done = await program.run(['erase', 'a', '--type', 'gps'])
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^erased 1, gps 1, rejected events 0, devices 0\n/),
  })
  expect(done.stdout).toContain('the next rollup computes again')
  const log = JSON.parse(done.stderr.split('\n').find((line) => line.startsWith('{')) ?? '')
  expect(log).toMatchObject({
    msg: 'events erased',
    device: 'a',
    from: null,
    to: null,
    type: 'gps',
    byType: { gps: 1 },
  })
  expect(done.stderr).not.toContain('Secret')
  expect(await program.json('events', 'a')).toMatchObject([{ type: 'visitor' }])
  const rest = await program.run(['erase', 'a', '--rollup'])
  expect(rest.stdout).toContain('placements that stay 1: --type placement erases them')
  const [report] = await program.json('report', '20250601', '--json')
  expect(JSON.stringify(report)).toContain('"visitorCount":0')
})

test('an import is taken back by the id that it prints; an unknown one and wrong options are refused', async () => {
  const program = cooler()
  const file = (name: string, text: string): string => {
    const path = join(dirname(program.store), name)
    writeFileSync(path, text)
    return path
  }
  const mapping = file('mapping.json', '{"deviceId":"id","at":"at","events":[{"type":"visitor","count":"n"}]}')
  const rows = file('rows.csv', 'id,at,n\na,2025-06-01T10:00:00Z,1\nb,2025-06-01T10:00:00Z,many\n')
  const [{ import: id }] = await program.json('import', rows, '--mapping', mapping, '--allow-rejects', '--json')
  const unknown = await program.run(['erase', '--import', 'imp-1'])
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr).toContain(`no such import: "imp-1"; the latest are ${id}`)
  expect(await program.run(['erase', 'b'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no such device: "b"/),
  })
  const taken = await program.run(['erase', '--import', `${id}`, '--rollup'])
  expect(taken.stdout).toBe('erased 1, visitor 1, rejected events 1, devices 1\n')
  expect(await program.json('devices', '--json')).toEqual([])
  for (const args of [
    [],
    ['a', '--import', 'b'],
    ['--import', 'b', '--type', 'gps'],
    ['a', '--from', '2025-06-01'],
    ['a', '--from', '1748781000'],
    ['a', '--type', 'fix'],
    ['a', '--from', '2025-06-02T00:00:00Z', '--to', '2025-06-01T00:00:00Z'],
  ]) {
    expect((await program.run(['erase', ...args])).code, args.join(' ')).toBe(2)
  }
})
