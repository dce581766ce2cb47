import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countElements, splitArray } from '../../../src/cli/bridge/split-array.ts'

const space = fc.constantFrom('', ' ', '\n\t', '\r\n')

test('the elements of an array are those that JSON has, however it is spaced', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), space, fc.nat(3), (values, between, indent) => {
      const texts = values.map((value) => `${between}${JSON.stringify(value, null, indent)}${between}`)
      const text = `[${texts.join(',')}]${between}`
      if (values.length > 0) expect(countElements(text)).toBe(values.length)
      expect([...splitArray(text)].map((element) => JSON.parse(element))).toEqual(JSON.parse(text))
    }),
  )
})

test.each(['', '{}', '1', '[', '[1', '[1,]', '[,1]', '[,]', '[1]]', '[1] 2', '["]', '["\\"]', '[1}', '[\u00a0]'])(
  '%j is not an array',
  (text) => {
    expect(countElements(text)).toBe(null)
  },
)

test.each([
  ['[]', 0],
  ['[ \n]', 0],
  ['["\\\\"]', 1],
  ['["],[", {"a":[1,2]}, "\\"," ]', 3],
])('%j has %d elements', (text, count) => {
  expect(countElements(text)).toBe(count)
})
