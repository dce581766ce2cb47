import uPlot from 'uplot'
import { instantOf } from './days.ts'
import { h } from './dom.ts'
import { dateLocale, NOTHING } from './format.ts'
import { say } from './messages.ts'
import { number } from './number.ts'

/** A series of values over the instants of a plot; null for unknown values. */
export interface PlotSeries {
  name: string
  /** Name of the colour in the style sheet, without dashes. */
  colour: string
  values: readonly (number | null)[]
  shape: 'line' | 'dashes' | 'bars' | 'left-bars' | 'right-bars' | 'points' | 'steps'
  decimals: number
}

/** A span of time with a colour behind the series. Instants in seconds since 1970. */
export interface PlotSpan {
  from: number
  to: number
  colour: string
}

export interface PlotParts {
  /** Tells what is drawn to those who do not see it. */
  text: string
  unit: string
  /** Instants in seconds since 1970, ascending. */
  at: readonly number[]
  series: readonly PlotSeries[]
  /** Whether the values are counts, with marks of whole numbers. */
  isWhole?: boolean
  /** Zone whose clock the time axis shows. Days are drawn in UTC. */
  zone: string
  /** Formats an instant for the legend. */
  nameOf: (at: number) => string
  /** Plots of one key share the crosshair and the zoom. */
  key: string
  /** From when to when, in seconds; that of the instants unless given. */
  range?: readonly [from: number, to: number]
  spans?: readonly PlotSpan[]
  /** The two lines, as places in `series`, between which it is filled. */
  band?: readonly [number, number]
  height: number
  onPick?: (nth: number) => void
}

const WIDTH = 600

/** Makes a plot whose legend shows the values under the crosshair. Dragging zooms; a double click shows all again. */
export function plot(parts: PlotParts, signal: AbortSignal): HTMLElement {
  const place = h('div', { class: 'plot', role: 'img', 'aria-label': parts.text })
  const data = [parts.at, ...parts.series.map(({ values }) => values)] as unknown as uPlot.AlignedData
  let drawn: uPlot | null = null
  const draw = (): void => {
    drawn?.destroy()
    drawn = new uPlot(optionsOf(parts, place), data, place)
    pinchable(drawn)
  }
  const observer = new ResizeObserver(() => {
    if (place.clientWidth === 0) return
    if (drawn === null) draw()
    else drawn.setSize({ width: place.clientWidth, height: parts.height })
  })
  observer.observe(place)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    drawn?.destroy()
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw, { signal })
  return place
}

function optionsOf(parts: PlotParts, place: HTMLElement): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
  }
  const hasBars = parts.series.some(({ shape }) => shape.endsWith('bars'))
  return {
    width: place.clientWidth || WIDTH,
    height: parts.height,
    tzDate: (seconds) => uPlot.tzDate(instantOf(seconds * 1000), parts.zone),
    cursor: { sync: { key: parts.key }, drag: { x: true, y: false }, focus: { prox: -1 } },
    scales: {
      x: { time: true, range: (_, low, high) => shownTimes(parts, low, high) },
      y: { range: (_, low, high) => rangeOf(low, high, hasBars) },
    },
    axes: [
      { ...axis, values: dateMarks(parts.zone) },
      {
        ...axis,
        size: 64,
        values: (_, marks) => marks.map((mark) => (parts.isWhole && mark % 1 !== 0 ? '' : shortNumber(mark))),
      },
    ],
    series: [
      { label: say('at'), value: (_, at) => (at === null ? NOTHING : parts.nameOf(at)) },
      ...parts.series.map((one) => seriesOf(one, parts.unit, colour)),
    ],
    ...(parts.band ? { bands: [{ series: [parts.band[0] + 1, parts.band[1] + 1], fill: colour('band') }] } : {}),
    hooks: {
      drawClear: [(drawn) => drawSpans(drawn, parts.spans ?? [], colour)],
      ready: [(drawn) => pickable(drawn, parts.onPick)],
    },
  }
}

/** Returns the bounds of the time axis: those of the plot, until it is zoomed. For one instant, uPlot adds years to it. */
function shownTimes({ at, range }: PlotParts, low: number | null, high: number | null): [number, number] {
  const isLast = high === at[at.length - 1] || at.length === 1
  const isWhole = low === null || high === null || (low === at[0] && isLast)
  return isWhole && range !== undefined ? [...range] : [low ?? 0, high ?? 1]
}

