import { openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { timeZoneFinding } from '../../src/cli/doctor/system-findings.ts'
import { newestVersion } from '../../src/store/sqlite/migrations.ts'
import { DAY, manyVisitors, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { privateRedis } from '../helpers/redis.ts'
import { type Cooler, cooler } from './cooler.ts'
import { doctor, saying } from './doctor-fixture.ts'
import { land, rollUp } from './in-process.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function alter(program: Cooler, sql: string): void {
  const database = new Database(program.store)
  database.exec(sql)
  database.close()
}

describe('doctor', () => {
  test('finds nothing wrong with a service that does its work, and tells so on lines for people, too', async () => {
    const redis = await privateRedis({ durable: true })
    const program = cooler({ REDIS_URL: redis.socket })
    const { url } = await program.service(['start'])
    const post = (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', body })
    await post('/v1/telemetry', JSON.stringify([visitors('a', 1)]))
    await post('/v1/rollups', JSON.stringify({ fromDay: DAY, toDay: DAY, wait: true }))
    const { code, found, stderr } = await doctor(program)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // Of the machine it may have to tell something, and of a Redis without a limit of memory it does.
    const own = [...found.values()].filter(
      ({ check }) => !/^system|^store (disk|file system)|^redis memory/.test(check),
    )
    expect(own.filter(({ severity }) => severity !== 'ok')).toEqual([])
    expect(own.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['settings', 'store', 'store integrity', 'work rollups', 'redis', 'queue backlog']),
    )
    const { stdout } = await program.run(['doctor', '--no-integrity'])
    expect(stdout).toMatch(/^ok {7}settings +all are good; REDIS_URL, COOLER_STORE, .* are from the environment/m)
    expect(stdout).toMatch(/^ok {7}redis +Redis at \/.* answers/m)
    expect(stdout).toMatch(/^warning {2}redis memory .*\n {9}-> set maxmemory/m)
    expect(stdout).not.toMatch(/integrity/)
  })

  test('makes no store where there is none, and migrates none', async () => {
    const program = cooler()
    const fresh = await doctor(program)
    expect(fresh.code).toBe(0)
    expect(fresh.found.get('store')?.message).toMatch(/not there yet/)
    expect(statSync(program.store, { throwIfNoEntry: false })).toBe(undefined)
    await land(program, [visitors('a', 1)])
    alter(program, 'PRAGMA user_version = 1')
    const { code, found } = await doctor(program)
    expect(code).toBe(0)
    expect(found.get('store')).toMatchObject({ severity: 'warning', advice: saying(/backup/) })
    const database = new Database(program.store, { readonly: true })
    expect(database.pragma('user_version', { simple: true })).toBe(1)
    database.close()
  })

  test('a wrong setting is a failure, and so is a store that is newer, damaged or none', async () => {
    const program = cooler()
    const wrong = await doctor(program, { COOLER_DAYTIME: 'noon' })
    expect(wrong).toMatchObject({ code: 1, stderr: saying(/^cooler: 1 of \d+ checks failed\n$/) })
    expect(wrong.found.get('settings')).toMatchObject({ severity: 'failure', message: saying(/"noon"/) })

    await land(program, manyVisitors(3000))
    alter(program, 'PRAGMA user_version = 7000')
    const newer = await doctor(program)
    expect(newer.found.get('store')).toMatchObject({ severity: 'failure', advice: saying(/newer/) })
    alter(program, `PRAGMA user_version = ${newestVersion()}`)
    const middle = Math.floor(statSync(program.store).size / 4096 / 2) * 4096
    writeSync(openSync(program.store, 'r+'), Buffer.alloc(4096, 0x5a), 0, 4096, middle)
    const damaged = await doctor(program)
    expect(damaged.code).toBe(1)
    expect(damaged.found.get('store integrity')).toMatchObject({ severity: 'failure' })
    writeFileSync(program.store, 'no database '.repeat(1000))
    const none = await doctor(program)
    expect(none.found.get('store')).toMatchObject({ severity: 'failure', message: saying(/no SQLite database/) })
  })

  test('tells of rollups and deletions that nobody does, of other rules and of a clock that is behind', async () => {
    const program = cooler({ COOLER_RAW_RETENTION_DAYS: '30' })
    await land(program, [visitors('a', 1, Date.now() - 60 * DAY_MS)])
    const rollups = async () => (await doctor(program)).found.get('work rollups')
    expect(await rollups()).toMatchObject({ severity: 'warning', message: saying(/none yet/) })
    await rollUp(program)
    expect(await rollups()).toMatchObject({ severity: 'ok' })
    await land(program, [visitors('b', 1)])
    for (const [hours, severity] of [
      [0.5, 'ok'],
      [2, 'warning'],
      [25, 'failure'],
    ] as const) {
      alter(program, `UPDATE shard SET rolled_up_at = ${Date.now() - hours * HOUR_MS}`)
      expect(await rollups()).toMatchObject({ severity })
    }
    await rollUp(program)
    const { code, found } = await doctor(program, { COOLER_DOOR_COUNT: 'changes' })
    expect(code).toBe(0)
    expect(found.get('work rollups')).toMatchObject({ severity: 'ok' })
    expect(found.get('work raw retention')).toMatchObject({ severity: 'warning', advice: saying(/prune-raw/) })
    expect(found.get('work rules')).toMatchObject({ severity: 'warning' })
    await program.run(['prune-raw'])
    alter(program, `UPDATE shard SET rolled_up_at = ${Date.now() + DAY_MS}`)
    const later = (await doctor(program)).found
    expect(later.get('work raw retention')).toMatchObject({ severity: 'ok' })
    expect(later.get('work clock')).toMatchObject({ severity: 'warning', message: '24.0 h behind the last rollup' })
  })

  test('a Redis that is away, or keeps nothing, is a failure', async () => {
    const redis = await privateRedis()
    const program = cooler({ REDIS_URL: redis.socket })
    const { code, found } = await doctor(program)
    expect(code).toBe(1)
    expect(found.get('redis persistence')).toMatchObject({ severity: 'failure', advice: saying(/appendonly yes/) })
    await redis.kill('SIGTERM')
    expect((await doctor(program)).found.get('redis')).toMatchObject({ severity: 'failure' })
  })
})

test('a service that starts with a Redis that keeps nothing warns of it in its log, once', async () => {
  const redis = await privateRedis()
  const { stderr } = await cooler({ REDIS_URL: redis.socket }).service(['serve'])
  await eventually(stderr).toMatch(/"level":40,.*"check":"redis persistence".*acknowledged batches are lost/)
  expect(stderr().match(/redis persistence/g)).toHaveLength(1)
})

test.each([
  ['2023c', '2026-01-01', 'warning'],
  ['2025c', '2026-11-29', 'ok'],
  ['', '2026-11-29', 'unknown'],
  ['system', '2026-11-29', 'unknown'],
])('time zone data %s on %s: %s', (version, now, severity) => {
  expect(timeZoneFinding(version, Date.parse(now)).severity).toBe(severity)
})

test('doctor tells of a move that is not finished, and of a store that was moved', async () => {
  const program = cooler()
  await land(program, [visitors('a', 1)])
  await rollUp(program)
  const target = `${program.store}.moved`
  expect((await doctor(program)).found.has('store move')).toBe(false)
  await program.run(['move', target])
  const unfinished = await doctor(program, { COOLER_STORE: target })
  expect([unfinished.code, unfinished.found.get('store move')]).toMatchObject([
    1,
    { severity: 'failure', message: saying(/not finished: finish it \(cooler move --finish\)/) },
  ])
  await program.run(['move', target, '--finish'])
  const moved = await doctor(program)
  expect([moved.code, moved.found.get('store move')]).toMatchObject([
    1,
    { severity: 'failure', message: saying(/has been moved: name the new one in COOLER_STORE/) },
  ])
  expect((await doctor(program, { COOLER_STORE: target })).found.has('store move')).toBe(false)
})
