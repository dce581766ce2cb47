import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { addDays, dateOfUtc, datesBetween } from '../calendar-date.ts'
import { checkEvent } from '../check-event.ts'
import { DAY_MS } from '../durations.ts'
import { distinctEventsOf } from '../event-order.ts'
import { type DayStatistics, dayFigures, dayStatistics, rangeFigures } from '../figures.ts'
import type { KeptEvent } from '../kept-event.ts'
import { type History, historyArbitrary } from './history.ts'

vi.setConfig({ testTimeout: 60_000 })

function keptOf({ events, asOfMs }: History): KeptEvent[] {
  return events.flatMap((value) => {
    const result = checkEvent(value, asOfMs)
    return 'event' in result ? [result.event] : []
  })
}

const idsOf = (kept: readonly KeptEvent[]) => [...new Set(kept.map((event) => event.deviceId))]

/** The dates of a device's events and one more on both sides. */
function datesOf(kept: readonly KeptEvent[], id: string): number[] {
  const instants = kept.filter((event) => event.deviceId === id).map((event) => event.at)
  const [first, last] = [Math.min(...instants), Math.max(...instants)]
  return datesBetween(dateOfUtc(first - DAY_MS), dateOfUtc(last + DAY_MS))
}

test('order of arrival and repeats change no figure', () => {
  fc.assert(
    fc.property(historyArbitrary(), (history) => {
      const kept = keptOf(history)
      for (const id of idsOf(kept)) {
        const first = datesOf(kept, id)[0] as number
        const rangeOf = (events: KeptEvent[]) =>
          rangeFigures(events, id, first, addDays(first, 12), history.settings, history.asOfMs)
        expect(rangeOf([...kept.toReversed(), ...kept])).toEqual(rangeOf(kept))
      }
    }),
    { numRuns: 25 },
  )
})

test('every reading is of one day, and no part of a day is told twice', () => {
  fc.assert(
    fc.property(historyArbitrary(), (history) => {
      const kept = keptOf(history)
      for (const id of idsOf(kept)) {
        const days = datesOf(kept, id).map((day) => dayStatistics(kept, id, day, history.settings, history.asOfMs))
        const readings = distinctEventsOf(kept, id).filter((event) => event.celsius !== null)
        expect(days.reduce((sum, day) => sum + day.celsiusCount, 0)).toBe(readings.length)
        for (const day of days) {
          expect(day.unknownMs).toBeGreaterThanOrEqual(0)
          expect(day.onDaytimeMs).toBeLessThanOrEqual(day.onMs)
        }
      }
    }),
    { numRuns: 25 },
  )
})

test('what histories are meant to hold is common in them', () => {
  const seen: Record<string, number> = {}
  const note = (what: string, isSeen: boolean) => {
    seen[what] = (seen[what] ?? 0) + (isSeen ? 1 : 0)
  }
  for (const history of fc.sample(historyArbitrary(), { numRuns: 60, seed: 1 })) {
    const kept = keptOf(history)
    const days: DayStatistics[] = idsOf(kept).flatMap((id) =>
      datesOf(kept, id).map((day) => dayStatistics(kept, id, day, history.settings, history.asOfMs)),
    )
    note(
      'spikes',
      days.some((day) => day.spikes > 0),
    )
    note(
      'days of another length',
      days.some((day) => day.lengthMs % DAY_MS !== 0),
    )
    note(
      'dates that never begin',
      days.some((day) => day.lengthMs === 0),
    )
    note(
      'on-time and silence',
      days.some((day) => day.onMs > 0 && day.unknownMs > 0),
    )
    note('rejected events', kept.length < history.events.length)
    note('repeats', idsOf(kept).flatMap((id) => distinctEventsOf(kept, id)).length < kept.length)
    note('several devices', idsOf(kept).length > 1)
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(2)
})

test('a day has the figures of a range of that day', () => {
  const [history] = fc.sample(historyArbitrary(), { numRuns: 1, seed: 3 }) as [History]
  const kept = keptOf(history)
  const { settings, asOfMs } = history
  for (const id of idsOf(kept)) {
    for (const day of datesOf(kept, id)) {
      const range = rangeFigures(kept, id, day, day, settings, asOfMs)
      expect(range).toMatchObject(dayFigures(kept, id, day, settings, asOfMs))
    }
  }
})
