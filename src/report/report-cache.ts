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
  answer: Promise<Answer>
  /** Of all its forms; 0 while it is being made. */
  bytes: number
  /** In which its answer is kept compressed, too. */
  packed: Set<Encoding>
}

/**
 * Answers that hold until the store's version changes. Who asks for one that is just being made waits for it. Those
 * that were asked for longest ago give way when there is no more room.
 */
export class ReportCache {
  readonly #mostBytes: number
  /** In the order in which they were last asked for. */
  readonly #entries = new Map<string, Entry>()
  /** By the bytes of their answers: the entries that these have, or had. */
  readonly #names = new WeakMap<Uint8Array, string>()
  #bytes = 0

  /** @param mostBytes that all kept answers take together; what is being made, or is on its way, comes on top. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** The kept answer of that name and version, where it holds at `now` (epoch ms); else what `make` gives. */
  async answer(name: string, version: string, now: number, make: () => Promise<Answer>): Promise<string | Uint8Array> {
    const kept = this.#entries.get(name)
    if (kept !== undefined && kept.version === version && kept.from <= now) {
      const { bytes, until } = await kept.answer
      if (now < until) {
        this.#touch(name, kept)
        return bytes
      }
    }
    return this.#made(name, { version, from: now, answer: make(), bytes: 0, packed: new Set() })
  }

  /** Compresses an answer that has been given; as long as it is kept it is compressed once, and both forms count. */
  async packed(answer: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
    const form = await packed(answer, encoding)
    const name = this.#names.get(answer)
    const entry = name === undefined ? undefined : this.#entries.get(name)
    if (name === undefined || entry === undefined || entry.bytes === 0) return form
    if ((await entry.answer).bytes === answer && !entry.packed.has(encoding)) {
      entry.packed.add(encoding)
      this.#keep(name, entry, entry.bytes + form.length)
    }
    return form
  }

  async #made(name: string, entry: Entry): Promise<string | Uint8Array> {
    this.#drop(name)
    this.#entries.set(name, entry)
    try {
      const { bytes } = await entry.answer
      if (this.#entries.get(name) === entry) {
        if (typeof bytes !== 'string') this.#names.set(bytes, name)
        this.#keep(name, entry, bytes.length + name.length + ENTRY_BYTES)
      }
      return bytes
    } catch (error) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name)
      throw error
    }
  }

  #keep(name: string, entry: Entry, bytes: number): void {
    if (bytes > this.#mostBytes) {
      this.#drop(name)
      return
    }
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    for (const [oldest, { bytes: freed }] of this.#entries) {
      if (this.#bytes <= this.#mostBytes) break
      if (freed > 0 && oldest !== name) this.#drop(oldest)
    }
  }

  #touch(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return
    this.#entries.delete(name)
    this.#entries.set(name, entry)
  }

  #drop(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0
    this.#entries.delete(name)
  }
}
