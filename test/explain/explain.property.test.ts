import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { explainDay } from '../../src/explain/explain-day.ts'
import type { Explanation, PowerSpan, Reading } from '../../src/explain/explanation.ts'
import { parseCursor } from '../../src/explain/page.ts'
import type { Store } from '../../src/store/open-store.ts'
import { landAll, productSettings, rollUpAll, withStore } from '../helpers/run-history.ts'
import { type History, historyArbitrary } from '../reference/arbitraries.ts'
import { datesBetween } from '../reference/calendar-date.ts'
import { checkEvent } from '../reference/check-event.ts'
import { dayFigures, dayStatistics } from '../reference/figures.ts'
import type { KeptEvent } from '../reference/kept-event.ts'

const DAY_MS = 86_400_000
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 25), endOnFailure: true }

const keptOf = ({ events, asOfMs }: History): KeptEvent[] =>
  events.flatMap((event) => {
    const checked = checkEvent(event, asOfMs)
    return 'event' in checked ? [checked.event] : []
  })

/** Days from before the first event to well after the last. */
function daysOf(kept: readonly KeptEvent[]): number[] {
  const instants = kept.map(({ at }) => at)
  const dateOf = (instant: number): number => Number(new Date(instant).toISOString().slice(0, 10).replaceAll('-', ''))
  const [first, last] = instants.reduce(([min, max], at) => [Math.min(min, at), Math.max(max, at)], [Infinity, 0])
  return kept.length === 0
    ? []
    : datesBetween(dateOf(first - DAY_MS), dateOf(Math.min(first + 20 * DAY_MS, last + 3 * DAY_MS)))
}

/** All pages of an explanation as one. */
async function explainWhole(store: Store, history: History, deviceId: string, day: number, limit: number) {
  const readings: Reading[] = []
  const spans: PowerSpan[] = []
  let after = null
  for (;;) {
    const request = { deviceId, day: parseDay(day) as number, figure: null, limit, after }
    const page: Explanation = await explainDay(store, productSettings(history.settings), request)
    readings.push(...(page.readings ?? []))
    spans.push(...(page.spans ?? []))
    if (page.next === null) return { ...page, readings, spans }
    after = parseCursor(page.next)
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const thousandths = (value: unknown): number => Math.round((value as number) * 1000)

type KeptReading = Reading & { celsius?: number; setpoint?: number }

/** What the readings and spans of an explanation add up to, as the statistics of the reference. */
function statisticsOf({
  readings,
  spans,
  start,
  end,
}: Omit<Explanation, 'readings' | 'spans'> & { readings: KeptReading[]; spans: PowerSpan[] }) {
  const counting = readings.filter(({ repeat }) => !repeat)
  const countsOf = (figure: string): number =>
    sum(counting.filter(({ figures }) => figures.some((name) => name === figure)).map(({ counts }) => counts ?? NaN))
  const valuesOf = (name: 'celsius' | 'setpoint'): number[] =>
    counting.filter((reading) => reading[name] !== undefined).map((reading) => thousandths(reading[name]))
  const extremeOf = (figure: string): number | null => {
    const extremes = readings.filter(({ figures }) => figures.some((name) => name === figure))
    expect(new Set(extremes.map(({ celsius }) => celsius)).size).toBeLessThanOrEqual(1)
    return extremes.length === 0 ? null : thousandths(extremes[0].celsius)
  }
  const msOf = (state: string, field: 'seconds' | 'daytimeSeconds'): number =>
    thousandths(sum(spans.filter((span) => span.state === state).map((span) => span[field])))
  const fixes = counting.filter(({ type, spike }) => type === 'gps' && !spike)
  const [celsius, setpoints] = [valuesOf('celsius'), valuesOf('setpoint')]
  return {
    visitors: countsOf('visitorCount'),
    doors: countsOf('openCloseNum'),
    celsiusSum: sum(celsius),
    celsiusCount: celsius.length,
    celsiusMin: extremeOf('minTemp'),
    celsiusMax: extremeOf('maxTemp'),
    setpointSum: sum(setpoints),
    setpointCount: setpoints.length,
    onMs: msOf('on', 'seconds'),
    onDaytimeMs: msOf('on', 'daytimeSeconds'),
    offMs: msOf('off', 'seconds'),
    unknownMs: msOf('unknown', 'seconds'),
    lengthMs: Date.parse(end) - Date.parse(start),
    distanceSumMm: sum(fixes.map(({ deviationMeters }) => thousandths(deviationMeters))),
    distanceCount: fixes.length,
  }
}

function expectTiled({ spans, start, end }: { spans: PowerSpan[]; start: string; end: string }): void {
  expect([...spans.map(({ from }) => from), end]).toEqual([start, ...spans.map(({ to }) => to)])
  for (const [index, { state, why }] of spans.entries()) {
    expect({ state, why }).not.toEqual({ state: spans[index - 1]?.state, why: spans[index - 1]?.why })
  }
}

/** Every stored day of every device is what its explanation adds up to, and what the reference says. */
async function expectExplained(store: Store, history: History, limit: number): Promise<void> {
  const kept = keptOf(history)
  for (const deviceId of new Set(kept.map((event) => event.deviceId))) {
    for (const day of daysOf(kept)) {
      const expected = dayStatistics(kept, deviceId, day, history.settings, history.asOfMs)
      if (expected.lengthMs === 0) continue
      const what = `${deviceId} on ${day}`
      const explanation = await explainWhole(store, history, deviceId, day, limit)
      expect(explanation, what).toMatchObject({ matches: true, recomputed: null, waiting: 0, due: null })
      const { assertId, ...figures } = dayFigures(kept, deviceId, day, history.settings, history.asOfMs)
      expect(explanation.figures, what).toEqual(figures)
      expect(expected, what).toMatchObject(statisticsOf(explanation))
      expectTiled(explanation)
      const { coverage } = explanation
      expect(thousandths(coverage.onSeconds + coverage.offSeconds + coverage.unknownSeconds)).toBe(expected.lengthMs)
    }
  }
}

test('readings and spans add up to the figures of every day', async () => {
  await fc.assert(
    fc.asyncProperty(historyArbitrary(), (history) =>
      withStore(async (store) => {
        await landAll(store, [history.events], history.asOfMs)
        await rollUpAll(store, productSettings(history.settings), history.asOfMs)
        await expectExplained(store, history, 1000)
      }),
    ),
    RUNS,
  )
})

test('late events and rollups in between change none of it, page by page', async () => {
  const cut = fc.record({
    history: historyArbitrary(),
    parts: fc.integer({ min: 2, max: 5 }),
    limit: fc.constantFrom(1, 3),
  })
  await fc.assert(
    fc.asyncProperty(cut, ({ history, parts, limit }) =>
      withStore(async (store) => {
        const settings = productSettings(history.settings)
        for (let part = 0; part < parts; part++) {
          const events = history.events.filter((_, index) => index % parts === part)
          await landAll(store, [events], history.asOfMs)
          await rollUpAll(store, settings, history.asOfMs, true)
        }
        await expectExplained(store, history, limit)
      }),
    ),
    RUNS,
  )
})
