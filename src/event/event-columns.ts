/**
 * Events as columns, the form in which they are stored and folded. Row i of every column belongs to event i.
 *
 * | kind         | a                                   | b                              |
 * | ------------ | ----------------------------------- | ------------------------------ |
 * | doorState    | 1 open, 0 closed                    | 0                              |
 * | doorCount    | open/close events                   | 0                              |
 * | temperature  | celsius in 1/1000, or ABSENT        | set point in 1/1000, or ABSENT |
 * | power        | 1 on, 0 off                         | 0                              |
 * | fix          | latitude in 1e-7 degree             | longitude in 1e-7 degree       |
 * | visitorCount | visitors                            | 0                              |
 * | visitorTotal | low 32 bits of the counter          | high 21 bits of the counter    |
 *
 * Placements are no columns: they are kept apart, for ever, where every rollup can see all of a device's.
 */
export const Kind = {
  doorState: 0,
  doorCount: 1,
  temperature: 2,
  power: 3,
  fix: 4,
  visitorCount: 5,
  visitorTotal: 6,
} as const

/** A reading that the event does not have; no kept reading has this value. */
export const ABSENT = -(2 ** 31)

/** `seq` of an event that has none: before all that have one. */
export const NO_SEQ = -1

/** The type of the events of each kind, as producers name it. */
export const TYPE_OF_KIND = ['door', 'door', 'temperature', 'power', 'gps', 'visitor', 'visitor'] as const

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
export const totalHigh = (total: number): number => Math.floor(total / 2 ** 32)
