import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { type Cooler, cooler } from './cooler.ts'
import { dailyOf, land, rollUp } from './in-process.ts'

const IDS = ['a', 'b', 'c']
const DATES = ['01', '02', '03', '04']
const EVENTS = DATES.flatMap((date) => IDS.map((id, index) => visitors(id, 10 + index, `2025-06-${date}T12:00:00Z`)))

async function filled(): Promise<Cooler> {
  const program = cooler()
  await land(program, EVENTS)
  await rollUp(program)
  return program
}

/** Runs SQL on the store, as a person with a shell might. */
function damage(program: Cooler, sql: string): void {
  const database = new Database(program.store)
  onTestFinished(() => void database.close())
  database.exec(sql)
}

const day = (date: string): number => Date.parse(`2025-06-${date}`) / 86_400_000
// Devices are numbered from 0; with 16 shards each has a row of its own.
const of = (id: string, date: string): string => `shard = ${IDS.indexOf(id)} AND day = ${day(date)}`
const visitorCounts = async (program: Cooler, date: string): Promise<number[]> =>
  (await dailyOf(program, Number(`202506${date}`))).map(({ visitorCount }) => visitorCount)

const outcome = async (program: Cooler, ...args: string[]) => {
  const { code, stdout, stderr } = await program.run(['verify', '--json', ...args])
  return { code, stderr, ...JSON.parse(stdout) }
}

test('where all is well verify succeeds and tells how much it compared, of an empty store nothing', async () => {
  const fresh = cooler()
  await rollUp(fresh)
  const empty = await fresh.run(['verify'])
  expect(empty).toMatchObject({ code: 0, stdout: '0 device-days of 0 devices compared; nothing differs\n' })
  const program = await filled()
  const { code, stdout, stderr } = await program.run(['verify'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '12 device-days of 3 devices compared; nothing differs\n' })
  expect(stderr).toMatch(/^verify: 3 devices in \d+ s.*\n$/)
  expect(await outcome(program)).toMatchObject({ code: 0, devices: 3, deviceDays: 12, differing: 0, differences: [] })
})

describe('where something differs', () => {
  const spoiled = async (): Promise<Cooler> => {
    const program = await filled()
    damage(
      program,
      `DELETE FROM rollup_block WHERE ${of('b', '02')};
       UPDATE rollup_block SET body = x'0102' WHERE ${of('a', '03')};
       UPDATE rollup_block SET next_close_at = 5 WHERE ${of('c', '01')};
       UPDATE rollup_block SET body = (SELECT body FROM rollup_block WHERE ${of('c', '02')}) WHERE ${of('b', '03')};
       UPDATE device_state SET last_heard_at = 7 WHERE device = 2`,
    )
    return program
  }

  test('verify fails and lists it, within what was asked for', async () => {
    const program = await spoiled()
    const { code, stdout, stderr } = await program.run(['verify'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/cooler: 5 differences between what is stored and .*`cooler verify --fix`.*\n$/)
    expect(stdout).toMatch(/^device +day +what +stored, computed\n/)
    expect(stdout).toMatch(/^a +20250603 +damaged$/m)
    expect(stdout).toMatch(/^b +20250602 +missing$/m)
    expect(stdout).toMatch(/^b +20250603 +damaged$/m)
    expect(stdout).toMatch(/^c +- +state$/m)
    expect(stdout).toMatch(/^c +20250601 +row +nextCloseAt 5, null$/m)
    const told = async (...args: string[]) =>
      (await outcome(program, ...args)).differences.map((one: Record<string, unknown>) => `${one.device} ${one.day}`)
    expect(await told('--id', 'b', '--id', 'a')).toEqual(['a 20250603', 'b 20250602', 'b 20250603'])
    expect(await told('--from', '20250602', '--to', '20250602')).toEqual(['b 20250602', 'c null'])
    expect(await outcome(program, '--limit', '2')).toMatchObject({ code: 1, differing: 5, differences: { length: 2 } })
  })

  test('--fix rolls it up again, after which verify succeeds and reports show the right figures', async () => {
    const program = await spoiled()
    const { code, differing, differences, differingStill } = await outcome(program, '--fix')
    expect({ code, differing, told: differences.length, differingStill }).toEqual({
      code: 0,
      differing: 5,
      told: 5,
      differingStill: 0,
    })
    expect(await outcome(program)).toMatchObject({ code: 0, deviceDays: 12, differing: 0 })
    for (const date of DATES) expect(await visitorCounts(program, date)).toEqual([10, 11, 12])
    expect((await program.run(['verify', '--fix'])).code).toBe(0)
  })

  test('--fix fails where raw events are gone, of which nothing can be computed', async () => {
    const program = await filled()
    expect((await program.run(['prune-raw'], { env: { COOLER_RAW_RETENTION_DAYS: '1' } })).code).toBe(0)
    expect(await outcome(program)).toMatchObject({ code: 0, deviceDays: 0, withoutRaw: 12 })
    damage(program, `UPDATE rollup_block SET body = x'' WHERE ${of('a', '03')}`)
    const { code, stderr } = await program.run(['verify', '--fix'])
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/1 difference left after the repair/),
    })
  })
})

test('verify refuses what it is asked for wrongly, and a store of other rules', async () => {
  const program = await filled()
  for (const args of [
    ['--from', '20250603', '--to', '20250601'],
    ['--from', '1'],
    ['--limit', '-1'],
  ])
    expect((await program.run(['verify', ...args])).code).toBe(2)
  expect(await program.run(['verify', '--id', 'x'])).toMatchObject({ code: 1, stderr: 'cooler: no device "x"\n' })
  const other = await program.run(['verify'], { env: { COOLER_DOOR_COUNT: 'changes' } })
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cooler: the rollups of this store are made by /),
  })
})

test('beside processes that land, move devices, roll up and compact nothing is told of', async () => {
  const program = cooler({ COOLER_RAW_RETENTION_DAYS: '400', COOLER_THREADS: '2' })
  const { url, child, outcome: ended } = await program.service(['start'], { COOLER_REFRESH_MINUTES: '0.005' })
  const start = Date.now() - 3 * 86_400_000
  let stop = false
  let landed = 0
  const landing = (async () => {
    // Not without end: a slow machine would have ever more to verify.
    while (!stop && landed < 30_000) {
      const events = Array.from({ length: 300 }, (_, n) => {
        const id = `cooler-${(landed + n * 7) % 150}`
        const at = start + ((landed * 37 + n * 1009) % 4200) * 60_000
        if (n % 5 === 0) return { deviceId: id, at, type: 'power', on: n % 2 === 0 }
        if (n === 7) return { deviceId: id, at, type: 'placement', lat: 1, lon: 1, timezone: 'Asia/Tokyo' }
        return { deviceId: id, at, type: 'visitor', total: n }
      })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${url}/v1/telemetry`, { method: 'POST', headers, body: JSON.stringify(events) })
      expect(answer.status).toBe(202)
      landed += events.length
    }
  })()
  let compared = 0
  for (let round = 0; round < 2; round++) {
    const result = await outcome(program)
    expect(result).toMatchObject({ code: 0, differing: 0, differences: [] })
    compared += result.deviceDays
  }
  stop = true
  await landing
  child.kill('SIGTERM')
  await ended
  expect(compared).toBeGreaterThan(0)
  await rollUp(program)
  expect(await outcome(program)).toMatchObject({ code: 0, differing: 0, dueDevices: 0 })
})
