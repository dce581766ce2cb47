import { dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { fill, h, spoken } from './dom.ts'
import { downloads } from './downloads.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'
import { flag } from './flag.ts'
import { type Entries, FLAGGED_FIRST, type Order, rowsOf, SUBSETS, type Subset, totalsOf } from './fleet.ts'
import { figure, longDay, nothing, unitOf } from './format.ts'
import { loadDay } from './load-fleet.ts'
import { type MessageName, say } from './messages.ts'
import { number } from './number.ts'
import { hashOf } from './routes.ts'
import { guarded } from './trouble.ts'
import { beginView, type Stage } from './view.ts'
import { VirtualTable } from './virtual-table.ts'

/** Columns in reading order, beginning with those that show what is wrong. */
const ORDER = ['fix', 'celsius', 'setpoint', 'power', 'doors', 'visitors']
const rank = (name: FigureName): number => (FIGURES[name].kind === 'flag' ? -1 : ORDER.indexOf(FIGURES[name].reading))
const COLUMNS = FIGURE_NAMES.toSorted((one, other) => rank(one) - rank(other))

/** Kept from one day to the next. */
const choice: { order: Order; subset: Subset; text: string } = { order: FLAGGED_FIRST, subset: 'all', text: '' }

/** Shows the whole fleet on one day. */
export async function showDay(stage: Stage, day: number): Promise<void> {
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'day', day: to })
  }
  beginView(stage, say('day-title', { day: longDay(day) }), dayTools(say('day'), day, go))
  const body = h('div', { class: 'fleet-day', 'aria-busy': 'true' }, h('p', { class: 'quiet' }, say('loading')))
  stage.main.append(downloads(`/v1/reports/daily?day=${dayText(day)}`, stage.signal), body)
  await guarded(body, stage.signal, { scope: 'read', ofAll: false }, async () => {
    let shown: FleetTable | null = null
    const fleet = await loadDay(day, {
      signal: stage.signal,
      onPart: (part, expected) => {
        shown ??= new FleetTable(body, part, day)
        shown.update(expected)
      },
    })
    body.removeAttribute('aria-busy')
    if (fleet.size === 0) fill(body, h('p', { class: 'quiet' }, say('no-coolers')))
  })
}

/** The totals, filters and table of a fleet that may still be loading. */
class FleetTable {
  readonly #fleet: Entries
  readonly #day: number
  readonly #totals = h('dl', { class: 'totals', 'aria-label': say('totals') })
  readonly #progress = h('progress', { max: 1, 'aria-label': say('loading') })
  readonly #count = h('p', { class: 'count', role: 'status' })
  readonly #table: VirtualTable
  #rows: Uint32Array = new Uint32Array(0)
  #drawnAt = Number.NEGATIVE_INFINITY

  constructor(body: HTMLElement, fleet: Entries, day: number) {
    this.#fleet = fleet
    this.#day = day
    this.#table = new VirtualTable({
      caption: say('table-caption'),
      label: say('table-region'),
      columns: [
        { key: 'id', title: say('cooler'), longTitle: say('cooler'), unit: '', kind: 'text' },
        ...COLUMNS.map((name) => ({
          key: name,
          title: say(name),
          longTitle: say(`long-${name}`),
          unit: name === 'distanceMore' ? '' : unitOf(name),
          kind: name === 'distanceMore' ? ('text' as const) : ('number' as const),
        })),
      ],
      cellsOf: (place) => this.#cells(this.#rows[place]),
      isMarked: (place) => this.#fleet.isFlagged(this.#rows[place]),
      onSort: (key) => this.#sortBy(key as Order['by']),
    })
    fill(body, this.#totals, this.#filters(), this.#table.element)
  }

  /** Shows what has arrived, at most every 250 ms: drawing each part would take longer than loading it. */
  update(expected: number): void {
    const now = performance.now()
    const whole = this.#fleet.size >= expected
    if (!whole && now - this.#drawnAt < 250) return
    this.#drawnAt = now
    this.#progress.value = expected === 0 ? 1 : this.#fleet.size / expected
    this.#progress.hidden = whole
    this.#showTotals()
    this.#arrange({ fromTop: false })
    if (!whole) this.#count.textContent = say('loading-part', { done: this.#fleet.size, all: expected })
  }

  #filters(): HTMLElement {
    const search = h('input', {
      type: 'search',
      id: 'filter',
      value: choice.text,
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => {
        choice.text = search.value
        this.#arrange({ fromTop: true })
      },
    })
    const option = (name: Subset): HTMLElement =>
      h('option', { value: name, selected: name === choice.subset }, say(`subset-${name}`))
    const subset = h(
      'select',
      {
        id: 'subset',
        onchange: () => {
          choice.subset = subset.value as Subset
          this.#arrange({ fromTop: true })
        },
      },
      SUBSETS.map(option),
    )
    return h(
      'div',
      { class: 'filters' },
      h('div', { class: 'field grow' }, h('label', { for: 'filter' }, say('filter')), search),
      h('div', { class: 'field' }, h('label', { for: 'subset' }, say('show')), subset),
      h('div', { class: 'field state' }, this.#count, this.#progress),
    )
  }

  #sortBy(by: Order['by']): void {
    const { order } = choice
    // Figures are sorted largest first at the first click, names from A to Z.
    choice.order = order.by === by ? { by, descending: !order.descending } : { by, descending: by !== 'id' }
    this.#arrange({ fromTop: true })
  }

  #arrange({ fromTop }: { fromTop: boolean }): void {
    const { order, subset, text } = choice
    this.#rows = rowsOf(this.#fleet, order, subset, text)
    this.#table.tellOrder(order.by, order.descending)
    this.#table.show(this.#rows.length, { fromTop })
    this.#count.textContent =
      this.#rows.length === 0 ? say('none-match') : say('shown', { shown: this.#rows.length, all: this.#fleet.size })
  }

  #showTotals(): void {
    const totals = totalsOf(this.#fleet)
    const tile = (name: MessageName, value: string | Node, unit = '', kind = ''): HTMLElement =>
      h(
        'div',
        { class: kind },
        h('dt', {}, say(name)),
        h('dd', {}, value, unit === '' ? null : h('span', { class: 'unit' }, ` ${unit}`)),
      )
    fill(
      this.#totals,
      tile('total-coolers', number(totals.coolers)),
      tile('total-flagged', number(totals.flagged), '', totals.flagged > 0 ? 'flagged' : ''),
      tile('total-without-temperature', number(totals.withoutTemperature)),
      tile('total-coldest', figure('minTemp', totals.coldest), '°C'),
      tile('total-warmest', figure('maxTemp', totals.warmest), '°C'),
      tile('total-hours', number(totals.hoursOn), 'h'),
      ...totals.counts.map(([name, count]) => tile(`long-${name}`, number(count))),
    )
  }

  #cells(row: number): (Node | string)[] {
    const id = this.#fleet.ids[row]
    const link = h('a', { href: hashOf({ view: 'device', id, lastDay: this.#day }), title: id }, id)
    return [link, ...COLUMNS.map((name) => this.#cell(name, row))]
  }

  #cell(name: FigureName, row: number): Node | string {
    if (name !== 'distanceMore') return figure(name, this.#fleet.value(name, row))
    if (this.#fleet.isFlagged(row)) return flag()
    return Number.isNaN(this.#fleet.value('distance', row)) ? nothing() : spoken(say('flag-no-spoken'))
  }
}
