import { LRUCache } from 'lru-cache'
import { type Encoding, packed } from '../base/packed.ts'

/** A report as JSON text, and the instant (epoch ms) from which on it may read differently though nothing is stored. */
export interface Answer {
  bytes: string | Uint8Array
  until: number
}

/** About what an entry takes beside its answer. */
const ENTRY_BYTES = 512

interface Entry {
  version: string
  /** Epoch ms from which on it holds, as of which it was made. */
  from: number
  answer: Answer
  /** Bytes of the compressed forms that are kept with the answer. */
  packed: ReadonlyMap<Encoding, number>
}

interface Making extends Pick<Entry, 'version' | 'from'> {
  answer: Promise<Answer>
}

/**
 * Keeps answers until the store's version changes. Who asks for one that is just being made waits for it. Those that
 * were asked for longest ago give way when there is no more room.
 */
export class ReportCache {
  readonly #kept: LRUCache<string, Entry>
  readonly #making = new Map<string, Making>()
  /** Names of the entries that have, or had, these bytes. */
  readonly #names = new WeakMap<Uint8Array, string>()

  /** @param mostBytes that all kept answers take together; what is being made, or is on its way, comes on top. */
  constructor(mostBytes: number) {
    this.#kept = new LRUCache({ maxSize: Math.max(1, mostBytes) })
  }

  /** Returns the kept answer of that name and version, where it holds at `now` (epoch ms); else what `make` gives. */
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

  /** Compresses an answer that has been given; as long as it is kept it is compressed once, and both forms count. */
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
      if (this.#making.get(name) === making) this.#keep(name, { ...making, answer, packed: new Map() })
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
