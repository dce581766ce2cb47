import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Cooler, cooler } from './cooler.ts'

const MAPPING = {
  deviceId: 'Serial',
  at: { from: 'Time', format: 'local', timezone: 'Europe/Berlin' },
  decimalComma: true,
  events: [
    { type: 'temperature', celsius: 'Temp', setpoint: 'Target' },
    { type: 'door', count: 'Openings' },
  ],
}
const ROWS = [
  '\uFEFFSerial;Time;Temp;Target;Openings;Note',
  '007;2025-06-01 14:00;3,5;4;12;"a ; note',
  'over two lines"',
  '007;2025-06-01 14:05:30;warm;;;',
  '8;;4;;;',
  '9;2025-06-01 14:10;;;;nothing here',
  '',
].join('\r\n')

function fileOf({ store }: Cooler, name: string, content: string | Buffer): string {
  const path = join(dirname(store), name)
  writeFileSync(path, content)
  return path
}

test('rows become events by the mapping; what cannot be read is rejected, and what is empty is counted', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', JSON.stringify(MAPPING))
  const args = ['import', '--mapping', mapping, '--delimiter', ';', '--json']
  const outcome = {
    import: expect.stringMatching(/^imp-\d{8}-[a-z2-9]{6}$/),
    rows: 4,
    empty: 1,
    events: 4,
    rejected: 2,
  }
  expect(await program.json(...args, fileOf(program, 'rows.csv', ROWS))).toEqual([outcome])
  expect(await program.json(...args, fileOf(program, 'rows.csv.gz', gzipSync(ROWS)))).toEqual([outcome])
  expect(await program.json('events', '007')).toEqual(
    ['temperature', 'door', 'temperature', 'door'].map((type) => ({
      deviceId: '007',
      at: '2025-06-01T12:00:00.000Z',
      type,
      ...(type === 'door' ? { count: 12 } : { celsius: 3.5, setpoint: 4 }),
    })),
  )
  const rejects = await program.json('rejects', '--json')
  expect(rejects.slice(0, 2).map(({ reason, raw }) => [reason, JSON.parse(raw as string)])).toEqual([
    ['bad-at', { deviceId: '8', type: 'temperature', celsius: 4 }],
    ['not-a-number', { deviceId: '007', at: Date.parse('2025-06-01T12:05:30Z'), type: 'temperature', celsius: 'warm' }],
  ])
})

test('many rows land, from standard input too, with a line that tells the outcome', async () => {
  const program = cooler()
  const mapping = fileOf(
    program,
    'mapping.json',
    '{"deviceId":"id","at":"at","events":[{"type":"visitor","count":"n"}]}',
  )
  const rows = Array.from({ length: 12_000 }, (_, row) => `c-${row % 50},2025-06-01T12:00:${row % 60}Z,${row}`)
  const input = `id,at,n\n${rows.join('\n').replaceAll(/:(\d)Z/g, ':0$1Z')}\n`
  const { code, stdout } = await program.run(['import', '-', '--mapping', mapping], { input })
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^rows 12000, events 12000, rejected 0; .*--import imp-\S+\n$/),
  })
})

test('a mapping that is none is refused by the name of its file', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', '{')
  const { code, stderr } = await program.run(['import', '--mapping', mapping, '-'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/mapping\.json: no JSON/)])
})

test('a file that is not there, or is no CSV, fails and says why', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', JSON.stringify(MAPPING))
  for (const path of ['/nowhere.csv', fileOf(program, 'bad.csv', 'Serial;Time\n"open')]) {
    const { code, stderr } = await program.run(['import', '--mapping', mapping, '--delimiter', ';', path])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be read: \w/)])
  }
})
