import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.ts'

const SECRET = 's3cret'

/** What is logged of some fields, at the level that tells most. */
function logged(fields: Record<string, unknown>): string {
  const stream = new PassThrough()
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  createLogger('trace', stream).trace(fields, 'told')
  return text
}

test('keys, passwords and payloads are not logged, in the object of a line or in what it holds', () => {
  const names = ['authorization', 'x-api-key', 'cookie', 'password', 'redisUrl', 'body', 'payload', 'events', 'raw']
  for (const name of names) {
    const fields = { [name]: SECRET, req: { [name]: [SECRET], headers: { [name]: { text: SECRET } } } }
    expect(logged(fields), name).not.toContain(SECRET)
    expect(logged(fields), name).toContain('(redacted)')
  }
})

test('how many there were is', () => {
  expect(JSON.parse(logged({ events: 7, batch: { events: 8 } }))).toMatchObject({ events: 7, batch: { events: 8 } })
})

test('of an error its name, message, code and stack are logged, and nothing that is hung on it', () => {
  const error = Object.assign(new RangeError('too far'), {
    code: 'E_FAR',
    command: { name: 'auth', args: [SECRET] },
    rawPacket: Buffer.from(SECRET),
    input: SECRET,
  })
  const line = logged({ err: error })
  expect(line).not.toContain(SECRET)
  expect(line).not.toContain(JSON.stringify(Buffer.from(SECRET)).slice(10, 30))
  expect(JSON.parse(line).err).toEqual({ type: 'RangeError', message: 'too far', code: 'E_FAR', stack: error.stack })
})

test('of an error with causes or parts their messages are logged, too, and nothing that is hung on them', () => {
  const part = Object.assign(new Error('inner'), { command: { args: [SECRET] } })
  const line = logged({ err: new Error('outer', { cause: part }) })
  expect(JSON.parse(line).err.message).toBe('outer: inner')
  const both = logged({ err: new AggregateError([part, new Error(`redis://u:${SECRET}@host`)], 'several') })
  expect(JSON.parse(both).err.errors).toEqual(['inner', 'redis://***@host'])
  for (const text of [line, both]) expect(text).not.toContain(SECRET)
})

test('the login of a URL in a message is not logged, and its host is', () => {
  const text = logged({ err: new Error(`cannot reach rediss://user:${SECRET}@redis.example:6379/0 today`) })
  expect(JSON.parse(text).err.message).toBe('cannot reach rediss://***@redis.example:6379/0 today')
  expect(text).not.toContain(SECRET)
  const odd = logged({ err: new Error(`redis://user:p@/${SECRET}@host`) })
  expect(JSON.parse(odd).err.message).toBe('redis://***@host')
})

test('nor is that of a URL with several hosts, or the password of Sentinels', () => {
  const urls = [
    `rediss+cluster://u:${SECRET}@one:1,two:2`,
    `redis+sentinel://:a@${SECRET}@one,two/fleet?sentinelPassword=${SECRET}@${SECRET}&db=1`,
    `redis+unix://u:${SECRET}@localhost/run/r.sock`,
  ]
  expect(JSON.parse(logged({ err: new Error(urls.join(' ')) })).err.message).toBe(
    'rediss+cluster://***@one:1,two:2 redis+sentinel://***@one,two/fleet?sentinelPassword=***&db=1 ' +
      'redis+unix://***@localhost/run/r.sock',
  )
})

test('of several URLs the login is not logged, and no text takes long to look through', () => {
  const several = logged({ err: new Error(`redis://a:${SECRET}@one, https://b:${SECRET}@two redis://three`) })
  expect(JSON.parse(several).err.message).toBe('redis://***@one, https://***@two redis://three')
  const servers = logged({ err: new Error(`smtps://a:${SECRET}@one, mqtt://b:${SECRET}@two`) })
  expect(JSON.parse(servers).err.message).toBe('smtps://***@one, mqtt://***@two')
  for (const part of ['redis://', 'redis://a:b@', 'http://x ', '@']) {
    expect(logged({ err: new Error(part.repeat(300_000)) }), part).not.toContain('a:b')
  }
})

test('what is thrown but no error is logged as a text', () => {
  expect(JSON.parse(logged({ err: `redis://:${SECRET}@host` })).err).toBe('redis://***@host')
})
