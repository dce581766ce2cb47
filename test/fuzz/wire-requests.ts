import fc from 'fast-check'
import { type Damage, damaged, damages } from './damage.ts'
import { type BodyKind, bodyOf, bytesOf, type FuzzBody } from './http-bodies.ts'
import { ROUTES } from './http-requests.ts'
import { expand } from './json-text.ts'

/** One request as it is written to a connection. */
interface WireRequest {
  method: string
  target: string
  version: string
  headers: readonly string[]
  body: FuzzBody | null
  /** How the end of the body is told. */
  framing: string
  lineEnd: string
}

/** What is written to a connection, in pieces, and what becomes of the connection then. */
export interface WireInput {
  requests: readonly WireRequest[]
  damages: readonly Damage[]
  cuts: readonly number[]
  ending: 'awaits' | 'half-closes' | 'destroys'
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
  'CONNECT',
  'FOO',
  'get',
  '',
]
const TARGETS = [
  ...[
    '*',
    'http://x/healthz',
    'x:80',
    '/<x 20000>',
    '/healthz#',
    '/ healthz',
    '/h\u00e9',
    '/%',
    '',
    '//',
    '/healthz\\',
    '?',
  ],
]
const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/1.1 ', 'http/1.1', 'ICY', '']
const ODD_HEADERS = [
  ...[
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 0x10',
    'Content-Length: 1, 1',
    'Content-Length: 99999999999999999999',
  ],
  ...[
    'Content-Length: 6000000',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, identity',
  ],
  ...[
    'Expect: 100-continue',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Connection: close',
    'Connection: keep-alive, x',
    'Host: y',
  ],
  ...[
    'X: <x 20000>',
    'X:\u0000',
    ': x',
    'X',
    'X : y',
    ' folded: yes',
    'X: \u00ff',
    'Content-Type: ;',
    'Content-Encoding: gzip',
    'Te: trailers',
  ],
]
const FRAMINGS = [
  'length',
  'length',
  'length',
  'chunked',
  'none',
  '0',
  '1',
  '1000',
  '6000000',
  'bad chunks',
  'endless chunks',
  'trailers',
]

const mostly = <Value>(usual: Value, odd: readonly Value[], weight = 8): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

const pathOf = (path: string): string => path.replace(':id', 'a').replace(':day', '20250601')

const wireRequest: fc.Arbitrary<WireRequest> = fc.constantFrom(...ROUTES).chain((route) =>
  fc.record({
    method: mostly(route.method, METHODS),
    target: mostly(pathOf(route.path), TARGETS),
    version: mostly('HTTP/1.1', VERSIONS, 12),
    headers: fc.oneof(fc.constant([]), fc.array(fc.constantFrom(...ODD_HEADERS), { maxLength: 3 })),
    body: route.body === null ? fc.constant(null) : bodyOf(route.body as BodyKind),
    framing: fc.constantFrom(...FRAMINGS),
    lineEnd: mostly('\r\n', ['\n', '\r', '\r\r\n', '\r\n '], 20),
  }),
)

/** A request whose end its server must see, with one answer. */
const complete = wireRequest.map((request) => ({
  ...request,
  method: /^(GET|POST|PUT)$/.test(request.method) ? request.method : 'GET',
  target: request.target.startsWith('/') && !/[ <\u0080-\uffff]/.test(request.target) ? request.target : '/healthz',
  version: 'HTTP/1.1',
  headers: [],
  framing: request.framing === 'chunked' ? 'chunked' : 'length',
  lineEnd: '\r\n',
}))

const written = {
  cuts: fc.array(fc.nat(1_000_000), { maxLength: 3 }),
}

/** Anything, of which only must be said that its connection ends; and sound requests, which must be answered. */
export const wireInput: fc.Arbitrary<WireInput> = fc.oneof(
  fc.record({
    ...written,
    requests: fc.array(wireRequest, { minLength: 1, maxLength: 3 }),
    damages,
    ending: fc.constantFrom<WireInput['ending']>('half-closes', 'half-closes', 'destroys'),
  }),
  fc.record({
    ...written,
    requests: complete.map((request) => [request]),
    damages: fc.constant([]),
    ending: fc.constant<WireInput['ending']>('awaits'),
  }),
)

/** The bytes of an input, piece by piece. */
export function piecesOf({ requests, damages: all, cuts }: WireInput): Buffer[] {
  const bytes = damaged(Buffer.concat(requests.map(bytesOfRequest)), all)
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}

function bytesOfRequest({ method, target, version, headers, body, framing, lineEnd }: WireRequest): Buffer {
  const payload = body === null ? Buffer.alloc(0) : bytesOf(body)
  const { header, bytes } = framed(payload, framing)
  const packed = body !== null && /gzip|bomb/.test(body.packing) ? ['Content-Encoding: gzip'] : []
  const lines = [
    `${method} ${expand(target)} ${version}`,
    'Host: localhost',
    ...header,
    ...packed,
    ...headers.map(expand),
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(lines.join(lineEnd), 'latin1'), bytes])
}

const chunk = (size: string, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from('\r\n')])

function framed(payload: Buffer, framing: string): { header: string[]; bytes: Buffer } {
  const hex = payload.length.toString(16)
  const sound = payload.length === 0 ? Buffer.alloc(0) : chunk(hex, payload)
  switch (framing) {
    case 'length':
      return { header: payload.length === 0 ? [] : [`Content-Length: ${payload.length}`], bytes: payload }
    case 'none':
      return { header: [], bytes: payload }
    case 'chunked':
      return { header: ['Transfer-Encoding: chunked'], bytes: Buffer.concat([sound, Buffer.from('0\r\n\r\n')]) }
    case 'bad chunks':
      return { header: ['Transfer-Encoding: chunked'], bytes: chunk(`${hex}zz;=${'x'.repeat(40)}`, payload) }
    case 'endless chunks':
      return { header: ['Transfer-Encoding: chunked'], bytes: chunk('ffffffff', payload) }
    case 'trailers':
      return {
        header: ['Transfer-Encoding: chunked'],
        bytes: Buffer.concat([sound, Buffer.from('0\r\nContent-Length: 5\r\nX: y\r\n\r\n')]),
      }
    default:
      return { header: [`Content-Length: ${framing}`], bytes: payload }
  }
}
