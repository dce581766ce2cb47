import { LRUCache } from 'lru-cache'
import { type Encoding, packed } from '../base/packed.ts'

/** A report as JSON text. */
export interface Answer {
  bytes: string | Uint8Array
  /** The instant (epoch ms) from which it may differ although nothing new is stored. */
  until: number
  /** The state of the store that it was read from (RollupReads.reportVersion). */
  version: string
}

/** Approximate bytes that an entry takes in addition to its answer. */
const ENTRY_BYTES = 512

interface Entry {
  version: string
  /** The instant that the answer was made for, epoch ms. The answer is valid from then on. */
  from: number
  answer: Answer
  /** Bytes of the compressed forms that are kept with the answer. */
  packed: ReadonlyMap<Encoding, number>
}

interface Making extends Pick<Entry, 'version' | 'from'> {
  answer: Promise<Answer>
}

/**
 * Keeps answers until the store's version changes. A caller that asks for an answer that is being made waits for it.
 * The least recently requested answers are dropped when there is no more room.
 */
export class ReportCache {
  readonly #kept: LRUCache<string, Entry>
  readonly #making = new Map<string, Making>()
  /** The name of the entry that has, or had, these bytes. */
  readonly #names = new WeakMap<Uint8Array, string>()

  /** @param mostBytes most bytes of all kept answers together; answers being made or sent come on top. */
  constructor(mostBytes: number) {
    this.#kept = new LRUCache({ maxSize: Math.max(1, mostBytes) })
  }

  /** Returns the kept answer of that name and version if it holds at `now` (epoch ms), else the result of `make`. */
  async answer(name: string, version: string, now: number, make: () => Promise<Answer>): Promise<string | Uint8Array> {
    const isOfNow = (one: Making | Entry | undefined): boolean =>
      one !== undefined && one.version === version && one.from <= now
    const kept = this.#kept.get(name)
    if (kept !== undefined && isOfNow(kept) && now < kept.answer.until) return kept.answer.bytes
    const making = this.#making.get(name)
    if (making !== undefined && isOfNow(making)) {
      const { bytes, until } = await making.answer
      if (now < until) return bytes
    }
    return this.#make(name, { version, from: now, answer: make() })
  }

  /** Returns an answer compressed. As long as the answer is kept it is compressed only once, and both forms count. */
  async packed(answer: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
    const form = await packed(answer, encoding)
    const name = this.#names.get(answer)
    const entry = name === undefined ? undefined : this.#kept.peek(name)
    if (name !== undefined && entry?.answer.bytes === answer && !entry.packed.has(encoding))
      this.#keep(name, { ...entry, packed: new Map([...entry.packed, [encoding, form.length]]) })
    return form
  }

  async #make(name: string, making: Making): Promise<string | Uint8Array> {
    this.#making.set(name, making)
    try {
      const answer = await making.answer
      // Kept under the version of what was read, which may be another one than was asked for.
      const { version } = answer
      if (this.#making.get(name) === making) this.#keep(name, { ...making, version, answer, packed: new Map() })
      return answer.bytes
    } finally {
      if (this.#making.get(name) === making) this.#making.delete(name)
    }
  }

  #keep(name: string, entry: Entry): void {
    const { bytes } = entry.answer
    if (typeof bytes !== 'string') this.#names.set(bytes, name)
    const packedBytes = [...entry.packed.values()].reduce((sum, one) => sum + one, 0)
    this.#kept.set(name, entry, { size: ENTRY_BYTES + name.length + bytes.length + packedBytes })
  }
}
