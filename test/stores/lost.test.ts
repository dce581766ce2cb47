import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkCopy } from '../../src/store/open-store.ts'
import { openSqliteStore, openSqliteStoreReader } from '../../src/store/sqlite/store.ts'
import { beside, inside, post, visitorCounts } from '../cli/backup-fixture.ts'
import { cooler } from '../cli/cooler.ts'
import { manyVisitors, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { landAll } from '../helpers/run-history.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { ended, queueFixture } from '../jobs/queue-fixture.ts'

const SUFFIXES = ['', '-wal', '-shm']

const rescuedFiles = (store: string): string[] =>
  existsSync(dirname(store))
    ? readdirSync(dirname(store))
        .filter((name) => name.startsWith(`${basename(store)}.rescued-`))
        .map((name) => join(dirname(store), name))
    : []

/** A service that has acknowledged more than it has checkpointed. */
async function running() {
  const program = cooler()
  const { url, child, stderr, outcome } = await program.service(['start'])
  expect(await post(url, manyVisitors(2000))).toBe(202)
  expect(await post(url, [visitors('last', 7)])).toBe(202)
  return { program, url, stderr, child, outcome }
}

const ways: Record<string, (store: string) => void> = {
  removed: (store) => {
    for (const suffix of SUFFIXES) rmSync(store + suffix)
  },
  'removed, but for its write-ahead log': (store) => rmSync(store),
  moved: (store) => renameSync(store, `${store}.away`),
  'replaced by another one': (store) => {
    void openSqliteStore({ location: `${store}.new`, rejectsKept: 1 }).close()
    renameSync(`${store}.new`, store)
  },
  'without its write-ahead log': (store) => rmSync(`${store}-wal`),
  'in a folder that was moved': (store) => renameSync(dirname(store), `${dirname(store)}.away`),
}

describe('a store that is moved, removed or replaced in any way under a running service', () => {
  // All at once: each waits for its watch more than it works.
  test('takes nothing more, says so, and all that was acknowledged is saved', () =>
    Promise.all(Object.values(ways).map(loseAndRestore)))

  async function loseAndRestore(lose: (store: string) => void): Promise<void> {
    const { program, url, stderr, child, outcome } = await running()
    lose(program.store)
    const refused = await fetch(`${url}/v1/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([visitors('late', 1)]),
    })
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'store-gone', message: expect.not.stringContaining('/') })
    await eventually(async () => (await fetch(`${url}/readyz`)).status).toBe(503)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await eventually(stderr).toMatch(/has been saved/)
    const [rescued, ...others] = rescuedFiles(program.store)
    expect(others).toEqual([])
    expect(stderr()).toContain(rescued)
    expect(inside(rescued)).toEqual({ landed: 2001, check: 'ok' })
    expect(statSync(rescued).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(rescued)).filter((name) => /saving|-journal/.test(name))).toEqual([])
    child.kill('SIGTERM')
    await outcome
    rmSync(`${dirname(program.store)}.away`, { recursive: true, force: true })
    // As the log says.
    await program.json('restore', '--force', '--json', rescued)
    expect(await visitorCounts(program)).toMatchObject({ last: 7, 'cooler-1999': 999 })
  }
})

test('a store that comes back goes on, and is saved again should it be lost once more', async () => {
  const { program, url, stderr } = await running()
  for (let round = 1; round <= 2; round++) {
    renameSync(program.store, `${program.store}.away`)
    await eventually(() => rescuedFiles(program.store).length).toBe(round)
    expect(await post(url, [visitors('late', 1)])).toBe(503)
    renameSync(`${program.store}.away`, program.store)
    await eventually(stderr).toMatch(new RegExp(`(at its place again[^]*){${round}}`))
    expect(await post(url, [visitors(`back-${round}`, 1)])).toBe(202)
  }
  expect(inside(rescuedFiles(program.store).sort()[1])).toEqual({ landed: 2002, check: 'ok' })
  expect(readdirSync(dirname(program.store)).filter((name) => name.includes('.lost-'))).toEqual([])
})

test.each([
  ['is empty, as a full disk leaves a file', ''],
  ['names a rescued file that is gone: it is of an earlier loss', '/nowhere/store.sqlite.rescued-20250601T000000Z'],
])('a lost store is saved although the note of its loss %s', async (_, text) => {
  const location = join(temporaryFolder(), 'store.sqlite')
  const store = openSqliteStore({ location, rejectsKept: 1 })
  await landAll(store, [[visitors('a', 1)]], Date.now())
  const { dev, ino } = statSync(location)
  writeFileSync(`${location}.lost-${dev}-${ino}`, text)
  renameSync(location, `${location}.away`)
  const rescue = () => store.rescue?.save(Date.now(), async (copy) => checkCopy(copy, 'full'))
  const rescued = [await rescue(), await rescue()]
  await store.close()
  expect(rescued).toEqual([null, rescuedFiles(location)[0]])
  expect(inside(rescuedFiles(location)[0])).toEqual({ landed: 1, check: 'ok' })
})

test('several processes save a lost store once; batches of the queue wait, cost no attempt and land when it is back', async () => {
  const { redis, batches, enqueue } = await queueFixture()
  const program = cooler({ REDIS_URL: redis.socket })
  const services = [await program.service(['work']), await program.service(['work']), await program.service(['serve'])]
  await ended(batches, await enqueue({ events: [visitors('a', 1)] }), 'completed')
  renameSync(program.store, `${program.store}.away`)
  const job = await enqueue({ events: [visitors('a', 2)] })
  for (const { stderr } of services) await eventually(stderr).toMatch(/has been saved/)
  expect(rescuedFiles(program.store)).toHaveLength(1)
  expect(await job.getState()).toBe('active')
  renameSync(`${program.store}.away`, program.store)
  expect(await ended(batches, job, 'completed')).toMatchObject({ attemptsMade: 1 })
  expect(inside(program.store).landed).toBe(2)
})

test('where a store is missing and a rescued one lies there, no new one is made in silence', async () => {
  const program = cooler()
  await program.run(['rollup'])
  copyFileSync(program.store, `${program.store}.rescued-20250601T000000Z`)
  rmSync(program.store)
  const { code, stderr } = await program.run(['start'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/cooler restore .*rescued-20250601T000000Z/),
  })
  expect(existsSync(program.store)).toBe(false)
})

test('a connection to other files than those of its process is refused, and makes none', async () => {
  const location = join(temporaryFolder(), 'store.sqlite')
  const store = openSqliteStore({ location, rejectsKept: 1 })
  await landAll(store, [[visitors('a', 1)]], Date.now())
  const { identity } = store.health
  const gone = expect.objectContaining({ code: 'store-gone', retryable: true })
  renameSync(location, `${location}.away`)
  for (const open of [openSqliteStore, openSqliteStoreReader]) {
    expect(() => open({ location, rejectsKept: 1, identity })).toThrow(gone)
    writeFileSync(location, '')
    expect(() => open({ location, rejectsKept: 1, identity })).toThrow(gone)
    expect(statSync(location).size).toBe(0)
    rmSync(location)
  }
  await expect(store.registry.put('b', {}, 1)).rejects.toEqual(gone)
  expect(await store.registry.count()).toBe(1)
  await store.close()
  expect(existsSync(location)).toBe(false)
})

test("new files are their owner's alone, and so are the folders that are made for them", async () => {
  const program = cooler()
  const store = beside(program, 'new/folder/store.sqlite')
  const env = { COOLER_STORE: store }
  mkdirSync(beside(program, 'backups'))
  const { url } = await program.service(['start'], env)
  await post(url, [visitors('a', 1)])
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  expect(SUFFIXES.map((suffix) => modeOf(store + suffix))).toEqual(['600', '600', '600'])
  expect([dirname(store), dirname(dirname(store))].map(modeOf)).toEqual(['700', '700'])
  const backup = beside(program, 'backups/backup.sqlite')
  await program.run(['backup', backup], { env })
  expect(modeOf(backup)).toBe('600')
})
