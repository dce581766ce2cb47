import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { importRegistry, writeRegistry } from '../../src/cli/registry-csv.ts'
import type { PutDevice } from '../../src/ingest/device-change.ts'
import { lines, visitors } from '../helpers/events.ts'
import { temporaryFolder, temporaryStore } from '../helpers/temporary-store.ts'
import { type Cooler, cooler } from './cooler.ts'

const placement = (deviceId: string, at: string, more: object = {}) => ({
  ...{ deviceId, at, type: 'placement', lat: -33.86, lon: 151.2 },
  ...more,
})

const EVENTS = [
  placement('=HYPERLINK("x")', '2025-06-01T00:00:00Z', { timezone: 'Australia/Sydney', address: '' }),
  placement('=HYPERLINK("x")', '2025-06-02T00:00:00Z', { seq: 7, address: '"Kühl", 1\nzweite Zeile' }),
  placement("'a", '2025-06-01T00:00:00Z', { lat: 1e-7, lon: -180, address: '@home' }),
  visitors('never placed', 1),
]

const HEAD = 'deviceId,retired,at,seq,lat,lon,timezone,address\n'

const csvOf = async (program: Cooler): Promise<string> => (await program.run(['devices', '--csv'])).stdout

function fileOf({ store }: Cooler, content: string): string {
  const path = join(dirname(store), 'registry.csv')
  writeFileSync(path, content)
  return path
}

test('what one registry exports another imports, and is the same; done again it changes nothing', async () => {
  const [from, into] = [cooler(), cooler()]
  await from.run(['ingest', '-'], { input: lines(EVENTS) })
  const retired = fileOf(from, 'deviceId,retired,at,seq,lat,lon,timezone,address\nnever placed,true,,,,,,\n')
  expect(await from.json('devices', '--import', retired, '--json')).toEqual([{ devices: 1 }])
  const csv = await csvOf(from)
  expect(csv).toContain('\r\nnever placed,true,,,,,,\r\n')
  expect(csv).toContain('"\'=HYPERLINK(""x"")",false,2025-06-01T00:00:00.000Z,,-33.86,151.2,Australia/Sydney,\r\n')
  const file = fileOf(into, csv)
  for (let time = 0; time < 2; time++)
    expect(await into.json('devices', '--import', file, '--json')).toEqual([{ devices: 3 }])
  expect(await csvOf(into)).toBe(csv)
  const before = await from.json('devices', '--json')
  await from.run(['devices', '--import', file])
  expect(await from.json('devices', '--json')).toEqual(before)
})

test.each([
  [
    'a column that is missing',
    'deviceId,retired\na,false\n',
    /it has no column "at"; its columns are "deviceId", "retired"$/,
  ],
  ['a field too many', 'a,false,,,,,,,\n', /line 2: it has 9 fields, but there are 8 columns/],
  ['a column twice', 'deviceId,retired,at,seq,lat,lon,timezone,address,seq\n', /it has 2 columns "seq"/],
  ['no device', ',false,,,,,,\n', /line 2: deviceId is missing/],
  ['a retirement that is none', 'a,yes,,,,,,\n', /line 2: retired must be true or false/],
  ['two minds', 'a,true,,,,,,\na,false,,,,,,\n', /line 3: retired is not what line 2 says/],
  ['no instant', 'a,false,,,1,2,,\n', /line 2: at is missing/],
  ['a place that is none', 'a,false,2025-06-01T00:00:00Z,,91,2,,\n', /line 2: placements\[0\]: out-of-range/],
  ['a key of a label that is none', `${HEAD.trim()},label:Route\n`, /the column "label:Route" names no key of a label/],
  ['a label twice', `${HEAD.trim()},label:a,label:a\n`, /it has two columns label:a/],
  [
    'two labels',
    `${HEAD.trim()},label:a\na,false,,,,,,,1\na,false,,,,,,,2\n`,
    /line 3: label a is not what line 2 says/,
  ],
  ['a label that is none', `${HEAD.trim()},label:a\na,false,,,,,,,"1\n2"\n`, /line 2: label a must be a text/],
  ['a zone that is none', 'a,false,2025-06-01T00:00:00Z,,1,2,Mars,\n', /line 2: placements\[0\]: bad-timezone/],
])('a file with %s changes nothing and says where', async (_, text, message) => {
  const file = join(temporaryFolder(), 'registry.csv')
  writeFileSync(file, text.startsWith('deviceId') ? text : `${HEAD}${text}good,false,,,,,,\n`)
  const { registry } = temporaryStore()
  const put: PutDevice = ({ id, change, now }) => registry.put(id, change, now)
  await expect(importRegistry(file, {}, registry, put, Date.now())).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringMatching(message),
  })
  expect(await registry.devices()).toEqual([])
})

