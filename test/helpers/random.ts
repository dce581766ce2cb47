/** A seeded source of random numbers (mulberry32), so that a run can be had again. */
export interface Random {
  /** From 0 up to before 1. */
  next(): number
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number
  /** A whole number from 0 up to before `bound`. */
  below(bound: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    below: (bound) => Math.floor(next() * bound),
    pick: (items) => items[Math.floor(next() * items.length)] as (typeof items)[number],
  }
}
