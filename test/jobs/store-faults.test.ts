import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newestVersion } from '../../src/store/sqlite/migrations.ts'
import { cooler } from '../cli/cooler.ts'
import { lines, manyVisitors, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { smallDisk } from '../helpers/small-disk.ts'
import type { TemporaryService } from '../helpers/temporary-service.ts'
import { ended, queueFixture } from './queue-fixture.ts'

const landedOf = async ({ pipeline }: TemporaryService) => (await pipeline.reader.landing.counters()).landed

const landedIn = (file: string): unknown =>
  read(file, "SELECT coalesce(max(value), 0) FROM counter WHERE name = 'landed'")
const checkOf = (file: string): unknown => read(file, 'PRAGMA integrity_check')

function read(file: string, sql: string): unknown {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare(sql).pluck().get()
  } finally {
    database.close()
  }
}

/** Longer than SQLite waits for a lock. */
const LONG_MS = 15_000

describe('a store that someone else keeps locked for long', () => {
  test('makes batches wait, costs them no attempt, and all land when it is free; meanwhile others are taken in', async () => {
    const { service, batches, enqueue } = await queueFixture()
    const worker = await service({ work: true })
    await ended(batches, await enqueue({ events: [visitors('first', 1)] }), 'completed')
    const other = new Database(worker.config.store)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    const lockedAt = performance.now()
    const jobs = []
    for (let number = 0; number < 50; number++) jobs.push(await enqueue({ events: [visitors(`cooler-${number}`, 1)] }))
    await eventually(() => batches.getActiveCount()).toBe(32)
    expect(await worker.intake.accept({ events: [visitors('taken-in', 1)] })).toMatchObject({ landed: 1 })
    expect(await landedOf(worker)).toBe(1) // It is locked still.
    await new Promise((resolve) => setTimeout(resolve, LONG_MS - (performance.now() - lockedAt)))
    expect(await batches.getJobCounts('active', 'waiting', 'delayed', 'failed')).toEqual({
      active: 32,
      waiting: 19,
      delayed: 0,
      failed: 0,
    })
    other.exec('ROLLBACK')
    for (const job of jobs) expect(await ended(batches, job, 'completed')).toMatchObject({ attemptsMade: 1 })
    await eventually(() => landedOf(worker)).toBe(52)
  })

  test('does not keep the worker from closing: what it has in hand waits again, for another one', async () => {
    const { service, batches, enqueue } = await queueFixture()
    const worker = await service({ work: true })
    const { store } = worker.config
    await ended(batches, await enqueue({ events: [visitors('first', 1)] }), 'completed')
    const other = new Database(store)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    const jobs = [await enqueue({ events: [visitors('a', 1)] }), await enqueue({ events: [visitors('b', 1)] })]
    await eventually(() => batches.getActiveCount()).toBe(2)
    await worker.close()
    const counts = await batches.getJobCounts('active', 'waiting', 'delayed', 'failed')
    expect(counts).toEqual({ active: 0, waiting: 2, delayed: 0, failed: 0 })
    other.exec('ROLLBACK')
    const next = await service({ work: true }, { COOLER_STORE: store })
    for (const job of jobs) expect(await ended(batches, job, 'completed')).toMatchObject({ attemptsMade: 1 })
    expect(await landedOf(next)).toBe(3)
  })
})

