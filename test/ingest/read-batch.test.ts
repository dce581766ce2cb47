import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CoolerError, ERRORS } from '../../src/base/errors.ts'
import { MAX_BATCH_EVENTS } from '../../src/event/telemetry-event.ts'
import { eventsOf, formatEvent, readJsonBatch, readLines } from '../../src/ingest/read-batch.ts'

const MARK = '\uFEFF'
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

const lines = (text: string, most?: number) => readLines(Buffer.from(text), most)
const valuesOf = (text: string): unknown[] => lines(text).map(({ value }) => value)
const json = (text: string) => readJsonBatch(Buffer.from(text)).map(({ value }) => value)

function failure(work: () => unknown): CoolerError {
  try {
    work()
  } catch (error) {
    return error as CoolerError
  }
  throw new Error('it did not fail')
}

describe('a JSON body', () => {
  test.each([
    ['nothing', '', /not JSON/],
    ['no JSON', '[{]', /not JSON/],
    ['a batch that is cut short', '[{"a":1},', /not JSON/],
    ['two batches', '[][]', /not JSON/],
    ['null', 'null', /array of events/],
    ['a number', '5', /array of events/],
    ['a text', '"[]"', /array of events/],
    ['an event', '{"deviceId":"a"}', /array of events/],
    ['events that are no array', '{"events":{"0":1,"length":1}}', /array of events/],
  ])('of %s is no batch', (_, text, message) => {
    const error = failure(() => json(text))
    expect(error).toMatchObject({ code: 'bad-request', status: 400 })
    expect(error.message).toMatch(message)
  })

  test('that is not UTF-8 is no batch', () => {
    const error = failure(() => readJsonBatch(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])))
    expect(error).toMatchObject({ code: 'bad-request', message: 'the body is not UTF-8' })
  })

  test.each([
    ['an array', '[{"a":1},null,[5]]'],
    ['an object with events', '{"events":[{"a":1},null,[5]]}'],
    ['an object with events and other fields', '{"sender":7,"events":[{"a":1},null,[5]],"more":null}'],
    ['an array after a byte order mark', `${MARK}[{"a":1},null,[5]]`],
    ['an array amid blanks', '\r\n [{"a":1},\r\n null,[5]]\r\n'],
  ])('that is %s is a batch of its values', (_, text) => {
    expect(json(text)).toEqual([{ a: 1 }, null, [5]])
  })

  test('without an event is a batch', () => {
    expect([json('[]'), json('{"events":[]}')]).toEqual([[], []])
  })
})

test('a queue job has its events in an array', () => {
  expect(eventsOf([5, 'x'])).toEqual([{ value: 5 }, { value: 'x' }])
  for (const events of [undefined, null, {}, 'x', { length: 1 }])
    expect(failure(() => eventsOf(events))).toMatchObject({ code: 'bad-request' })
})

describe('10 000 events are a batch and 10 001 are not', () => {
  const repeated = (text: string, count: number): string[] => Array.from({ length: count }, () => text)

  test.each([
    ['as an array', (count: number) => json(`[${repeated('1', count).join()}]`)],
    ['as an object with events', (count: number) => json(`{"events":[${repeated('1', count).join()}]}`)],
    ['as a queue job', (count: number) => eventsOf(repeated('1', count))],
    ['as lines, the last one without an end', (count: number) => lines(repeated('1', count).join('\n'))],
    ['as lines with blank ones between', (count: number) => lines(repeated('1\n\n', count).join(''))],
  ])('%s', (_, read) => {
    expect(read(MAX_BATCH_EVENTS)).toHaveLength(10_000)
    const error = failure(() => read(MAX_BATCH_EVENTS + 1))
    expect(error).toMatchObject({ code: 'batch-too-long', status: ERRORS['batch-too-long'].status })
    expect(error.message).toMatch(/at most 10000 events: send it in parts/)
  })

  test('where lines may be more, they may', () => {
    expect(lines(repeated('1', 10_001).join('\n'), 10_001)).toHaveLength(10_001)
    expect(failure(() => lines('1\n2\n3', 2))).toMatchObject({ code: 'batch-too-long' })
  })
})

describe('lines', () => {
  test.each([
    ['end in a line feed', '{"a":1}\n[2]\n"3"\n'],
    ['end in CRLF', '{"a":1}\r\n[2]\r\n"3"\r\n'],
    ['miss the last end', '{"a":1}\n[2]\n"3"'],
    ['have blank ones between', '\n\r\n{"a":1}\n \t\n[2]\n\n"3"\n\n'],
    ['come after a byte order mark', `${MARK}{"a":1}\n[2]\n"3"\n`],
    ['have blanks around them', ' {"a":1} \n\t[2]\n "3" '],
  ])('are events where they %s', (_, text) => {
    expect(valuesOf(text)).toEqual([{ a: 1 }, [2], '3'])
  })

  test('without any event are a batch', () => {
    expect([valuesOf(''), valuesOf('\n\r\n  \n'), valuesOf(MARK)]).toEqual([[], [], []])
  })

  test('that are no JSON are events without a value, and keep their text', () => {
    expect(lines('{"a":1\n{"b":2}\nx')).toEqual([
      { text: '{"a":1', value: undefined },
      { text: '{"b":2}', value: { b: 2 } },
      { text: 'x', value: undefined },
    ])
  })

  test('that are not UTF-8 are events without a value, and spoil no other', () => {
    const bytes = Buffer.concat([Buffer.from('"ä"\n"'), Buffer.from([0xc3, 0x28]), Buffer.from('"\n"\u{1F9CA}"')])
    const read = readLines(bytes)
    expect(read.map(({ value }) => value)).toEqual(['ä', undefined, '\u{1F9CA}'])
    expect(read[1].text).toBe('"\uFFFD("')
  })

  test('of any values come back, however they are separated', () => {
    const separator = fc.constantFrom('\n', '\r\n', '\n\n', ' \n\t\n')
    const ends = fc.constantFrom('', '\n', '\r\n\r\n')
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), separator, ends, fc.boolean(), (values, between, end, mark) => {
        const texts = values.map((value) => JSON.stringify(value))
        const read = lines(`${mark ? MARK : ''}${texts.join(between)}${end}`)
        expect(read.map(({ text }) => text)).toEqual(texts)
        expect(read.map(({ value }) => value)).toEqual(texts.map((text) => JSON.parse(text)))
      }),
    )
  })
})

describe('values nested 100 000 levels deep', () => {
  test('count as one event each, as a line and in an array', () => {
    expect(lines(`1\n${DEEP}\n2`).map(({ value }) => Array.isArray(value))).toEqual([false, true, false])
    expect(json(`[1,${DEEP}]`)).toHaveLength(2)
  })

  test('have their text where it came along, else a note', () => {
    expect(formatEvent(lines(DEEP)[0])).toBe(DEEP)
    expect(formatEvent(readJsonBatch(Buffer.from(`[${DEEP}]`))[0])).toMatch(/^\(no JSON text: .+\)$/)
  })
})

test('the text of a value that came without one is its JSON', () => {
  const texts = [{ a: [1, null] }, 'x', undefined, Number.NaN, 5n].map((value) => formatEvent({ value }))
  expect(texts).toEqual(['{"a":[1,null]}', '"x"', 'undefined', 'null', expect.stringMatching(/^\(no JSON text: .+\)$/)])
})
