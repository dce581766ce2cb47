import fc from 'fast-check'
import { DAILY, SUMMARY } from '../web/app-fixture.ts'
import { type BodyKind, bodyOf, DEVICE_IDS, type FuzzBody } from './http-bodies.ts'
import { ODD_NAMES } from './json-text.ts'

/** `url` and the values of headers may have marks (see expand). */
export interface FuzzRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: FuzzBody | null
}

interface Route {
  path: string
  method: string
  body: BodyKind | null
}

/** Every call, with a method of its own and the body that it takes. */
export const ROUTES: readonly Route[] = [
  { path: DAILY, method: 'POST', body: 'daily' },
  { path: SUMMARY, method: 'POST', body: 'summary' },
  { path: '/v1/telemetry', method: 'POST', body: 'telemetry' },
  { path: '/v1/rollups', method: 'POST', body: 'rollups' },
  { path: '/v1/status', method: 'GET', body: null },
  { path: '/v1/devices', method: 'GET', body: null },
  { path: '/v1/fleet', method: 'GET', body: null },
  { path: '/v1/fleet/map', method: 'GET', body: null },
  { path: '/v1/devices/:id', method: 'GET', body: null },
  { path: '/v1/devices/:id', method: 'PUT', body: 'device' },
  { path: '/v1/devices/:id/labels', method: 'PUT', body: 'any' },
  { path: '/v1/devices/:id/days', method: 'GET', body: null },
  { path: '/v1/devices/:id/days/:day', method: 'GET', body: null },
  { path: '/v1/devices/:id/events', method: 'GET', body: null },
  { path: '/v1/devices/:id/events', method: 'DELETE', body: null },
  { path: '/v1/rejects', method: 'GET', body: null },
  { path: '/v1/subscriptions', method: 'GET', body: null },
  { path: '/v1/subscriptions/:id', method: 'PUT', body: 'subscription' },
  { path: '/v1/subscriptions/:id', method: 'DELETE', body: null },
  { path: '/v1/subscriptions/:id/test', method: 'POST', body: null },
  { path: '/v1/messages', method: 'GET', body: null },
  { path: '/v1/messages/:id', method: 'GET', body: null },
  { path: '/v1/messages/:id/retry', method: 'POST', body: null },
  { path: '/healthz', method: 'GET', body: null },
  { path: '/readyz', method: 'GET', body: null },
]

/** How often each is asked: those that do most, most. */
const WEIGHTS: Record<string, number> = { [DAILY]: 3, [SUMMARY]: 3, '/v1/telemetry': 6, '/v1/rollups': 3 }

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ODD_METHODS = ['TRACE', 'PROPFIND', 'QUERY', 'get', 'LOCK']

const METHOD_SHARE = 8

const wellFormed = (text: string): string => Buffer.from(text).toString()

/** Where an id or a day stands in a path: percent-encoded right, wrong, or not at all. */
const segment = fc.oneof(
  fc
    .constantFrom(...DEVICE_IDS, ...ODD_NAMES)
    .map((text) => (text.startsWith('<x') ? text : encodeURIComponent(wellFormed(text)))),
  fc.constantFrom('20250601', '99991231', '10000101', '20250229', '2025060', '-20250601', '2e7', '20250601.0', '٢٠٢٥'),
  fc.constantFrom('%', '%zz', '%E0%A4%A', '%ED%A0%80', '%00', '%2F', '%2f..%2f', '..', '.', '%2e%2e', '//', '<x 9000>'),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }).map((text) => encodeURI(text)),
)

