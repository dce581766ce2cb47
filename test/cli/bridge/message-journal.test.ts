import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Delivery, MessageJournal } from '../../../src/cli/bridge/message-journal.ts'
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

test('two sessions, and hundreds of messages of one instant, share no stamp; a torn slot is as good as none', async () => {
  const path = join(temporaryFolder(), 'journal')
  const [one, other] = [await open(path, 'a'), await open(`${path}-b`, 'b')]
  const seqs: number[] = []
  for (let packet = 1; packet <= 600; packet++)
    for (const journal of [one, other]) seqs.push((await journal.stamp(delivery(packet, 'x'), 1000, 0)).seq)
  expect(new Set(seqs).size).toBe(1200)
  expect(seqs.every(Number.isSafeInteger)).toBe(true)
  await Promise.all([one.close(), other.close()])
  const bytes = readFileSync(path)
  expect(bytes.length).toBeLessThan(300_000)
  bytes.fill(0, bytes.indexOf('"n":599') - 1, bytes.indexOf('"n":599') + 40)
  writeFileSync(path, bytes)
  const again = await open(path)
  expect(seqs).toContain((await again.stamp(delivery(599, 'x', { dup: true }), 2000, 0)).seq)
  expect((await again.stamp(delivery(600, 'x', { dup: true }), 2000, 0)).at).toBe(2000)
  await again.close()
})

test('slots that hold anything else than an entry are left out', async () => {
  const path = join(temporaryFolder(), 'journal')
  const entry = { n: 7, at: 1, digest: 'x', packets: [1], subscriptions: [], last: 0 }
  const damaged = [
    '5',
    'null',
    '[]',
    '{}',
    '"x"',
    { ...entry, packets: null },
    { ...entry, n: -1 },
    { ...entry, at: 'x' },
  ]
  const slots = [...damaged, entry].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)).padEnd(1024))
  writeFileSync(path, slots.join(''))
  const journal = await open(path)
  const { seq } = await journal.stamp(delivery(1, 'y', { dup: true }), 1000, 0)
  expect(Math.floor(seq / 2 ** 20) % 2 ** 17).toBe(8)
  await journal.close()
})
