import type { DeviceAnswer } from './answers.ts'
import { ask } from './api.ts'
import { dayTools } from './day-tools.ts'
import { degrees, placementAt } from './device-place.ts'
import { fill, h } from './dom.ts'
import { flag } from './flag.ts'
import type { Entries } from './fleet.ts'
import { figure, instant, longDay } from './format.ts'
import { loadPositions } from './load-fleet.ts'
import { MapCanvas } from './map-canvas.ts'
import { mapFrame } from './map-frame.ts'
import type { Dot } from './map-paint.ts'
import { worldX, worldY } from './mercator.ts'
import { say } from './messages.ts'
import { readOutline } from './outline.ts'
import { fewAtATime } from './pool.ts'
import { devicePath, hashOf } from './routes.ts'
import { TilePictures, type TileServer, tileServerOf } from './tile-pictures.ts'
import { guarded } from './trouble.ts'
import { beginView, facts, plainTable, type Stage } from './view.ts'

/** Coolers in the list next to the map, whose placements are loaded: those with the largest deviation. */
const LISTED = 100
const AT_A_TIME = 4

/** Shows where the coolers are, compared to where they should be. */
export async function showMap(stage: Stage, day: number): Promise<void> {
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'map', day: to })
  }
  beginView(stage, say('map-title', { day: longDay(day) }), dayTools(say('day'), day, go))
  const body = h('div', { class: 'map-view', 'aria-busy': 'true' })
  stage.main.append(h('p', { class: 'quiet' }, say('map-text')), body)
  await guarded(body, stage.signal, { scope: 'read', ofAll: false }, async () => {
    const server = tileServerOf(stage.main)
    const view = new MapView(body, stage.signal, day, server?.attribution)
    await Promise.all([view.loadOutline(), view.loadFleet()])
    // Not before the coolers' positions are known: tiles of other places would be loaded for nothing.
    if (server !== null) view.showTiles(server)
    body.removeAttribute('aria-busy')
    await view.tie()
  })
}

class MapView {
  readonly #signal: AbortSignal
  readonly #day: number
  readonly #map: MapCanvas
  readonly #state = h('p', { class: 'quiet', role: 'status' }, say('loading'))
  readonly #selection = h('section', { class: 'panel selection', hidden: true })
  readonly #list = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('map-list') })
  readonly #devices = new Map<string, Promise<DeviceAnswer>>()
  #fleet: Entries | null = null
  readonly #dots: Dot[] = []
  #flagged: number[] = []

  constructor(body: HTMLElement, signal: AbortSignal, day: number, attribution = '') {
    this.#signal = signal
    this.#day = day
    const canvas = h('canvas', { tabindex: '0', role: 'application', 'aria-label': say('map-label') })
    this.#map = new MapCanvas({ canvas, onPick: (row) => void this.#select(row, { move: false }) }, signal)
    const list = h('section', { class: 'panel flagged-list' }, h('h2', {}, say('map-list')), this.#state, this.#list)
    fill(body, mapFrame(canvas, this.#map, attribution), h('div', { class: 'map-side' }, this.#selection, list))
  }

  async loadOutline(): Promise<void> {
    this.#map.outline = await readOutline(this.#signal)
    this.#map.draw()
  }

  showTiles({ template }: TileServer): void {
    this.#map.tiles = new TilePictures(template, { signal: this.#signal, onChange: () => this.#map.draw() })
    this.#map.draw()
  }

  async loadFleet(): Promise<void> {
    let drawnAt = Number.NEGATIVE_INFINITY
    const onPart = (fleet: Entries, expected: number): void => {
      const now = performance.now()
      if (fleet.size < expected && now - drawnAt < 1000) return
      drawnAt = now
      this.#state.textContent = say('loading-part', { done: fleet.size, all: expected })
      this.#take(fleet)
    }
    this.#fleet = await loadPositions(this.#day, { signal: this.#signal, onPart })
    this.#take(this.#fleet)
    this.#showList(this.#fleet)
  }

  #take(fleet: Entries): void {
    for (let row = this.#dots.length; row < fleet.size; row++) {
      const { lat, lon } = fleet.places[row]
      this.#dots.push({ row, x: worldX(lon), y: worldY(lat), flagged: fleet.isFlagged(row) })
    }
    this.#map.dots = this.#dots.filter(({ x }) => !Number.isNaN(x))
    this.#map.fit()
  }

  #showList(fleet: Entries): void {
    const distances = fleet.column('distance')
    const all = this.#dots.filter(({ flagged }) => flagged).map(({ row }) => row)
    this.#flagged = all.sort((one, other) => distances[other] - distances[one]).slice(0, LISTED)
    const unplaced = fleet.size - this.#map.dots.length
    this.#state.textContent = [
      all.length === 0 ? say('map-list-none') : '',
      all.length > LISTED ? say('map-list-part', { shown: LISTED, all: all.length }) : '',
      unplaced > 0 ? say('map-unplaced', { count: unplaced }) : '',
    ].join(' ')
    const rows = this.#flagged.map((row) => {
      const id = fleet.ids[row]
      const show = h(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-label': say('map-show', { id }),
          onclick: () => void this.#select(row, { move: true }),
        },
        say('show'),
      )
      return [h('a', { href: this.#linkOf(id) }, id), figure('distance', distances[row]), show]
    })
    const table = plainTable(
      say('map-list'),
      [[say('cooler')], [`${say('distance')} (m)`, 'number'], [say('actions')]],
      rows,
    )
    this.#list.replaceChildren(...(all.length === 0 ? [] : table.childNodes))
  }

