import { expect, test } from 'vitest'
import { shortened } from '../../src/queue/shortened.ts'
import type { TemporaryService } from '../helpers/temporary-service.ts'
import { ended, queueFixture } from '../jobs/queue-fixture.ts'
import { appFixture, expectError } from '../web/app-fixture.ts'
import { makeKeys } from '../web/keyed-app.ts'

const KEYS = {
  admin: { scopes: ['admin'] },
  reader: { scopes: ['read'] },
  'admin-of-some': { scopes: ['admin'], prefix: 'a' },
} as const

const password = (key: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`whoever:${key}`).toString('base64')}`,
})

/** As much as is looked at. */
interface Shown {
  name: string
  counts: Record<string, number>
  jobs: { data: { ndjson: string; events: unknown[] } }[]
}

async function boardFixture() {
  const fixture = await queueFixture()
  const { keys, settings } = makeKeys(KEYS)
  const service = await fixture.service({ api: true }, settings)
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Response> =>
    fetch(`${service.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const change = (path: string, headers = {}, method = 'PUT'): Promise<Response> =>
    ask(path, { ...password(keys.admin), 'content-type': 'application/json', ...headers }, method, '{}')
  const workOn = ({ config }: TemporaryService): Promise<TemporaryService> =>
    fixture.service({ work: true }, { COOLER_STORE: config.store })
  return { ...fixture, service, keys, ask, change, workOn }
}

test('the page asks a browser for an admin key as the password, and has nothing from elsewhere', async () => {
  const { ask, keys } = await boardFixture()
  for (const headers of [{}, password('x'.repeat(30)), password(''), { authorization: 'Basic !' }]) {
    const refused = await ask('/queues', headers)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)])
    expect(await refused.json()).toMatchObject({ code: 'unauthorized' })
  }
  for (const name of ['reader', 'admin-of-some'] as const) {
    expect((await ask('/queues', password(keys[name]))).status).toBe(403)
  }
  for (const path of ['/queues', '/queues/', '/queues/queue/telemetry', '/queues/queue/telemetry/7']) {
    const page = await ask(path, password(keys.admin))
    const html = await page.text()
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(html).toContain('<base href="/queues/"')
    expect(html).not.toMatch(/https?:|<%/)
    for (const [, file] of html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)) {
      const asset = await ask(`/queues/${file}`, password(keys.admin))
      expect([asset.status, (await asset.arrayBuffer()).byteLength > 0], file).toEqual([200, true])
    }
  }
})

test('a password is no key for what a page of ours asks', async () => {
  const { ask, keys } = await boardFixture()
  const refused = await ask('/v1/status', password(keys.admin))
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="cooler-reports"'])
})

test('all queues are shown, and of a large batch its beginning', async () => {
  const { ask, keys, enqueue } = await boardFixture()
  await enqueue({ ndjson: 'x'.repeat(5000), events: new Array(50).fill({ deviceId: 'a' }) })
  const answer = await ask('/queues/api/queues?activeQueue=telemetry&status=waiting&page=1', password(keys.admin))
  const { queues } = (await answer.json()) as { queues: Shown[] }
  expect(queues.map(({ name }) => name)).toEqual(['telemetry', 'rollup', 'rollup-shards', 'compact-shards'])
  const [telemetry] = queues
  expect(telemetry.counts).toMatchObject({ waiting: 1, failed: 0 })
  expect(telemetry.jobs[0].data.ndjson).toMatch(/^x{1000}\.\.\. \(5,000 characters\)$/)
  expect(telemetry.jobs[0].data.events).toHaveLength(21)
})

test('what has failed can be retried', async () => {
  const { service, change, batches, enqueue, workOn } = await boardFixture()
  const worker = await workOn(service)
  const job = await ended(batches, await enqueue({ events: 'none' }), 'failed')
  await worker.close()
  expect((await change(`/queues/api/queues/telemetry/${job.id}/retry`)).status).toBe(204)
  expect(await batches.getJobState(job.id as string)).toBe('waiting')
})

test('queues can be held and go on', async () => {
  const { change, batches } = await boardFixture()
  expect((await change('/queues/api/queues/telemetry/pause')).status).toBe(200)
  expect(await batches.isPaused()).toBe(true)
  expect((await change('/queues/api/queues/telemetry/resume')).status).toBe(200)
  expect(await batches.isPaused()).toBe(false)
})

test('nothing can be deleted, made or changed, nor anything done by a page of another site', async () => {
  const { change, batches, enqueue } = await boardFixture()
  const { id } = await enqueue({ events: [] })
  const refusals = ['empty', 'obliterate', 'clean/wait', 'concurrency', `${id}/clean`].map((path) => [path, 'PUT'])
  for (const [path, method] of [...refusals, ['add', 'POST'], [`${id}/update-data`, 'PATCH']]) {
    const refused = await change(`/queues/api/queues/telemetry/${path}`, {}, method)
    expect([path, refused.status]).toEqual([path, 403])
    expect(await refused.json()).toMatchObject({ message: 'batches are not deleted, made or changed here' })
  }
  expect((await change('/queues/api/queues/pause', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect([await batches.isPaused(), await batches.getWaitingCount()]).toEqual([false, 1])
})

test('there is nothing else at its paths, and without a queue nothing at all', async () => {
  const { ask, keys } = await boardFixture()
  for (const path of [
    'nothing',
    'api/nothing',
    'api/queues/telemetry/%25zz',
    'static/nothing.js',
    'static/..%2f..%2fpackage.json',
    'static/js',
  ]) {
    const answer = await ask(`/queues/${path}`, password(keys.admin))
    expect([path, answer.status]).toEqual([path, 404])
  }
  const { get } = await appFixture()
  expectError(await get('/queues'), 'not-found', /REDIS_URL/)
})

test('short data are shown as they are', () => {
  const data = { events: [{ deviceId: 'a', on: true, address: null }], receivedAt: 5 }
  expect(shortened(data)).toEqual(data)
})
