import { CHECKED_ELSEWHERE, EXPECTED, IS_SECRET } from './schema-fields.ts'

/** The schema keywords that are read here. */
export interface Keywords {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: Keywords
  properties?: Readonly<Record<string, Keywords>>
  [EXPECTED]?: string
  [IS_SECRET]?: true
  [CHECKED_ELSEWHERE]?: true
}

/** A fault that the check of a schema has found. */
export interface Fault {
  keyword: string
  instancePath: string
  params: object
}

const depth = ({ instancePath }: Fault): number => instancePath.split('/').length

/** Describes one fault in a sentence: an unknown field first, else the first of the least nested faults. */
export function describeFault(
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
  const rule = `${where} must be ${expected(part)}`
  return part[IS_SECRET] ? rule : `${rule}, not ${described(at)}`
}

/** Returns the schema and the value at a path. */
function lookUp(schema: Keywords, value: unknown, path: readonly string[]): { part: Keywords; at: unknown } {
  let part = schema
  let at = value
  for (const name of path) {
    part = part.properties?.[name] ?? part.items ?? {}
    at = (at as Readonly<Record<string, unknown>>)[name]
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
