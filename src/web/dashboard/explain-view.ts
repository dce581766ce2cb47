import type { Explanation, PowerSpan, Reading } from './answers.ts'
import { ask } from './api.ts'
import { dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { fill, h } from './dom.ts'
import { carriedTable, countsOf, figuresTable, leadOf, notesOf, revisionsTable } from './explain-parts.ts'
import { FIGURE_NAMES, type FigureName } from './figures.ts'
import { longDay } from './format.ts'
import { idText } from './id-text.ts'
import { say } from './messages.ts'
import { readingsRows, readingsTable } from './readings-table.ts'
import { devicePath, hashOf } from './routes.ts'
import { guarded } from './trouble.ts'
import { beginView, panel, type Stage } from './view.ts'

/** Readings and spans in one page; a day of a busy cooler has some hundreds. */
const PAGE = 200

/** A page of the readings that are drawn, and how many are drawn at most. */
const LARGE_PAGE = 1000
const MOST_DRAWN = 10_000

type Ask = (query: string, limit?: number) => Promise<Explanation>

/** Shows the sources of the figures of one cooler and day. */
export async function showExplanation(stage: Stage, id: string, day: number): Promise<void> {
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'explain', id, day: to })
  }
  const back = h('a', { href: hashOf({ view: 'device', id, lastDay: day }) }, say('explain-back'))
  beginView(stage, say('explain-title', { id: idText(id), day: longDay(day) }), back, dayTools(say('day'), day, go))
  const body = h('div', { class: 'stack', 'aria-busy': 'true' }, h('p', { class: 'quiet' }, say('loading')))
  stage.main.append(body)
  const askFor: Ask = (query, limit = PAGE) =>
    ask(devicePath(id, `/days/${dayText(day)}`, `limit=${limit}${query}`), { signal: stage.signal })
  await guarded(body, stage.signal, { scope: 'read', ofAll: false }, async () => {
    const [explained, spans] = [await askFor(''), await spansOf(askFor)]
    const readings = explained.readings === null ? [] : await readingsOf(explained, askFor)
    const { dayCurve } = await import('./day-curve.ts')
    const zone = explained.zones[0]?.zone ?? 'UTC'
    fill(
      body,
      h('div', {}, leadOf(explained, zone), notesOf(explained)),
      panel(say('figures-caption'), figuresTable(explained, zone)),
      dayCurve(explained, spans, readings, zone, stage.signal),
      h(
        'div',
        { class: 'grid' },
        panel(say('counts-caption'), countsOf(explained, zone)),
        panel(say('carried-caption'), carriedTable(explained, zone)),
      ),
      explained.revisions.length === 0 ? null : panel(say('revisions-caption'), revisionsTable(explained)),
      readingsPanel(explained, zone, askFor),
    )
    body.removeAttribute('aria-busy')
  })
}

/** Returns the readings of the day from its first page on, up to MOST_DRAWN or a page more. */
async function readingsOf(first: Explanation, askFor: Ask): Promise<Reading[]> {
  const readings = [...(first.readings ?? [])]
  for (let { next } = first; next !== null && readings.length < MOST_DRAWN; ) {
    const page = await askFor(`&after=${encodeURIComponent(next)}`, LARGE_PAGE)
    readings.push(...(page.readings ?? []))
    next = page.next
  }
  return readings
}

/** Returns all power spans of the day. A page has the spans that begin in it, and power events alone are few. */
async function spansOf(askFor: Ask): Promise<PowerSpan[]> {
  const spans: PowerSpan[] = []
  for (let after = ''; ; ) {
    const page = await askFor(`&figure=powerDuration${after}`)
    spans.push(...(page.spans ?? []))
    if (page.next === null) return spans
    after = `&after=${encodeURIComponent(page.next)}`
  }
}

/** Makes the panel of the day's readings, for one figure or all, loaded page by page. */
function readingsPanel(first: Explanation, zone: string, askFor: Ask): HTMLElement {
  const table = h('div', { class: 'readings' })
  const more = h('button', { type: 'button', class: 'more' }, say('more-readings'))
  let next: string | null = null
  let figure: FigureName | '' = ''
  const query = (): string => (figure === '' ? '' : `&figure=${figure}`)
  const take = (page: Explanation): void => {
    next = page.next
    more.hidden = next === null
  }
  const begin = (page: Explanation): void => {
    const none = page.readings === null || page.readings.length === 0
    fill(table, none ? h('p', { class: 'quiet' }, say('readings-none')) : readingsTable(page.readings ?? [], zone))
    take(page)
  }
  more.addEventListener('click', async () => {
    more.disabled = true
    try {
      const page = await askFor(`${query()}&after=${encodeURIComponent(next as string)}`)
      table.querySelector('tbody')?.append(...readingsRows(page.readings ?? [], zone))
      take(page)
    } finally {
      more.disabled = false
    }
  })
  const choice = h(
    'select',
    {
      id: 'readings-of',
      onchange: async () => {
        figure = choice.value as FigureName | ''
        begin(await askFor(query()))
      },
    },
    h('option', { value: '' }, say('readings-all')),
    FIGURE_NAMES.map((name) => h('option', { value: name }, say(`long-${name}`))),
  )
  begin(first)
  const field = h('div', { class: 'field' }, h('label', { for: 'readings-of' }, say('readings-of')), choice)
  return panel(say('readings-caption'), h('div', { class: 'filters' }, field), table, more)
}
