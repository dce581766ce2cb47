import { expect, onTestFinished } from 'vitest'
import {
  formatDay,
  millisecondsInDay,
  millisecondsInHour,
  millisecondsInMinute,
  utcDayOf,
} from '../../src/base/time.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { openStore } from '../../src/store/open-store.ts'
import { cooler } from '../cli/cooler.ts'
import { eventually } from '../helpers/eventually.ts'
import { type Received, receiver } from '../notify/receiver.ts'

const DEVICES = 1000
const PREFIXES = 20
const SERVICES = 2
/** After it the claims of processes that were killed have ended, and the pauses before next attempts are over. */
const LATER_MS = 40 * millisecondsInMinute

/** Closed everywhere, and news all the same. */
const DAY = utcDayOf(Date.now()) - 3
const START = DAY * millisecondsInDay

const prefixOf = (nth: number): string => `p${String(nth % PREFIXES).padStart(2, '0')}-`
const IDS = Array.from({ length: DEVICES }, (_, nth) => `${prefixOf(nth)}${nth}`)

/** Known to be off for 20 hours of the day, and on ever since. */
const EVENTS = IDS.flatMap((deviceId) => [
  { deviceId, at: START + millisecondsInHour, type: 'power', on: false },
  { deviceId, at: START + 21 * millisecondsInHour, type: 'power', on: true },
])

interface Sent {
  id: string
  subscription: string
  day: number
  items: { deviceId: string; exception: string; change: string }[]
}

const sentOf = ({ body }: Received): Sent => (JSON.parse(body) as { data: Sent }).data

/** Returns what messages say holds, by subscription, in the order in which they were made. */
function holding(messages: readonly Sent[]): Map<string, string[]> {
  const holds = new Map<string, Set<string>>()
  const inOrder = [...messages].sort((one, other) => (one.id < other.id ? -1 : 1))
  for (const { subscription, day, items } of inOrder) {
    const own = holds.get(subscription) ?? new Set()
    holds.set(subscription, own)
    for (const { deviceId, exception, change } of items) {
      const key = `${deviceId} ${day} ${exception}`
      expect(own.has(key), `${subscription} ${key} ${change}`).toBe(change === 'ended')
      if (change === 'began') own.add(key)
      else own.delete(key)
    }
  }
  return new Map([...holds].map(([subscription, keys]) => [subscription, [...keys].sort()]))
}

/** Changes the instants of all waiting messages as if this time had passed. */
export const PASS = `UPDATE message SET next_at = next_at - ${LATER_MS}, claimed_until = claimed_until - ${LATER_MS}
  WHERE state = 'waiting'`

/** An empty store. */
export interface Outbox {
  location: string
  /** More settings of the services. */
  settings?: Readonly<Record<string, string>>
  /** Runs PASS. */
  pass(): Promise<void>
}

/** Requires that messages arrive, each at least once and none with another content, though everything is killed meanwhile. */
export async function requireDelivered({ location, settings = {}, pass }: Outbox): Promise<void> {
  let isFlawed = true
  let answers = 0
  const { url, received } = await receiver((response) => {
    const isRefused = isFlawed && ++answers % 5 === 0
    // Slow enough that some messages are being sent whenever the services are killed.
    setTimeout(() => response.writeHead(isRefused ? 500 : 204).end(), isFlawed ? 30 : 0)
  })
  const program = cooler({ COOLER_STORE: location, COOLER_WEBHOOK_PRIVATE: '1', ...settings })
  const { notices, landing, close } = await openStore({ location, rejectsKept: 10 })
  onTestFinished(() => close())
  await new Landing(landing, { now: () => Date.now(), purgedBefore: () => 0 }).land({ events: EVENTS })
  const subscribe = (id: string, devices: object): Promise<void> => {
    const channel = { type: 'webhook', url: `${url}/${id}`, format: 'json' }
    const subscription = { id, kind: 'exceptions', channel, exceptions: { off: {} }, when: 'settled', ...devices }
    return notices.putSubscription(id, JSON.stringify(subscription), START)
  }
  await subscribe('all', {})
  for (let nth = 0; nth < PREFIXES; nth++)
    await subscribe(`of-${prefixOf(nth)}`, { devices: { prefix: prefixOf(nth) } })

  const start = () => {
    const env = { PORT: '0', COOLER_REFRESH_MINUTES: '60' }
    return Array.from({ length: SERVICES }, () => program.spawn(['start'], env))
  }
  const killAll = async (services: ReturnType<typeof start>): Promise<void> => {
    for (const { child } of services) child.kill('SIGKILL')
    await Promise.all(services.map(({ outcome }) => outcome))
  }
  const counts = () => notices.messageCounts()
  const kills: (() => unknown)[] = [
    async () => (await notices.noticedDays('all')).length + (await counts()).waiting,
    () => received.length > 2,
    () => received.length > 12,
  ]
  for (const isTime of kills) {
    const services = start()
    await eventually(async () => Boolean(await isTime())).toBe(true)
    await killAll(services)
    await pass()
  }
  expect((await counts()).waiting).toBeGreaterThan(0)
  isFlawed = false
  const services = start()
  await eventually(async () => (await counts()).waiting).toBe(0)
  await killAll(services)

  const stored = await notices.messages({ limit: 1000 })
  expect(stored.every(({ state }) => state === 'sent')).toBe(true)
  const sent = new Map<string, Sent>()
  for (const one of received) {
    const message = sentOf(one)
    expect(one.headers['webhook-id']).toBe(message.id)
    const before = sent.get(message.id)
    if (before === undefined) sent.set(message.id, message)
    else expect(message).toEqual(before)
  }
  expect([...sent.keys()].sort()).toEqual(stored.map(({ id }) => id).sort())
  expect(received.length).toBeGreaterThan(sent.size) // Some were sent again.
  const expected = IDS.map((id) => `${id} ${formatDay(DAY)} off`).sort()
  const holds = holding([...sent.values()])
  expect(holds.get('all')).toEqual(expected)
  for (let nth = 0; nth < PREFIXES; nth++) {
    const own = expected.filter((key) => key.startsWith(prefixOf(nth)))
    expect(holds.get(`of-${prefixOf(nth)}`)).toEqual(own)
  }
  expect(holds.size).toBe(PREFIXES + 1)
}
