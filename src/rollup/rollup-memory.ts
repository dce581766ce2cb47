import { Arena } from '../base/arena.ts'
import type { EventColumns } from '../event/event-columns.ts'

/** Most events kept from one read to the next; they take 17 bytes each. */
const MOST_KEPT = 2_500_000

/** The memory of a rollup, which one pass after another uses. */
export class RollupMemory {
  /** For events that are read once. */
  readonly passing = new Arena()
  /** For the events of a day as they are stored, and as they are folded. */
  readonly read = new Arena()
  readonly folded = new Arena()
  /** Events of segments that this pass has read, by the id of the segment. */
  readonly known = new Map<number, EventColumns>()
  readonly #kept = new Arena()
  #events = 0

  /** Begins a pass: what the one before left is void. */
  begin(): void {
    for (const arena of [this.passing, this.read, this.folded, this.#kept]) arena.clear()
    this.known.clear()
    this.#events = 0
  }

  /** Keeps the events of a segment for the rest of the pass, unless there are too many. */
  keep(id: number, { count, device, at, kind, a, b, seq, addresses, imports }: EventColumns): void {
    this.#events += count
    if (this.#events > MOST_KEPT) return
    const int32 = (values: Int32Array): Int32Array => {
      const copy = this.#kept.int32(count)
      copy.set(values.subarray(0, count))
      return copy
    }
    const kinds = this.#kept.uint8(count)
    kinds.set(kind.subarray(0, count))
    const columns = { count, device: int32(device), at: int32(at), kind: kinds, a: int32(a), b: int32(b) }
    this.known.set(id, { ...columns, seq: seq?.slice() ?? null, addresses, imports })
  }
}
