import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { SECURITY_HEADERS } from '../../src/web/api/answer.ts'
import { visitors } from '../helpers/events.ts'
import { appFixture, DAILY } from './app-fixture.ts'
import { dashboardFile } from './dashboard-files.ts'
import { dial } from './dial.ts'
import { keyedApp } from './keyed-app.ts'

/** As they are to be, said a second time. */
const EXPECTED = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Headers that would tell what the server is made of, or let other sites in. */
const NEVER = /^(x-powered-by|server|access-control-.*|set-cookie|etag)$/

function expectSecure(headers: Record<string, unknown>, what: string): void {
  expect(headers, what).toMatchObject(EXPECTED)
  expect(
    Object.keys(headers).filter((name) => NEVER.test(name)),
    what,
  ).toEqual([])
}

test('every route and method answers with the security headers, with a key and without', async () => {
  const { app, keys } = await keyedApp({ admin: { scopes: ['admin'] } })
  await app.ready()
  for (const { method, url } of app.routeAccess) {
    for (const headers of [{}, { 'x-api-key': keys.admin }]) {
      const answer = await app.inject({
        method: method as 'GET',
        url: url.replace(':id', 'a').replace(':day', '20250601'),
        headers,
      })
      if (method === 'GET' && ['/', '/docs', '/docs/reference.js'].includes(url)) continue // Of pages, below.
      expectSecure(answer.headers, `${method} ${url}`)
    }
  }
})

test('so do good answers, and errors of every kind', async () => {
  const { get, post, land } = await appFixture({ COOLER_BODY_LIMIT_MB: '1' })
  await land([visitors('a', 1)])
  const large = 'x'.repeat(1024 * 1024 + 1)
  const answers = [
    await post(DAILY, { day: 20250601 }),
    await post(DAILY, { day: 0 }),
    await post(DAILY, large),
    await post('/v1/telemetry', '[]', { 'content-type': 'text/html' }),
    await get('/v1/devices/a'),
    await get('/nothing'),
    await get('/%'),
    await get('/readyz'),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400, 413, 415, 200, 404, 400, 500])
  for (const { headers, statusCode } of answers) expectSecure(headers, String(statusCode))
})

test('so does what is answered to a connection that speaks no HTTP', async () => {
  const { app } = await appFixture()
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { socket, text } = await dial(url)
  socket.write('nonsense\r\n\r\n')
  await once(socket, 'close')
  const [head, body] = text().split('\r\n\r\n')
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(/: /)),
  )
  expectSecure(headers, head)
  expect(Number(headers['content-length'])).toBe(body.length)
})

test('what a path says is never an answer that a browser would run', async () => {
  const { get } = await appFixture()
  const answer = await get('/<script>alert(1)</script>')
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expectSecure(answer.headers, 'script')
})

test('pages may run their own scripts and ask this service; a proxy or browser keeps them, but asks whether they are new', async () => {
  const { app, get } = await appFixture()
  const ofDashboard = ['/', ...['.js', '.css', '.json'].map((type) => `/dashboard/${dashboardFile(type)}`)]
  for (const url of [...ofDashboard, '/docs', '/docs/reference.js']) {
    // The script of the reference makes its styles itself.
    const styles = url.startsWith('/docs') ? "'self' 'unsafe-inline'" : "'self'"
    const { headers, statusCode } = await get(url)
    expect(statusCode, url).toBe(200)
    expect(headers, url).toMatchObject({
      ...EXPECTED,
      // The name of a file tells what is in it.
      'cache-control': url.startsWith('/dashboard/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy':
        `default-src 'none'; script-src 'self'; style-src ${styles}; connect-src 'self'; img-src 'self' data:; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
    const again = await app.inject({ url, headers: { 'if-none-match': headers.etag as string } })
    expect([again.statusCode, again.body, again.headers.etag], url).toEqual([304, '', headers.etag])
  }
  const { body } = await get('/')
  expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/)
})

test('the dashboard has no file but its own', async () => {
  const { get } = await appFixture()
  for (const file of [
    '',
    'nothing.js',
    'main.ts',
    'main.d.ts',
    'main.js.map',
    '..%2Fapp.js',
    '%2Fetc%2Fpasswd',
    '__proto__',
  ]) {
    const answer = await get(`/dashboard/${file}`)
    expect(answer.statusCode, file).toBe(404)
    expectSecure(answer.headers, file)
  }
})

test('a route may have a policy of its own', async () => {
  const { app } = await appFixture()
  app.get('/page', { config: { access: 'open' } }, async (_request, reply) =>
    reply.header('content-security-policy', "default-src 'self'").send('page'),
  )
  const { headers } = await app.inject('/page')
  expect(headers).toMatchObject({ ...SECURITY_HEADERS, 'content-security-policy': "default-src 'self'" })
})
