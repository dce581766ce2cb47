import { createHash } from 'node:crypto'
import { type EventColumns, NO_SEQ } from '../event/event-columns.ts'
import { type DeviceDay, STATISTIC_NAMES } from '../store/statistics.ts'

const TWO_32 = 2 ** 32

/** Returns a 32-bit hash of a text. */
export const hashOf = (text: string): number => createHash('sha1').update(text).digest().readInt32LE(0)

/** Sums up a set of rows, in any order, so that two stores with the same rows have the same sums. */
export class Digest {
  rows = 0
  #low = 0
  #high = 0

  /** Adds events of a UTC day; `hashOfId` returns the hash of a device's id. */
  addEvents(columns: EventColumns, utcDay: number, hashOfId: (device: number) => number): void {
    const { count, device, at, kind, a, b, seq, addresses, imports } = columns
    for (let row = 0; row < count; row++) {
      let hash = mix(mix(hashOfId(device[row]), utcDay), at[row])
      hash = mix(mix(mix(hash, kind[row]), a[row]), b[row])
      hash = mix(mixLong(hash, seq === null ? NO_SEQ : seq[row]), imports === null ? 0 : imports[row])
      const address = addresses?.get(row)
      this.#add(address === undefined ? hash : mix(hash, hashOf(address)))
    }
    this.rows += count
  }

  /** Adds the rollup of a device, by the hash of its id, on a local day. */
  addRollup(hashOfId: number, day: number, rollup: DeviceDay): void {
    let hash = mix(hashOfId, day)
    for (const name of STATISTIC_NAMES) hash = mixLong(hash, rollup[name])
    this.#add(hash)
    this.rows++
  }

  /** Adds a row as a text. */
  addText(text: string): void {
    const hash = createHash('sha1').update(text).digest()
    this.#low = (this.#low + hash.readUInt32LE(0)) % TWO_32
    this.#high = (this.#high + hash.readUInt32LE(4)) % TWO_32
    this.rows++
  }

  #add(hash: number): void {
    this.#low = (this.#low + (finish(hash) >>> 0)) % TWO_32
    this.#high = (this.#high + (finish(hash ^ 0x5bd1e995) >>> 0)) % TWO_32
  }

  equals(other: Digest): boolean {
    return this.rows === other.rows && this.#low === other.#low && this.#high === other.#high
  }
}

/** Numbers that are no integers of 32 bits are split, so that no two numbers of ours are mixed alike. */
const mixLong = (hash: number, value: number): number => mix(mix(hash, value | 0), Math.floor(value / TWO_32))

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) + 0x7f4a7c15
}

function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  return mixed ^ (mixed >>> 13)
}
