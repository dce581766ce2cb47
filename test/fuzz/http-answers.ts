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

/** A good answer, or the error envelope with the status and code of the registry; never a fault of ours. */
export function expectAnswer({ method, status, headers, body }: Answer): void {
  if (status === 200 && OTHER_TYPES.test(String(headers['content-type']))) return
  expect(headers['content-type']).toMatch(/^application\/json/)
  if (method === 'HEAD') {
    expect(body).toBe('')
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    return
  }
  const answer = JSON.parse(body)
  if (status < 400) {
    expect([200, 202]).toContain(status)
    expect(Object.hasOwn(answer, 'code')).toBe(false)
    return
  }
  expect(status, body).toBeLessThan(500)
  expect(answer).toEqual({ status, message: expect.any(String), data: null, code: expect.any(String) })
  expect(answer.message.length).toBeGreaterThan(5)
  expect(answer.message.length).toBeLessThanOrEqual(LONGEST_MESSAGE)
  expect(ERRORS[answer.code as ErrorCode]?.status, answer.code).toBe(status)
  expect(headers.allow !== undefined).toBe(status === 405)
}
