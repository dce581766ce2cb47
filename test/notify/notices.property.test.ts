import fc from 'fast-check'
import { expect, test } from 'vitest'
import { millisecondsInDay, millisecondsInHour, parseDay } from '../../src/base/time.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { deliver } from '../../src/notify/deliver.ts'
import { findNotices } from '../../src/notify/find-notices.ts'
import type { ExceptionMessage } from '../../src/notify/message.ts'
import type { Senders } from '../../src/notify/sender.ts'
import type { ExceptionSubscription } from '../../src/notify/subscription.ts'
import { deviceDays } from '../../src/report/device-days.ts'
import { aheadOf } from '../../src/rollup/due-plan.ts'
import { Calendars, dayOfDate, zonesOf } from '../../src/rollup/local-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { rollUpAll, withStore } from '../helpers/run-history.ts'
import { settings } from './notice-settings.ts'

const START = Date.parse('2026-03-02T00:00:00Z')
const DAYS = 4
const CREATED = START - millisecondsInDay
const NEVER = new AbortController().signal

const subscription = (id: string, own: Partial<ExceptionSubscription>): ExceptionSubscription => ({
  id,
  kind: 'exceptions',
  channel: { type: 'webhook', url: 'https://example.org/', format: 'json' },
  exceptions: { moved: {}, off: {}, warm: {}, silent: {}, 'no-power-data': {} },
  when: 'settled',
  ...own,
})

const SUBSCRIPTIONS = [
  subscription('settled', {}),
  subscription('as-they-turn', { when: 'provisional' }),
  subscription('some', { devices: { prefix: 'b' }, exceptions: { off: { hours: 10 }, silent: { hours: 12 } } }),
]

/** Whether open days count decides which days are looked at. */
const watched = fc.oneof(fc.constant(SUBSCRIPTIONS), fc.subarray(SUBSCRIPTIONS, { minLength: 1 }))

/** Of devices. None moves to another zone: days without rollups would change their bounds, which nobody is told. */
const ZONES: Record<string, string> = { a1: 'UTC', b1: 'Pacific/Auckland', b2: 'America/New_York' }

