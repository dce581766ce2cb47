import { enlarged } from '../base/enlarged.ts'
import { NO_SEQ } from './event-columns.ts'
import type { ImportNote } from './import-note.ts'
import type { Reason } from './reasons.ts'

/** A placement event as kept: positions in 1e-7 degree; `seq` is NO_SEQ and `zone` is '' if the event has none. */
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
  /** Device and instant (epoch ms) of the event; null if they cannot be read. */
  deviceId: string | null
  at: number | null
}

/** The columns of an EventBatch. */
export type RowColumns = Pick<EventBatch, 'device' | 'at' | 'kind' | 'a' | 'b' | 'seq'>

/** Device and instant of an event, which tell its device-day. */
export type EventHead = Pick<RejectedEvent, 'deviceId' | 'at'>

/** Longest kept text of a rejected event, in UTF-16 units; longer texts are cut. */
export const MAX_RAW_UNITS = 65_536

/** Initial capacity of a batch, in events. */
const FEWEST = 1024

/**
 * Checked events of one or more batches on their way into the store. The columns are as in event-columns.ts, but
 * `device` is an index into `ids` and `at` is an instant (epoch ms). Capacity grows by doubling.
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
  /** Number of ids, from the first, that are in the map. The rest are added at the next look-up. */
  #mapped = 0
  readonly addresses = new Map<number, string>()
  readonly placements: KeptPlacement[] = []
  readonly rejects: RejectedEvent[] = []
  /** The import that all of its events belong to, or null. */
  readonly import: ImportNote | null

  /** @param done a batch that is no longer needed; the new batch reuses its columns. */
  constructor(done: EventBatch | null = null, ofImport: ImportNote | null = null) {
    this.import = ofImport
    this.device = done?.device ?? new Int32Array(FEWEST)
    this.at = done?.at ?? new Float64Array(FEWEST)
    this.kind = done?.kind ?? new Uint8Array(FEWEST)
    this.a = done?.a ?? new Int32Array(FEWEST)
    this.b = done?.b ?? new Int32Array(FEWEST)
    this.seq = done?.seq ?? new Float64Array(FEWEST)
  }

  /** Number of events that will land: rows and placements. */
  get landed(): number {
    return this.count + this.placements.length
  }

  deviceIndex(id: string): number {
    for (; this.#mapped < this.ids.length; this.#mapped++) this.#indexOfId.set(this.ids[this.#mapped], this.#mapped)
    return this.#indexOfId.get(id) ?? this.addId(id)
  }

  /** Adds an id and returns its index. The caller must know that the batch does not have the id yet. */
  addId(id: string): number {
    return this.ids.push(id) - 1
  }

  add(deviceId: string, at: number, seq: number, kind: number, a: number, b: number): void {
    this.addRow(this.deviceIndex(deviceId), at, seq, kind, a, b)
  }

  /** Does the same as `add` for a device given by its index. */
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

  /** Copies the first `rows` rows of the columns into the batch. The caller must set `hasSeq`. */
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
