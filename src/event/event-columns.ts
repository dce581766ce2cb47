import { type EventType, KINDS } from './fields.ts'

type Kinds = typeof KINDS

/** The numbers of the kinds of columns (fields.ts) by name. */
export const Kind = Object.fromEntries(Object.entries(KINDS).map(([name, { number }]) => [name, number])) as {
  readonly [Name in keyof Kinds]: Kinds[Name]['number']
}

/** The type of the events of each kind, as producers name it. */
export const TYPE_OF_KIND: readonly EventType[] = Object.values(KINDS).map(({ type }) => type)

/** A reading that the event does not have; no kept reading has this value. */
export const ABSENT = -(2 ** 31)

/** `seq` of an event that has none: before all that have one. */
export const NO_SEQ = -1

/** Events as columns, the form in which they are stored and folded: row i of every column belongs to event i. */
export interface EventColumns {
  count: number
  /** Device number in a stored segment; before landing, an index into the batch's own list of ids. */
  device: Int32Array
  /** Milliseconds since the start of the segment's UTC day. */
  at: Int32Array
  kind: Uint8Array
  a: Int32Array
  b: Int32Array
  /** `seq` or NO_SEQ; null where no event of the segment has one. */
  seq: Float64Array | null
  /** Addresses of fixes, by row; null where none has one. */
  addresses: Map<number, string> | null
  /** Number of the import that each event is of, 0 for none; null where no event is of an import. */
  imports: Int32Array | null
}

/** The counter of a visitorTotal row: 0 to 2^53-1. */
export const totalOf = (a: number, b: number): number => b * 2 ** 32 + (a >>> 0)

/** The two columns of a counter. */
export const totalLow = (total: number): number => total | 0
/** Returns the high bits of a counter, column `b`. */
export const totalHigh = (total: number): number => Math.floor(total / 2 ** 32)
