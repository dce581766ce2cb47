import { expect, test } from 'vitest'
import { closingMinutes, untilNextClosing } from '../../src/rollup/closing-times.ts'

const at = (clock: string): number => Date.parse(`2026-11-20T${clock}Z`)

test.each([
  [20, [5, 20, 35, 50]],
  [0, [0, 15, 30, 45]],
  [1439, [14, 29, 44, 59]],
])('days that close at minute %i of the local day do so at these minutes of an hour of UTC', (minute, minutes) => {
  expect(closingMinutes(minute)).toEqual(minutes)
})

test.each([
  ['12:00:00', 20, 5],
  ['12:05:00', 20, 15],
  ['12:04:59', 20, 1 / 60],
  ['23:51:00', 20, 14],
  ['12:00:00', 0, 15],
])('at %s the next closing for minute %i is in %d minutes', (clock, minute, minutes) => {
  expect(untilNextClosing(at(clock), minute)).toBe(minutes * 60_000)
})
