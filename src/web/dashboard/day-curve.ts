import type { Explanation, PowerSpan, Reading } from './answers.ts'
import { millisecondsOf } from './days.ts'
import { h } from './dom.ts'
import { clock } from './format.ts'
import { type MessageName, say } from './messages.ts'
import { number } from './number.ts'
import { type PlotParts, type PlotSeries, plot } from './plot.ts'
import { panel, plainTable } from './view.ts'

/** Colours of power states behind the curves. */
const POWER_COLOURS = { on: 'on-wash', off: 'off-wash', unknown: 'unknown-wash' } as const
const STATES = ['on', 'off', 'unknown'] as const

const seconds = (at: string): number => millisecondsOf(at) / 1000
const hours = (length: number): string => number(length / 3600, 2)

/** Makes the panel of a day's curves: temperature, doors, visitors and fixes over the power states, by its own clock. */
export function dayCurve(explained: Explanation, zone: string, signal: AbortSignal): HTMLElement {
  const [spans, readings] = [explained.spans ?? [], explained.readings ?? []]
  const { onSeconds, offSeconds, unknownSeconds, lengthSeconds } = explained.coverage
  const text = say('power-text', {
    ...{ on: hours(onSeconds), off: hours(offSeconds) },
    ...{ unknown: hours(unknownSeconds), length: hours(lengthSeconds) },
  })
  const base: Pick<PlotParts, 'zone' | 'nameOf' | 'key' | 'range' | 'spans'> = {
    zone,
    nameOf: (at) => clock(at * 1000, zone),
    key: `day of ${explained.start}`,
    range: [seconds(explained.start), seconds(explained.end)],
    spans: spans.map(({ state, from, to }) => ({ from: seconds(from), to: seconds(to), colour: POWER_COLOURS[state] })),
  }
  const legend = h(
    'ul',
    { class: 'legend' },
    STATES.map((state) =>
      h('li', {}, h('span', { class: `swatch ${state}`, 'aria-hidden': 'true' }), ' ', say(`power-${state}`)),
    ),
  )
  const curves = curvesOf(readings.filter(({ repeat }) => !repeat))
  const drawn = curves.map(({ name, at, ...curve }) => [
    h('h3', {}, say(name)),
    plot({ ...base, ...curve, at, text: `${say(name)}. ${text}` }, signal),
  ])
  return panel(say('curve-caption'), h('p', {}, text), legend, ...drawn.flat(), powerTable(spans, zone))
}

/** A curve: which readings it is of, and what it shows of each. */
interface CurveOf extends Pick<PlotParts, 'unit' | 'height' | 'isWhole'> {
  name: MessageName
  type: Reading['type']
  series: readonly {
    name: MessageName
    colour: string
    shape: PlotSeries['shape']
    decimals: number
    of: (reading: Reading) => number | boolean | null | undefined
  }[]
}

/** Returns a field of a reading as it was sent. */
const field = (name: string) => (reading: Reading) =>
  (reading as unknown as Record<string, number | boolean | undefined>)[name]

const CURVES: readonly CurveOf[] = [
  {
    ...{ name: 'chart-temperature', type: 'temperature', unit: '°C', height: 240 },
    series: [
      { name: 'chart-temperature', colour: 'mean', shape: 'line', decimals: 2, of: field('celsius') },
      { name: 'set-point', colour: 'set', shape: 'dashes', decimals: 2, of: field('setpoint') },
    ],
  },
  {
    ...{ name: 'curve-doors', type: 'door', unit: '', height: 110, isWhole: true },
    series: [{ name: 'door-open', colour: 'doors', shape: 'steps', decimals: 0, of: field('open') }],
  },
  {
    ...{ name: 'curve-visitors', type: 'visitor', unit: '', height: 130, isWhole: true },
    series: [{ name: 'count', colour: 'visitors', shape: 'points', decimals: 0, of: ({ counts }) => counts }],
  },
  {
    ...{ name: 'curve-fixes', type: 'gps', unit: 'm', height: 150 },
    series: [
      { name: 'distance', colour: 'high', shape: 'points', decimals: 1, of: ({ deviationMeters }) => deviationMeters },
    ],
  },
]

type Curve = Pick<PlotParts, 'at' | 'series' | 'unit' | 'height' | 'isWhole'> & { name: MessageName }

/** Returns the curves of readings; the first one is there in any case, since it shows the power states. */
function curvesOf(readings: readonly Reading[]): Curve[] {
  const curves = CURVES.map(({ type, series, ...curve }): Curve => {
    const those = readings.filter((reading) => reading.type === type)
    return {
      ...curve,
      at: those.map(({ at }) => seconds(at)),
      series: series.map(({ name, of, ...one }) => ({
        ...one,
        name: say(name),
        values: those.map((reading) => drawnValue(of(reading))),
      })),
    }
  })
  return curves.filter(({ at }, nth) => nth === 0 || at.length > 0)
}

const drawnValue = (value: number | boolean | null | undefined): number | null =>
  value === undefined || value === null ? null : Number(value)

function powerTable(spans: readonly PowerSpan[], zone: string): HTMLElement {
  const rows = spans.map(({ from, to, state, why, seconds: length }) => [
    ...[clock(from, zone), clock(to, zone), say(`power-${state}`)],
    ...[why === undefined ? '' : say(`why-${why}`), hours(length)],
  ])
  const columns = [
    [say('from')],
    [say('to')],
    [say('carried')],
    [say('revision-cause')],
    [say('hours'), 'number'],
  ] as const
  return h('details', {}, h('summary', {}, say('power-table')), plainTable(say('power-caption'), columns, rows))
}
