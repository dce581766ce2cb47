import { NO_SEQ } from './event-columns.ts'
import type { ImportNote } from './import-note.ts'
import type { Reason } from './reasons.ts'

/** A placement event, values as kept: positions in 1e-7 degree, `seq` NO_SEQ and `zone` '' where there is none. */
export interface KeptPlacement {
  /** Index into the batch's ids. */
  device: number
  at: number
  seq: number
  lat: number
  lon: number
  zone: string
  address: string | null
}

export interface RejectedEvent {
  reason: Reason
  /** JSON text of the event, at most MAX_RAW_UNITS long. */
  raw: string
  rawBytes: number
  /** Whose it is and of when (epoch ms), as far as it can be read; null where not. */
  deviceId: string | null
  at: number | null
}

/** Columns of events, as EventBatch has them. */
export type RowColumns = Pick<EventBatch, 'device' | 'at' | 'kind' | 'a' | 'b' | 'seq'>

/** What tells of which device-day an event is. */
export type EventHead = Pick<RejectedEvent, 'deviceId' | 'at'>

/** Longest text that is kept of a rejected event, in UTF-16 units; longer ones are cut. */
export const MAX_RAW_UNITS = 65_536

/** Events that a batch has room for in any case. */
const FEWEST = 1024

/**
 * Checked events of one or more batches on their way into the store: columns as in raw/event-columns.ts, but `device`
 * is an index into `ids` and `at` is an instant. Grows by doubling.
 */
export class EventBatch {
  count = 0
  device: Int32Array
  at: Float64Array
  kind: Uint8Array
  a: Int32Array
  b: Int32Array
  seq: Float64Array
  hasSeq = false
  readonly ids: string[] = []
  readonly #indexOfId = new Map<string, number>()
  /** As many of the ids are in the map: those that nobody has looked for are not. */
  #mapped = 0
  readonly addresses = new Map<number, string>()
  readonly placements: KeptPlacement[] = []
  readonly rejects: RejectedEvent[] = []
  /** The import that all of it is of; null for none. */
  readonly import: ImportNote | null

  /** @param done a batch that nobody needs any more: this one takes over its columns. */
  constructor(done: EventBatch | null = null, ofImport: ImportNote | null = null) {
    this.import = ofImport
    this.device = done?.device ?? new Int32Array(FEWEST)
    this.at = done?.at ?? new Float64Array(FEWEST)
    this.kind = done?.kind ?? new Uint8Array(FEWEST)
    this.a = done?.a ?? new Int32Array(FEWEST)
    this.b = done?.b ?? new Int32Array(FEWEST)
    this.seq = done?.seq ?? new Float64Array(FEWEST)
  }

  /** Events that land: columns and placements. */
  get landed(): number {
    return this.count + this.placements.length
  }

  deviceIndex(id: string): number {
    for (; this.#mapped < this.ids.length; this.#mapped++) this.#indexOfId.set(this.ids[this.#mapped], this.#mapped)
    return this.#indexOfId.get(id) ?? this.addId(id)
  }

  /** Adds an id that the batch does not have yet, as the caller knows; gives its index. */
  addId(id: string): number {
    return this.ids.push(id) - 1
  }

  add(deviceId: string, at: number, seq: number, kind: number, a: number, b: number): void {
    this.addRow(this.deviceIndex(deviceId), at, seq, kind, a, b)
  }

  /** As add, of a device by its index. */
  addRow(device: number, at: number, seq: number, kind: number, a: number, b: number): void {
    if (this.count === this.at.length) this.#resize(this.at.length * 2)
    const row = this.count++
    this.device[row] = device
    this.at[row] = at
    this.kind[row] = kind
    this.a[row] = a
    this.b[row] = b
    this.seq[row] = seq
    if (seq !== NO_SEQ) this.hasSeq = true
  }

  /** Adds the first rows of columns, by copying them; `hasSeq` is for the caller to set. */
  addRows(rows: number, { device, at, kind, a, b, seq }: RowColumns): void {
    const end = this.count + rows
    if (end > this.at.length) this.#resize(Math.max(this.at.length * 2, end))
    this.device.set(device.subarray(0, rows), this.count)
    this.at.set(at.subarray(0, rows), this.count)
    this.kind.set(kind.subarray(0, rows), this.count)
    this.a.set(a.subarray(0, rows), this.count)
    this.b.set(b.subarray(0, rows), this.count)
    this.seq.set(seq.subarray(0, rows), this.count)
    this.count = end
  }

  reject(reason: Reason, raw: string, { deviceId, at }: EventHead = { deviceId: null, at: null }): void {
    const rawBytes = Buffer.byteLength(raw)
    const kept = raw.length > MAX_RAW_UNITS ? raw.slice(0, MAX_RAW_UNITS) : raw
    this.rejects.push({ reason, raw: kept, rawBytes, deviceId, at })
  }

  #resize(size: number): void {
    this.device = enlarged(this.device, new Int32Array(size))
    this.at = enlarged(this.at, new Float64Array(size))
    this.kind = enlarged(this.kind, new Uint8Array(size))
    this.a = enlarged(this.a, new Int32Array(size))
    this.b = enlarged(this.b, new Int32Array(size))
    this.seq = enlarged(this.seq, new Float64Array(size))
  }
}

function enlarged<Column extends Int32Array | Float64Array | Uint8Array>(from: Column, into: Column): Column {
  into.set(from)
  return into
}
