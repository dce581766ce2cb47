import { ABSENT, totalHigh, totalLow, totalOf } from './event-columns.ts'
import { type EventType, type Field, fieldsOf, KINDS, type KindStatement, needsOf } from './fields.ts'

/** How an event is kept as columns `a` and `b`, and the bounds of their values. */
export interface KeptForm {
  kind: number
  type: EventType
  a: Column
  /** Null if the column is 0 or holds the high bits of field `a`. */
  b: Column | null
  isWide: boolean
  /** Whether either field, but not both, may be ABSENT. */
  mayMiss: boolean
  aMin: number
  aMax: number
  bMin: number
  bMax: number
}

interface Column {
  name: string
  isFlag: boolean
  scale: number
}

/** Returns a reading in units of 1/scale, halves rounded away from zero (RULES.md 2: thousandths or 1e-7 degree). */
export const fixedPoint = (value: number, scale: number): number =>
  value < 0 ? -Math.floor(-value * scale + 0.5) : Math.floor(value * scale + 0.5)

/** The forms by the number of their kind. */
const FORMS: readonly KeptForm[] = Object.values(KINDS).map(formOf)

function formOf({ number: kind, type, a, b, isWide = false }: KindStatement): KeptForm {
  const fields = fieldsOf(type)
  const column = (name: string): Column => ({
    name,
    isFlag: fields[name].kind === 'boolean',
    scale: scaleOf(fields[name]),
  })
  const [aMin, aMax] = isWide ? [-(2 ** 31), 2 ** 31 - 1] : keptBounds(fields[a])
  const [bMin, bMax] = isWide ? [0, totalHigh(Number.MAX_SAFE_INTEGER)] : b ? keptBounds(fields[b]) : [0, 0]
  return {
    kind,
    type,
    a: column(a),
    b: b === undefined ? null : column(b),
    isWide,
    mayMiss: needsOf(type) === 'some',
    ...{ aMin, aMax, bMin, bMax },
  }
}

function scaleOf(field: Field): number {
  return 'scale' in field && field.scale !== undefined ? field.scale : 1
}

function keptBounds(field: Field): [min: number, max: number] {
  if (field.kind === 'boolean') return [0, 1]
  if (field.kind !== 'number' && field.kind !== 'integer') throw new TypeError(`a ${field.kind} is no column`)
  const { min, max = Infinity, scale = 1 } = field
  return [min * scale, max * scale]
}

/** Returns the forms in which events of a type are kept; the fields of an event decide which form it has. */
export const formsOf = (type: EventType): KeptForm[] => FORMS.filter((form) => form.type === type)

/** Returns column `a` of an event for the value of its field, which is undefined if the field is left out. */
export function columnA({ a, isWide }: KeptForm, value: unknown): number {
  return isWide ? totalLow(value as number) : columnOf(a, value)
}

/** Returns column `b` for the value of its field; for a wide form `value` is that of field `a`. */
export function columnB({ b, isWide }: KeptForm, value: unknown): number {
  if (isWide) return totalHigh(value as number)
  return b === null ? 0 : columnOf(b, value)
}

function columnOf({ isFlag, scale }: Column, value: unknown): number {
  if (value === undefined) return ABSENT
  if (isFlag) return value === true ? 1 : 0
  return scale === 1 ? (value as number) : fixedPoint(value as number, scale)
}

/** Returns the type and the kept values, by field name, of an event with this kind and these columns. */
export function keptValues(kind: number, a: number, b: number): { type: EventType } & Record<string, unknown> {
  const form = FORMS[kind]
  const values: { type: EventType } & Record<string, unknown> = { type: form.type }
  if (form.isWide) return { ...values, [form.a.name]: totalOf(a, b) }
  for (const [column, kept] of [[form.a, a] as const, [form.b, b] as const]) {
    if (column === null || (form.mayMiss && kept === ABSENT)) continue
    values[column.name] = column.isFlag ? kept === 1 : kept / column.scale
  }
  return values
}

/** Tells whether an event of this kind can be kept as these two values. */
export function areKeptValues(kind: number, a: number, b: number): boolean {
  const form = FORMS[kind]
  if (form === undefined) return false
  const { aMin, aMax, bMin, bMax, mayMiss } = form
  const aMisses = mayMiss && a === ABSENT
  const bMisses = mayMiss && b === ABSENT
  return (aMisses || (a >= aMin && a <= aMax)) && (bMisses || (b >= bMin && b <= bMax)) && !(aMisses && bMisses)
}
