import { createHash, type Hash } from 'node:crypto'
import { CHECKSUM_BYTES } from '../base/checksum.ts'
import type { BlockPlace } from './rollup-store.ts'

/** Makes a text for each day that changes with anything that is added for the day. Add rows in one order. */
export class DayMarks {
  readonly #hashes = new Map<number, Hash>()

  add(day: number, text: string): void {
    let hash = this.#hashes.get(day)
    if (hash === undefined) this.#hashes.set(day, (hash = createHash('sha1')))
    hash.update(`${text}\n`)
  }

  /** Returns the texts by day. Nothing can be added after it. */
  all(): Map<number, string> {
    return new Map([...this.#hashes].map(([day, hash]) => [day, hash.digest('base64')]))
  }
}

/** Returns the text of DayMarks for a day with these rollups, ordered by shard and block. A body ends with its checksum. */
export function markOfRollups(rows: readonly (BlockPlace & { body: Buffer })[]): string {
  const marks = new DayMarks()
  for (const { shard, block, body } of rows)
    marks.add(0, `${shard} ${block} ${body.length} ${body.toString('hex', Math.max(0, body.length - CHECKSUM_BYTES))}`)
  return marks.all().get(0) ?? ''
}
