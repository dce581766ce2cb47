import { ABSENT, totalHigh, totalLow, totalOf } from './event-columns.ts'
import { type EventType, type Field, fieldsOf, KINDS, type KindStatement, needsOf } from './fields.ts'

/** How an event is kept as columns `a` and `b`, and which values they may have. */
export interface KeptForm {
  kind: number
  type: EventType
  a: Column
  /** Null where the column is 0, or holds the rest of field `a`. */
  b: Column | null
  isWide: boolean
  /** Whether one of the two fields may be ABSENT. */
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

/** Sign and half away from zero, as RULES.md 2 keeps a reading: in thousandths, or in 1e-7 degree. */
export const fixedPoint = (value: number, scale: number): number =>
  value < 0 ? -Math.floor(-value * scale + 0.5) : Math.floor(value * scale + 0.5)

/** By number. */
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

/** Returns the forms in which events of a type are kept: each by its fields. */
export const formsOf = (type: EventType): KeptForm[] => FORMS.filter((form) => form.type === type)

/** Returns column `a` of an event by the value of its field, undefined where that is left out. */
export function columnA({ a, isWide }: KeptForm, value: unknown): number {
  return isWide ? totalLow(value as number) : columnOf(a, value)
}

/** Returns column `b`, by the value of its field; of a wide form by that of field `a`. */
export function columnB({ b, isWide }: KeptForm, value: unknown): number {
  if (isWide) return totalHigh(value as number)
  return b === null ? 0 : columnOf(b, value)
}

function columnOf({ isFlag, scale }: Column, value: unknown): number {
  if (value === undefined) return ABSENT
  if (isFlag) return value === true ? 1 : 0
  return scale === 1 ? (value as number) : fixedPoint(value as number, scale)
}

/** Returns the kept values of an event of that kind and columns by the names of its fields. */
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

/** Whether some event of this kind is kept as these two values. */
export function areKeptValues(kind: number, a: number, b: number): boolean {
  const form = FORMS[kind]
  if (form === undefined) return false
  const { aMin, aMax, bMin, bMax, mayMiss } = form
  const aMisses = mayMiss && a === ABSENT
  const bMisses = mayMiss && b === ABSENT
  return (aMisses || (a >= aMin && a <= aMax)) && (bMisses || (b >= bMin && b <= bMax)) && !(aMisses && bMisses)
}
