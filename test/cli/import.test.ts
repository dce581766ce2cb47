import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  '',
  '9;2025-06-01 14:10;;;;nothing here',
  '10;2025-06-01 14:15;1;2;3;4;5',
  '',
].join('\r\n')

function fileOf({ store }: Cooler, name: string, content: string | Buffer | object): string {
  const path = join(dirname(store), name)
  const isContent = typeof content === 'string' || Buffer.isBuffer(content)
  writeFileSync(path, isContent ? content : JSON.stringify(content))
  return path
}

test('rows become events by the mapping; what cannot be read is rejected, and what is empty is counted', async () => {
  const program = cooler()
  const args = ['import', '--mapping', fileOf(program, 'mapping.json', MAPPING), '--json']
  const outcome = {
    import: expect.stringMatching(/^imp-\d{8}-[a-z2-9]{6}$/),
    rows: 5,
    empty: 1,
    events: 5,
    rejected: 3,
    reasons: { 'bad-row': 1, 'bad-at': 1, 'not-a-number': 1 },
    warnings: [],
  }
  for (const file of [fileOf(program, 'rows.csv', ROWS), fileOf(program, 'rows.csv.gz', gzipSync(ROWS))]) {
    const { code, stdout, stderr } = await program.run([...args, file])
    expect([code, JSON.parse(stdout)]).toEqual([1, outcome])
    expect(stderr).toContain(`rejected 3 (bad-row 1, bad-at 1, not-a-number 1), see cooler rejects`)
    expect(stderr).toContain(`rows without an event 1, the first is ${file}:7`)
  }
  expect(
    await program.json(...args, '--allow-rejects', '--delimiter', ';', join(dirname(program.store), 'rows.csv')),
  ).toEqual([outcome])
  expect(await program.json('events', '007')).toEqual(
    ['door', 'door', 'door', 'temperature', 'temperature', 'temperature'].map((type) => ({
      deviceId: '007',
      at: '2025-06-01T12:00:00.000Z',
      type,
      ...(type === 'door' ? { count: 12 } : { celsius: 3.5, setpoint: 4 }),
    })),
  )
  const rejects = await program.json('rejects', '--json')
  const row = {
    file: join(dirname(program.store), 'rows.csv'),
    line: 8,
    cells: ['10', '2025-06-01 14:15', '1', '2', '3', '4', '5'],
  }
  expect(rejects.slice(0, 3).map(({ reason, raw }) => [reason, JSON.parse(raw as string)])).toEqual([
    ['bad-row', { badRow: row }],
    ['bad-at', { deviceId: '8', type: 'temperature', celsius: 4 }],
    ['not-a-number', { deviceId: '007', at: Date.parse('2025-06-01T12:05:30Z'), type: 'temperature', celsius: 'warm' }],
  ])
  expect(await program.json('rejects', '--replay', '--reason', 'bad-row', '--json')).toEqual([
    { accepted: 0, rejected: 3, left: 0 },
  ])
})

const VISITORS = { deviceId: 'id', at: 'at', events: [{ type: 'visitor', count: 'n' }] }

test('many rows land, from standard input too, with a line that tells the outcome', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', VISITORS)
  const rows = Array.from({ length: 12_000 }, (_, row) => `c-${row % 50},2025-06-01T12:00:${row % 60}Z,${row}`)
  const input = `id,at,n\n${rows.join('\n').replaceAll(/:(\d)Z/g, ':0$1Z')}\n`
  const { code, stdout } = await program.run(['import', '-', '--mapping', mapping], { input })
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^rows 12000, events 12000, rejected 0; taken back by .*--import imp-\S+\n$/),
  })
})

test('a dry run prints the first events and the rejects, and makes no store', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', MAPPING)
  const file = fileOf(program, 'rows.csv', ROWS)
  const { code, stdout } = await program.run(['import', '--mapping', mapping, '--dry-run', '--allow-rejects', file])
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      '{"deviceId":"007","at":"2025-06-01T12:00:00.000Z","type":"temperature","celsius":3.5,"setpoint":4}',
      '{"deviceId":"007","at":"2025-06-01T12:00:00.000Z","type":"door","count":12}',
      `${file}:4: not-a-number {"deviceId":"007","at":"2025-06-01T12:05:30.000Z","type":"temperature","celsius":"warm"}`,
      `${file}:5: bad-at {"deviceId":"8","type":"temperature","celsius":4}`,
      expect.stringMatching(/rows\.csv:8: bad-row /),
      'rows 5, events 5, rejected 3 (bad-row 1, bad-at 1, not-a-number 1), rows without an event 1 (dry run: nothing landed)',
      '',
    ],
  ])
  expect(existsSync(program.store)).toBe(false)
})