const queryName = fc.constantFrom(
  'limit',
  'after',
  'before',
  'figure',
  'state',
  'subscription',
  'day',
  ...ODD_NAMES.map((text) => wellFormed(text)),
)
const queryValue = fc.oneof(
  fc.constantFrom(
    '',
    '1',
    '1000',
    '1001',
    '0',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '9007199254740993',
    '1e300',
  ),
  fc.constantFrom(
    'distance',
    'toString',
    '__proto__',
    'powerDuration',
    '1748779200000-0',
    '999999999999999-9999999999',
  ),
  fc.constantFrom('%', '%zz', '%E0', 'a&limit=2', 'a;b', '[]', '<x 5000>'),
  segment,
)
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(queryName, queryValue), { minLength: 1, maxLength: 3 })
      .map((all) => `?${all.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&')}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('?', '??', '?=', '?&&', '?limit', '#limit=1', '?limit[]=1', `?${'a=1&'.repeat(2000)}`),
  },
)

/** Paths that are none, or nearly one. */
const strayPath = fc.oneof(
  fc.constantFrom(
    '/',
    '/v1',
    '/v1/',
    '/V1/devices',
    `${DAILY}/`,
    '/healthz/',
    '//healthz',
    '/healthz%20',
    '/%68ealthz',
    '*',
  ),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
)

const urlOf = (path: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: fc.constant(path) }, { weight: 1, arbitrary: strayPath }),
      segment,
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom('20250601', '20240510', '20250602') },
        { weight: 1, arbitrary: segment },
      ),
      query,
    )
    .map(([chosen, id, day, rest]) => chosen.replace(':id', () => id).replace(':day', () => day) + rest)

const TYPES = [
  ...['application/json', 'application/json', 'application/x-ndjson', 'application/x-ndjson', 'application/vnd.x+json'],
  ...[
    'text/plain',
    '',
    ';',
    'json',
    'application/',
    'multipart/form-data; boundary=x',
    '__proto__',
    'application/json;',
  ],
  ...['APPLICATION/JSON ; charset=utf-16', 'application/<x 9000>', 'application/x-www-form-urlencoded', '\u00e9'],
]
const ENCODINGS = [
  'gzip',
  'gzip',
  'GZIP',
  'x-gzip',
  'identity',
  'br',
  'deflate',
  'gzip, gzip',
  '',
  ' gzip ',
  'constructor',
]
const ODD_VALUES = ['', '0', '-1', 'NaN', '99999999999999999999', '<x 100000>', 'bytes=0-1', '*', 'W/"x"', '\u00ff']
const ODD_HEADERS = [
  ...[
    'host',
    'accept',
    'accept-encoding',
    'connection',
    'expect',
    'upgrade',
    'origin',
    'if-none-match',
    'range',
    'cookie',
  ],
  ...[
    'x-forwarded-for',
    'x-http-method-override',
    'authorization',
    'accept-version',
    'traceparent',
    '__proto__',
    'constructor',
  ],
]
const LENGTHS = ['0', '1', '5000000', '99999999999999999999', '-1', '1e3', '0x10', '', 'ten', '1, 1']

/** The header as it should be, else any; most are not sent. */
const headersFor = (kind: BodyKind | null): fc.Arbitrary<Record<string, string>> =>
  fc
    .record(
      {
        'content-type': fc.constantFrom(...TYPES),
        'content-encoding': fc.constantFrom(...ENCODINGS),
        'content-length': fc.constantFrom(...LENGTHS),
        odd: fc.array(fc.tuple(fc.constantFrom(...ODD_HEADERS), fc.constantFrom(...ODD_VALUES)), { maxLength: 3 }),
        sends: fc.tuple(fc.nat(kind === 'telemetry' ? 1 : 3), fc.nat(9), fc.nat(15), fc.nat(3)),
      },
      { noNullPrototype: true },
    )
    .map(({ odd, sends: [type, encoding, length, further], ...own }) => ({
      ...(type === 0 ? { 'content-type': own['content-type'] } : {}),
      ...(encoding === 0 ? { 'content-encoding': own['content-encoding'] } : {}),
      ...(length === 0 ? { 'content-length': own['content-length'] } : {}),
      ...(further === 0 ? Object.fromEntries(odd) : {}),
    }))

/** What is packed is told so, more often than not. */
const told = (body: FuzzBody | null, headers: Record<string, string>): Record<string, string> =>
  body !== null && /gzip|bomb/.test(body.packing) ? { 'content-encoding': 'gzip', ...headers } : headers

const requestOf = (route: Route): fc.Arbitrary<FuzzRequest> =>
  fc
    .record({
      method: fc.oneof(
        { weight: METHOD_SHARE, arbitrary: fc.constant(route.method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS, ...ODD_METHODS) },
      ),
      url: urlOf(route.path),
      headers: headersFor(route.body),
      body: fc.oneof(
        { weight: 9, arbitrary: route.body === null ? fc.constant(null) : bodyOf(route.body) },
        { weight: 1, arbitrary: fc.constantFrom<BodyKind>('daily', 'telemetry', 'device', 'any').chain(bodyOf) },
      ),
    })
    .map((request) => ({ ...request, headers: told(request.body, request.headers) }))

/** Requests of every route, few of them as it wants them. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...ROUTES.map((route) => ({ weight: WEIGHTS[route.path] ?? 1, arbitrary: requestOf(route) })),
)
