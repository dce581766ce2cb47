import { isDamage } from './damaged-events.ts'

export interface Damage {
  /** Number of parts read. */
  parts: number
  /** Number of damaged parts. */
  damaged: number
  /** Descriptions of the first damaged parts, for people. */
  first: string[]
}

const MOST_NAMED = 10

/** Counts the parts of a store, and those that are damaged. */
export class DamageCount {
  readonly damage: Damage = { parts: 0, damaged: 0, first: [] }

  /** Counts a part. @param read reads the part, and fails if it is damaged. */
  add(read: () => unknown): void {
    this.damage.parts++
    try {
      read()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.damage.damaged++
      if (this.damage.first.length < MOST_NAMED) this.damage.first.push(error.message)
    }
  }
}
