import { UsageError } from '../context.ts'

const MOST_BYTES = 65_535

/** Checks a topic filter. @throws UsageError if it is not valid, or names a shared subscription */
export function checkFilter(filter: string): void {
  const levels = filter.split('/')
  const isLevel = (level: string, index: number): boolean =>
    level === '+' || !/[+#]/.test(level) || (level === '#' && index === levels.length - 1)
  if (filter === '' || Buffer.byteLength(filter) > MOST_BYTES || filter.includes('\0') || !levels.every(isLevel))
    throw new UsageError(`--topic ${JSON.stringify(filter)} is not a topic filter`)
  if (levels[0] === '$share') throw new UsageError('--topic must not begin with $share: use --share-group')
}

/** Returns the filters without those that another filter covers, for which the broker would send a second copy. */
export function withoutCovered(filters: readonly string[]): string[] {
  const distinct = [...new Set(filters)]
  return distinct.filter((filter) => !distinct.some((other) => other !== filter && covers(other, filter)))
}

/** Returns two of the filters that match a common topic, or null. */
export function findOverlap(filters: readonly string[]): [string, string] | null {
  for (const [index, one] of filters.entries()) {
    const other = filters.slice(index + 1).find((next) => overlaps(one, next))
    if (other !== undefined) return [one, other]
  }
  return null
}

/** Wildcards of the first level do not match topics that begin with `$`. */
const hidesFrom = ([first]: string[], [other]: string[]): boolean => /^[+#]/.test(first) && other.startsWith('$')

/** Tells whether every topic that matches `inner` also matches `outer`. */
export function covers(outer: string, inner: string): boolean {
  const [wide, narrow] = [outer.split('/'), inner.split('/')]
  if (hidesFrom(wide, narrow)) return false
  for (let level = 0; ; level++) {
    const [own, other] = [wide[level], narrow[level]]
    if (own === '#') return true // `a/#` also matches `a` itself.
    if (own === undefined || other === undefined) return own === other
    if (other === '#' || (own !== '+' && own !== other)) return false
  }
}

/** Tells whether some topic matches both filters. */
export function overlaps(one: string, another: string): boolean {
  const [left, right] = [one.split('/'), another.split('/')]
  if (hidesFrom(left, right) || hidesFrom(right, left)) return false
  // Both match only the empty topic, which no message can have.
  if ([one, another].includes('+') && [one, another].includes('/#')) return false
  for (let level = 0; ; level++) {
    const [own, other] = [left[level], right[level]]
    if (own === '#' || other === '#') return true
    if (own === undefined || other === undefined) return own === other
    if (own !== '+' && other !== '+' && own !== other) return false
  }
}
