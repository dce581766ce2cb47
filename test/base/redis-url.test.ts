import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRedisUrl } from '../../src/base/redis-url.ts'

test.each([
  ['http://localhost', /expected redis:\/\//],
  ['localhost:6379', /expected redis:\/\//],
  ['', /expected redis:\/\//],
  ['redis://a:1,b:2', /redis\+cluster:\/\/.*redis\+sentinel:\/\//],
  ['redis://h/x', /database .* must be a number/],
  ['redis://h?family=6', /no parameter family; there is only db/],
  ['redis+unix://host/run/redis.sock', /three slashes/],
  ['redis+unix:///', /three slashes/],
  ['redis://:100%@h', /percent-encoding/],
  ['redis+cluster:a', /expected redis:\/\//],
  ['redis+cluster+tls://a', /expected redis:\/\//],
  ['redis+cluster://a#b', /expected redis:\/\//],
  ['redis+cluster://', /part 1 of its list of hosts/],
  ['redis+cluster://a,', /part 2 of its list of hosts/],
  ['redis+cluster://a,,b', /part 2 of its list of hosts/],
  ['redis+cluster://a, b', /part 2 of its list of hosts/],
  ['redis+cluster://a:1,b:x', /part 2 of its list of hosts/],
  ['redis+cluster://a:65536', /part 1 of its list of hosts/],
  ['redis+cluster://a:0', /part 1 of its list of hosts/],
  ['redis+cluster://::1', /part 1 of its list of hosts/],
  ['redis+cluster://u:p@,a', /part 1 of its list of hosts/],
  ['redis+cluster://:100%@a', /percent-encoding/],
  ['redis+cluster://a/1', /only database 0/],
  ['redis+cluster://a?db=1', /only database 0/],
  ['redis+cluster://a/name', /database .* must be a number/],
  ['redis+cluster://a?sentinelPassword=x', /no parameter sentinelPassword; there is only db/],
  ['redis+sentinel://a', /redis\+sentinel:\/\/host\[:port\],...\/name\[\/db\]/],
  ['redis+sentinel://a/', /name of the master/],
  ['redis+sentinel://a//1', /name of the master/],
  ['redis+sentinel://a/fleet/1/2', /name of the master/],
  ['redis+sentinel://a/fleet/x', /database .* must be a number/],
  ['redis+sentinel://a/fleet%', /percent-encoding/],
  ['redis+sentinel://a/fleet?password=x', /no parameter password; there are db, sentinelUsername, sentinelPassword/],
])('%j is refused', (url, message) => {
  expect(() => parseRedisUrl(url)).toThrow(message)
})

test.each([
  'http://:s3cret@h',
  'redis+cluster://:s3cret@',
  'redis+cluster://u:s3cret,h',
  'redis+cluster://u:s3cret@h/1',
  'redis+cluster://u:s3cret%@h',
  'redis+sentinel://:s3cret@h',
  'redis+sentinel://h?sentinelPassword=s3cret',
  'redis+sentinel://h/fleet/x?sentinelPassword=s3cret',
])('the refusal of %j does not repeat the password', (url) => {
  expect(() => parseRedisUrl(url)).toThrow(/^(?!.*s3cret)/)
})

const FLEET = { sentinels: [{ host: 'a', port: 26_379 }], name: 'fleet' }
const TLS = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }

test.each([
  ['redis://', { host: '127.0.0.1', port: 6379 }],
  ['redis://cache.example', { host: 'cache.example', port: 6379 }],
  ['redis://:p%40ss@h:7000/3', { host: 'h', port: 7000, password: 'p@ss', db: 3 }],
  ['redis://user:pw@[::1]:7000', { host: '::1', port: 7000, username: 'user', password: 'pw' }],
  ['rediss://h/', { host: 'h', port: 6379, tls: {} }],
  ['/run/redis.sock', { path: '/run/redis.sock' }],
  ['redis+unix:///run/redis%20a.sock?db=2', { path: '/run/redis a.sock', db: 2 }],
  ['redis+unix://u:p@localhost/run/redis.sock', { path: '/run/redis.sock', username: 'u', password: 'p' }],
  ['redis+cluster://a', { nodes: [{ host: 'a', port: 6379 }] }],
  ['REDIS+Cluster://a/', { nodes: [{ host: 'a', port: 6379 }] }],
  ['redis+cluster://a/0', { nodes: [{ host: 'a', port: 6379 }] }],
  [
    'rediss+cluster://user:p%40ss@a:1,[::1],[fe80::2]:3',
    {
      nodes: [
        { host: 'a', port: 1 },
        { host: '::1', port: 6379 },
        { host: 'fe80::2', port: 3 },
      ],
      username: 'user',
      password: 'p@ss',
      tls: {},
    },
  ],
  ['redis+cluster://:a@b:c@h', { nodes: [{ host: 'h', port: 6379 }], password: 'a@b:c' }],
  ['redis+sentinel://a/fleet', FLEET],
  ['redis+sentinel://a/fleet/', FLEET],
  ['redis+sentinel://a/fleet/2', { ...FLEET, db: 2 }],
  ['redis+sentinel://a/fleet?db=2', { ...FLEET, db: 2 }],
  ['redis+sentinel://u:p@a/fleet', { ...FLEET, username: 'u', password: 'p' }],
  ['rediss+sentinel://a/fleet', { ...FLEET, ...TLS }],
  [
    'redis+sentinel://a/fleet?sentinelUsername=s&sentinelPassword=p+q%26%20r',
    { ...FLEET, sentinelUsername: 's', sentinelPassword: 'p+q& r' },
  ],
  ['redis+sentinel://a/my%2Ffleet?sentinelPassword=', { ...FLEET, name: 'my/fleet' }],
])('%j is read', (url, address) => {
  expect(parseRedisUrl(url)).toEqual(address)
})

test('of any list each host, port, name and password is read as it was written', () => {
  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('[::1]', '[2001:db8::7]'))
  const node = fc.tuple(host, fc.option(fc.integer({ min: 1, max: 65_535 })))
  const word = fc.string({ minLength: 1, unit: 'grapheme' })
  const list = fc.array(node, { minLength: 1, maxLength: 5 })
  const encoded = encodeURIComponent
  fc.assert(
    fc.property(list, word, word, word, word, (nodes, username, password, name, sentinelPassword) => {
      const hosts = nodes.map(([one, port]) => (port === null ? one : `${one}:${port}`)).join(',')
      const user = `${encoded(username)}:${encoded(password)}`
      const read = (defaultPort: number) =>
        nodes.map(([one, port]) => ({ host: one.replace(/[[\]]/g, ''), port: port ?? defaultPort }))
      expect(parseRedisUrl(`redis+cluster://${user}@${hosts}`)).toEqual({ nodes: read(6379), username, password })
      const parameter = `sentinelPassword=${encoded(sentinelPassword)}`
      expect(parseRedisUrl(`redis+sentinel://${user}@${hosts}/${encoded(name)}?${parameter}`)).toEqual({
        ...{ sentinels: read(26_379), name, username, password, sentinelPassword },
      })
    }),
  )
})