  #linkOf(id: string): string {
    return hashOf({ view: 'device', id, lastDay: this.#day })
  }

  #device(id: string): Promise<DeviceAnswer> {
    const known = this.#devices.get(id)
    if (known !== undefined) return known
    const asked = ask<DeviceAnswer>(devicePath(id), { signal: this.#signal })
    this.#devices.set(id, asked)
    return asked
  }

  /** Draws a line from each listed cooler to its placement. Placements are only in the registry: one call for each. */
  async tie(): Promise<void> {
    const { ids } = this.#fleet as Entries
    const devices = await fewAtATime(this.#flagged, AT_A_TIME, (row) => this.#device(ids[row]))
    const ties = devices.map((device, nth) => ({
      from: this.#dots[this.#flagged[nth]],
      to: projectDevice(device),
    }))
    this.#map.ties = ties.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }]))
    this.#map.draw()
  }

  async #select(row: number, { move }: { move: boolean }): Promise<void> {
    const fleet = this.#fleet
    const dot = this.#dots[row]
    if (fleet === null) return
    const id = fleet.ids[row]
    this.#map.selected = dot
    this.#map.draw()
    await guarded(this.#selection, this.#signal, { scope: 'read', ofAll: false }, async () => {
      const device = await this.#device(id)
      const placed = projectDevice(device)
      if (placed !== null && !this.#map.ties.some(({ from }) => from === dot)) {
        this.#map.ties = [...this.#map.ties, { from: dot, to: placed }]
      }
      if (move) this.#map.showDot(dot, placed === null ? [] : [placed])
      this.#map.draw()
      this.#showSelected(fleet, row, device)
    })
  }

  #showSelected(fleet: Entries, row: number, device: DeviceAnswer): void {
    const { lat, lon, address } = fleet.places[row]
    const placement = placementAt(device, Date.now())
    const close = (): void => {
      this.#selection.hidden = true
      this.#map.selected = null
      this.#map.draw()
    }
    const distance = h(
      'span',
      {},
      figure('distance', fleet.value('distance', row)),
      ' m ',
      fleet.isFlagged(row) ? flag() : '',
    )
    fill(
      this.#selection,
      h('h2', {}, device.id),
      facts([
        [say('long-distance'), distance],
        [say('position'), degrees(lat, lon)],
        [say('address'), address ?? figure('distance', null)],
        [say('placement'), placement === undefined ? say('never-placed') : degrees(placement.lat, placement.lon)],
        ...(placement === undefined ? [] : ([[say('placed-since'), instant(placement.at)]] as const)),
        [say('last-heard'), device.lastHeardAt === null ? say('never-heard') : instant(device.lastHeardAt)],
      ]),
      h(
        'p',
        { class: 'row more' },
        h('a', { href: this.#linkOf(device.id) }, say('open-cooler')),
        h('button', { type: 'button', class: 'small', onclick: close }, say('close-selection')),
      ),
    )
    this.#selection.hidden = false
  }
}

function projectDevice(device: DeviceAnswer): { x: number; y: number } | null {
  const placement = placementAt(device, Date.now())
  return placement === undefined ? null : { x: worldX(placement.lon), y: worldY(placement.lat) }
}
