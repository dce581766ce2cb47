import { idText } from '../../base/id-text.ts'
import type { DeviceDaysAnswer } from './answers.ts'
import { h } from './dom.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'
import { figure, longDay, mediumDay, unitOf } from './format.ts'
import { type MessageName, say } from './messages.ts'
import { plainNumber } from './number.ts'
import { type PlotParts, type PlotSeries, plot } from './plot.ts'
import { hashOf } from './routes.ts'
import { type Column, panel, plainTable } from './view.ts'

/** A cooler has moved above this deviation, in metres. */
const LIMIT_METERS = 200
const SECONDS = 86_400

type Shown = [name: FigureName, colour: string, shape: PlotSeries['shape']]

interface DeviceChart {
  title: MessageName
  text: MessageName
  figures: readonly Shown[]
  band?: readonly [number, number]
  limit?: number
  isWhole?: boolean
}

/** Returns the figure that is counted from these readings. */
const figureOf = (reading: string): FigureName =>
  FIGURE_NAMES.find((name) => FIGURES[name].reading === reading) as FigureName

const CHARTS: readonly DeviceChart[] = [
  {
    title: 'chart-temperature',
    text: 'chart-temperature-text',
    figures: [
      ['maxTemp', 'high', 'line'],
      ['minTemp', 'low', 'line'],
      ['currTemp', 'mean', 'line'],
      ['setTemp', 'set', 'dashes'],
    ],
    band: [0, 1],
  },
  {
    title: 'chart-counts',
    text: 'chart-counts-text',
    figures: [
      [figureOf('doors'), 'doors', 'left-bars'],
      [figureOf('visitors'), 'visitors', 'right-bars'],
    ],
    isWhole: true,
  },
  {
    title: 'long-powerDuration',
    text: 'chart-hours-text',
    figures: [
      ['powerDuration', 'night', 'bars'],
      ['powerDayDuration', 'day', 'bars'],
    ],
  },
  {
    title: 'chart-distance',
    text: 'chart-distance-text',
    figures: [['distance', 'mean', 'line']],
    limit: LIMIT_METERS,
  },
]

/** The days of a cooler, as its charts show them. */
interface ShownDays {
  id: string
  days: readonly number[]
  answers: DeviceDaysAnswer['days']
}

/** Makes the charts of a cooler's days, which share a crosshair. A day that is chosen is explained. */
export const deviceCharts = (shown: ShownDays, signal: AbortSignal): HTMLElement[] =>
  CHARTS.map((chart) => {
    const { title, text, figures } = chart
    const columns: Column[] = figures.map(([name]) => [`${say(`long-${name}`)} (${unitOf(name)})`, 'number'])
    const values = figures.map(([name]) => valuesOf(name, shown))
    const rows = shown.days.map((day, nth) => [
      h('a', { href: linkOf(shown, day) }, mediumDay(day)),
      ...figures.map(([name], column) => figure(name, values[column][nth])),
    ])
    const table = plainTable(`${say(title)}, ${idText(shown.id)}`, [[say('day')], ...columns], rows)
    return panel(
      say(title),
      h('p', { class: 'quiet' }, say(text)),
      drawn(chart, shown, values, signal),
      h('details', {}, h('summary', {}, say('chart-table')), table),
    )
  })

/** Tells whether nothing was heard of a cooler for too long at the end of a day. */
export const isSilent = ({ exceptions }: DeviceDaysAnswer['days'][number]): boolean => exceptions.includes('silent')

const linkOf = ({ id }: ShownDays, day: number): string => hashOf({ view: 'explain', id, day })

/** Returns a figure of each day; null if its status is `none`, for which the API gives sums of 0. */
const valuesOf = (name: FigureName, { answers }: ShownDays): (number | null)[] =>
  answers.map((day) => (day.status === 'none' ? null : day[name]))

function drawn(
  { text, figures, band, limit, isWhole }: DeviceChart,
  shown: ShownDays,
  values: readonly (number | null)[][],
  signal: AbortSignal,
): HTMLElement {
  const { id, days } = shown
  const unit = unitOf(figures[0][0])
  const series = figures.map(([name, colour, shape], nth): PlotSeries => {
    const decimals = Math.min(FIGURES[name].places, 2)
    return { name: say(`long-${name}`), colour, shape, values: values[nth], decimals }
  })
  if (limit !== undefined) {
    const line = days.map(() => limit)
    series.push({ name: say('legend-limit'), colour: 'flag', shape: 'dashes', values: line, decimals: 0 })
  }
  const parts: PlotParts = {
    ...{ text: summaryOf(say(text), days, series[0], unit), unit, series, zone: 'UTC', height: 230 },
    at: days.map((day) => day * SECONDS),
    nameOf: (at) => longDay(at / SECONDS),
    key: `days of ${id}`,
    range: [(days[0] - 0.5) * SECONDS, (days[days.length - 1] + 0.5) * SECONDS],
    ...(band ? { band } : {}),
    ...(isWhole ? { isWhole } : {}),
    spans: shown.answers.flatMap((day, nth) =>
      isSilent(day)
        ? [{ from: (days[nth] - 0.5) * SECONDS, to: (days[nth] + 0.5) * SECONDS, colour: 'unknown-wash' }]
        : [],
    ),
    onPick: (nth) => {
      location.hash = linkOf(shown, days[nth])
    },
  }
  return plot(parts, signal)
}

/** Says from when to when a plot goes, and its lowest and highest value. */
function summaryOf(text: string, days: readonly number[], { values }: PlotSeries, unit: string): string {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return `${text} ${say('unknown')}`
  return say('chart-summary', {
    ...{ text, unit, first: mediumDay(days[0]), last: mediumDay(days[days.length - 1]) },
    ...{ low: plainNumber(Math.min(...known)), high: plainNumber(Math.max(...known)) },
  })
}
