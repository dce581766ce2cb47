import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkLabels,
  formatLabels,
  includesLabels,
  labelOf,
  labelsText,
  MOST_LABELS,
  parseLabel,
  parseLabels,
} from '../../src/base/labels.ts'

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, 'v']))

describe('labels that are refused', () => {
  test.each([
    ['no object', ['route'], /must be an object/],
    ['null', null, /must be an object/],
    ['too many', many(MOST_LABELS + 1), /at most 16 labels/],
    ['an empty key', { '': 'a' }, /label key "" must be a letter from a to z/],
    ['a key in capitals', { Route: 'a' }, /label key "Route"/],
    ['a key that begins with a digit', { '1a': 'a' }, /label key "1a"/],
    ['a long key', { ['a'.repeat(33)]: 'a' }, /label key "a{33}"/],
    ['a number', { route: 7 }, /label route must be a text of 1 to 100 characters/],
    ['an empty value', { route: '' }, /label route must be/],
    ['a long value', { route: 'x'.repeat(101) }, /label route must be/],
    ['a line break', { route: 'a\nb' }, /label route must be/],
    ['a zero byte', { route: 'a\0b' }, /label route must be/],
    ['a lone surrogate', { route: 'a\ud83eb' }, /label route must be/],
    ['blanks at an end', { route: 'a ' }, /label route must be/],
  ])('%s', (_, labels, message) => {
    expect(() => checkLabels(labels)).toThrow(message)
  })
})

test('labels come back from their stored text in the order of their keys', () => {
  expect(labelsText(checkLabels({}))).toBe(null)
  expect(parseLabels(null)).toEqual({})
  const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,31}$/)
  const value = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((text) => text === text.trim() && text !== '' && text.length <= 100 && !/[\p{Cc}\u2028\u2029]/u.test(text))
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: MOST_LABELS }), (labels) => {
      const stored = parseLabels(labelsText(checkLabels(labels)))
      expect(stored).toEqual({ ...labels })
      expect(Object.keys(stored)).toEqual(Object.keys(labels).sort())
      for (const [nth, text] of formatLabels(stored).entries())
        expect(parseLabel(text)).toEqual(Object.entries(stored)[nth])
    }),
  )
})

test('a label is looked up by its own key, and no inherited one', () => {
  expect(labelOf({ route: '7' }, 'route')).toBe('7')
  expect(labelOf({ route: '7' }, 'constructor')).toBe(null)
  expect(includesLabels({ a: '1', b: '2' }, { a: '1' })).toBe(true)
  expect(includesLabels({ a: '1' }, { a: '1', b: '2' })).toBe(false)
  expect(includesLabels({ a: '1' }, { a: '2' })).toBe(false)
})

test.each(['', 'route', ':7', 'route:', 'Route:7', 'route: 7'])('%j is no label', (text) => {
  expect(parseLabel(text)).toBe(null)
})

test('the value of a label may have colons', () => {
  expect(parseLabel('route:7:a')).toEqual(['route', '7:a'])
})
