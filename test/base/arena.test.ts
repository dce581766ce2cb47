import { expect, test } from 'vitest'
import { Arena } from '../../src/base/arena.ts'

test('arrays do not overlap, whatever their types and sizes, until the arena is cleared', () => {
  const arena = new Arena()
  const arrays = Array.from({ length: 60 }, (_, index) => {
    const length = (index * 37_000) % 1_000_003
    const array = [arena.int32(length), arena.uint8(length)][index % 2]
    expect(array).toHaveLength(length)
    return array.fill(index)
  })
  for (const [index, array] of arrays.entries())
    expect(new Set(array)).toEqual(new Set(array.length > 0 ? [index] : []))
})

test('memory is used again after clearing, but not kept where there is very much of it', () => {
  const arena = new Arena()
  const first = arena.int32(1000)
  arena.clear()
  expect(arena.int32(1000).buffer).toBe(first.buffer)
  arena.clear()
  const large = arena.uint8(70_000_000)
  arena.clear()
  expect(arena.uint8(70_000_000).buffer).not.toBe(large.buffer)
})
