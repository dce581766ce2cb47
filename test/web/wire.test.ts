import { expect, test } from 'vitest'
import { lines, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { dial } from './dial.ts'

const refuses = (url: string) => async () =>
  fetch(url).then(
    () => false,
    ({ cause }) => cause.code === 'ECONNREFUSED',
  )

const BODY = lines([visitors('a', 1)])
const HEAD = [
  'POST /v1/telemetry HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/x-ndjson',
  `Content-Length: ${BODY.length}`,
  'Expect: 100-continue',
]

/** A service that closes while a request is under way, whose body is still to come. */
async function closingService() {
  const service = await temporaryService({ api: true, work: false })
  const connection = await dial(service.url as string)
  connection.socket.write(`${HEAD.join('\r\n')}\r\n\r\n`)
  await connection.read(/^HTTP\/1\.1 100/)
  const closed = service.close()
  await eventually(refuses(service.url as string)).toBe(true)
  return { ...connection, closed }
}

test('a request under way is answered while the service closes', async () => {
  const { socket, read, closed } = await closingService()
  socket.write(BODY)
  await read(/HTTP\/1\.1 202 [\s\S]*"accepted":1/)
  socket.end()
  await closed
})

test('after it the connection is closed, so that no client keeps the service from ending', async () => {
  const { socket, read } = await closingService()
  socket.write(BODY)
  await read(/HTTP\/1\.1 202/)
  await expect.poll(() => socket.closed, { timeout: 3000 }).toBe(true)
})

test('a further request on it is told in the envelope that the service is shutting down', async () => {
  const { socket, read, text, closed } = await closingService()
  socket.write(`${BODY}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await read(/HTTP\/1\.1 503/)
  await closed
  expect(text()).toMatch(/"status":503,"message":"[^"]+","data":null,"code":"shutting-down"/)
})

test('what is no HTTP is refused in the envelope', async () => {
  const service = await temporaryService({ api: true, work: false })
  const { socket, read, text } = await dial(service.url as string)
  socket.write('nonsense\r\n\r\n')
  await read(/HTTP\/1\.1 400/)
  expect(text()).toMatch(/"status":400,"message":"[^"]+","data":null/)
})

test('a request without a Host is refused in the envelope, of HTTP/1.0 only where that is needed', async () => {
  const service = await temporaryService({ api: true, work: false })
  for (const [version, answer] of [
    ['1.1', /^HTTP\/1\.1 400 [\s\S]*"message":"the request has no Host header","data":null,"code":"bad-request"}$/],
    ['1.0', /^HTTP\/1\.1 200 OK\r\n/],
  ] as const) {
    const { socket, read } = await dial(service.url as string)
    socket.write(`GET /healthz HTTP/${version}\r\nConnection: close\r\n\r\n`)
    await read(answer)
  }
})

test('what a request expects beyond 100-continue is passed over', async () => {
  const service = await temporaryService({ api: true, work: false })
  const { socket, read, text } = await dial(service.url as string)
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: something\r\nConnection: close\r\n\r\n')
  await read(/\{"status":"ok"\}$/)
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
})
