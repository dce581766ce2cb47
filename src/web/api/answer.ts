import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply } from 'fastify'
import { CoolerError, ERRORS, type ErrorCode } from '../../base/errors.ts'

/**
 * Headers of every answer, including errors; a route may set others. Answers are private data: caches must not keep
 * them, and browsers must not guess their type, frame them or run them as a page.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export interface Answer {
  status: number
  code: ErrorCode
  message: string
}

/** Seconds after which a client may retry after a temporary failure. */
export const RETRY_AFTER_SECONDS = 1

/** Longest message in characters; a message may repeat input, which may be long. */
const LONGEST_MESSAGE = 1000

const cut = (message: string): string =>
  message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 3)}...` : message

/** Sends an error in the envelope. */
export function send(reply: FastifyReply, { status, code, message }: Answer): FastifyReply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  if (status === 401 && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', 'Bearer realm="cooler-reports"')
  // The log names the request by this id.
  reply.header('x-request-id', reply.request.id)
  reply.code(status).headers(SECURITY_HEADERS)
  // Node.js drops the body of a HEAD answer anyway, but injected requests would see it.
  if (reply.request.method === 'HEAD') return reply.type('application/json; charset=utf-8').send()
  return reply.send({ status, message: cut(message), data: null, code })
}

/** Returns the answer for an error. Faults within the service are answered without details. */
export function asAnswer(error: FastifyError | CoolerError): Answer {
  if (error instanceof CoolerError) {
    return { status: error.status, code: error.code, message: error.status === 500 ? 'internal error' : error.message }
  }
  const status = error.statusCode ?? 500
  if (status === 415) return { status, code: 'unsupported-media-type', message: error.message }
  if (status >= 400 && status < 500) return { status: 400, code: 'bad-request', message: error.message }
  return { status: 500, code: 'internal', message: 'internal error' }
}

/** Answers input that is not valid HTTP directly on its connection, and closes it: it never becomes a request. */
export function refuseConnection({ code: fault }: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const [code, message] = CONNECTION_FAULTS[fault ?? ''] ?? ['bad-request', 'this is no HTTP request']
  const { status } = ERRORS[code]
  const body = JSON.stringify({ status, message, data: null, code })
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...SECURITY_HEADERS,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}

const CONNECTION_FAULTS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['head-too-large', 'the head of the request is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'the request did not arrive in time'],
}
