import type { FleetAnswer, FleetSums } from './answers.ts'
import { ask } from './api.ts'
import { dayField, dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { button, fill, h } from './dom.ts'
import { downloads } from './downloads.ts'
import type { FigureName } from './figures.ts'
import { chosenColumns, type FleetColumn, fleetColumns } from './fleet-columns.ts'
import { columnChoice, fleetFilters } from './fleet-filters.ts'
import { heatChoice, heatColumns, heatFigure } from './fleet-heat.ts'
import { FleetPages } from './fleet-pages.ts'
import { showTotals } from './fleet-totals.ts'
import { longDay, mediumDay } from './format.ts'
import { say } from './messages.ts'
import { type Choices, hashOf, MOST_DAYS, queryOf, type Route } from './routes.ts'
import { guarded, loading, READ } from './trouble.ts'
import { beginView, type Stage, tellRoute } from './view.ts'
import { VirtualTable } from './virtual-table.ts'

type FleetRoute = Extract<Route, { view: 'day' | 'range' }>

/** Days of a range that is begun from one day. */
const FIRST_RANGE = 7

const daysOf = (route: FleetRoute): { from: number; to: number } =>
  route.view === 'day' ? { from: route.day, to: route.day } : { from: route.from, to: route.to }

/** Shows the whole fleet on one day, or over a range of days. */
export async function showFleet(stage: Stage, route: FleetRoute): Promise<void> {
  const { from, to } = daysOf(route)
  const title =
    route.view === 'day'
      ? say('day-title', { day: longDay(from) })
      : say('range-title', { first: mediumDay(from), last: mediumDay(to) })
  const body = h('div', { class: 'fleet-list' })
  const view = new FleetView(stage, route, body)
  beginView(stage, title, ...view.tools())
  stage.main.append(body)
  await view.open()
}

class FleetView {
  readonly #stage: Stage
  #route: FleetRoute
  readonly #body: HTMLElement
  readonly #tools = h('div', { class: 'list-tools' })
  #columns: readonly FleetColumn[] = []
  readonly #totals = h('div', { class: 'totals' })
  readonly #filters = h('div', { class: 'filters' })
  readonly #count = h('p', { class: 'count', role: 'status' })
  readonly #list = h('div', { class: 'fleet-place' })
  #table: VirtualTable | null = null
  #shownColumns = ''
  #pages: FleetPages | null = null
  #leaveTable = new AbortController()
  #leave = new AbortController()

  constructor(stage: Stage, route: FleetRoute, body: HTMLElement) {
    this.#stage = stage
    this.#route = route
    this.#body = body
  }

  get #choices(): Choices {
    return this.#route.choices
  }

  /** The figure by which the days of a range are shaded. */
  get #heat(): FigureName | null {
    return this.#route.view === 'range' ? heatFigure(this.#choices.heat) : null
  }

  /** Makes the controls that choose the day or the range. */
  tools(): HTMLElement[] {
    const { from, to } = daysOf(this.#route)
    const go = (route: FleetRoute): void => {
      location.hash = hashOf({ ...route, choices: this.#choices })
    }
    const link = (route: FleetRoute, name: string): HTMLElement => button(name, () => go(route))
    const range = (first: number, last: number): FleetRoute => ({ view: 'range', from: first, to: last, choices: {} })
    if (this.#route.view === 'day') {
      const toDay = (day: number): void => go({ view: 'day', day, choices: {} })
      return [dayTools(say('day'), from, toDay), link(range(from - FIRST_RANGE + 1, from), say('several-days'))]
    }
    return [
      dayField('from-day', say('from'), from, (day) =>
        go(range(day, Math.min(Math.max(day, to), day + MOST_DAYS - 1))),
      ),
      dayField('to-day', say('to'), to, (day) => go(range(Math.max(Math.min(day, from), day - MOST_DAYS + 1), day))),
      link({ view: 'day', day: to, choices: {} }, say('one-day')),
    ]
  }

  async open(): Promise<void> {
    const choose = (choices: Choices, options: { replace: boolean }): void => this.#choose(choices, options)
    fill(this.#filters, fleetFilters(this.#choices, choose), h('div', { class: 'field state' }, this.#count))
    fill(this.#body, this.#totals, this.#filters, this.#tools, this.#list)
    await this.#load()
  }

  #choose(choices: Choices, { replace }: { replace: boolean }): void {
    this.#route = { ...this.#route, choices: { ...this.#choices, ...choices } }
    tellRoute(this.#route, { replace })
    void this.#load()
  }

  /** The list that the choices name, as a path of the API. */
  #pathOf(choices: Choices, { from, to } = daysOf(this.#route)): string {
    const days = this.#route.view === 'day' ? `day=${dayText(from)}` : `fromDay=${dayText(from)}&toDay=${dayText(to)}`
    const { columns: _, heat: __, at: ___, cooler: ____, ...asked } = choices
    const query = queryOf({ sort: 'exceptions', order: 'desc', ...asked })
    return `/v1/fleet?${days}&${query}`
  }

  async #load(): Promise<void> {
    this.#leave.abort()
    this.#leave = new AbortController()
    const signal = AbortSignal.any([this.#stage.signal, this.#leave.signal])
    this.#list.setAttribute('aria-busy', 'true')
    if (this.#table === null) fill(this.#list, loading())
    await guarded(this.#list, signal, READ, () => this.#show(signal))
  }

  async #show(signal: AbortSignal): Promise<void> {
    const failed = (error: unknown): void => {
      let load = (): Promise<void> => Promise.reject(error)
      void guarded(this.#list, signal, READ, () => load())
      load = () => this.#show(signal) // When it is tried again.
    }
    const path = this.#pathOf(this.#choices) + (this.#heat === null ? '' : `&daily=${this.#heat}`)
    const onPage = (first: number, end: number): void => this.#table?.refresh(first, end)
    const { answer, pages } = await FleetPages.open({ path, signal, onPage, onFailure: failed })
    this.#pages = pages
    this.#showTotals(answer.sums)
    const { matching, sums } = answer
    this.#count.textContent = matching === 0 ? say('none-match') : say('shown', { shown: matching, all: sums.devices })
    if (answer.devices === 0) fill(this.#list, h('p', { class: 'quiet' }, say('no-coolers')))
    else this.#showTable(answer)
    this.#list.removeAttribute('aria-busy')
    if (this.#route.view === 'range') await this.#compare(answer, signal)
  }

  /** Shows the rows in the table that is there, so that the focus stays where it is, unless the columns are others. */
  #showTable(answer: FleetAnswer): void {
    const all = fleetColumns(daysOf(this.#route).to, answer.labelKeys)
    // Only where there are other labels: the choice of columns stays open.
    if (all.length !== this.#columns.length) {
      this.#columns = all
      this.#showTools()
    }
    const columns = this.#columnsOf(answer)
    const shown = columns.map(({ key }) => key).join(' ') + (this.#heat ?? '')
    if (this.#table === null || this.#shownColumns !== shown) this.#table = this.#newTable(columns)
    this.#shownColumns = shown
    if (!this.#list.contains(this.#table.element)) fill(this.#list, this.#table.element)
    const { sort = 'exceptions', order = 'desc' } = this.#choices
    this.#table.tellOrder(sort, order === 'desc')
    this.#table.show(answer.matching, { fromTop: true })
  }

  /** Shows the figures of as many days before the range beside those of the range. */
  async #compare({ sums }: FleetAnswer, signal: AbortSignal): Promise<void> {
    const { from, to } = daysOf(this.#route)
    const before = this.#pathOf(this.#choices, { from: from - (to - from + 1), to: from - 1 })
    const answer = await ask<FleetAnswer>(`${before}&limit=1`, { signal })
    if ((answer.sums.status.none ?? 0) < answer.sums.devices) this.#showTotals(sums, answer.sums)
  }

  #showTotals(sums: FleetSums, before: FleetSums | null = null): void {
    showTotals(this.#totals, sums, this.#choices, (filter) => this.#choose(filter, { replace: false }), before)
  }

  /** Shows the tools of the list: its files, and what it shows of each cooler. */
  #showTools(): void {
    const shown = chosenColumns(this.#columns, this.#choices.columns)
    fill(
      this.#tools,
      downloads(() => this.#pathOf(this.#choices), this.#stage.signal),
      this.#route.view === 'day' ? null : heatChoice(this.#heat, (heat) => this.#choose({ heat }, { replace: false })),
      columnChoice(this.#columns, shown, (choices, options) => this.#choose(choices, options)),
    )
  }

  /** The chosen columns, or with a heat map the days. */
  #columnsOf({ rows }: FleetAnswer): readonly FleetColumn[] {
    const heat = this.#heat
    if (heat === null) return chosenColumns(this.#columns, this.#choices.columns)
    const { from, to } = daysOf(this.#route)
    const days = Array.from({ length: to - from + 1 }, (_, nth) => from + nth)
    return [...this.#columns.slice(0, 2), ...heatColumns(heat, days, rows)]
  }

  #newTable(columns: readonly FleetColumn[]): VirtualTable {
    const parts = {
      caption: say('table-caption'),
      label: say('table-region'),
      columns,
      cellsOf: (place: number) => {
        const row = this.#pages?.row(place)
        return row === undefined ? null : columns.map(({ cell }) => cell(row))
      },
      isMarked: (place: number) => this.#pages?.row(place)?.exceptions.includes('moved') ?? false,
      onSort: (key: string) => this.#sortBy(key),
      onDraw: (first: number, end: number) => this.#pages?.want(first, end),
      onPrint: (count: number) => this.#pages?.loadAllNow(count),
    }
    this.#leaveTable.abort()
    this.#leaveTable = new AbortController()
    return new VirtualTable(parts, AbortSignal.any([this.#stage.signal, this.#leaveTable.signal]))
  }

  /** Sorts by a column: names from A to Z at first, all else the largest first; the other way at the next click. */
  #sortBy(sort: string): void {
    const { sort: before = 'exceptions', order = 'desc' } = this.#choices
    const first = sort === 'id' ? 'asc' : 'desc'
    const other = order === 'asc' ? 'desc' : 'asc'
    this.#choose({ sort, order: before === sort ? other : first }, { replace: false })
  }
}
