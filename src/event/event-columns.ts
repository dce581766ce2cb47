import { type EventType, KINDS } from './fields.ts'

type Kinds = typeof KINDS

/** Numbers of the kinds (KINDS in fields.ts) by name. */
export const Kind = Object.fromEntries(Object.entries(KINDS).map(([name, { number }]) => [name, number])) as {
  readonly [Name in keyof Kinds]: Kinds[Name]['number']
}

/** Event type of each kind, by the kind's number, as producers name it. */
export const TYPE_OF_KIND: readonly EventType[] = Object.values(KINDS).map(({ type }) => type)

/** Stands for a reading that the event lacks. No kept reading has this value. */
export const ABSENT = -(2 ** 31)

/** `seq` of an event without a `seq`. It sorts before every real `seq`. */
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
  /** `seq` or NO_SEQ; null if no event of the segment has a `seq`. */
  seq: Float64Array | null
  /** Addresses of fixes, by row; null if no fix has an address. */
  addresses: Map<number, string> | null
  /** Number of each event's import, 0 for none; null if no event came from an import. */
  imports: Int32Array | null
}

/** Returns the counter of a visitorTotal row, 0 to 2^53-1, from its columns `a` and `b`. */
export const totalOf = (a: number, b: number): number => b * 2 ** 32 + (a >>> 0)

/** Returns the low 32 bits of a counter, column `a`. */
export const totalLow = (total: number): number => total | 0
/** Returns the high bits of a counter, column `b`. */
export const totalHigh = (total: number): number => Math.floor(total / 2 ** 32)
