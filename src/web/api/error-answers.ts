import { ERRORS, type ErrorCode } from '../../base/errors.ts'
import { oneOf, text } from '../../base/schema-fields.ts'
import { type TSchema, Type } from '../../base/typebox.ts'
import type { Access } from './access.ts'
import { RETRY_AFTER_SECONDS } from './answer.ts'

/** Codes that stop the start of a service: no answer has them. */
type NeverAnswered = 'bad-configuration' | 'store-foreign'

export type AnsweredCode = Exclude<ErrorCode, NeverAnswered>

interface Told {
  /** What has happened, and what to do. */
  meaning: string
  /** Example of the message in an answer. */
  message: string
}

const INTERNAL = 'internal error'

/** Meaning and example message of every code that an answer may have. */
export const ERROR_ANSWERS: Readonly<Record<AnsweredCode, Told>> = {
  'bad-request': {
    meaning: 'The message says what is wrong and what is right.',
    message: 'day must be a calendar day, written as an integer YYYYMMDD, not 20261131',
  },
  unauthorized: {
    meaning: 'No API key that is known here.',
    message: 'an API key is needed: send it as "Authorization: Bearer KEY" or as "X-API-Key: KEY"',
  },
  forbidden: {
    meaning: 'The key has another scope or is limited to other devices, or a page of another site calls.',
    message: 'this needs a key of the scope admin, yours has read',
  },
  'not-found': {
    meaning: 'There is no such path, device or day, or the key does not see it.',
    message: 'no such device: "CLR-2"',
  },
  'method-not-allowed': {
    meaning: 'The path has no such method; the header `Allow` says which it has.',
    message: 'DELETE is not allowed here: use GET or PUT',
  },
  'request-timeout': {
    meaning: 'The request did not arrive in time: send it again.',
    message: 'the request did not arrive in time',
  },
  'raw-purged': {
    meaning:
      'Raw events of these days have been deleted for their age, so their figures cannot be computed again without others.',
    message:
      'raw events of day 20251001 to 20251017 have been deleted for their age, so their figures cannot be computed again: nothing was erased there; erase from 2025-10-18T00:00:00.000Z on',
  },
  'body-too-large': {
    meaning: 'The body, or what it unpacks to, is larger than its call takes: send it in parts.',
    message: 'the body is larger than 262144 bytes: send it in parts',
  },
  'batch-too-long': {
    meaning: 'The batch has too many events: send it in parts.',
    message: 'a batch has at most 10000 events: send it in parts',
  },
  'unsupported-media-type': {
    meaning: 'The body is of a kind that is not read here.',
    message: 'text/plain is not read here: send application/json or application/x-ndjson',
  },
  'too-many-requests': {
    meaning: 'More than `COOLER_RATE_LIMIT` allows: try again after `Retry-After`.',
    message: 'too many requests: try again in 2 s',
  },
  'head-too-large': {
    meaning: 'The head of the request (line and headers) is larger than 16 KiB.',
    message: 'the head of the request is too large',
  },
  overloaded: {
    meaning:
      'The service has too much in hand, or the part of it that was at work on the request ran out of memory; nothing was taken.',
    message: 'the service has too much in hand: try again',
  },
  'store-busy': {
    meaning: 'The store is being written by someone else; nothing was taken.',
    message: 'the store is being written by someone else: try again',
  },
  'store-behind': {
    meaning: 'The store does not have the state that `since` asks for.',
    message: 'the store is at version 812.40, not yet at 815.40: try again, unless that version is of another store',
  },
  'store-full': {
    meaning: 'The store has no room; nothing was taken.',
    message: 'the store cannot be written (disk full): make room, or see to its disk and its rights, and try again',
  },
  'store-gone': {
    meaning:
      "The store's file was moved, removed or replaced, or `cooler move` has finished; nothing was taken, and the operator must act.",
    message:
      "the store's file was moved, removed or replaced while it was in use: nothing is taken until an operator has put it back",
  },
  'queue-full': {
    meaning: 'Too much waits in the queue; nothing was taken.',
    message: 'the queue is full (10000 of 10000 jobs waiting): run more workers, or send again later',
  },
  'queue-unavailable': {
    meaning: 'Redis does not answer; nothing was taken.',
    message: 'the queue cannot be reached or refuses: try again',
  },
  'shutting-down': {
    meaning: 'The service is ending.',
    message: 'the service is shutting down: try again elsewhere, or later',
  },
  'store-damaged': { meaning: 'The store is damaged: its operator must run `cooler verify`.', message: INTERNAL },
  'store-too-new': { meaning: 'A newer program has changed the store: its operator must act.', message: INTERNAL },
  'other-rules': {
    meaning: 'The figures in the store were computed with other settings: its operator must act.',
    message: INTERNAL,
  },
  internal: { meaning: 'A fault of the service; its log has more.', message: INTERNAL },
}

