import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Arena } from '../../../src/base/arena.ts'
import { type EventColumns, NO_SEQ } from '../../../src/event/event-columns.ts'
import { splitByShard } from '../../../src/store/codec/split-by-shard.ts'
import type { LandingGroup } from '../../../src/store/landing.ts'

const DAY_MS = 86_400_000
const SHARDS = 3

interface Event {
  device: number
  at: number
  kind: number
  a: number
  b: number
  seq: number
  address: string | undefined
}

const event: fc.Arbitrary<Event> = fc.record({
  device: fc.nat(5),
  at: fc.oneof(fc.nat(3), fc.integer({ min: -DAY_MS, max: 3 * DAY_MS })),
  kind: fc.nat(6),
  a: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  b: fc.nat(9),
  seq: fc.oneof({ weight: 3, arbitrary: fc.constant(NO_SEQ) }, fc.nat(9)),
  address: fc.option(fc.constantFrom('here', 'there'), { nil: undefined }),
})

/** As a landing hands them over: in columns that are longer than they need be, with ids that no event is of. */
function groupOf(events: readonly Event[]): LandingGroup {
  const size = events.length + 2
  const column = <Column extends Int32Array | Float64Array | Uint8Array>(into: Column, field: keyof Event): Column => {
    for (const [row, one] of events.entries()) into[row] = one[field] as number
    return into
  }
  return {
    ids: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    count: events.length,
    device: column(new Int32Array(size).fill(6), 'device'),
    at: column(new Float64Array(size), 'at'),
    kind: column(new Uint8Array(size), 'kind'),
    a: column(new Int32Array(size), 'a'),
    b: column(new Int32Array(size), 'b'),
    seq: column(new Float64Array(size), 'seq'),
    addresses: new Map(events.flatMap(({ address }, row) => (address === undefined ? [] : [[row, address] as const]))),
    placements: [],
    rejects: [],
    import: null,
  }
}

const rowsIn = ({ count, device, at, kind, a, b, seq, addresses }: EventColumns, utcDay: number): Event[] =>
  Array.from({ length: count }, (_, row) => ({
    device: device[row],
    at: utcDay * DAY_MS + at[row],
    kind: kind[row],
    a: a[row],
    b: b[row],
    seq: seq === null ? NO_SEQ : seq[row],
    address: addresses?.get(row),
  }))

test('each event is in the part of its day and shard, beside those of its device, in the order of arrival', () => {
  const arena = new Arena()
  const numbers = fc.uniqueArray(fc.nat(40), { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60, size: 'max' }), numbers, (events, ofIds) => {
      arena.clear()
      const parts = splitByShard(groupOf(events), Int32Array.from(ofIds), SHARDS, arena)
      const numbered = events.map((one) => ({ ...one, device: ofIds[one.device] }))
      const places = new Set(parts.map(({ utcDay, shard }) => `${utcDay} ${shard}`))
      expect(places.size).toBe(parts.length)
      expect(places).toEqual(new Set(numbered.map(({ at, device }) => `${Math.floor(at / DAY_MS)} ${device % SHARDS}`)))
      for (const { utcDay, shard, firstAt, lastAt, columns } of parts) {
        const rows = rowsIn(columns, utcDay)
        const meant = numbered.filter(
          ({ at, device }) => Math.floor(at / DAY_MS) === utcDay && device % SHARDS === shard,
        )
        expect([firstAt, lastAt]).toEqual([
          Math.min(...meant.map(({ at }) => at)),
          Math.max(...meant.map(({ at }) => at)),
        ])
        const devices = rows.map(({ device }) => device)
        const runs = devices.filter((device, row) => device !== devices[row - 1])
        expect(runs).toHaveLength(new Set(devices).size)
        for (const device of runs) {
          const own = (all: readonly Event[]) => all.filter((one) => one.device === device)
          expect(own(rows)).toEqual(own(meant))
        }
        expect(rows).toHaveLength(meant.length)
        expect(columns.seq === null).toBe(meant.every(({ seq }) => seq === NO_SEQ))
        expect(columns.addresses === null).toBe(meant.every(({ address }) => address === undefined))
      }
    }),
    { numRuns: 300 },
  )
})