describe('a disk that is full', () => {
  test('makes batches of the queue wait, and each lands once when there is room', async () => {
    const { redis, batches, enqueue } = await queueFixture()
    const disk = smallDisk()
    const store = `${disk.folder}/store.sqlite`
    const { child, stderr, outcome } = await cooler({ REDIS_URL: redis.socket, COOLER_STORE: store }).service(['work'])
    disk.confine(child)
    const count = 60
    for (let number = 0; number < count; number++) await enqueue({ ndjson: lines(manyVisitors(5000, `${number}-`)) })
    await eventually(stderr).toMatch(/the store cannot be written/)
    const { failed, delayed } = await batches.getJobCounts('failed', 'delayed')
    expect({ failed, delayed }).toEqual({ failed: 0, delayed: 0 })
    expect(landedIn(store)).toBeLessThan(count * 5000)
    disk.makeRoom(child)
    await eventually(() => batches.getCompletedCount()).toBe(count)
    expect(landedIn(store)).toBe(count * 5000)
    child.kill('SIGTERM')
    expect((await outcome).code).toBe(0)
    expect(checkOf(store)).toBe('ok')
  })

  test('refuses batches of HTTP for the moment, and what was acknowledged is there', async () => {
    const disk = smallDisk()
    const store = `${disk.folder}/store.sqlite`
    const { url, child, outcome } = await cooler({ COOLER_STORE: store }).service(['start'])
    disk.confine(child)
    let acknowledged = 0
    const post = async (number: number): Promise<Response> => {
      const headers = { 'content-type': 'application/x-ndjson' }
      const body = lines(manyVisitors(5000, `${number}-`))
      const answer = await fetch(`${url}/v1/telemetry`, { method: 'POST', headers, body })
      if (answer.status === 202) acknowledged += ((await answer.json()) as { accepted: number }).accepted
      return answer
    }
    let refusal: Response | undefined
    for (let number = 0; refusal === undefined && number < 100; number++) {
      const answer = await post(number)
      if (answer.status !== 202) refusal = answer
    }
    expect(refusal?.status).toBe(503)
    expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusal?.json()).toMatchObject({ code: 'store-full', data: null })
    expect(acknowledged).toBeGreaterThan(0)
    expect((await fetch(`${url}/readyz`)).status).toBe(200) // Reports are still read.
    disk.makeRoom(child)
    expect((await post(1000)).status).toBe(202)
    expect(landedIn(store)).toBe(acknowledged)
    child.kill('SIGTERM')
    expect((await outcome).code).toBe(0)
    expect(checkOf(store)).toBe('ok')
  })
})

describe('a store that a newer program has migrated', () => {
  const migrate = (store: string, version: number): void => {
    const database = new Database(store)
    database.pragma(`user_version = ${version}`)
    database.close()
  }

  test('ends the worker, and no batch fails: the newer program lands them', async () => {
    const { redis, batches, enqueue } = await queueFixture()
    const program = cooler({ REDIS_URL: redis.socket })
    const worker = await program.service(['work'])
    await ended(batches, await enqueue({ events: [visitors('a', 1)] }), 'completed')
    migrate(program.store, newestVersion() + 1)
    const job = await enqueue({ events: [visitors('a', 2)] })
    const { code, stderr } = await worker.outcome
    expect(code).toBe(1)
    expect(stderr).toMatch(/"level":60.*the store belongs to a newer program/)
    expect(await job.getState()).toBe('waiting')
    expect((await program.run(['work'])).stderr).toMatch(
      /^cooler: the store has schema \d+, .* use the newer program\n$/,
    )
    migrate(program.store, newestVersion())
    await program.service(['work'])
    expect(await ended(batches, job, 'completed')).toMatchObject({ attemptsMade: 1 })
    expect(landedIn(program.store)).toBe(2)
  })

  test('ends an API that only reads it', async () => {
    const redis = (await queueFixture()).redis
    const program = cooler({ REDIS_URL: redis.socket })
    const { url, outcome } = await program.service(['serve'])
    migrate(program.store, newestVersion() + 1)
    expect((await fetch(`${url}/readyz`)).status).toBe(500)
    expect((await outcome).code).toBe(1)
  })
})

test('batches of producers that set no bounds do not pile up in Redis when they are done', async () => {
  const { batches, service } = await queueFixture()
  await service({ work: true })
  const many = Array.from({ length: 300 }, () => ({ name: 'batch', data: { events: [] } }))
  await batches.addBulk(many)
  await eventually(async () => (await batches.getJobCounts('waiting', 'active')).waiting).toBe(0)
  await eventually(() => batches.getActiveCount()).toBe(0)
  expect(await batches.getCompletedCount()).toBeLessThanOrEqual(101)
})
