import {
  EVENT_FIELDS,
  EVENT_TYPES,
  type EventType,
  type Field,
  type NumberField,
  SEQ,
  type TextField,
  type TypeStatement,
} from './fields.ts'
import { formsOf, type KeptForm } from './kept-values.ts'
import { REASONS, type Reason } from './reasons.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns an event's own field, or undefined for an inherited one, such as `constructor`. */
export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** An event type in the form that the checks use, derived from its statement in fields.ts. */
export interface CheckedType {
  type: EventType
  needs: TypeStatement['needs']
  needed: readonly CheckedField[]
  optional: readonly CheckedField[]
  forms: readonly KeptForm[]
}

interface CheckedField {
  name: string
  kind: Field['kind']
  /** Bounds of a number. For a text, `max` is the most UTF-16 units. */
  min: number
  max: number
}

type Limits = Partial<Pick<NumberField, 'min' | 'max'> & Pick<TextField, 'maxUnits'>>

function checkedType(type: EventType): CheckedType {
  const { needs, fields, optional }: TypeStatement = EVENT_FIELDS[type]
  return {
    ...{ type, needs },
    needed: checkedFields(fields),
    optional: checkedFields({ ...optional, seq: SEQ }),
    forms: formsOf(type),
  }
}

const checkedFields = (fields: Readonly<Record<string, Field>>): CheckedField[] =>
  Object.entries(fields).map(([name, field]) => {
    const { min = 0, max = Infinity, maxUnits = max } = field as Limits
    return { name, kind: field.kind, min, max: maxUnits }
  })

/** The checked types by name. */
export const CHECKED_TYPES: ReadonlyMap<unknown, CheckedType> = new Map(
  EVENT_TYPES.map((type) => [type, checkedType(type)]),
)

/** Returns what is wrong with the fields of an event, or null. Of several faults it returns the first in REASONS. */
export function faultOf({ needs, needed, optional }: CheckedType, fields: Fields): Reason | null {
  let present = 0
  let worst: Fault = NO_FAULT
  for (let index = 0; index < needed.length; index++) {
    const value = own(fields, needed[index].name)
    if (value === undefined) continue
    present++
    worst = Math.min(worst, rankOf(needed[index], value))
  }
  if (present < (needs === 'all' ? needed.length : 1)) return 'missing-field'
  if (needs === 'one' && present > 1) return 'one-of-two'
  for (let index = 0; index < optional.length; index++) {
    const value = own(fields, optional[index].name)
    if (value !== undefined) worst = Math.min(worst, rankOf(optional[index], value))
  }
  return worst === NO_FAULT ? null : REASONS[worst]
}

/** The place of a reason in REASONS, or NO_FAULT. */
type Fault = number

const NO_FAULT: Fault = REASONS.length
const NOT_A_BOOLEAN: Fault = REASONS.indexOf('not-a-boolean')
const NOT_A_NUMBER: Fault = REASONS.indexOf('not-a-number')
const OUT_OF_RANGE: Fault = REASONS.indexOf('out-of-range')

function rankOf({ kind, min, max }: CheckedField, value: unknown): Fault {
  if (kind === 'number' || kind === 'integer') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return NOT_A_NUMBER
    if (kind === 'integer' && !Number.isInteger(value)) return NOT_A_NUMBER
    return value < min || value > max ? OUT_OF_RANGE : NO_FAULT
  }
  if (kind === 'boolean') return typeof value === 'boolean' ? NO_FAULT : NOT_A_BOOLEAN
  // A zone is checked last, only when nothing else is wrong.
  const isText = kind === 'timezone' || value === null || (typeof value === 'string' && value.length <= max)
  return isText ? NO_FAULT : OUT_OF_RANGE
}
