import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { lines, manyVisitors, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import { type Cooler, cooler } from './cooler.ts'

const good = visitors('a', 1)
const bad = { ...good, type: 'humidity' }

/** Writes a file beside the store; gives its path. */
function file({ store }: Cooler, name: string, content: string | Buffer): string {
  const path = join(dirname(store), name)
  writeFileSync(path, content)
  return path
}

test('a plain file, a gzip file of any name and several members, and standard input land alike', async () => {
  const program = cooler()
  const plain = file(program, 'plain.ndjson', lines([visitors('plain', 1), visitors('plain', 2), bad]))
  const packed = file(
    program,
    'packed',
    Buffer.concat([visitors('gzip', 1), visitors('gzip', 2)].map((event) => gzipSync(lines([event])))),
  )
  expect(await program.json('ingest', '--json', plain, packed)).toEqual([{ landed: 4, rejected: 1 }])
  for (const input of [lines([visitors('stdin', 1)]), gzipSync(lines([visitors('stdin', 2)]))]) {
    const { code, stdout } = await program.run(['ingest', '-'], { input })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^landed 1, rejected 0\nRepeats of events .* counts each event once\.\n$/),
    })
  }
  const devices = await program.json('devices', '--json')
  expect(devices.map(({ id }) => id)).toEqual(['gzip', 'plain', 'stdin'])
})

test('byte order mark, CRLF, blank lines and a missing last end are no events; lines that are none are rejected', async () => {
  const program = cooler()
  const text = `\uFEFF${JSON.stringify(good)}\r\n\r\n   \r\n{"cut":\r\n[]\n${JSON.stringify(good)}`
  const path = file(program, 'lines.ndjson', text)
  expect(await program.json('ingest', '--json', path)).toEqual([{ landed: 2, rejected: 2 }])
  const rejects = await program.json('rejects', '--json')
  expect(rejects.map(({ reason, raw }) => [reason, raw])).toEqual([
    ['not-an-object', '[]'],
    ['not-an-object', '{"cut":'],
  ])
})

test('a file of many chunks, or of many parts read beside each other, lands whole, its lines cut nowhere', async () => {
  const program = cooler()
  const large = (count: number, id: string, note: string): string =>
    lines(manyVisitors(count, id).map((event) => ({ ...event, note })))
  const packed = file(program, 'large.ndjson.gz', gzipSync(large(40_000, 'Kühler-€-', 'ü'.repeat(30)), { level: 1 }))
  expect(await program.json('ingest', '--json', packed)).toEqual([{ landed: 40_000, rejected: 0 }])
  const plain = file(program, 'large.ndjson', large(10_000, 'cooler-', 'ü'.repeat(900))) // 19 MB
  const threads = { COOLER_THREADS: '2' }
  const { stdout } = await program.run(['ingest', '--json', '--rollup', plain], { env: threads })
  expect(JSON.parse(stdout)).toEqual({ landed: 10_000, rejected: 0, deviceDays: 50_000, repeats: 0 })
})

test('--rollup is not for a queue', async () => {
  const program = cooler()
  const { code, stderr } = await program.run(['ingest', '--queue', '--rollup', file(program, 'empty', '')])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--rollup is not for --queue')])
})

test('nothing is nothing: an empty file and an empty standard input', async () => {
  const program = cooler()
  expect(await program.json('ingest', '--json', file(program, 'empty', ''), '-')).toEqual([{ landed: 0, rejected: 0 }])
})

test('a missing file fails before anything lands, a folder and a cut gzip file fail, each with one line', async () => {
  const program = cooler()
  const whole = file(program, 'whole.ndjson', lines([good]))
  const folder = join(dirname(program.store), 'folder')
  mkdirSync(folder)
  const cut = file(program, 'cut.gz', gzipSync(lines(manyVisitors(1000))).subarray(0, 900))
  const missing = await program.run(['ingest', whole, `${whole}.gz`])
  expect(missing).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^cooler: .*whole\.ndjson\.gz cannot be read.*\n$/m),
  })
  expect(await program.json('devices', '--json')).toEqual([])
  for (const path of [folder, cut]) {
    const { code, stdout, stderr } = await program.run(['ingest', path])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.split('\n').filter((line) => line.startsWith('cooler: '))).toHaveLength(1)
    expect(stderr).not.toMatch(/\n\s+at /)
  }
})

test('a simulated fleet with faults piped in lands, its invalid events are rejected', async () => {
  const program = cooler()
  const options = ['--devices', '20', '--days', '2', '--start', '20250601', '--faults']
  const simulate = program.spawn(['simulate', ...options])
  const ingest = program.spawn(['ingest', '--json', '-'])
  simulate.child.stdout?.pipe(ingest.child.stdin as NodeJS.WritableStream)
  const { stdout, code } = await ingest.outcome
  const sent = (await simulate.outcome).stdout.trimEnd().split('\n').length
  const { landed, rejected } = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(landed + rejected).toBe(sent)
  expect(rejected).toBeGreaterThan(0)
  expect(rejected / sent).toBeLessThan(0.01)
})

test('what goes through the queue lands and is rejected as what lands directly', async () => {
  const { socket } = await privateRedis({ durable: true })
  const input = Buffer.concat([
    Buffer.from(`\uFEFF${lines([visitors('a', 1), visitors('a', 2), bad])}\r\n \n{"no": JSON\n[1e999]\n`),
    Buffer.from(lines([visitors('K\xfchler', 1)]), 'latin1'),
  ])
  const [direct, queued] = [cooler(), cooler({ REDIS_URL: socket })]
  expect(await direct.json('ingest', '--json', file(direct, 'events', input))).toEqual([{ landed: 2, rejected: 4 }])
  const { child, outcome } = await queued.service(['work'])
  expect(await queued.json('ingest', '--queue', '--json', file(queued, 'events', input))).toEqual([{ enqueued: 6 }])
  const counted = async (program: Cooler) =>
    (await program.json('rejects', '--json')).map(({ reason }) => reason).sort()
  await eventually(() => counted(queued)).toEqual(await counted(direct))
  child.kill('SIGTERM')
  await outcome
  expect(await queued.json('devices', '--json')).toMatchObject([{ id: 'a' }])
})
