import { h, s } from './dom.ts'
import { longDay, mediumDay, NOTHING, shortDay } from './format.ts'
import { say } from './messages.ts'
import { plainNumber } from './number.ts'
import { type Scale, scaleOf } from './scale.ts'
import { type Column, plainTable } from './view.ts'

/** A series drawn over the days: a line, a band between two lines, or bars. NaN for unknown values. */
export type Mark =
  | { shape: 'line'; name: string; style: string; values: readonly number[] }
  | { shape: 'band'; name: string; style: string; low: readonly number[]; high: readonly number[] }
  | { shape: 'limit'; name: string; style: string; value: number }
  | { shape: 'bars'; series: readonly { name: string; style: string; values: readonly number[] }[]; stacked: boolean }

export interface ChartParts {
  title: string
  text: string
  unit: string
  /** Set for counts: their axis has whole marks only. */
  whole?: boolean
  days: readonly number[]
  marks: readonly Mark[]
  /** The columns of the table after the day, and their cells for each day. */
  columns: readonly string[]
  cells: (nth: number) => readonly (Node | string)[]
  /** The text shown for the day under the pointer. */
  describeDay: (nth: number) => string
  linkOf: (day: number) => string
}

const HEIGHT = 210
const PLOT = { left: 46, right: 12, top: 22, bottom: 26 } as const

/** Returns the width in units of the drawing. Narrow screens get fewer units, not a scaled-down drawing. */
const widthOf = (): number => (window.innerWidth < 600 ? 360 : 640)

/** Makes a chart of days with its legend, and a table of the same figures. */
export function chart(parts: ChartParts): HTMLElement {
  const values = valuesOf(parts.marks)
  const bars = parts.marks.some(({ shape }) => shape === 'bars')
  const y = scaleOf(values, { from: HEIGHT - PLOT.bottom, to: PLOT.top, zero: bars, whole: parts.whole ?? false })
  const width = widthOf()
  const slot = (width - PLOT.left - PLOT.right) / parts.days.length
  const drawing: Drawing = { y, slot, width, x: (nth) => PLOT.left + (nth + 0.5) * slot }
  const id = `chart-${++made}`
  const svg = s(
    'svg',
    { class: 'chart', viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-labelledby': `${id}-title ${id}-text` },
    s('title', { id: `${id}-title` }, parts.title),
    s('desc', { id: `${id}-text` }, summary(parts, values)),
    axes(parts, drawing),
    parts.marks.map((mark) => drawn(mark, drawing)),
    parts.days.map((day, nth) => dayField(parts, drawing, day, nth)),
  )
  const columns: Column[] = [[say('day')], ...parts.columns.map((name): Column => [name, 'number'])]
  const rows = parts.days.map((day, nth) => [h('a', { href: parts.linkOf(day) }, mediumDay(day)), ...parts.cells(nth)])
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, parts.title),
    legend(parts.marks),
    svg,
    h('details', {}, h('summary', {}, say('chart-table')), plainTable(parts.title, columns, rows)),
  )
}

let made = 0

interface Drawing {
  y: Scale
  slot: number
  width: number
  x: (nth: number) => number
}

function valuesOf(marks: readonly Mark[]): number[] {
  return marks.flatMap((mark) => {
    if (mark.shape === 'line') return mark.values
    if (mark.shape === 'band') return [...mark.low, ...mark.high]
    if (mark.shape === 'limit') return [mark.value]
    if (!mark.stacked) return mark.series.flatMap(({ values }) => values)
    return mark.series[0].values.map((_, nth) => mark.series.reduce((sum, { values }) => sum + values[nth], 0))
  })
}

function summary({ text, days, unit }: ChartParts, values: readonly number[]): string {
  const known = values.filter((value) => !Number.isNaN(value))
  return say('chart-summary', {
    text,
    unit,
    first: longDay(days[0]),
    last: longDay(days[days.length - 1]),
    low: known.length === 0 ? NOTHING : plainNumber(Math.min(...known)),
    high: known.length === 0 ? NOTHING : plainNumber(Math.max(...known)),
  })
}

function axes({ days, unit }: ChartParts, { y, x, width }: Drawing): SVGElement[] {
  const across = y.marks.flatMap((value) => [
    s('line', {
      class: value === 0 ? 'zero' : 'axis',
      x1: PLOT.left,
      x2: width - PLOT.right,
      y1: y.at(value),
      y2: y.at(value),
    }),
    s('text', { x: PLOT.left - 6, y: y.at(value) + 4, 'text-anchor': 'end' }, plainNumber(value)),
  ])
  const every = Math.ceil(days.length / (width > 500 ? 7 : 5))
  const below = days.flatMap((day, nth) =>
    (days.length - 1 - nth) % every === 0
      ? [s('text', { x: x(nth), y: HEIGHT - 8, 'text-anchor': 'middle' }, shortDay(day))]
      : [],
  )
  return [...across, ...below, s('text', { x: PLOT.left - 6, y: 9, 'text-anchor': 'end' }, unit)]
}

