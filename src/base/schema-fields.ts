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
 * TypeBox schemas of single fields. Each schema documents its field: the meaning, an example, and the unit of a number.
 * The same schema gives the type of the value, the check of a request and the field's part of the OpenAPI document.
 */

/** Schema keyword for error messages: says what a value must be. Without it, the text is built from the keywords. */
export const EXPECTED = Symbol('expected')

/** Marks a schema whose values are secret: no message quotes them. */
export const IS_SECRET = Symbol('secret')

/** Marks a schema that only describes a value; the rules of events, or the route, check the value instead. */
export const CHECKED_ELSEWHERE = Symbol('checked elsewhere')

/** Returns the schema of a string. */
export const text = (description: string, example: string, limits: TStringOptions = {}): TString =>
  Type.String({ description, ...limits, examples: [example] })

/** Returns the schema of a number with a unit. */
export const number = (description: string, unit: string, example: number, limits: TNumberOptions = {}): TNumber =>
  Type.Number({ description: `${description} Unit: ${unit}.`, ...limits, examples: [example] })

/** Returns the schema of an integer with a unit. */
export const integer = (description: string, unit: string, example: number, limits: TNumberOptions = {}): TInteger =>
  Type.Integer({ description: `${description} Unit: ${unit}.`, ...limits, examples: [example] })

/** Returns the schema of a count: an integer of 0 or more. */
export const count = (description: string, unit: string, example: number): TInteger =>
  integer(description, unit, example, { minimum: 0 })

/** Returns the schema of a boolean. */
export const flag = (description: string, example: boolean) => Type.Boolean({ description, examples: [example] })

/** Returns the schema of a field that is either true or left out. */
export const mark = (description: string) => Type.Literal(true, { description, examples: [true] })

/** Returns the schema of a text that is always the same: alternatives are told apart by it. */
export const only = <const Value extends string>(value: Value, description: string) =>
  Type.Literal(value, { description, examples: [value] })

/** Returns the schema of an instant, written as RFC 3339. */
export const instant = (description: string, example: string): TString =>
  text(description, example, { format: 'date-time' })

/** Returns the schema of a string that is one of `values`. */
export const oneOf = <const Values extends readonly string[]>(
  description: string,
  values: Values,
  example: Values[number],
): TUnsafe<Values[number]> =>
  Type.Unsafe<Values[number]>({ type: 'string', description, enum: values, examples: [example] })

/** Returns the schema of a calendar day, an integer YYYYMMDD. */
export const day = (description: string, example: number) =>
  Type.Refine(
    integer(description, 'day, YYYYMMDD', example, {
      minimum: 10_000_101,
      maximum: 99_991_231,
      [EXPECTED]: 'a calendar day, written as an integer YYYYMMDD',
    }),
    (value) => parseDay(value) !== null,
  )

/** Returns the epoch day of a value that has passed the check of a `day` schema. */
export const epochDayOf = (value: number): number => parseDay(value) as number

/** Returns a schema that also accepts null. `when` says when a value is null; `example` null replaces its example. */
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

/** Returns the schema of an object whose property names are data, with values of the schema `values`. */
export const mapOf = <Values extends TSchema>(
  description: string,
  values: Values,
  example: Readonly<Record<string, unknown>>,
): TUnsafe<Record<string, Static<Values>>> =>
  Type.Unsafe({ type: 'object', description, additionalProperties: values, examples: [example] })

/** Number of items on one page of a list. */
export const PAGE = { default: 100, most: 1000 } as const

/** Returns the schema of the size of a page, as a parameter. */
export const pageSize = (what: string) => {
  const description = `Most ${what} of the page; ${PAGE.default} where it is left out.`
  return Type.Optional(integer(description, what, PAGE.default, { minimum: 1, maximum: PAGE.most }))
}
