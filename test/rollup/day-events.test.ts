import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type EventColumns, Kind, NO_SEQ, totalHigh, totalLow } from '../../src/event/event-columns.ts'
import { compareRows } from '../../src/event/event-order.ts'
import { type DayEvents, gatherDayEvents, UNWANTED } from '../../src/rollup/day-events.ts'

interface Event {
  device: number
  at: number
  seq: number
  kind: number
  a: number
  b: number
}

const event = (fields: Partial<Event> = {}): Event => {
  return { device: 0, at: 0, seq: NO_SEQ, kind: Kind.visitorCount, a: 0, b: 0, ...fields }
}

const total = (value: number): Partial<Event> => ({ kind: Kind.visitorTotal, a: totalLow(value), b: totalHigh(value) })

function segmentOf(events: readonly Event[]): EventColumns {
  const column = (field: keyof Event) => events.map((one) => one[field])
  return {
    count: events.length,
    device: Int32Array.from(column('device')),
    at: Int32Array.from(column('at')),
    kind: Uint8Array.from(column('kind')),
    a: Int32Array.from(column('a')),
    b: Int32Array.from(column('b')),
    seq: events.some(({ seq }) => seq !== NO_SEQ) ? Float64Array.from(column('seq')) : null,
    addresses: null,
    imports: null,
  }
}

const PLACES = 3
/** Devices 0 to 2 are wanted, each at a place of another number. */
const placeOf = (device: number): number => (device < PLACES ? PLACES - 1 - device : UNWANTED)

const gather = (...segments: readonly (readonly Event[])[]): DayEvents =>
  gatherDayEvents(segments.map(segmentOf), placeOf, PLACES)

/** The events of each place, in their order. */
function listed({ starts, order, at, kind, a, b, seq }: DayEvents): Omit<Event, 'device'>[][] {
  const rows = [...order].map((row) => ({
    at: at[row],
    seq: seq === null ? NO_SEQ : seq[row],
    kind: kind[row],
    a: a[row],
    b: b[row],
  }))
  return Array.from({ length: PLACES }, (_, place) => rows.slice(starts[place], starts[place + 1]))
}

const withoutDevice = ({ device: _, ...rest }: Event): Omit<Event, 'device'> => rest

/** The order of RULES.md 2 from scratch: `at`, `seq`, type, value. */
function compareEvents(one: Event, other: Event): number {
  const keyOf = ({ at, seq, kind, a, b }: Event): (number | bigint)[] =>
    kind === Kind.visitorTotal ? [at, seq, kind, (BigInt(b) << 32n) | BigInt(a >>> 0)] : [at, seq, kind, a, b]
  const [left, right] = [keyOf(one), keyOf(other)]
  for (const [index, value] of left.entries()) if (value !== right[index]) return value < right[index] ? -1 : 1
  return 0
}

const anyEvent: fc.Arbitrary<Event> = fc.record({
  device: fc.nat(3),
  at: fc.constantFrom(0, 1, 1000, 86_399_999),
  seq: fc.constantFrom(NO_SEQ, NO_SEQ, 0, 1, Number.MAX_SAFE_INTEGER),
  kind: fc.constantFrom(...Object.values(Kind)),
  a: fc.constantFrom(0, 1, -1, -(2 ** 31), 2 ** 31 - 1),
  b: fc.constantFrom(0, 1, 2 ** 21 - 1),
})

describe('events of a day', () => {
  test('are gathered by device in their order, whatever the segments they come in; the unwanted are left out', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyEvent, { maxLength: 40, size: 'max' }), { maxLength: 4 }), (segments) => {
        const expected = Array.from({ length: PLACES }, (_, place) => {
          const own = segments.flat().filter(({ device }) => placeOf(device) === place)
          return own.toSorted(compareEvents).map(withoutDevice)
        })
        expect(listed(gather(...segments))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  test('of no segment are none', () => {
    expect(listed(gather())).toEqual([[], [], []])
    expect(listed(gather([], [event({ device: 7 })]))).toEqual([[], [], []])
  })

  test('that are the same are neighbours, and only these compare as equal', () => {
    const same = event({ at: 5, a: 1 })
    const events = gather(
      [event({ at: 5, a: 2 }), same, event({ at: 5, a: 1, seq: 0 })],
      [event({ at: 4 }), same, event({ at: 5, a: 0 }), same],
    )
    expect(listed(events)[placeOf(0)].map(({ at, seq, a }) => [at, seq, a])).toEqual([
      [4, NO_SEQ, 0],
      [5, NO_SEQ, 0],
      [5, NO_SEQ, 1],
      [5, NO_SEQ, 1],
      [5, NO_SEQ, 1],
      [5, NO_SEQ, 2],
      [5, 0, 1],
    ])
    const { order } = events
    const equal = [...order].slice(1).map((row, index) => compareRows(events, order[index], row) === 0)
    expect(equal).toEqual([false, false, true, true, false, false])
  })

  test('without a seq come before those with one, also where only some segments have one', () => {
    const [later, earlier] = [event({ at: 5, a: 9 }), event({ at: 5, a: 1, seq: 0 })]
    for (const segments of [[[earlier], [later]], [[later], [earlier]], [[earlier, later]]])
      expect(listed(gather(...segments))[placeOf(0)].map(({ a }) => a)).toEqual([9, 1])
  })

  test('that are running totals go by their value, however large', () => {
    const values = [0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]
    const events = values.map((value) => event(total(value)))
    const expected = events.map(({ a, b }) => [a, b])
    expect(listed(gather(events.toReversed()))[placeOf(0)].map(({ a, b }) => [a, b])).toEqual(expected)
  })
})

describe('the order is the same', () => {
  // Beyond 24 moves an event a full sort takes over: reversed events need half their number each.
  const sorted = Array.from({ length: 3000 }, (_, index) => event({ at: Math.floor(index / 3), a: index % 3 }))
  const expected = sorted.map(withoutDevice)

  test.each([
    ['of events that come in order', sorted],
    ['of events that come nearly in order', [...sorted.slice(5), ...sorted.slice(0, 5)]],
    ['of events that come the wrong way round', sorted.toReversed()],
    ['of events that come half the wrong way round', [...sorted.slice(1500), ...sorted.slice(0, 1500)]],
    [
      'of events that come from both ends',
      sorted.map((_, index) => sorted[index % 2 ? 3000 - (index + 1) / 2 : index / 2]),
    ],
  ])('%s', (_, events) => {
    expect(listed(gather(events))[placeOf(0)]).toEqual(expected)
  })

  test('for each device, where one alone comes the wrong way round', () => {
    const other = sorted.map((one) => ({ ...one, device: 1 }))
    const both = sorted.toReversed().flatMap((one, index) => [one, other[index]])
    const lists = listed(gather(both))
    expect(lists[placeOf(0)]).toEqual(expected)
    expect(lists[placeOf(1)]).toEqual(expected)
  })
})
