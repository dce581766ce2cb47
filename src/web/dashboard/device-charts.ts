import { type ChartParts, chart, type Mark } from './chart.ts'
import { FIGURES, type FigureName } from './figures.ts'
import { COUNTS } from './fleet.ts'
import { figure, figureText, unitOf } from './format.ts'
import { say } from './messages.ts'
import { hashOf } from './routes.ts'

/** A cooler is flagged above this deviation, in metres. */
const LIMIT_METERS = 200

type Series = (name: FigureName) => number[]

/** Makes the four charts of a cooler's days; `series` returns a figure's values day by day. */
export function deviceCharts(id: string, days: readonly number[], series: Series): HTMLElement[] {
  const linkOf = (day: number): string => hashOf({ view: 'explain', id, day })
  return [temperature(series), counts(series), hoursOn(series), deviation(series)].map(({ figures, ...parts }) => {
    const values = figures.map((name) => [name, series(name)] as const)
    const named = (name: FigureName, value: number): string =>
      `${say(`long-${name}`)}: ${figureText(name, value)} ${unitOf(name)}`
    return chart({
      ...parts,
      days,
      linkOf,
      columns: figures.map((name) => `${say(`long-${name}`)} (${unitOf(name)})`),
      cells: (nth) => values.map(([name, all]) => figure(name, all[nth])),
      describeDay: (nth) => values.map(([name, all]) => named(name, all[nth])).join('\n'),
    })
  })
}

interface DeviceChart extends Pick<ChartParts, 'title' | 'text' | 'unit' | 'whole' | 'marks'> {
  figures: readonly FigureName[]
}

const line = (series: Series, name: FigureName, style: string): Mark => ({
  shape: 'line',
  style,
  name: say(`long-${name}`),
  values: series(name),
})

const bars = (series: Series, name: FigureName, style: string) => ({
  name: say(`long-${name}`),
  style,
  values: series(name),
})

const temperature = (series: Series): DeviceChart => ({
  title: say('chart-temperature'),
  text: say('chart-temperature-text'),
  unit: '°C',
  figures: ['minTemp', 'currTemp', 'maxTemp', 'setTemp'],
  marks: [
    { shape: 'band', name: say('legend-band'), style: 'band', low: series('minTemp'), high: series('maxTemp') },
    line(series, 'maxTemp', 'high thin'),
    line(series, 'minTemp', 'low thin'),
    line(series, 'setTemp', 'set'),
    line(series, 'currTemp', 'mean'),
  ],
})

const counts = (series: Series): DeviceChart => ({
  title: say('chart-counts'),
  text: say('chart-counts-text'),
  unit: say('unit-count'),
  whole: true,
  figures: COUNTS,
  marks: [
    {
      shape: 'bars',
      stacked: false,
      series: COUNTS.map((name) => bars(series, name, FIGURES[name].reading)),
    },
  ],
})

function hoursOn(series: Series): DeviceChart {
  const byDay = series('powerDayDuration')
  const otherwise = series('powerDuration').map((all, nth) => all - byDay[nth])
  return {
    title: say('chart-hours'),
    text: say('chart-hours-text'),
    unit: 'h',
    figures: ['powerDuration', 'powerDayDuration'],
    marks: [
      {
        shape: 'bars',
        stacked: true,
        series: [
          bars(series, 'powerDayDuration', 'by-day'),
          { name: say('legend-night'), style: 'by-night', values: otherwise },
        ],
      },
    ],
  }
}

const deviation = (series: Series): DeviceChart => ({
  title: say('chart-distance'),
  text: say('chart-distance-text'),
  unit: 'm',
  figures: ['distance'],
  marks: [
    { shape: 'limit', name: say('legend-limit'), style: 'limit', value: LIMIT_METERS },
    line(series, 'distance', 'deviation'),
  ],
})
