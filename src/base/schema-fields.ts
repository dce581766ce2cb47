import { parseDay } from './time.ts'
import {
  type Static,
  type TInteger,
  type TNumber,
  type TNumberOptions,
  type TSchema,
  type TString,
  type TStringOptions,
  type TUnsafe,
  Type,
} from './typebox.ts'

/**
 * Schemas of single fields: TypeBox's, with what the API tells of each field, which is its meaning, its unit where it is
 * a number, and an example. A schema is the type of a value, the check of a request and its part of the OpenAPI document.
 */

/** What a value must be, in words, for an error; where a schema does not say, its keywords are put into words. */
export const EXPECTED = Symbol('expected')

/** Marks what is described by a schema and checked elsewhere: by the rules of events, or by its route. */
export const CHECKED_ELSEWHERE = Symbol('checked elsewhere')

/** Returns the schema of a text. */
export const text = (description: string, example: string, limits: TStringOptions = {}): TString =>
  Type.String({ description, ...limits, examples: [example] })

/** Returns the schema of a number with a unit. */
export const number = (description: string, unit: string, example: number, limits: TNumberOptions = {}): TNumber =>
  Type.Number({ description: `${description} Unit: ${unit}.`, ...limits, examples: [example] })

/** Returns the schema of an integer with a unit. */
export const integer = (description: string, unit: string, example: number, limits: TNumberOptions = {}): TInteger =>
  Type.Integer({ description: `${description} Unit: ${unit}.`, ...limits, examples: [example] })

/** Returns the schema of a number of things. */
export const count = (description: string, unit: string, example: number): TInteger =>
  integer(description, unit, example, { minimum: 0 })

/** Returns the schema of what is true or false. */
export const flag = (description: string, example: boolean) => Type.Boolean({ description, examples: [example] })

/** Returns the schema of what is only ever true, and left out otherwise. */
export const mark = (description: string) => Type.Literal(true, { description, examples: [true] })

/** Returns the schema of an instant, RFC 3339. */
export const instant = (description: string, example: string): TString =>
  text(description, example, { format: 'date-time' })

/** Returns the schema of one of some texts. */
export const oneOf = <const Values extends readonly string[]>(
  description: string,
  values: Values,
  example: Values[number],
): TUnsafe<Values[number]> =>
  Type.Unsafe<Values[number]>({ type: 'string', description, enum: values, examples: [example] })

/** Returns the schema of a day of the calendar as the interface writes it. */
export const day = (description: string, example: number) =>
  Type.Refine(
    integer(description, 'day, YYYYMMDD', example, {
      minimum: 10_000_101,
      maximum: 99_991_231,
      [EXPECTED]: 'a calendar day, written as an integer YYYYMMDD',
    }),
    (value) => parseDay(value) !== null,
  )

/** The epoch day of a value that a schema of `day` has let pass. */
export const epochDayOf = (value: number): number => parseDay(value) as number

/** Returns a schema that null fits, too. `example`: null, where that is the best one. */
export const nullable = <Schema extends TSchema>(
  schema: Schema,
  when: string,
  example?: null,
): TUnsafe<Static<Schema> | null> => {
  const { type, description, ...rest } = schema as unknown as { type: string; description: string }
  return Type.Unsafe<Static<Schema> | null>({
    type: [type, 'null'],
    description: `${description} Null ${when}.`,
    ...rest,
    ...(example === undefined ? {} : { examples: [example] }),
  })
}

/** Returns the schema of an object whose names are data. */
export const mapOf = <Values extends TSchema>(
  description: string,
  values: Values,
  example: Readonly<Record<string, unknown>>,
): TUnsafe<Record<string, Static<Values>>> =>
  Type.Unsafe({ type: 'object', description, additionalProperties: values, examples: [example] })

/** Returns the schema of the size of a page, as a parameter. */
export const pageSize = (what: string, { most, default: usual }: { most: number; default: number }) =>
  Type.Optional(
    integer(`Most ${what} of the page; ${usual} where it is left out.`, what, usual, { minimum: 1, maximum: most }),
  )
