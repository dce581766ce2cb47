import { expect, test } from 'vitest'
import { parseRedisUrl } from '../../src/base/redis-url.ts'

test.each([
  ['http://localhost', /expected redis:\/\//],
  ['localhost:6379', /expected redis:\/\//],
  ['', /expected redis:\/\//],
  ['redis://h/x', /database .* must be a number/],
  ['redis://h?family=6', /no parameter family; there is only db/],
  ['redis+unix://host/run/redis.sock', /three slashes/],
  ['redis+unix:///', /three slashes/],
  ['redis://:100%@h', /percent-encoding/],
])('%j is refused', (url, message) => {
  expect(() => parseRedisUrl(url)).toThrow(message)
})

test('a refusal does not repeat the password', () => {
  expect(() => parseRedisUrl('http://:s3cret@h')).toThrow(/^(?!.*s3cret)/)
})

test.each([
  ['redis://', { host: '127.0.0.1', port: 6379 }],
  ['redis://cache.example', { host: 'cache.example', port: 6379 }],
  ['redis://:p%40ss@h:7000/3', { host: 'h', port: 7000, password: 'p@ss', db: 3 }],
  ['redis://user:pw@[::1]:7000', { host: '::1', port: 7000, username: 'user', password: 'pw' }],
  ['rediss://h/', { host: 'h', port: 6379, tls: {} }],
  ['/run/redis.sock', { path: '/run/redis.sock' }],
  ['redis+unix:///run/redis%20a.sock?db=2', { path: '/run/redis a.sock', db: 2 }],
  ['redis+unix://u:p@localhost/run/redis.sock', { path: '/run/redis.sock', username: 'u', password: 'p' }],
])('%j is read', (url, address) => {
  expect(parseRedisUrl(url)).toEqual(address)
})
