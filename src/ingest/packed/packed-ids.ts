import { isUtf8 } from 'node:buffer'
import { isDeviceId } from '../../event/check-event.ts'
import type { EventBatch } from '../../event/event-batch.ts'
import { MAX_ID_UNITS } from '../../event/fields.ts'
import { deviceIds } from '../scan/scan-ids.ts'
import { scanModule } from '../scan/scan-module.ts'

const LONE_SURROGATE = /\p{Surrogate}/u

/** Device ids of a packed batch: their UTF-8 bytes, one id after the other, and the length of each id in bytes. */
export interface PackedIds {
  lengths: Uint16Array
  bytes: Buffer
  /** Ids that are not well-formed Unicode and so have no UTF-8, by index; their length is 0. */
  odd: ReadonlyMap<number, string>
}

/** Packs ids as UTF-8 bytes; ids that have no UTF-8 are kept in `odd`. */
export function packIds(ids: readonly string[]): PackedIds {
  const all = ids.join('')
  const utf8 = Buffer.from(all)
  // One byte for each UTF-16 unit: all ids are ASCII, as is usual.
  if (utf8.length === all.length) return { lengths: Uint16Array.from(ids, lengthOf), bytes: utf8, odd: new Map() }
  const odd = new Map<number, string>()
  for (const [index, id] of ids.entries()) if (LONE_SURROGATE.test(id)) odd.set(index, id)
  const plain = odd.size === 0 ? ids : ids.map((id, index) => (odd.has(index) ? '' : id))
  return {
    lengths: Uint16Array.from(plain, (id) => Buffer.byteLength(id)),
    bytes: Buffer.from(plain.join('')),
    odd,
  }
}

const lengthOf = ({ length }: string): number => length

/** Tells whether every id is one that an event may have. */
export function arePossibleIds({ lengths, bytes, odd }: PackedIds): boolean {
  if (!isUtf8(bytes)) return false
  let start = 0
  for (let index = 0; index < lengths.length; index++) {
    const end = start + lengths[index]
    // If every id begins at the start of a character, no id ends within one.
    if (isWithinCharacter(bytes[start])) return false
    if (lengths[index] === 0 ? !isDeviceId(odd.get(index)) : lengths[index] > MAX_ID_UNITS) {
      if (lengths[index] === 0 || !isDeviceId(bytes.toString('utf8', start, end))) return false
    }
    start = end
  }
  return start === bytes.length
}

const isWithinCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Returns the id at an index. Adds up the lengths of all ids before it. */
export function idAt({ lengths, bytes, odd }: PackedIds, index: number): string {
  const start = lengths.subarray(0, index).reduce((sum, length) => sum + length, 0)
  return odd.get(index) ?? bytes.toString('utf8', start, start + lengths[index])
}

/** Returns the index of each id in the batch and adds new ids. An id that this thread knows costs no string. */
export function indexesIn(batch: EventBatch, { lengths, bytes, odd }: PackedIds): Int32Array {
  known ??= new KnownIds()
  return known.indexesIn(batch, { lengths, bytes, odd })
}

/** Made at its first use and kept as long as the thread lives. */
let known: KnownIds | null = null

class KnownIds {
  readonly #module = scanModule()
  readonly #ids = deviceIds()
  /** Ids are copied here to be looked up. There is room for several ids of any length. */
  readonly #window = this.#module.scanner.WINDOW.value
  readonly #mostBytes = this.#module.scanner.WINDOW_BYTES.value

  indexesIn(batch: EventBatch, { lengths, bytes, odd }: PackedIds): Int32Array {
    const { scanner, bytes: memory } = this.#module
    const indexes = new Int32Array(lengths.length)
    this.#ids.enter(batch)
    scanner.setPlain(true)
    // The part of `bytes` that is in the window.
    let [from, to] = [0, 0]
    let start = 0
    for (let index = 0; index < lengths.length; index++) {
      const end = start + lengths[index]
      if (end > to) {
        from = start
        to = start + bytes.copy(memory, this.#window, start, Math.min(bytes.length, start + this.#mostBytes))
      }
      const number = lengths[index] === 0 ? scanner.NO_ID.value : this.#numberOf(start - from, end - from)
      indexes[index] =
        number === scanner.NO_ID.value
          ? batch.deviceIndex(odd.get(index) ?? bytes.toString('utf8', start, end))
          : this.#ids.indexOf(number, batch)
      start = end
    }
    return indexes
  }

  #numberOf(start: number, end: number): number {
    const { scanner } = this.#module
    if (scanner.isFull.value) this.#ids.forgetAll()
    return scanner.idOf(this.#window + start, this.#window + end)
  }
}
