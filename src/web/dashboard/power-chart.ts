import type { Explanation, PowerSpan } from './answers.ts'
import { legendOf } from './chart.ts'
import { millisecondsOf } from './days.ts'
import { h, s } from './dom.ts'
import { clock } from './format.ts'
import { say, sayOr } from './messages.ts'
import { number } from './number.ts'
import { panel, plainTable } from './view.ts'

const HEIGHT = 74
const HOUR_MS = 3_600_000

/** Makes the panel of the day's power spans: on, off and unknown. */
export function powerPanel(explained: Explanation, spans: readonly PowerSpan[], zone: string): HTMLElement {
  const { onSeconds, offSeconds, unknownSeconds, lengthSeconds } = explained.coverage
  const text = say('power-text', {
    on: hours(onSeconds),
    off: hours(offSeconds),
    unknown: hours(unknownSeconds),
    length: hours(lengthSeconds),
  })
  const states = ['on', 'off', 'unknown'] as const
  const legend = legendOf([
    ...states.map((state) => ({ name: say(`power-${state}`), style: `span-${state}`, filled: true })),
    { name: say('daytime'), style: 'daytime', filled: true },
  ])
  const rows = spans.map((span) => [
    clock(span.from, zone),
    clock(span.to, zone),
    say(`power-${span.state}`),
    span.why === undefined ? '' : sayOr(`why-${span.why}`, span.why),
    hours(span.seconds),
  ])
  const columns = [
    [say('from')],
    [say('to')],
    [say('span-state')],
    [say('span-why')],
    [say('hours'), 'number'],
  ] as const
  return panel(
    say('power-caption'),
    h('p', {}, text),
    legend,
    drawing(explained, spans, zone, text),
    h('details', {}, h('summary', {}, say('chart-table')), plainTable(say('power-caption'), columns, rows)),
  )
}

const hours = (seconds: number): string => number(seconds / 3600, 2)

function drawing(explained: Explanation, spans: readonly PowerSpan[], zone: string, text: string): SVGElement {
  const width = window.innerWidth < 600 ? 360 : 1200
  const [start, end] = [millisecondsOf(explained.start), millisecondsOf(explained.end)]
  const x = (at: string | number): number =>
    (((typeof at === 'number' ? at : millisecondsOf(at)) - start) / (end - start)) * width
  const bar = (from: string, to: string, style: string, y: number, height: number): SVGElement =>
    s('rect', { class: style, x: x(from), y, width: Math.max(0.5, x(to) - x(from)), height })
  const { daytimeStart, daytimeEnd } = explained
  const hoursApart = width < 600 ? 6 : 3
  const marks = Array.from({ length: Math.floor((end - start) / HOUR_MS / hoursApart) + 1 }, (_, nth) => {
    const at = start + nth * hoursApart * HOUR_MS
    const anchor = nth === 0 ? 'start' : at > end - HOUR_MS / 2 ? 'end' : 'middle'
    return s('text', { x: x(at), y: HEIGHT - 6, 'text-anchor': anchor }, hourOf(at, zone))
  })
  return s(
    'svg',
    { class: 'chart', viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-labelledby': 'power-title power-desc' },
    s('title', { id: 'power-title' }, say('power-caption')),
    s('desc', { id: 'power-desc' }, text),
    spans.map(({ state, from, to }) => bar(from, to, `span-${state}`, 4, 32)),
    daytimeStart === null || daytimeEnd === null ? null : bar(daytimeStart, daytimeEnd, 'daytime', 42, 5),
    marks,
  )
}

/** Formats the hour and minute of an instant in the device's zone; the date would repeat at every mark. */
const hourOf = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat(navigator.language, { hour: '2-digit', minute: '2-digit', timeZone }).format(at)
