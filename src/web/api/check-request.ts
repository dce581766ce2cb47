import type { FastifySchemaCompiler } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { CHECKED_ELSEWHERE, EXPECTED } from '../../base/schema-fields.ts'
import type { TSchema } from '../../base/typebox.ts'
import { Compile } from '../../base/typebox.ts'
import { jsonObject } from './json-body.ts'

/** The schema keywords that are read here. */
interface Keywords {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: Keywords
  properties?: Readonly<Record<string, Keywords>>
  [EXPECTED]?: string
  [CHECKED_ELSEWHERE]?: true
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Makes the check of one part of a request by its schema. A value that does not fit gives a `bad-request` that names
 * the field, what it must be and what it is. A body is parsed as a JSON object; numbers and lists in an address are
 * read from text. Bodies with several media types are left to their routes.
 */
export const checkCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, contentType }) => {
  if (contentType !== undefined) return () => true
  const isBody = httpPart === 'body'
  const read = isBody ? jsonObject : readerOfTexts((schema as Keywords).properties ?? {})
  // Compiled on first use: a service has some twenty schemas, and the first requests should not wait for all of them.
  let compiled: ReturnType<typeof Compile> | null = null
  return (given: unknown) => {
    try {
      const value = read(given as Fields)
      compiled ??= Compile(checkedHere(schema as Keywords))
      if (compiled.Check(value)) return { value }
      const fault = describeFault(compiled.Errors(value), schema as Keywords, value, isBody ? 'field' : 'parameter')
      return { error: new CoolerError('bad-request', fault) }
    } catch (error) {
      return { error: error as Error }
    }
  }
}

/** Returns the schema without the parts that are checked elsewhere. */
function checkedHere(schema: Keywords): TSchema {
  if (schema[CHECKED_ELSEWHERE]) return {}
  const { items, properties } = schema
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(([name, part]) => [name, checkedHere(part)])
    return { ...schema, properties: Object.fromEntries(parts) }
  }
  return items === undefined || !(CHECKED_ELSEWHERE in items) ? schema : { ...schema, items: {} }
}

const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/

/** Returns a function that converts text parameters to their schema types: digits to integers, one text to a list. */
function readerOfTexts(properties: Readonly<Record<string, Keywords>>): (given: Fields) => Fields {
  const named = (type: string): string[] => Object.keys(properties).filter((name) => properties[name].type === type)
  const [integers, lists] = [named('integer'), named('array')]
  return (given) => {
    let read = given
    for (const name of integers) {
      const value = given[name]
      if (typeof value === 'string' && INTEGER.test(value)) read = { ...read, [name]: Number(value) }
    }
    for (const name of lists) if (typeof given[name] === 'string') read = { ...read, [name]: [given[name]] }
    return read
  }
}

interface Fault {
  keyword: string
  instancePath: string
  params: object
}

const depth = ({ instancePath }: Fault): number => instancePath.split('/').length

/** Describes one fault in a sentence: an unknown field first, else the first of the least nested faults. */
function describeFault(
  faults: readonly Fault[],
  schema: Keywords,
  value: unknown,
  what: 'field' | 'parameter',
): string {
  const unknown = faults.find(({ keyword }) => keyword === 'additionalProperties')
  const { keyword, instancePath, params } = unknown ?? faults.toSorted((one, other) => depth(one) - depth(other))[0]
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const { part, at } = lookUp(schema, value, path)
  const where = nameOf(path)
  if (keyword === 'additionalProperties') {
    const [name] = (params as { additionalProperties: string[] }).additionalProperties
    const known = Object.keys(part.properties ?? {}).join(', ')
    return `${where === '' ? '' : `${where}: `}${JSON.stringify(name.slice(0, 100))} is no ${what} of these: ${known}`
  }
  if (keyword === 'required') {
    const [name] = (params as { requiredProperties: string[] }).requiredProperties
    return `${nameOf([...path, name])} is missing: it must be ${expected(part.properties?.[name] ?? {})}`
  }
  return `${where} must be ${expected(part)}, not ${described(at)}`
}

/** Returns the schema and the value at a path. */
function lookUp(schema: Keywords, value: unknown, path: readonly string[]): { part: Keywords; at: unknown } {
  let part = schema
  let at = value
  for (const name of path) {
    part = part.properties?.[name] ?? part.items ?? {}
    at = (at as Fields)[name]
  }
  return { part, at }
}

/** Returns a path as programs write it: `placements[0].at`. */
const nameOf = (path: readonly string[]): string =>
  path.reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`), '')

/** Returns in words what a value must be. */
function expected(schema: Keywords): string {
  if (schema[EXPECTED] !== undefined) return schema[EXPECTED]
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  return [schema.type ?? 'value']
    .flat()
    .map((type) => inWords(type, schema))
    .join(' or ')
}

function inWords(type: string, { minimum, maximum, maxItems }: Keywords): string {
  const bounds =
    minimum === undefined ? '' : maximum === undefined ? ` from ${minimum} on` : ` from ${minimum} to ${maximum}`
  if (type === 'integer') return `a whole number${bounds}`
  if (type === 'number') return `a number${bounds}`
  if (type === 'boolean') return 'true or false'
  if (type === 'array') return maxItems === undefined ? 'an array' : `an array of at most ${maxItems}`
  return type === 'object' ? 'an object' : type === 'null' ? 'null' : `a ${type}`
}

/** Describes a value in a few words. Arrays and objects are not printed: they may be nested beyond any stack. */
function described(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value).slice(0, 40)
}
