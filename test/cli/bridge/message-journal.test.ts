import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Delivery, MessageJournal } from '../../../src/cli/bridge/message-journal.ts'
import { RecentMessages } from '../../../src/cli/bridge/recent-messages.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'

const open = (path: string, clientId = 'a') => MessageJournal.open(path, clientId, (work) => work())

const delivery = (messageId: number, payload: string, more: Partial<Delivery> = {}): Delivery => ({
  topic: 't',
  payload: Buffer.from(payload),
  messageId,
  dup: false,
  subscriptions: [],
  ...more,
})

test('a packet that comes again has its stamp, over a restart, and a new message with its number has another', async () => {
  const path = join(temporaryFolder(), 'journal')
  const journal = await open(path)
  const first = await journal.stamp(delivery(1, 'x'), 1000, 0)
  const second = await journal.stamp(delivery(2, 'x'), 1000, 0)
  await journal.close()
  const again = await open(path)
  expect(await again.stamp(delivery(1, 'x', { dup: true }), 2000, 0)).toEqual(first)
  expect(await again.stamp(delivery(2, 'x', { dup: true }), 2000, 0)).toEqual(second)
  expect(await again.stamp(delivery(2, 'y', { dup: true }), 1000, 0)).not.toEqual(second)
  const third = await again.stamp(delivery(1, 'x'), 1000, 0)
  expect(new Set([first, second, third].map(({ seq }) => seq)).size).toBe(3)
  expect(await again.stamp(delivery(1, 'x', { dup: true }), 3000, 0)).toEqual(third)
  await again.forget()
  expect((await again.stamp(delivery(1, 'x', { dup: true }), 3000, 0)).at).toBe(3000)
  await again.close()
})

test('copies for several subscriptions are one message, in whatever order they come', async () => {
  const journal = await open(join(temporaryFolder(), 'journal'))
  let packet = 0
  const stamp = async (subscriptions: number[], last: number, payload = 'x') =>
    (await journal.stamp(delivery(++packet, payload, { subscriptions }), 1000, last)).seq
  const [one, two] = [await stamp([1], 2), await stamp([1], 2)]
  expect(await stamp([2], 2)).toBe(one)
  expect(await stamp([2], 2, 'y')).not.toBe(two)
  expect(await stamp([2], 2)).toBe(two)
  const merged = await stamp([1, 2], 2)
  expect([one, two]).not.toContain(merged)
  expect([one, two, merged]).not.toContain(await stamp([2, 1], 2))
  // A subscription that there was not yet has no copy of it.
  const before = await stamp([1], 2, 'z')
  expect(await stamp([3], 3, 'z')).not.toBe(before)
  await journal.close()
})

test('two sessions, and thousands of messages of one instant, share no stamp; a torn slot is as good as none', async () => {
  const path = join(temporaryFolder(), 'journal')
  const [one, other] = [await open(path, 'a'), await open(`${path}-b`, 'b')]
  const seqs: number[] = []
  for (let packet = 1; packet <= 600; packet++)
    for (const journal of [one, other]) seqs.push((await journal.stamp(delivery(packet, 'x'), 1000, 0)).seq)
  expect(new Set(seqs).size).toBe(1200)
  expect(seqs.every(Number.isSafeInteger)).toBe(true)
  await Promise.all([one.close(), other.close()])
  const bytes = readFileSync(path)
  const torn = bytes.indexOf('"packet":600')
  bytes.fill(0, torn - 1, torn + 40)
  writeFileSync(path, bytes)
  const again = await open(path)
  expect(seqs).toContain((await again.stamp(delivery(599, 'x', { dup: true }), 2000, 0)).seq)
  expect((await again.stamp(delivery(600, 'x', { dup: true }), 2000, 0)).at).toBe(2000)
  await again.close()
})

