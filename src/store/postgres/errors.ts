import pg from 'pg'
import { CoolerError, type ErrorCode } from '../../base/errors.ts'

/** What an SQLSTATE, or its class, means to those who call the store (https://www.postgresql.org/docs/15/errcodes-appendix.html). */
const MEANINGS: readonly [states: RegExp, code: ErrorCode, text: (message: string) => string][] = [
  [/^(40001|40P01|55P03|57014)$/, 'store-busy', () => 'the store is being written by someone else: try again'],
  [/^25P03$/, 'store-busy', () => 'the server ended a transaction that stood still for too long: try again'],
  [
    /^(53100|53200)$/,
    'store-full',
    (message) => `the server of the store has no room left (${message}): make room on it`,
  ],
  [
    /^25006$/,
    'store-busy',
    () =>
      'the server of the store only reads (a standby, or a primary that was replaced): try again after the failover',
  ],
  [/^(53300|53400)$/, 'store-busy', (message) => `the server of the store takes no more connections (${message})`],
  [/^(57P0|08)/, 'store-busy', (message) => `the connection to the store was lost (${message}): try again`],
  [
    /^28/,
    'bad-configuration',
    (message) => `the server of the store refuses the user (${message}): correct COOLER_STORE`,
  ],
  [/^3D000$/, 'bad-configuration', (message) => `${message}: create it, or correct COOLER_STORE`],
  [
    /^42501$/,
    'bad-configuration',
    (message) => `the user of the store may not do this (${message}): grant it the rights on its schema`,
  ],
  [/^XX00[12]$/, 'store-damaged', (message) => `the server finds the store damaged (${message}): restore a backup`],
]

/** Errors of sockets and name servers: the server cannot be reached. */
const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/

/** Messages by which `pg` itself reports that a connection ended or was not made in time; these errors have no code. */
const LOST = /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered a connection error)/

/** Messages and codes by which `pg` and Node.js report that the URL and the server do not fit together, and what to write. */
const UNFIT: readonly [pattern: RegExp, text: (why: string) => string][] = [
  [/client password must be/, () => 'the server of the store asks for a password: write it into COOLER_STORE'],
  [/^SASL/, (why) => `the server of the store and this program cannot agree on how to log in (${why})`],
  [
    /does not support SSL/,
    () => 'the server of the store has no TLS: leave sslmode out of COOLER_STORE, or set up TLS on the server',
  ],
  [
    /CERT|UNABLE_TO_|SELF_SIGNED|certificate/,
    (why) => `the certificate of the server of the store is not trusted (${why}): name its authority by sslrootcert`,
  ],
]

/** Translates an error of the server or of its connection into a CoolerError; returns other errors unchanged. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof CoolerError || !(error instanceof Error)) return error
  const { code = '', message } = error as Error & { code?: string }
  if (error instanceof pg.DatabaseError) {
    for (const [states, meant, text] of MEANINGS) {
      if (states.test(code)) return new CoolerError(meant, text(message), { cause: error })
    }
    return error
  }
  if (UNREACHABLE.test(code) || LOST.test(message) || error instanceof AggregateError) {
    const why = message === '' ? code : message
    return new CoolerError('store-busy', `the server of the store cannot be reached (${why}): try again`, {
      cause: error,
    })
  }
  const unfit = UNFIT.find(([pattern]) => pattern.test(code) || pattern.test(message))
  return unfit === undefined ? error : new CoolerError('bad-configuration', unfit[1](message), { cause: error })
}

/** Tells whether an error of the server has this SQLSTATE. */
export const hasState = (error: unknown, state: string): boolean =>
  error instanceof pg.DatabaseError && error.code === state
