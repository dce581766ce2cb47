import { expect } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/base/errors.ts'

/** What an answer is judged by. */
export interface Answer {
  method: string
  status: number
  headers: Record<string, unknown>
  body: string
}

/** Longest message of an error: what is told of a request is cut. */
const LONGEST_MESSAGE = 1000

/** What is no JSON: pages with their parts, metrics, and reports as files. Errors always are JSON. */
const OTHER_TYPES =
  /^(text\/(html|css|javascript|csv|plain; version=0\.0\.4); charset=utf-8|application\/vnd\.(apache\.parquet|openxmlformats-officedocument\.spreadsheetml\.sheet))$/

/** Resolves to the first answer of `ask` that is not a refusal for load, which a slow machine may give at any time. */
export async function servedBody(ask: () => Promise<{ status: number; body: string }>): Promise<string> {
  for (;;) {
    const { status, body } = await ask()
    if (status !== ERRORS.overloaded.status || JSON.parse(body).code !== 'overloaded') return body
  }
}

/**
 * Expects a good answer, or the error envelope with the status and code of the registry. Of the answers from 500 on,
 * only the refusal for load is allowed.
 */
export function expectAnswer({ method, status, headers, body }: Answer): void {
  if (status === 200 && OTHER_TYPES.test(String(headers['content-type']))) return
  expect(headers['content-type']).toMatch(/^application\/json/)
  const isRefusedForLoad = status === ERRORS.overloaded.status && headers['retry-after'] !== undefined
  if (!isRefusedForLoad) expect(status, body).toBeLessThan(500)
  if (method === 'HEAD') {
    expect(body).toBe('')
    expect(status).toBeGreaterThanOrEqual(400)
    return
  }
  const answer = JSON.parse(body)
  if (status < 400) {
    expect([200, 202]).toContain(status)
    expect(Object.hasOwn(answer, 'code')).toBe(false)
    return
  }
  if (isRefusedForLoad) expect(answer.code).toBe('overloaded')
  expect(answer).toEqual({ status, message: expect.any(String), data: null, code: expect.any(String) })
  expect(answer.message.length).toBeGreaterThan(5)
  expect(answer.message.length).toBeLessThanOrEqual(LONGEST_MESSAGE)
  expect(ERRORS[answer.code as ErrorCode]?.status, answer.code).toBe(status)
  expect(headers.allow !== undefined).toBe(status === 405)
}
