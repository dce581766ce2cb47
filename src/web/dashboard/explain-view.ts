import { idText } from '../../base/id-text.ts'
import type { Explanation, Reading } from './answers.ts'
import { ask } from './api.ts'
import { dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { button, fill, h } from './dom.ts'
import { carriedTable, countsOf, figuresTable, leadOf, notesOf, revisionsTable } from './explain-parts.ts'
import { FIGURE_NAMES, type FigureName } from './figures.ts'
import { longDay } from './format.ts'
import { say } from './messages.ts'
import { readingsTable } from './readings-table.ts'
import { devicePath, hashOf } from './routes.ts'
import { addPart, READ } from './trouble.ts'
import { beginView, choice, field, panel, type Stage } from './view.ts'

/** Readings that are asked for at once, how many are loaded at most, and how many rows are shown at once. */
const PAGE = 1000
const MOST = 20_000
const ROWS = 200

/** Shows the sources of the figures of one cooler and day. */
export async function showExplanation(stage: Stage, id: string, day: number): Promise<void> {
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'explain', id, day: to })
  }
  const back = h('a', { href: hashOf({ view: 'device', id, lastDay: day }) }, say('open-cooler'))
  beginView(stage, say('explain-title', { id: idText(id), day: longDay(day) }), back, dayTools(say('day'), day, go))
  await addPart(stage, READ, async (body) => {
    const path = devicePath(id, `/days/${dayText(day)}`, `limit=${PAGE}`)
    const explained = await wholeDay((after) => ask(`${path}${after}`, { signal: stage.signal }))
    const readings = explained.readings ?? []
    const { dayCurve } = await import('./day-curve.ts')
    const zone = explained.zones[0]?.zone ?? 'UTC'
    fill(
      body,
      h('div', {}, leadOf(explained, zone), notesOf(explained)),
      panel(say('figures-caption'), figuresTable(explained, zone)),
      dayCurve(explained, zone, stage.signal),
      h(
        'div',
        { class: 'grid' },
        panel(say('counts-caption'), countsOf(explained, zone)),
        panel(say('carried-caption'), carriedTable(explained, zone)),
      ),
      explained.revisions.length === 0 ? null : panel(say('revisions-caption'), revisionsTable(explained)),
      explained.next === null ? null : h('p', { class: 'note' }, say('readings-part', { count: readings.length })),
      readingsPanel(readings, zone),
    )
  })
}

/** Returns an explanation with the readings and spans of all its pages, up to MOST readings or a page more. */
async function wholeDay(askAfter: (after: string) => Promise<Explanation>): Promise<Explanation> {
  const first = await askAfter('')
  const { readings, spans } = first
  for (let { next } = first; next !== null && readings !== null && readings.length < MOST; ) {
    const page = await askAfter(`&after=${encodeURIComponent(next)}`)
    readings.push(...(page.readings ?? []))
    spans?.push(...(page.spans ?? []))
    first.next = next = page.next
  }
  return first
}

/** Makes the panel of the day's readings, for one figure or all; more rows are shown when they are asked for. */
function readingsPanel(readings: readonly Reading[], zone: string): HTMLElement {
  const table = h('div', { class: 'readings' })
  const more = button(say('more-readings'), () => show(shown + ROWS), { kind: 'more' })
  let [chosen, shown] = ['', 0]
  const show = (count: number): void => {
    const those = readings.filter(({ figures }) => chosen === '' || figures.includes(chosen as FigureName))
    shown = count
    fill(
      table,
      those.length === 0
        ? h('p', { class: 'quiet' }, say('readings-none'))
        : readingsTable(those.slice(0, shown), zone),
    )
    more.hidden = those.length <= shown
  }
  const names = FIGURE_NAMES.map((name) => [name, say(`long-${name}`)] as const)
  const select = choice('readings-of', [['', say('readings-all')], ...names], chosen, (figure) => {
    chosen = figure
    show(ROWS)
  })
  show(ROWS)
  const filters = h('div', { class: 'filters' }, field('readings-of', say('readings-of'), select))
  return panel(say('readings-caption'), filters, table, more)
}