function drawn(mark: Mark, drawing: Drawing): SVGElement[] {
  const { y, x, slot, width: whole } = drawing
  if (mark.shape === 'limit') {
    const at = y.at(mark.value)
    return [s('line', { class: `line ${mark.style}`, x1: PLOT.left, x2: whole - PLOT.right, y1: at, y2: at })]
  }
  if (mark.shape === 'line') {
    const points = mark.values.map((value, nth) => [x(nth), y.at(value)] as const)
    const dots = runsOf(mark.values).filter((run) => run.length === 1)
    return [
      s('path', { class: `line ${mark.style}`, d: pathOf(points) }),
      ...dots.map(([nth]) => s('circle', { class: mark.style, cx: points[nth][0], cy: points[nth][1], r: 2.2 })),
    ]
  }
  if (mark.shape === 'band') return runsOf(mark.low).map((run) => bandOf(mark, run, drawing))
  return mark.series.flatMap((series, of) =>
    series.values.flatMap((value, nth) => {
      if (Number.isNaN(value)) return []
      const under = mark.stacked ? mark.series.slice(0, of).reduce((sum, { values }) => sum + values[nth], 0) : 0
      const width = (slot * 0.74) / (mark.stacked ? 1 : mark.series.length)
      const left = x(nth) - slot * 0.37 + (mark.stacked ? 0 : of * width)
      const top = y.at(under + value)
      return [s('rect', { class: series.style, x: left, y: top, width, height: Math.max(0, y.at(under) - top) })]
    }),
  )
}

/** Draws a band across the width of its days, so that the band of a single day is visible, too. */
function bandOf(mark: Mark & { shape: 'band' }, run: readonly number[], { y, x, slot }: Drawing): SVGElement {
  const [first, last] = [x(run[0]) - slot * 0.3, x(run[run.length - 1]) + slot * 0.3]
  const top = run.map((nth) => `${x(nth)},${y.at(mark.high[nth])}`)
  const bottom = run.map((nth) => `${x(nth)},${y.at(mark.low[nth])}`).reverse()
  const ends = [run[0], run[run.length - 1]]
  const points = [
    `${first},${y.at(mark.high[ends[0]])}`,
    ...top,
    `${last},${y.at(mark.high[ends[1]])}`,
    `${last},${y.at(mark.low[ends[1]])}`,
    ...bottom,
    `${first},${y.at(mark.low[ends[0]])}`,
  ]
  return s('polygon', { class: mark.style, points: points.join(' ') })
}

/** Returns the runs of successive days with known values. No line is drawn over the gaps between them. */
function runsOf(values: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const [nth, value] of values.entries()) {
    if (Number.isNaN(value)) continue
    if (nth > 0 && !Number.isNaN(values[nth - 1])) runs[runs.length - 1].push(nth)
    else runs.push([nth])
  }
  return runs
}

function pathOf(points: readonly (readonly [number, number])[]): string {
  let path = ''
  let open = false
  for (const [x, y] of points) {
    if (Number.isNaN(y)) open = false
    else {
      path += `${open ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
      open = true
    }
  }
  return path
}

/** Makes the area of a day: a click opens its explanation. Keyboard and screen readers use links in the table. */
function dayField({ linkOf, describeDay }: ChartParts, { x, slot }: Drawing, day: number, nth: number): SVGElement {
  const open = (): void => {
    location.hash = linkOf(day)
  }
  const height = HEIGHT - PLOT.top - PLOT.bottom
  return s(
    'rect',
    { class: 'day', x: x(nth) - slot / 2, y: PLOT.top, width: slot, height, onclick: open },
    s('title', {}, `${longDay(day)}\n${describeDay(nth)}`),
  )
}

function legend(marks: readonly Mark[]): HTMLElement {
  const items = marks.flatMap((mark) =>
    mark.shape === 'bars'
      ? mark.series.map((series) => ({ ...series, filled: true }))
      : [{ name: mark.name, style: mark.style, filled: mark.shape === 'band' }],
  )
  return legendOf(items)
}

/** Makes the legend: what each colour means. */
export function legendOf(items: readonly { name: string; style: string; filled: boolean }[]): HTMLElement {
  const key = (style: string, filled: boolean): SVGElement =>
    s(
      'svg',
      { class: 'key', viewBox: '0 0 18 10', 'aria-hidden': 'true' },
      filled
        ? s('rect', { class: style, width: 18, height: 10, rx: 2 })
        : s('path', { class: `line ${style}`, d: 'M0 5H18' }),
    )
  return h(
    'ul',
    { class: 'legend' },
    items.map(({ name, style, filled }) => h('li', {}, key(style, filled), name)),
  )
}
