import { expect, test } from 'vitest'
import { CHECKED_ELSEWHERE, count, day, flag, nullable, oneOf, text } from '../../../src/base/schema-fields.ts'
import { Type } from '../../../src/base/typebox.ts'
import { checkCompiler } from '../../../src/web/api/check-request.ts'

const schema = Type.Object(
  {
    day: day('A day.', 20250601),
    size: Type.Optional(count('A size.', 'units', 1)),
    mode: Type.Optional(oneOf('A mode.', ['a', 'b'], 'a')),
    wait: Type.Optional(flag('Whether to wait.', true)),
    name: Type.Optional(nullable(text('A name.', 'x'), 'without one')),
    list: Type.Optional(Type.Array(Type.Object({ 'a/b': Type.Integer({ minimum: 1, maximum: 9 }) }), { maxItems: 2 })),
    event: Type.Optional(Type.Object({ at: Type.String() }, { [CHECKED_ELSEWHERE]: true })),
  },
  { additionalProperties: false },
)

const DAY = { day: 20250601 }

const checkOf = (httpPart: 'body' | 'querystring') => checkCompiler({ schema, method: 'GET', url: '/', httpPart })

const bodyOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

const messageOf = (value: unknown, part: 'body' | 'querystring' = 'body'): string =>
  (checkOf(part)(part === 'body' ? bodyOf(value) : value) as { error: Error }).error.message

test('a wrong field is named, with what it must be and what it is', () => {
  const wrong: [object, string][] = [
    [{}, 'day is missing: it must be a calendar day, written as an integer YYYYMMDD'],
    [{ day: 20250631 }, 'day must be a calendar day, written as an integer YYYYMMDD, not 20250631'],
    [{ day: '20250601' }, 'day must be a calendar day, written as an integer YYYYMMDD, not "20250601"'],
    [{ ...DAY, size: -1 }, 'size must be a whole number from 0 on, not -1'],
    [{ ...DAY, size: 1.5 }, 'size must be a whole number from 0 on, not 1.5'],
    [{ ...DAY, mode: 'c' }, 'mode must be one of a, b, not "c"'],
    [{ ...DAY, wait: 1 }, 'wait must be true or false, not 1'],
    [{ ...DAY, name: {} }, 'name must be a string or null, not an object'],
    [{ ...DAY, list: [{ 'a/b': 1 }, { 'a/b': 0 }] }, 'list[1].a/b must be a whole number from 1 to 9, not 0'],
    [{ ...DAY, list: [{}] }, 'list[0].a/b is missing: it must be a whole number from 1 to 9'],
    [{ ...DAY, list: [1, 2, 3] }, 'list must be an array of at most 2, not an array of 3'],
    [{ ...DAY, list: 'x'.repeat(100) }, `list must be an array of at most 2, not "${'x'.repeat(39)}`],
    [{ dya: 1 }, '"dya" is no field of these: day, size, mode, wait, name, list, event'],
  ]
  for (const [value, message] of wrong) expect(messageOf(value), JSON.stringify(value)).toBe(message)
})

test('what fits is passed on as it is; what is checked elsewhere always fits', () => {
  const value = { ...DAY, name: null, list: [{ 'a/b': 9, more: true }], event: 7 }
  expect(checkOf('body')(bodyOf(value))).toEqual({ value })
})

test('of an address, numbers and lists are read from texts that are just that', () => {
  const query = checkCompiler({
    schema: Type.Object({ day: schema.properties.day, ids: Type.Optional(Type.Array(Type.String())) }),
    method: 'GET',
    url: '/',
    httpPart: 'querystring',
  })
  expect(query({ day: '20250601', ids: 'a' })).toEqual({ value: { day: 20250601, ids: ['a'] } })
  expect(query({ day: '20250601', ids: ['a', 'b'], other: '1' })).toEqual({
    value: { day: 20250601, ids: ['a', 'b'], other: '1' },
  })
  for (const size of ['', ' 1', '1 ', '+1', '01', '1.0', '1e1', '0x1', '9'.repeat(20), ['1', '2']])
    expect(messageOf({ day: '20250601', size }, 'querystring'), `${size}`).toMatch(/^size must be a whole number/)
  expect(messageOf({ day: '20250601', x: '' }, 'querystring')).toMatch(/^"x" is no parameter of these: day, /)
})

test('bodies of several media types are left to their routes', () => {
  const check = checkCompiler({ schema, method: 'POST', url: '/', httpPart: 'body', contentType: 'text/csv' })
  expect(check(Buffer.from('a'))).toBe(true)
})
