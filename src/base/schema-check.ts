import { CoolerError } from './errors.ts'
import { describeFault, type Keywords } from './schema-faults.ts'
import { CHECKED_ELSEWHERE } from './schema-fields.ts'
import { Compile, type TSchema } from './typebox.ts'

/** Compiled on first use: a service has some thirty schemas, and the first requests should not wait for all of them. */
const checks = new Map<TSchema, ReturnType<typeof Compile>>()

/**
 * Checks a value by a schema.
 *
 * @param where `what` the value has: fields, or parameters; `within` names the field that holds it, if any
 * @throws CoolerError `bad-request` that names the field, what it must be and what it is
 */
export function checkBySchema(
  schema: TSchema,
  value: unknown,
  { what = 'field', within = '' }: { what?: 'field' | 'parameter'; within?: string } = {},
): void {
  let check = checks.get(schema)
  if (check === undefined) checks.set(schema, (check = Compile(checkedHere(schema as Keywords))))
  if (check.Check(value)) return
  const fault = describeFault(check.Errors(value), schema as Keywords, value, what)
  throw new CoolerError('bad-request', within === '' ? fault : `${within}: ${fault}`)
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
