import { expect, test } from 'vitest'
import { checkFilter, covers, findOverlap, overlaps, withoutCovered } from '../../../src/cli/bridge/topic-filters.ts'

const LEVELS = ['a', 'b', '', '$x', '+', '#']

const combinations = (levels: readonly string[], most: number): string[] => {
  const shorter = most === 1 ? [] : combinations(levels, most - 1)
  return [...levels, ...shorter.flatMap((rest) => levels.map((level) => `${level}/${rest}`))]
}

const TOPICS = combinations(['a', 'b', '', '$x'], 4).filter((topic) => topic !== '')

const isFilter = (filter: string): boolean => {
  try {
    checkFilter(filter)
    return true
  } catch {
    return false
  }
}
const FILTERS = [...new Set(combinations(LEVELS, 3))].filter(isFilter)

/** As the specification has it. */
function matches(filter: string, topic: string): boolean {
  if (/^[+#]/.test(filter) && topic.startsWith('$')) return false
  const own = filter
    .split('/')
    .map((level) => (level === '+' ? '[^/]*' : level.replace('$', '\\$')))
    .join('/')
  const pattern = own === '#' ? '.*' : own.replace(/\/#$/, '(/.*)?')
  return new RegExp(`^${pattern}$`).test(topic)
}

test('a filter covers another one, or overlaps it, as the topics that match both say', () => {
  const topicsOf = new Map(FILTERS.map((own) => [own, new Set(TOPICS.filter((topic) => matches(own, topic)))]))
  for (const [one, ofOne] of topicsOf) {
    for (const [other, ofOther] of topicsOf) {
      const both = [...ofOne].filter((topic) => ofOther.has(topic))
      expect(overlaps(one, other), `${one} ${other}`).toBe(both.length > 0)
      // Longer topics, or with other words, than those here.
      if (covers(one, other)) expect(both.length, `${one} ${other}`).toBe(ofOther.size)
      else if (other !== '#' && !other.includes('+') && !other.includes('#')) expect(both).toEqual([])
    }
  }
})

test('of filters only those are kept that no other one covers', () => {
  expect(withoutCovered(['a/b', 'a/#', 'a', 'a/+', 'a/#', 'b/+', 'b/c/d'])).toEqual(['a/#', 'b/+', 'b/c/d'])
  expect(withoutCovered(['#', '$SYS/#', '+/x'])).toEqual(['#', '$SYS/#'])
  expect(findOverlap(['a/+/x', 'b/#', 'a/b/#'])).toEqual(['a/+/x', 'a/b/#'])
  expect(findOverlap(['a/+', 'a', 'b/#'])).toBe(null)
})

test.each(['', 'a/#/b', 'a#', 'a/+b', '#/', 'a\0', 'x'.repeat(65_536), '$share/g/a'])('%j is refused', (filter) => {
  expect(() => checkFilter(filter)).toThrow(/--topic/)
})