const event = fc.record({
  deviceId: fc.constantFrom('a1', 'b1', 'b2'),
  atMs: fc.integer({ min: 0, max: DAYS * 24 * 60 - 1 }).map((minute) => START + minute * 60_000),
  what: fc.constantFrom(
    { type: 'power', on: true },
    { type: 'power', on: false },
    { type: 'temperature', celsius: 5 },
    { type: 'temperature', celsius: 25, setpoint: 4 },
    { type: 'gps', lat: 52, lon: 13 },
    { type: 'gps', lat: 52.5, lon: 13 },
    { type: 'placement', lat: 52, lon: 13 },
    { type: 'placement', lat: 52.5, lon: 13 },
  ),
})

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('land' as const), events: fc.array(event, { maxLength: 8 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.nat(11), refresh: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set back' as const), hours: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.constant({ do: 'tell' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'two at once' as const }) },
)

/** What the messages of each subscription say holds, corrections applied. */
class Receiver {
  readonly holds = new Map<string, Set<string>>()
  readonly #seen = new Set<string>()

  take(id: string, of: string, { day, items }: ExceptionMessage): void {
    if (this.#seen.has(id)) return
    this.#seen.add(id)
    let holds = this.holds.get(of)
    if (holds === undefined) this.holds.set(of, (holds = new Set()))
    for (const { deviceId, exception, change } of items) {
      const key = `${deviceId} ${day} ${exception}`
      expect(holds.has(key), `${of} ${key} ${change}`).toBe(change === 'ended')
      if (change === 'began') holds.add(key)
      else holds.delete(key)
    }
  }
}

/** As the service does, which also notes shards without due work. */
async function rollUp(store: Store, now: number, refresh: boolean): Promise<void> {
  await rollUpAll(store, settings, now, refresh)
  await store.rollups.noteRolledUp(now, aheadOf(now))
}

async function expectTold(
  store: Store,
  subscriptions: readonly ExceptionSubscription[],
  receiver: Receiver,
  now: number,
): Promise<void> {
  for (const { id, when, devices, exceptions } of subscriptions) {
    const expected = new Set<string>()
    const limits = {
      ...settings.exceptions,
      ...(exceptions.off?.hours === undefined ? {} : { offHours: exceptions.off.hours }),
      ...(exceptions.silent?.hours === undefined ? {} : { silentHours: exceptions.silent.hours }),
    }
    for (const device of await store.registry.devices()) {
      if (!device.id.startsWith(devices?.prefix ?? '')) continue
      const placements = (await store.registry.placements([device.number])).get(device.number) ?? []
      const calendar = new Calendars(settings).of(zonesOf(placements, 'UTC'))
      const range = { fromDay: parseDay(20260226) as number, toDay: parseDay(20260312) as number, now }
      for (const day of await deviceDays(store, device, range, { ...settings, exceptions: limits })) {
        const local = dayOfDate(calendar, day.day)
        if (local === null || local.end <= CREATED) continue
        const isSettled = day.status === 'none' ? local.closesAt <= now : day.status !== 'provisional'
        for (const name of day.exceptions)
          if ((isSettled || when === 'provisional') && exceptions[name] !== undefined)
            expected.add(
              `${device.id} ${new Date(day.day * millisecondsInDay).toISOString().slice(0, 10).replaceAll('-', '')} ${name}`,
            )
      }
    }
    expect([...(receiver.holds.get(id) ?? [])].sort(), id).toEqual([...expected].sort())
  }
}

test('the messages sent, corrections applied, say the exceptions of what is stored', async () => {
  let messages = 0
  await fc.assert(
    fc.asyncProperty(watched, fc.array(step, { minLength: 4, maxLength: 14 }), (subscriptions, steps) =>
      withStore(async (store) => {
        for (const one of subscriptions) await store.notices.putSubscription(one.id, JSON.stringify(one), CREATED)
        for (const [id, zone] of Object.entries(ZONES)) {
          const placed = { at: 0, seq: NO_SEQ, lat: 52e7, lon: 13e7, zone, address: null }
          await store.registry.put(id, { placements: [placed] }, START - 3 * millisecondsInDay)
        }
        const receiver = new Receiver()
        let now = START + 12 * millisecondsInHour
        const webhook = {
          async send(_: unknown, { message }: { message: { id: string; subscription: string; body: unknown } }) {
            receiver.take(message.id, message.subscription, message.body as ExceptionMessage)
            messages++
            return { as: 'sent' as const }
          },
          close: async () => {},
        }
        const senders = { webhook, email: null, mqtt: null, folder: null, s3: null } as unknown as Senders
        const onAttempt = (_: unknown, outcome: { as: string }) => expect(outcome).toEqual({ as: 'sent' })
        const delivery = { senders, fileOf: async () => Promise.reject(new Error('no file')), onAttempt }
        const tell = async (): Promise<void> => {
          await findNotices({ store, settings, now: () => now })
          await deliver({ ...delivery, notices: store.notices, now: () => now }, NEVER)
        }
        for (const one of steps) {
          if (one.do === 'land') {
            const events = one.events.map(({ deviceId, atMs, what }) => {
              const zone = what.type === 'placement' ? { timezone: ZONES[deviceId] } : {}
              return { deviceId, at: atMs, ...what, ...zone }
            })
            await new Landing(store.landing, { now: () => now + 5 * millisecondsInDay, purgedBefore: () => 0 }).land({
              events,
            })
          } else if (one.do === 'pass') {
            now += one.hours * millisecondsInHour
            await rollUp(store, now, one.refresh)
          } else if (one.do === 'set back') {
            now -= one.hours * millisecondsInHour
          } else if (one.do === 'tell') {
            await tell()
          } else {
            await Promise.all([tell(), tell()])
          }
        }
        now = Math.max(now, START + (DAYS + 1) * millisecondsInDay)
        await rollUp(store, now, true)
        await tell()
        const rolledUpAt = now
        now += 30 * millisecondsInHour // Digests that had to wait for days of other zones.
        await tell()
        await expectTold(store, subscriptions, receiver, rolledUpAt)
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 25), endOnFailure: true },
  )
  expect(messages).toBeGreaterThan(0)
})
