import type { FastifySchemaCompiler } from 'fastify'
import { checkBySchema } from '../../base/schema-check.ts'
import type { Keywords } from '../../base/schema-faults.ts'
import type { TSchema } from '../../base/typebox.ts'
import { jsonObject } from './json-body.ts'

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
  return (given: unknown) => {
    try {
      const value = read(given as Fields)
      checkBySchema(schema, value, { what: isBody ? 'field' : 'parameter' })
      return { value }
    } catch (error) {
      return { error: error as Error }
    }
  }
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
