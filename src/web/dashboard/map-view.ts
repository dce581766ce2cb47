import { idText } from '../../base/id-text.ts'
import type { FleetAnswer, FleetMapAnswer, FleetRow } from './answers.ts'
import { ask } from './api.ts'
import { dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { degrees, placeFacts } from './device-place.ts'
import { button, fill, h } from './dom.ts'
import { EXCEPTION_NAMES, exceptionBadges } from './exceptions.ts'
import { fleetFilters } from './fleet-filters.ts'
import { figure, instantNode, longDay, nothing } from './format.ts'
import { CoolerMap } from './map.ts'
import { mapLegend } from './map-legend.ts'
import { say } from './messages.ts'
import { type Choices, hashOf, queryOf, type Route } from './routes.ts'
import { guarded, READ } from './trouble.ts'
import { beginView, choice, facts, field, plainTable, type Stage, tellRoute } from './view.ts'

type MapRoute = Extract<Route, { view: 'map' }>

/** Coolers in the list next to the map: those with the largest deviation. */
const LISTED = 100

/** Shows where the coolers are meant to stand, and where those were last that have moved, on one day. */
export async function showMap(stage: Stage, route: MapRoute): Promise<void> {
  const go = (day: number): void => {
    location.hash = hashOf({ ...view.route, day })
  }
  beginView(stage, say('map-title', { day: longDay(route.day) }), dayTools(say('day'), route.day, go))
  const view = new MapView(stage, route)
  await view.load()
}

class MapView {
  readonly #stage: Stage
  route: MapRoute
  readonly #map: CoolerMap
  readonly #state = h('p', { class: 'quiet', role: 'status' }, say('loading'))
  readonly #selection = h('section', { class: 'panel selection', hidden: true })
  readonly #list = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('map-list') })
  readonly #body = h('div', { class: 'map-view' })
  #leave = new AbortController()
  /** Whether the address named the part of the world that is shown first. */
  readonly #isAtPlace: boolean

  constructor(stage: Stage, route: MapRoute) {
    this.#stage = stage
    this.route = route
    this.#isAtPlace = route.choices.at !== undefined
    const choose = (choices: Choices): void => this.#choose(choices)
    const names = [...EXCEPTION_NAMES, 'any' as const].map((name) => [name, say(`exception-${name}`)] as const)
    const only = choice('exception', [['', say('map-every')], ...names], route.choices.exception, (exception) =>
      choose({ exception }),
    )
    const filters = h(
      'div',
      { class: 'filters' },
      fleetFilters(route.choices, choose),
      field('exception', say('exceptions'), only),
    )
    const list = h('section', { class: 'panel moved-list' }, h('h2', {}, say('map-list')), this.#state, this.#list)
    const frame = h('div', { class: 'map-frame' })
    fill(this.#body, frame, h('div', { class: 'map-side' }, this.#selection, list, mapLegend()))
    stage.main.append(h('p', { class: 'quiet' }, say('map-text')), filters, this.#body)
    this.#map = new CoolerMap(frame, stage, {
      onMove: (at) => this.#tell({ at }),
      onPick: (id) => void this.#select(id, { move: false }),
      at: route.choices.at,
    })
  }

  async load(): Promise<void> {
    this.#leave.abort()
    this.#leave = new AbortController()
    const signal = AbortSignal.any([this.#stage.signal, this.#leave.signal])
    this.#body.setAttribute('aria-busy', 'true')
    await guarded(this.#list, signal, READ, async () => {
      const { exception, search, timezone, label } = this.route.choices
      const query = queryOf({ exception, search, timezone, label } as Choices)
      const fleet = await ask<FleetMapAnswer>(`/v1/fleet/map?day=${dayText(this.route.day)}&${query}`, { signal })
      this.#map.show(fleet.points)
      const moved = await this.#rows(
        queryOf({ search, timezone, label, exception: 'moved', sort: 'distance', order: 'desc' } as Choices),
        signal,
      )
      this.#map.tie(moved.rows)
      this.#showList(fleet, moved)
      this.#body.removeAttribute('aria-busy')
      const { cooler } = this.route.choices
      if (cooler !== undefined) await this.#select(cooler, { move: !this.#isAtPlace })
    })
    this.#body.removeAttribute('aria-busy')
  }

  #rows(query: string, signal: AbortSignal): Promise<FleetAnswer> {
    return ask<FleetAnswer>(`/v1/fleet?day=${dayText(this.route.day)}&limit=${LISTED}&${query}`, { signal })
  }

  #tell(choices: Choices): void {
    this.route = { ...this.route, choices: { ...this.route.choices, ...choices } }
    tellRoute(this.route, { replace: true })
  }

  #choose(choices: Choices): void {
    this.#tell(choices)
    void this.load()
  }

  #showList({ unplaced, matching }: FleetMapAnswer, { rows, matching: moved, sums }: FleetAnswer): void {
    const unknown = sums.unknown.distance ?? 0
    this.#state.textContent = [
      say('map-count', { count: matching }),
      moved === 0 ? say('map-list-none') : '',
      moved > rows.length ? say('map-list-part', { shown: rows.length, all: moved }) : '',
      unknown > 0 ? say('map-unknown', { count: unknown }) : '',
      unplaced > 0 ? say('map-unplaced', { count: unplaced }) : '',
    ]
      .filter((text) => text !== '')
      .join(' ')
    const cells = rows.map(({ id, distance }) => {
      const label = say('map-show', { id: idText(id) })
      const show = button(say('show'), () => void this.#select(id, { move: true }), { kind: 'small', label })
      return [h('a', { href: this.#linkOf(id) }, idText(id)), figure('distance', distance), show]
    })
    const columns = [[say('cooler')], [`${say('distance')} (m)`, 'number'], [say('actions')]] as const
    this.#list.replaceChildren(...(moved === 0 ? [] : plainTable(say('map-list'), columns, cells).childNodes))
  }

  #linkOf(id: string): string {
    return hashOf({ view: 'device', id, lastDay: this.route.day })
  }

  async #select(id: string, { move }: { move: boolean }): Promise<void> {
    await guarded(this.#selection, this.#stage.signal, READ, async () => {
      const { rows } = await this.#rows(queryOf({ search: id }), this.#stage.signal)
      const row = rows.find((one) => one.id === id)
      if (row === undefined) return
      this.#tell({ cooler: id })
      this.#map.select(row, { move })
      this.#showSelected(row)
    })
  }

  #showSelected(row: FleetRow): void {
    const { id, distance, lastFix, timezone } = row
    const close = (): void => {
      this.#selection.hidden = true
      this.#map.select(null)
      this.#tell({ cooler: '' })
    }
    fill(
      this.#selection,
      h('h2', {}, idText(id)),
      facts([
        [say('exceptions'), exceptionBadges(row)],
        [say('long-distance'), h('span', {}, figure('distance', distance), ' m')],
        [
          say('last-fix'),
          lastFix === null
            ? nothing()
            : h('span', {}, degrees(lastFix.lat, lastFix.lon), ', ', instantNode(lastFix.at, timezone)),
        ],
        ...placeFacts(row, timezone),
      ]),
      h(
        'p',
        { class: 'row more' },
        h('a', { href: this.#linkOf(id) }, say('open-cooler')),
        button(say('close-selection'), close, { kind: 'small' }),
      ),
    )
    this.#selection.hidden = false
  }
}
