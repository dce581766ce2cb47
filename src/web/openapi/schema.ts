/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it, with the keywords that are used here. */
export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: TypeName | readonly TypeName[]
  const?: unknown
  enum?: readonly unknown[]
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  not?: Schema
  examples?: readonly unknown[]
}

export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

/** What is told of a field beside its meaning; limits are keywords of its schema. */
interface About extends Pick<Schema, 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'enum' | 'format'> {
  /** Of a number, always. */
  unit?: string | undefined
  /** When it is null; it never is where this is left out. */
  nullWhen?: string | undefined
  example: unknown
}

const orNull = (type: TypeName, nullWhen: string | undefined): TypeName | readonly TypeName[] =>
  nullWhen === undefined ? type : [type, 'null']

/** One sentence after another: the meaning, the unit, when it is null. */
const told = (description: string, { unit, nullWhen }: Pick<About, 'unit' | 'nullWhen'>): string =>
  [
    description,
    ...(unit === undefined ? [] : [`Unit: ${unit}.`]),
    ...(nullWhen === undefined ? [] : [`Null ${nullWhen}.`]),
  ].join(' ')

/** Makes the schema of a field of any type. */
export function field(type: TypeName, description: string, { unit, nullWhen, example, ...limits }: About): Schema {
  return {
    type: orNull(type, nullWhen),
    description: told(description, { unit, nullWhen }),
    ...limits,
    examples: [example],
  }
}

type NumberAbout = About & { unit: string }

/** Makes the schema of a text. */
export const text = (description: string, about: About): Schema => field('string', description, about)
/** Makes the schema of a number with a unit. */
export const number = (description: string, about: NumberAbout): Schema => field('number', description, about)
/** Makes the schema of an integer with a unit. */
export const integer = (description: string, about: NumberAbout): Schema => field('integer', description, about)

/** How many there are. */
export const count = (description: string, unit: string, example: number, nullWhen?: string): Schema =>
  integer(description, { unit, minimum: 0, example, nullWhen })

/** Makes the schema of what is true or false. */
export const flag = (description: string, example: boolean, nullWhen?: string): Schema =>
  field('boolean', description, { example, nullWhen })

/** Only ever true: left out where it is not. */
export const mark = (description: string): Schema => ({ type: 'boolean', description, const: true, examples: [true] })

/** Makes the schema of an instant, RFC 3339. */
export const instant = (description: string, example: string | null, nullWhen?: string): Schema =>
  text(description, { format: 'date-time', example, nullWhen })

/** One of some texts. */
export const oneOf = (description: string, values: readonly string[], example: string): Schema =>
  text(description, { enum: values, example })

/** A day as the interface writes it; the calendar is left to the checks. */
export const day = (description: string, example: number, nullWhen?: string): Schema =>
  integer(description, {
    unit: 'day, YYYYMMDD',
    minimum: 10_000_101,
    maximum: 99_991_231,
    example,
    nullWhen,
  })

export interface ObjectAbout {
  /** Fields that may be left out. */
  optional?: readonly string[]
  nullWhen?: string | undefined
  /** Taken from the fields' examples where it is left out. */
  example?: unknown
}

/** All fields are required but those that are optional. */
export function object(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  { optional = [], nullWhen, example }: ObjectAbout = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return {
    type: orNull('object', nullWhen),
    description: told(description, { nullWhen }),
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(example === undefined ? {} : { examples: [example] }),
  }
}

/** Makes the schema of a list. */
export const list = (
  description: string,
  items: Schema,
  {
    nullWhen,
    maxItems,
    example,
  }: { nullWhen?: string | undefined; maxItems?: number; example?: readonly unknown[] } = {},
): Schema => ({
  type: orNull('array', nullWhen),
  description: told(description, { nullWhen }),
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
  ...(example === undefined ? {} : { examples: [example] }),
})

/** An object whose names are data. */
export const mapOf = (
  description: string,
  values: Schema,
  example: Readonly<Record<string, unknown>>,
  nullWhen?: string,
): Schema => ({
  type: orNull('object', nullWhen),
  description: told(description, { nullWhen }),
  additionalProperties: values,
  examples: [example],
})

/** A value that the schema describes: its own example, or one made of those of its parts. */
export function exampleOf(schema: Schema): unknown {
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.items !== undefined) return [exampleOf(schema.items)]
  if (schema.properties === undefined) throw new TypeError(`no example: ${JSON.stringify(schema)}`)
  return Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, exampleOf(part)]))
}