test('as many messages as there are packet identifiers have their stamps when all of them come again', async () => {
  const path = join(temporaryFolder(), 'journal')
  const slots = Array.from({ length: 65_535 + 700 }, (_, n) => ({ n, slot: slotOf(n, 1 + (n % 65_535)) }))
  const bytes = Buffer.alloc(65_536 * 256)
  for (const { n, slot } of slots) bytes.write(slot, (n % 65_536) * 256)
  writeFileSync(path, bytes)
  const journal = await open(path)
  for (const { n } of slots.slice(-65_535)) {
    const again = delivery(1 + (n % 65_535), `m${n}`, { dup: true, subscriptions: [1] })
    const { at, seq } = await journal.stamp(again, 9_999_999, 2)
    expect([at, numberOf(seq)]).toEqual([1000 + n, n])
  }
  // A copy of the last one, and a new message: each file position is used again.
  const copy = delivery(700, 'm66234', { subscriptions: [2] })
  expect((await journal.stamp(copy, 9_999_999, 2)).at).toBe(1000 + 66_234)
  expect(numberOf((await journal.stamp(delivery(701, 'new'), 9_999_999, 2)).seq)).toBe(66_235)
  await journal.close()
  expect(readFileSync(path).length).toBe(bytes.length)
})

const numberOf = (seq: number): number => Math.floor(seq / 2 ** 20) % 2 ** 17

function slotOf(n: number, packet: number): string {
  const digest = createHash('sha256').update(`t\0m${n}`).digest('base64url').slice(0, 24)
  const entry = { delivery: n, message: n, at: 1000 + n, digest, packet, subscriptions: [1], last: 2 }
  return `${JSON.stringify(entry).padEnd(255)}\n`
}

test('equal messages cost the same, however many there are', async () => {
  const recent = new RecentMessages(65_536, [])
  const arrival = { digest: 'x', subscriptions: [1], at: 0, last: 1 }
  // A search through all of them for each would take minutes.
  for (let packet = 0; packet < 140_000; packet++) recent.add({ ...arrival, packet: packet % 65_535 })
  expect(recent.redelivered(7, 'x')?.message).toBe(131_070 + 7)
})

test('copies of equal messages belong to theirs, also once the oldest are forgotten', () => {
  const recent = new RecentMessages(7, [])
  const arrival = { digest: 'x', packet: null, at: 0, last: 2 }
  for (let message = 0; message < 50; message++) {
    for (const subscription of [1, 2])
      expect(recent.add({ ...arrival, subscriptions: [subscription] }).message).toBe(message)
  }
})

test('the journal of an earlier version is taken over', async () => {
  const path = join(temporaryFolder(), 'journal')
  const digest = createHash('sha256').update('t\0x').digest('base64url').slice(0, 24)
  const entry = (n: number, packets: number[], subscriptions: number[]) =>
    `${JSON.stringify({ n, at: 500 + n, digest, packets, subscriptions, last: 2 }).padEnd(1023)}\n`
  const text = [entry(256, [9], [1]), entry(1, [3, 4], [1, 2]), entry(2, [5], [1])].join('')
  writeFileSync(path, text)
  for (let round = 0; round < 2; round++) {
    const journal = await open(path)
    const again = async (packet: number) =>
      (await journal.stamp(delivery(packet, 'x', { dup: true, subscriptions: [1] }), 9000, 2)).at
    expect([await again(3), await again(4), await again(5), await again(9)]).toEqual([501, 501, 502, 756])
    await journal.close()
  }
  const journal = await open(path)
  expect((await journal.stamp(delivery(10, 'x', { subscriptions: [2] }), 9000, 2)).at).toBe(502)
  expect(numberOf((await journal.stamp(delivery(11, 'y'), 9000, 2)).seq)).toBe(257)
  await journal.close()
})

test('slots that hold anything else than a delivery are left out', async () => {
  const path = join(temporaryFolder(), 'journal')
  const good = { delivery: 10, message: 7, at: 1, digest: 'x', packet: 1, subscriptions: [], last: 0 }
  const damaged = [
    '5',
    'null',
    '[]',
    '{}',
    '"x"',
    { ...good, subscriptions: null },
    { ...good, delivery: -1 },
    { ...good, at: 'x' },
    { ...good, packet: 'x' },
    { ...good, delivery: 7, message: 99 }, // Of another slot.
  ]
  const slots = [...damaged, good].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)).padEnd(256))
  writeFileSync(path, slots.join(''))
  const journal = await open(path)
  const { seq } = await journal.stamp(delivery(1, 'y', { dup: true }), 1000, 0)
  expect(numberOf(seq)).toBe(8)
  await journal.close()
})