test('rows without a time of their own count again each time, and events beyond the retention are announced', async () => {
  const program = cooler({ COOLER_RAW_RETENTION_DAYS: '400' })
  const received = fileOf(program, 'received.json', { ...VISITORS, at: { received: true } })
  const file = fileOf(program, 'rows.csv', 'id,at,n\na,2020-06-01T12:00:00Z,1\na,2020-06-01T12:00:00Z,1\n')
  for (let time = 0; time < 2; time++) {
    const { code, stderr } = await program.run(['import', '--mapping', received, file])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: .*importing the file again counts again$/m)])
  }
  expect(await program.json('events', 'a')).toHaveLength(4)
  const timed = fileOf(program, 'timed.json', VISITORS)
  const [{ warnings }] = await program.json('import', '--mapping', timed, '--json', '--dry-run', file)
  expect(warnings).toEqual([expect.stringMatching(/^2 events are older than COOLER_RAW_RETENTION_DAYS \(400\)/)])
})

const GOOD = 'id,at,n\na,2025-06-01T12:00:00Z,1\n'

test('a file that cannot be read right to its end keeps the others from landing, too', async () => {
  const program = cooler()
  const good = fileOf(program, 'good.csv', GOOD)
  const bad = fileOf(program, 'bad.csv', Buffer.from(`${GOOD}b\xfc,2025-06-01T12:00:00Z,1\n`, 'latin1'))
  const mapping = fileOf(program, 'mapping.json', VISITORS)
  const { code, stderr } = await program.run(['import', '--mapping', mapping, good, bad])
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/bad\.csv cannot be read: line 3 is not utf-8: .*--encoding/),
  ])
  expect(existsSync(program.store)).toBe(false)
})

test('a mapping or an option that makes no sense is used wrongly', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', { ...VISITORS, deviceId: { topic: 1 } })
  const broken = fileOf(program, 'broken.json', '{')
  for (const [args, message] of [
    [['--mapping', broken], /broken\.json: no JSON/],
    [['--mapping', mapping], /files have no topic/],
    [['--mapping', mapping, '--encoding', 'klingon'], /--encoding klingon is not known/],
  ] as const) {
    const { code, stderr } = await program.run(['import', ...args, '-'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  }
})

test('a copy of standard input leaves no file, even when the import is killed', async () => {
  const program = cooler()
  const mapping = fileOf(program, 'mapping.json', VISITORS)
  const running = program.spawn(['import', '-', '--mapping', mapping], { TMPDIR: dirname(program.store) })
  running.child.stdin?.write(GOOD)
  await new Promise((resolve) => running.child.stdin?.write('a,2025-06-01T12:00:01Z,1\n', resolve))
  running.child.kill('SIGKILL')
  await running.outcome
  expect(readdirSync(dirname(program.store))).toEqual(['mapping.json'])
})

const SHARED = fileURLToPath(new URL('../../../shared/imports/', import.meta.url))

interface Expected {
  file: string
  mapping: string
  options?: string[]
  exit: number
  says?: string[]
  days?: { day: number; entries: Record<string, object> }[]
}

test.runIf(existsSync(SHARED))(
  'files of ../shared/imports become what is expected of them',
  { timeout: 180_000 },
  async () => {
    const program = cooler()
    const expected: Expected[] = JSON.parse(readFileSync(join(SHARED, 'expected.json'), 'utf8'))
    const landing = expected.filter(({ days }) => days !== undefined)
    for (const { file, mapping, options = [], exit, says = [] } of landing) {
      const { code, stderr } = await program.run([
        'import',
        join(SHARED, file),
        '--mapping',
        join(SHARED, mapping),
        ...options,
      ])
      expect([file, code, says.filter((text) => !stderr.includes(text))]).toEqual([file, exit, []])
    }
    await program.run(['rollup'])
    const days = landing.flatMap(({ days = [] }) => days)
    for (const day of new Set(days.map((one) => one.day))) {
      const [report] = await program.json('report', String(day), '--json')
      const list = (report.data as { deviceStatusList: { assertId: string }[] }).deviceStatusList
      for (const [id, figures] of days
        .filter((one) => one.day === day)
        .flatMap(({ entries }) => Object.entries(entries)))
        expect(list.find(({ assertId }) => assertId === id)).toMatchObject(figures)
    }
  },
)