/** What stops the start of a service, for the log. */
export const START_ERRORS: Readonly<Record<NeverAnswered, string>> = {
  'bad-configuration': 'A setting is wrong: the message names it.',
  'store-foreign': 'The file or database of `COOLER_STORE` is not a store of this program. It is left unchanged.',
}

export const ANSWERED_CODES = Object.keys(ERROR_ANSWERS) as AnsweredCode[]

/** Errors of every call that reads the store, and of every call that writes it. */
export const READS_STORE = ['store-busy', 'store-damaged', 'store-gone', 'store-too-new'] as const
export const WRITES_STORE = [...READS_STORE, 'store-full'] as const

const EVERYWHERE = ['bad-request', 'request-timeout', 'head-too-large', 'shutting-down', 'internal'] as const
/** Errors of guarded calls only: open calls are answered under any load. */
const GUARDED = ['unauthorized', 'forbidden', 'too-many-requests', 'overloaded'] as const
const WITH_BODY = ['body-too-large'] as const

/** Returns all errors that a call may end with, in the order of ERROR_ANSWERS. */
export function errorsOf(access: Access, hasBody: boolean, own: readonly ErrorCode[]): AnsweredCode[] {
  const codes: readonly ErrorCode[] = [
    ...EVERYWHERE,
    ...(access === 'open' ? [] : GUARDED),
    ...(hasBody ? WITH_BODY : []),
    ...own,
  ]
  return ANSWERED_CODES.filter((code) => codes.includes(code))
}

/** Returns the schema of the error envelope of one status. */
export function errorSchema(status: number): TSchema {
  const codes = ANSWERED_CODES.filter((code) => ERRORS[code].status === status)
  return Type.Object(
    {
      status: Type.Integer({
        description: 'The HTTP status, again. Unit: HTTP status.',
        enum: [status],
        examples: [status],
      }),
      message: text('What is wrong, and what is right. For people: it may change.', ERROR_ANSWERS[codes[0]].message),
      data: Type.Null({ description: 'Always null.', examples: [null] }),
      code: oneOf('What is wrong, for programs: it never changes.', codes, codes[0]),
    },
    { description: `The error envelope of status ${status}.` },
  )
}

/** Returns an example of the body of an error. */
export const errorExample = (code: AnsweredCode): unknown => ({
  status: ERRORS[code].status,
  message: ERROR_ANSWERS[code].message,
  data: null,
  code,
})

/** Returns the headers of an error answer with that status. */
export const errorHeaders = (status: number): Record<string, { description: string; schema: TSchema }> => {
  if (status === 401) {
    const schema = Type.String({ examples: ['Bearer realm="cooler-reports"'] })
    return { 'WWW-Authenticate': { description: 'How to authenticate.', schema } }
  }
  if (status !== 429 && status !== 503) return {}
  const schema = Type.Integer({ minimum: 1, examples: [RETRY_AFTER_SECONDS] })
  return { 'Retry-After': { description: 'When to try again. Unit: seconds from now.', schema } }
}
