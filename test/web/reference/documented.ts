import { readFileSync } from 'node:fs'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { DocumentOperation, DocumentResponse, OpenApiDocument } from '../../../src/web/reference/document.ts'

export const DOCUMENT_FILE = new URL('../../../schema/openapi.json', import.meta.url)

/** The document as it is published: open-api.test.ts holds it against what is served. */
export const DOCUMENT = JSON.parse(readFileSync(DOCUMENT_FILE, 'utf8')) as OpenApiDocument

/** The same, but that a field that no schema tells of is an error: the published one lets clients meet new ones. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([key, part]) => [key, key === 'not' ? part : closed(part)])
  const isObject = 'properties' in value && 'type' in value && !('additionalProperties' in value)
  return { ...Object.fromEntries(parts), ...(isObject ? { additionalProperties: false } : {}) }
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
ajv.addSchema({ $id: 'urn:cooler-reports:openapi', ...(closed(DOCUMENT) as object) })

const checks = new Map<string, ValidateFunction>()

/** The check of the schema at a place of the document, given by its keys; made once, since that takes its time. */
export function checkAt(...keys: readonly string[]): ValidateFunction {
  const path = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const check = checks.get(path) ?? ajv.compile({ $ref: `urn:cooler-reports:openapi#/${path}` })
  checks.set(path, check)
  return check
}

export function expectValid(check: ValidateFunction, value: unknown, what: string): void {
  expect(check(value), `${what}: ${ajv.errorsText(check.errors)} ${JSON.stringify(value)?.slice(0, 2000)}`).toBe(true)
}

/** Every call of the document. */
export const operations = (): { method: string; path: string; operation: DocumentOperation }[] =>
  Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

export interface GivenAnswer {
  status: number
  contentType: string
  /** Parsed where it is JSON. */
  body: unknown
  headers: { has(name: string): boolean }
}

/** That a call of the document may end like this, with this body, whole. Gives what the check has looked at. */
export function expectDocumented(method: string, path: string, answer: GivenAnswer): string {
  const what = `${method} ${path} ${answer.status}`
  const place = ['paths', path, method.toLowerCase(), 'responses', String(answer.status)]
  const told = DOCUMENT.paths[path]?.[method.toLowerCase()]?.responses[String(answer.status)]
  if (told === undefined) throw new Error(`${what} is not documented: ${JSON.stringify(answer.body)}`)
  const response = '$ref' in told ? DOCUMENT.components.responses[told.$ref.split('/')[3]] : told
  const type = answer.contentType.split(';')[0]
  expect(Object.keys(response.content), what).toContain(type)
  const at = '$ref' in told ? told.$ref.split('/').slice(1) : place
  expectValid(checkAt(...at, 'content', type, 'schema'), answer.body, what)
  expectHeaders(response, answer, what)
  if (answer.status < 400) return what
  const { code } = answer.body as { code: string }
  expect(Object.keys(response.content[type].examples), `${what} ${JSON.stringify(answer.body)}`).toContain(code)
  return `${what} ${code}`
}

function expectHeaders({ headers = {} }: DocumentResponse, answer: GivenAnswer, what: string): void {
  for (const name of Object.keys(headers)) expect(answer.headers.has(name), `${what}: header ${name}`).toBe(true)
}