/** Makes a registry what a text says; returns the registry as CSV. */
async function imported({ registry }: ReturnType<typeof temporaryStore>, text: string): Promise<string> {
  const file = join(temporaryFolder(), 'registry.csv')
  writeFileSync(file, text)
  const put: PutDevice = ({ id, change, now }) => registry.put(id, change, now)
  await importRegistry(file, {}, registry, put, Date.now())
  const out = new PassThrough()
  await writeRegistry(registry, out)
  return String(out.read())
}

test('labels are columns, as many as there are keys, and come back from their file', async () => {
  const [from, into] = [temporaryStore(), temporaryStore()]
  const csv = await imported(
    from,
    'deviceId,retired,at,seq,lat,lon,timezone,address,label:route,label:customer\n' +
      'b,false,,,,,,,12,"Kühl, ""GmbH"""\na,false,,,,,,,\'=1+1,\n',
  )
  expect(csv).toBe(
    'deviceId,retired,at,seq,lat,lon,timezone,address,label:customer,label:route\r\n' +
      'a,false,,,,,,,,\'=1+1\r\nb,false,,,,,,,"Kühl, ""GmbH""",12\r\n',
  )
  expect((await from.registry.device('a'))?.labels).toEqual({ route: '=1+1' })
  expect(await imported(into, csv)).toBe(csv)
  // A column decides about its own label alone; without columns, labels stay.
  await imported(into, `${HEAD.trim()},label:route\nb,false,,,,,,,\n`)
  expect(await imported(into, `${HEAD}a,false,,,,,,\n`)).toBe(csv.replace('"Kühl, ""GmbH""",12', '"Kühl, ""GmbH""",'))
})

test('a file of another program is read by its own encoding, delimiter and blanks', async () => {
  const program = cooler()
  const text = 'sep=;\r\n deviceId;retired ;at;seq;lat;lon;timezone;address\r\nK\u00fchl;false;;;;;;\r\n'
  const file = join(dirname(program.store), 'registry.csv')
  writeFileSync(file, Buffer.from(text, 'latin1'))
  const { code, stderr } = await program.run(['devices', '--import', file])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/line 3 is not utf-8: .*--encoding/)])
  expect(await program.json('devices', '--json', '--import', file, '--encoding', 'windows-1252')).toEqual([
    { devices: 1 },
  ])
  const utf16 = { input: Buffer.from(`\uFEFF${text}`, 'utf16le') }
  expect((await program.run(['devices', '--import', '-'], utf16)).stdout).toBe('devices 1\n')
  expect(await program.json('devices', '--json')).toMatchObject([{ id: 'K\u00fchl' }])
})

test('a device is retired by its id, now or since a time in the past; one that is not there is not', async () => {
  const program = cooler()
  await program.run(['ingest', '-'], { input: lines([visitors('A 1', 1)]) })
  const since = ['--at', '2026-01-01T08:00:00+01:00']
  expect(await program.json('devices', '--retire', 'A 1', ...since, '--json')).toMatchObject([
    { id: 'A 1', retiredAt: '2026-01-01T07:00:00.000Z' },
  ])
  expect((await program.run(['devices', '--retire', 'A 1'])).stdout).toMatch(/^A 1 retired 20/)
  expect(await program.run(['devices', '--retire', 'B'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no such device: "B"/),
  })
  expect(await program.run(['devices', '--retire', 'A 1', '--at', 'then'])).toMatchObject({ code: 1 })
  expect(await program.run(['devices', ...since])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--at goes with --retire/),
  })
  expect(await program.json('devices', '--json')).toMatchObject([{ id: 'A 1' }])
})
