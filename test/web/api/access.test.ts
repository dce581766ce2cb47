import { describe, expect, test } from 'vitest'
import type { Access } from '../../../src/web/api/access.ts'
import { appFixture, DAILY, expectError, SUMMARY } from '../app-fixture.ts'
import { keyedApp } from '../keyed-app.ts'

/** Who may call what, said a second time: a route that is new or opened wider must be written down here. */
const POLICY: Record<string, 'open' | 'read' | 'read all' | 'ingest' | 'admin' | 'admin all'> = {
  [`POST ${DAILY}`]: 'read',
  [`POST ${SUMMARY}`]: 'read',
  'GET /v1/reports/daily': 'read',
  'GET /v1/reports/summary': 'read',
  'POST /v1/telemetry': 'ingest',
  'POST /v1/rollups': 'admin all',
  'GET /v1/devices': 'read',
  'GET /v1/fleet': 'read',
  'GET /v1/fleet/map': 'read',
  'GET /v1/devices/:id': 'read',
  'PUT /v1/devices/:id': 'admin',
  'PUT /v1/devices/:id/labels': 'admin',
  'GET /v1/devices/:id/events': 'read',
  'DELETE /v1/devices/:id/events': 'admin',
  'GET /v1/devices/:id/days': 'read',
  'GET /v1/devices/:id/days/:day': 'read',
  'GET /v1/rejects': 'admin all',
  'POST /v1/rejects/replay': 'admin all',
  'GET /v1/subscriptions': 'admin all',
  'PUT /v1/subscriptions/:id': 'admin all',
  'DELETE /v1/subscriptions/:id': 'admin all',
  'POST /v1/subscriptions/:id/test': 'admin all',
  'GET /v1/messages': 'admin all',
  'GET /v1/messages/:id': 'admin all',
  'POST /v1/messages/:id/retry': 'admin all',
  'GET /metrics': 'read all',
  'GET /v1/status': 'read all',
  'GET /healthz': 'open',
  'GET /readyz': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/reference.js': 'open',
  // Without data: the dashboard's scripts ask the calls above for it, with the key of whoever looks at it.
  'GET /': 'open',
  'GET /dashboard/:file': 'open',
  ...Object.fromEntries(
    ['GET /queues', 'GET /queues/*', 'PUT /queues/*', 'POST /queues/*', 'PATCH /queues/*'].map((route) => [
      route,
      'admin all',
    ]),
  ),
}

/** Keys of all kinds, with what they may call; `all` only where they are not limited. */
const KEYS = {
  reader: { scopes: ['read'] },
  sender: { scopes: ['ingest'] },
  both: { scopes: ['read', 'ingest'] },
  admin: { scopes: ['admin'] },
  'reader-of-some': { scopes: ['read'], prefix: 'a' },
  'sender-of-some': { scopes: ['ingest'], devices: ['a'] },
  'admin-of-some': { scopes: ['admin'], prefix: 'a' },
} as const

type KeyName = keyof typeof KEYS

function mayCall(name: KeyName, policy: string): boolean {
  const [scope, reach] = policy.split(' ')
  const scopes: readonly string[] = KEYS[name].scopes
  const isLimited = name.endsWith('-of-some')
  return scope === 'open' || ((scopes.includes('admin') || scopes.includes(scope)) && !(reach === 'all' && isLimited))
}

const said = (access: Access): string =>
  typeof access === 'string' ? access : `${access.scope}${access.devices === 'all' ? ' all' : ''}`

const urlOf = (path: string): string => path.replace(':id', 'a').replace(':day', '20250601').replace(':file', 'main.js')

describe('every route', () => {
  test('says who may call it, and it is as written here', async () => {
    const { app } = await appFixture()
    await app.ready()
    const handled = app.routeAccess.filter(({ method, url }) => `${method} ${url}` in POLICY)
    expect(Object.fromEntries(handled.map(({ method, url, access }) => [`${method} ${url}`, said(access)]))).toEqual(
      POLICY,
    )
  })

  test('beside those answers 405, to whoever has a key', async () => {
    const { app, keys } = await keyedApp(KEYS)
    await app.ready()
    const others = app.routeAccess.filter(({ method, url }) => !(`${method} ${url}` in POLICY))
    expect(others.length).toBeGreaterThan(20)
    for (const { method, url, access } of others) {
      const what = `${method} ${url} is not in the POLICY of this test`
      const sent = { method: method as 'GET', url: urlOf(url) }
      expect((await app.inject({ ...sent, headers: { 'x-api-key': keys['sender-of-some'] } })).statusCode, what).toBe(
        405,
      )
      expect((await app.inject(sent)).statusCode, what).toBe(access === 'open' ? 405 : 401)
    }
  })

  test.each(Object.keys(KEYS) as KeyName[])('lets %s call what its scopes say, and nothing else', async (name) => {
    const { ask } = await keyedApp(KEYS)
    for (const [route, policy] of Object.entries(POLICY)) {
      const [method, path] = route.split(' ') as ['GET', string]
      const answer = await ask(name, method, urlOf(path))
      if (mayCall(name, policy)) expect([401, 403], route).not.toContain(answer.statusCode)
      else expectError(answer, 'forbidden', /scope|limited/, route)
    }
  })

  test('lets nobody in without a key but where it is open', async () => {
    const { ask } = await keyedApp(KEYS)
    for (const [route, policy] of Object.entries(POLICY)) {
      const [method, path] = route.split(' ') as ['GET', string]
      const answer = await ask(null, method, urlOf(path))
      if (policy === 'open') expect([401, 403], route).not.toContain(answer.statusCode)
      else expectError(answer, 'unauthorized', /key/, route)
    }
  })

  test('lets everybody call it where there are no keys', async () => {
    const { app } = await appFixture()
    for (const route of Object.keys(POLICY)) {
      const [method, path] = route.split(' ') as ['GET', string]
      expect([401, 403], route).not.toContain((await app.inject({ method, url: urlOf(path) })).statusCode)
    }
  })
})

test('a route that does not say who may call it cannot be registered', async () => {
  const { app } = await appFixture()
  expect(() => app.get('/new', async () => 'secret')).toThrow('the route /new does not say who may call it')
})

test('a path that is none is not found by whoever has a key', async () => {
  const { ask } = await keyedApp(KEYS)
  for (const name of Object.keys(KEYS) as KeyName[]) expectError(await ask(name, 'GET', '/nothing'), 'not-found')
})

test('a refusal tells what is needed and what the key has, not what it is', async () => {
  const { ask, keys } = await keyedApp(KEYS)
  const answer = await ask('both', 'GET', '/v1/rejects')
  expectError(answer, 'forbidden', /scope admin, yours has read, ingest/)
  expect(answer.body).not.toContain(keys.both)
  expect(answer.headers['www-authenticate']).toBe(undefined)
})
