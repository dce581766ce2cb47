import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '../../../src/base/errors.ts'
import { FIGURE_NAMES } from '../../../src/rollup/figures/figures.ts'
import { ANSWERED_CODES } from '../../../src/web/api/error-answers.ts'
import type { Schema } from '../../../src/web/reference/document.ts'
import { SILENT_POINTS } from '../../../src/web/reference/introduction.ts'
import { appFixture } from '../app-fixture.ts'
import { checkAt, DOCUMENT, DOCUMENT_FILE, expectValid, operations } from './documented.ts'

test('the document in the schema folder is the one that is served', async () => {
  const { get } = await appFixture()
  const answer = await get('/openapi.json')
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  if (process.env.UPDATE_SNAPSHOTS === '1') writeFileSync(DOCUMENT_FILE, answer.body)
  const text = readFileSync(DOCUMENT_FILE, 'utf8')
  expect(answer.body, 'UPDATE_SNAPSHOTS=1 npm test -- test/web/reference writes it').toBe(text)
})

test('every route has its operation, with who may call it, and every operation its route', async () => {
  const { app } = await appFixture()
  await app.ready()
  const routes: Record<string, unknown> = {}
  for (const { method, url, access } of app.routeAccess) {
    if (url.startsWith('/queues')) continue // A page of bull-board's own, for people alone.
    const answer = await app.inject({ method: method as 'GET', url: url.replace(':day', '20250601') })
    if (answer.statusCode !== 405) routes[`${method} ${url.replace(/:(\w+)/g, '{$1}')}`] = access
  }
  const told = operations().map(({ method, path, operation }) => [`${method} ${path}`, operation['x-access']])
  expect(Object.fromEntries(told)).toEqual(routes)
})

test('what needs a key says which, in both ways in which it may be sent; what is open needs none', () => {
  for (const { operation } of operations()) {
    const { 'x-access': access, security, responses, operationId } = operation
    const scopes = typeof access === 'string' ? [] : [access.scope]
    const expected = access === 'open' ? [] : [{ bearer: scopes }, { apiKey: scopes }]
    expect(security, operationId).toEqual(expected)
    expect(responses[401] === undefined, operationId).toBe(access === 'open')
  }
})

test('every error code that an answer may have is one of the program, and has its status', () => {
  expect(Object.keys(ERRORS).filter((code) => !(ANSWERED_CODES as string[]).includes(code))).toEqual([
    'bad-configuration',
    'store-foreign',
  ])
  for (const [code, { value }] of Object.entries(DOCUMENT.components.examples)) {
    const { status } = value as { status: number }
    expect(status).toBe(ERRORS[code as keyof typeof ERRORS].status)
    expectValid(checkAt('components', 'schemas', `Error${status}`), value, code)
  }
})

describe('every field', () => {
  /** All schemas of the document, each with the way to it; fields of objects are told by `.name`. */
  const fields: [string, Schema][] = []
  const walk = (value: unknown, way: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value)) {
      if (key === 'properties')
        for (const [name, schema] of Object.entries(part as object)) fields.push([`${way}.${name}`, schema])
      if (key === 'schema') fields.push([way, part])
      if (!['example', 'examples', 'not'].includes(key)) walk(part, key === 'properties' ? way : `${way}/${key}`)
    }
  }
  walk({ paths: DOCUMENT.paths, components: DOCUMENT.components }, '')
  const told = fields.filter(([, { $ref }]) => $ref === undefined)
  const isLeaf = ({ properties, items, anyOf, oneOf }: Schema): boolean => !properties && !items && !anyOf && !oneOf

  test('has a description, and an example that it allows', () => {
    expect(told.length).toBeGreaterThan(300)
    const isParameter = (way: string): boolean => /\/(parameters\/\d+|headers\/[\w-]+)$/.test(way)
    expect(told.filter(([way, { description }]) => !description && !isParameter(way))).toEqual([])
    // A medium has an example of its own.
    const hasOwn = (way: string): boolean => isParameter(way) || /\/content\/\w+\/[\w.+-]+$/.test(way)
    const without = told.filter(([way, schema]) => isLeaf(schema) && schema.examples === undefined && !hasOwn(way))
    expect(without).toEqual([])
  })

  test('that is a number tells its unit', () => {
    const numbers = told.filter(
      ([way, { type }]) => !/headers|parameters/.test(way) && /number|integer/.test(`${type}`),
    )
    expect(numbers.length).toBeGreaterThan(100)
    // An instant as epoch milliseconds says so.
    expect(numbers.filter(([, { description = '' }]) => !/Unit: |milliseconds/.test(description))).toEqual([])
  })

  test('that may be null says when', () => {
    const nullable = told.filter(([, { type }]) => Array.isArray(type) && type.includes('null'))
    expect(nullable.length).toBeGreaterThan(40)
    expect(nullable.filter(([, { description = '' }]) => !/\bnull\b/i.test(description))).toEqual([])
  })
})

test('every parameter tells its meaning and its unit, where it is a number', () => {
  const parameters = operations().flatMap(({ operation }) => operation.parameters ?? [])
  expect(parameters.length).toBeGreaterThan(8)
  for (const { name, description, schema, example, examples } of parameters) {
    expect(example ?? examples?.given.value, name).toBeDefined()
    expect(description.length, name).toBeGreaterThan(10)
    if (schema.type === 'integer') expect(description, name).toMatch(/Unit: /)
  }
})

test('every example of a request and of an answer is as its schema says', () => {
  let checked = 0
  for (const { method, path, operation } of operations()) {
    const way = ['paths', path, method.toLowerCase()]
    const bodies: [string[], { content: object }][] = [
      ...(operation.requestBody === undefined
        ? []
        : [[[...way, 'requestBody'], operation.requestBody] as [string[], { content: object }]]),
      ...Object.entries(operation.responses).flatMap(([status, response]): [string[], { content: object }][] =>
        '$ref' in response ? [] : [[[...way, 'responses', status], response]],
      ),
    ]
    for (const [at, { content }] of bodies) {
      for (const [type, { examples }] of Object.entries(content)) {
        expect(Object.keys(examples).length, `${at}`).toBeGreaterThan(0)
        for (const example of Object.values<{ value?: unknown }>(examples)) {
          if (!('value' in example)) continue
          expectValid(checkAt(...at, 'content', type, 'schema'), example.value, `${at}`)
          checked++
        }
      }
    }
  }
  expect(checked).toBeGreaterThan(20)
})

test('the figures are those of the explanation, in their order', () => {
  const { DailyEntry, SummaryEntry, Sources } = DOCUMENT.components.schemas
  const names = ({ properties = {} }: Schema): string[] => Object.keys(properties)
  expect(names(DailyEntry)).toEqual(['assertId', ...FIGURE_NAMES])
  expect(names(SummaryEntry)).toEqual(['assertId', ...FIGURE_NAMES, 'location', 'address', 'throwinDate'])
  expect(names(Sources)).toEqual([...FIGURE_NAMES])
})

test('every section on which the interface is silent is spoken of, and the spelling of assertId', () => {
  const sections = new Set(SILENT_POINTS.map(({ section }) => section))
  for (const section of ['2.4', '3', '4.3', '5', '6', '7', '8', '9']) expect([...sections]).toContain(section)
  expect(DOCUMENT.info.description).toMatch(
    /## What the interface leaves open, and what we do\n\n.*`assertId`.*`assertIds`/,
  )
  for (const { answer } of SILENT_POINTS) expect(DOCUMENT.info.description).toContain(answer)
})
