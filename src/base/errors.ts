/**
 * Every error that the product reports deliberately: a stable code, its HTTP status, and whether the same call may
 * succeed later. A message says what is wrong and what would be right.
 */
export const ERRORS = {
  'bad-request': { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  'not-found': { status: 404, retryable: false },
  'method-not-allowed': { status: 405, retryable: false },
  'request-timeout': { status: 408, retryable: true },
  'raw-purged': { status: 409, retryable: false },
  'body-too-large': { status: 413, retryable: false },
  'batch-too-long': { status: 413, retryable: false },
  'unsupported-media-type': { status: 415, retryable: false },
  'too-many-requests': { status: 429, retryable: true },
  'head-too-large': { status: 431, retryable: false },
  overloaded: { status: 503, retryable: true },
  'store-busy': { status: 503, retryable: true },
  'store-behind': { status: 503, retryable: true },
  'store-full': { status: 503, retryable: true },
  'store-gone': { status: 503, retryable: true },
  'queue-full': { status: 503, retryable: true },
  'queue-unavailable': { status: 503, retryable: true },
  'shutting-down': { status: 503, retryable: true },
  'bad-configuration': { status: 500, retryable: false },
  'store-damaged': { status: 500, retryable: false },
  'store-too-new': { status: 500, retryable: false },
  'store-foreign': { status: 500, retryable: false },
  'other-rules': { status: 500, retryable: false },
  internal: { status: 500, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean }>

export type ErrorCode = keyof typeof ERRORS

export class CoolerError extends Error {
  override readonly name = 'CoolerError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable
  }
}