/** Returns the bounds of the value axis: bars begin at 0, and what is alike is not drawn as if it were not. */
function rangeOf(low: number | null, high: number | null, hasBars: boolean): [number, number] {
  if (low === null || high === null) return [0, 1]
  const [from, to] = hasBars ? [Math.min(0, low), Math.max(1, high)] : [low, high]
  const margin = Math.max((to - from) * 0.08, hasBars ? 0 : 0.5)
  return [from === 0 ? 0 : from - margin, to + margin]
}

const SHAPES: Record<PlotSeries['shape'], () => Partial<uPlot.Series>> = {
  line: () => ({ width: 2 }),
  dashes: () => ({ width: 1.5, dash: [5, 4], points: { show: false } }),
  bars: () => bars(0.7, 0),
  'left-bars': () => bars(0.4, -1),
  'right-bars': () => bars(0.4, 1),
  points: () => ({ paths: () => null, points: { show: true, size: 6 } }),
  steps: () => ({ width: 1.5, ...pathsOf(uPlot.paths.stepped?.({ align: 1 })), points: { show: false } }),
}

const pathsOf = (paths: uPlot.Series.PathBuilder | undefined): Partial<uPlot.Series> =>
  paths === undefined ? {} : { paths }

const bars = (size: number, align: -1 | 0 | 1): Partial<uPlot.Series> => ({
  ...pathsOf(uPlot.paths.bars?.({ size: [size, 40], align })),
  points: { show: false },
})

function seriesOf(
  { name, colour, shape, decimals }: PlotSeries,
  unit: string,
  colourOf: (name: string) => string,
): uPlot.Series {
  const value = colourOf(colour)
  const isFilled = shape.endsWith('bars')
  return {
    label: name,
    stroke: value,
    ...(isFilled ? { fill: value } : {}),
    value: (_, shown) => (shown === null ? NOTHING : `${number(shown, decimals)} ${unit}`),
    ...SHAPES[shape](),
  }
}

const shortNumber = (value: number): string => number(value, Number.isInteger(value) ? 0 : 1)

/** Writes the marks of the time axis in the language in use: days, or hours where they are closer. */
const dateMarks =
  (timeZone: string): uPlot.Axis.DynamicValues =>
  (_, marks, __, ___, step) => {
    const options: Intl.DateTimeFormatOptions =
      step >= 86_400 ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
    const format = new Intl.DateTimeFormat(dateLocale(), { ...options, timeZone })
    return marks.map((mark) => format.format(mark * 1000))
  }

function drawSpans(drawn: uPlot, spans: readonly PlotSpan[], colour: (name: string) => string): void {
  const { ctx, bbox } = drawn
  for (const { from, to, colour: name } of spans) {
    const [left, right] = [from, to].map((at) =>
      Math.min(Math.max(drawn.valToPos(at, 'x', true), bbox.left), bbox.left + bbox.width),
    )
    ctx.fillStyle = colour(name)
    ctx.fillRect(left, bbox.top, right - left, bbox.height)
  }
}

/** Calls `onPick` for a click that is no drag. */
function pickable(drawn: uPlot, onPick: PlotParts['onPick']): void {
  if (onPick === undefined) return
  drawn.over.classList.add('pickable')
  drawn.over.addEventListener('click', () => {
    const { idx } = drawn.cursor
    if (typeof idx === 'number' && drawn.select.width === 0) onPick(idx)
  })
}

/** Zooms by two fingers. One finger moves the crosshair, and the page up and down. */
function pinchable(drawn: uPlot): void {
  const { over } = drawn
  let begun: { spread: number; middle: number; min: number; max: number } | null = null
  const fingers = ({ touches }: TouchEvent): [number, number] => {
    const { left } = over.getBoundingClientRect()
    return [touches[0].clientX - left, touches[1].clientX - left]
  }
  over.addEventListener('touchstart', (event) => {
    const { min, max } = drawn.scales.x
    if (event.touches.length !== 2 || min == null || max == null) return
    const [one, other] = fingers(event)
    begun = { spread: Math.abs(one - other), middle: drawn.posToVal((one + other) / 2, 'x'), min, max }
  })
  over.addEventListener(
    'touchmove',
    (event) => {
      if (event.touches.length === 1) {
        drawn.setCursor({ left: event.touches[0].clientX - over.getBoundingClientRect().left, top: 0 })
        return
      }
      if (begun === null) return
      event.preventDefault()
      const [one, other] = fingers(event)
      const factor = begun.spread / Math.max(10, Math.abs(one - other))
      drawn.setScale('x', {
        min: begun.middle - (begun.middle - begun.min) * factor,
        max: begun.middle + (begun.max - begun.middle) * factor,
      })
    },
    { passive: false },
  )
  over.addEventListener('touchend', () => {
    begun = null
  })
}
