import { deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { checkEvent } from '../../../src/event/check-event.ts'
import { EventBatch } from '../../../src/event/event-batch.ts'
import type { EventColumns } from '../../../src/event/event-columns.ts'
import { simulateFleet } from '../../../src/simulate/fleet.ts'
import { decodeCompacted, decodeCompactedDevice, encodeCompacted } from '../../../src/store/codec/compact-codec.ts'
import { sortByDevice } from '../../../src/store/codec/sort-by-device.ts'

/** Three power events, of two devices. */
const columns = (imports: number[] | null): EventColumns => ({
  count: 3,
  device: Int32Array.of(1, 2, 2),
  at: Int32Array.of(7, 5, 6),
  kind: Uint8Array.of(3, 3, 3),
  a: Int32Array.of(1, 0, 1),
  b: new Int32Array(3),
  seq: null,
  addresses: null,
  imports: imports && Int32Array.from(imports),
})

const payloadOf = (body: Buffer): Buffer => inflateSync(body.subarray(1))

test('a body with events of an import has version 2, and only then', () => {
  const plain = encodeCompacted(columns(null))
  expect(plain[0]).toBe(1)
  expect(encodeCompacted(columns([0, 0, 0]))).toEqual(plain)
  const imported = encodeCompacted(columns([9, 0, 0]))
  expect(imported[0]).toBe(2)
  const runs = ['02000000', '01000000', '09000000', '02000000', '00000000'].join('')
  expect(payloadOf(imported).toString('hex')).toBe(runs + payloadOf(plain).toString('hex'))
  expect(decodeCompacted(imported)).toEqual(columns([9, 0, 0]))
  expect(decodeCompactedDevice(imported, 1).imports).toEqual(Int32Array.of(9))
  expect(decodeCompactedDevice(imported, 2).imports).toBe(null)
})

test.each([
  '', // no runs at all
  '00000000',
  'ffffffff01000000',
  '010000000400000009000000',
  '010000000000000009000000',
  '02000000ffffffff0900000004000000',
])('runs of imports %s are refused in front of three rows', (runs) => {
  const payload =
    runs === '' ? Buffer.alloc(2) : Buffer.concat([Buffer.from(runs, 'hex'), payloadOf(encodeCompacted(columns(null)))])
  const body = Buffer.concat([Buffer.of(2), deflateSync(payload)])
  expect(() => decodeCompacted(body)).toThrow(/^compacted events are damaged: /)
  expect(() => decodeCompactedDevice(body, 1)).toThrow(/^compacted events are damaged: /)
})

test('the day of sixteen simulated coolers takes at most 4.5 bytes an event, and hardly more if it is imported', () => {
  const batch = new EventBatch()
  for (const event of simulateFleet({
    devices: 16,
    days: 1,
    startDay: 20240610,
    seed: 1,
    zones: ['UTC'],
    faults: true,
  })) {
    checkEvent(event, { landedAt: Date.UTC(2024, 5, 12), purgedBefore: 0 }, batch)
  }
  const { count, device, kind, a, b, seq, addresses } = batch
  const at = Int32Array.from(batch.at.subarray(0, count), (instant) => instant - Date.UTC(2024, 5, 10))
  const all = sortByDevice([{ count, device, at, kind, a, b, seq, addresses, imports: null }])
  const body = encodeCompacted(all)
  expect(decodeCompacted(body)).toMatchObject({ count, at: all.at, a: all.a, addresses: all.addresses })
  expect(body.length / count).toBeLessThan(4.5)
  const imported = encodeCompacted({ ...all, imports: new Int32Array(count).fill(12) })
  expect(imported.length).toBeLessThan(body.length + 100)
})
