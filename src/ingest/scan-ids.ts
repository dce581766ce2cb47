import { BOUNDS } from '../enqueue/telemetry-event.ts'
import type { EventBatch } from './event-batch.ts'

/** When so many ids, or so many bytes of them, are known, all are forgotten: what remembers must not fill the memory. */
const MOST_IDS = 262_144
const MOST_BYTES = 16 * 1024 * 1024
/** An id of BOUNDS.deviceIdUnits has at most three bytes for each of its UTF-16 units. */
const MOST_ID_BYTES = BOUNDS.deviceIdUnits * 3
/** An id is looked for at so many places, then no more: ids made to collide must not be a way to stop the thread. */
const MOST_PROBES = 32

/** What is kept of an id, beside itself: a record of RECORD integers. Its bytes end where those of the next begin. */
const RECORD = 4
const HASH = 0
const START = 1
const GENERATION = 2
const INDEX = 3
const NEXT_START = RECORD + START

/** Ids that there is room for at first, and slots for each, so that few are taken. */
const FIRST_IDS = 512
const SLOTS_PER_ID = 4

/**
 * Device ids by their UTF-8 bytes, so that an id that has been met before costs no string. It outlives the batches, and
 * knows of each id its index in one of them; the batch stays the authority on its own indexes.
 */
export class DeviceIds {
  readonly #source: Buffer
  readonly #sourceView: DataView
  readonly #ids: string[] = []
  /** Open addressing: number of an id + 1, or 0. Its length is a power of two. */
  #slots = new Int32Array(FIRST_IDS * SLOTS_PER_ID)
  #records = new Int32Array((FIRST_IDS + 1) * RECORD)
  #bytes = Buffer.allocUnsafeSlow(FIRST_IDS * 16)
  #view = viewOf(this.#bytes)
  #bytesUsed = 0
  readonly #generations = new WeakMap<EventBatch, number>()
  #lastGeneration = 0
  #generation = 0

  /** Ids are looked up where they stand in `source`. */
  constructor(source: Buffer) {
    this.#source = source
    this.#sourceView = viewOf(source)
  }

  /** From here on `indexOf` is asked for indexes in this batch. */
  enter(batch: EventBatch): void {
    let generation = this.#generations.get(batch)
    if (generation === undefined) {
      generation = ++this.#lastGeneration
      this.#generations.set(batch, generation)
    }
    this.#generation = generation
  }

  /**
   * The number of an id, whose bytes must be well-formed UTF-8 and have that hash; -1 where it is no id (too long, say)
   * or cannot be remembered. A number holds until the next call.
   */
  numberOf(start: number, end: number, hash: number): number {
    const slots = this.#slots
    const records = this.#records
    const mask = slots.length - 1
    let slot = placeOf(hash) & mask
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const number = slots[slot] - 1
      if (number < 0) return this.#remember(start, end, hash)
      if (records[number * RECORD + HASH] === hash && this.#isSame(number, start, end)) return number
      slot = (slot + 1) & mask
    }
    return -1
  }

  /** The index of a numbered id in the batch; it is added there where it is new. */
  indexOf(number: number, batch: EventBatch): number {
    const records = this.#records
    const record = number * RECORD
    if (records[record + GENERATION] === this.#generation) return records[record + INDEX]
    const index = batch.deviceIndex(this.#ids[number])
    records[record + GENERATION] = this.#generation
    records[record + INDEX] = index
    return index
  }

  /** The id of that number. */
  idOf(number: number): string {
    return this.#ids[number]
  }

  #isSame(number: number, start: number, end: number): boolean {
    const source = this.#sourceView
    const known = this.#view
    let own = this.#records[number * RECORD + START]
    if (this.#records[number * RECORD + NEXT_START] - own !== end - start) return false
    let position = start
    for (; position + 4 <= end; position += 4, own += 4) {
      if (source.getInt32(position, true) !== known.getInt32(own, true)) return false
    }
    for (; position < end; position++, own++) if (source.getUint8(position) !== known.getUint8(own)) return false
    return true
  }

  #remember(start: number, end: number, hash: number): number {
    const length = end - start
    if (length === 0 || length > MOST_ID_BYTES) return -1
    const id = this.#source.toString('utf8', start, end)
    if (id.length > BOUNDS.deviceIdUnits) return -1
    if (this.#ids.length === MOST_IDS || this.#bytesUsed + length > MOST_BYTES) this.#forgetAll()
    this.#makeRoom(length)
    const number = this.#ids.length
    const record = number * RECORD
    this.#ids.push(id)
    this.#records[record + HASH] = hash
    this.#records[record + START] = this.#bytesUsed
    this.#records[record + GENERATION] = 0
    this.#bytesUsed += this.#source.copy(this.#bytes, this.#bytesUsed, start, end)
    this.#records[record + NEXT_START] = this.#bytesUsed
    this.#takeSlot(number)
    return number
  }

  #takeSlot(number: number): void {
    const mask = this.#slots.length - 1
    let slot = placeOf(this.#records[number * RECORD + HASH]) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
  }

  /** For one more id, of so many bytes. */
  #makeRoom(length: number): void {
    if (this.#bytesUsed + length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2)
      this.#view = viewOf(this.#bytes)
    }
    const room = this.#slots.length / SLOTS_PER_ID
    if (this.#ids.length < room) return
    const records = new Int32Array((room * 2 + 1) * RECORD)
    records.set(this.#records)
    this.#records = records
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let number = 0; number < this.#ids.length; number++) this.#takeSlot(number)
  }

  #forgetAll(): void {
    this.#slots.fill(0)
    this.#ids.length = 0
    this.#bytesUsed = 0
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)

/** Ids are alike, and so are their hashes: this spreads them, as the last step of MurmurHash3 does. */
function placeOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return mixed ^ (mixed >>> 13)
}
