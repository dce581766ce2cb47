import * as L from 'leaflet'
import Supercluster, { type ClusterProperties } from 'supercluster'
import { idText } from '../../base/id-text.ts'
import type { FleetMapAnswer, FleetRow } from './answers.ts'
import { button, h } from './dom.ts'
import { say } from './messages.ts'
import { number } from './number.ts'
import type { Stage } from './view.ts'

/** The built file with the coasts of the world; set when the dashboard is bundled. */
declare const COASTS_FILE: string

type Point = FleetMapAnswer['points'][number]
type Kind = 'good' | 'bad' | 'unknown'

/** What a cluster counts. */
interface Counts {
  bad: number
  unknown: number
}

export interface MapParts {
  /** Called with the part of the world that is shown, as the address names it. */
  onMove: (at: string) => void
  onPick: (id: string) => void
  /** The part of the world to begin with; all coolers unless given. */
  at: string | undefined
}

/** Pixels within which coolers are one cluster, and the zoom from which on there are none. */
const CLUSTER = { radius: 56, maxZoom: 17 }
const CLOSEST = 19
/** The zoom at which one cooler is shown, with its street. */
const STREET = 16
/** The inhabited world. */
const WORLD: L.LatLngBoundsLiteral = [
  [-52, -170],
  [72, 178],
]

/** Returns how a cooler is shown: without a fix nobody knows whether it has moved. */
const kindOf = ({ exceptions, isKnown }: Point): Kind => (exceptions.length > 0 ? 'bad' : isKnown ? 'good' : 'unknown')

/** A map of coolers, each where it is meant to stand; near ones are put together. */
export class CoolerMap {
  readonly #map: L.Map
  readonly #parts: MapParts
  readonly #marks = L.layerGroup()
  readonly #ties = L.layerGroup()
  readonly #selected = L.layerGroup()
  #clusters: Supercluster<Point, Counts> | null = null
  #points: readonly Point[] = []

  constructor(frame: HTMLElement, stage: Stage, parts: MapParts) {
    this.#parts = parts
    frame.setAttribute('aria-label', say('map-label'))
    frame.setAttribute('role', 'application')
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    const isMoving = !isStill
    this.#map = L.map(frame, {
      ...{ zoomControl: false, attributionControl: false, maxZoom: CLOSEST, minZoom: 1 },
      ...{ zoomAnimation: isMoving, fadeAnimation: isMoving, markerZoomAnimation: isMoving, inertia: isMoving },
    })
    L.control.zoom({ zoomInTitle: say('map-zoom-in'), zoomOutTitle: say('map-zoom-out') }).addTo(this.#map)
    L.control.scale().addTo(this.#map)
    this.#showAt(parts.at)
    for (const layer of [this.#ties, this.#marks, this.#selected]) layer.addTo(this.#map)
    this.#map.on('moveend', () => {
      this.#draw()
      const { lat, lng } = this.#map.getCenter()
      parts.onMove(`${lat.toFixed(4)},${lng.toFixed(4)},${this.#map.getZoom()}`)
    })
    const whole = button(say('map-all'), () => this.#fit(), { kind: 'whole' })
    L.DomEvent.disableClickPropagation(whole)
    frame.append(whole)
    stage.signal.addEventListener('abort', () => this.#map.remove())
    void this.#showCoasts(stage.signal)
    this.#showTiles(stage.main)
  }

  /** Shows coolers, instead of those before. */
  show(points: readonly Point[]): void {
    this.#points = points
    this.#clusters = new Supercluster<Point, Counts>({
      ...CLUSTER,
      map: (point) => ({ bad: Number(kindOf(point) === 'bad'), unknown: Number(kindOf(point) === 'unknown') }),
      reduce: (sum, other) => {
        sum.bad += other.bad
        sum.unknown += other.unknown
      },
    })
    this.#clusters.load(
      points.map((point) => ({
        type: 'Feature',
        properties: point,
        geometry: { type: 'Point', coordinates: [point.lon, point.lat] },
      })),
    )
    if (this.#parts.at === undefined) this.#fit()
    else this.#draw()
  }

  /** Draws a line from where each of these coolers is meant to stand to where it was last. */
  tie(rows: readonly FleetRow[]): void {
    this.#ties.clearLayers()
    for (const row of rows) this.#tie(row, this.#ties)
  }

  #tie({ placement, lastFix, id }: FleetRow, layer: L.LayerGroup): void {
    if (lastFix === null) return
    if (placement !== null) {
      L.polyline(
        [placement, lastFix].map(({ lat, lon }) => [lat, lon] as L.LatLngTuple),
        { className: 'tie', interactive: false },
      ).addTo(layer)
    }
    L.circleMarker([lastFix.lat, lastFix.lon], { radius: 6, className: 'last-fix' })
      .bindTooltip(idText(id))
      .on('click', () => this.#parts.onPick(id))
      .addTo(layer)
  }

  /** Marks one cooler and where it was last; `move` goes there. */
  select(row: FleetRow | null, { move } = { move: false }): void {
    this.#selected.clearLayers()
    if (row === null) return
    this.#tie(row, this.#selected)
    const places = [row.placement, row.lastFix].flatMap((place) =>
      place === null ? [] : [L.latLng(place.lat, place.lon)],
    )
    for (const place of places.slice(0, 1))
      L.circleMarker(place, { radius: 14, className: 'selected', interactive: false }).addTo(this.#selected)
    if (move && places.length > 0) this.#map.fitBounds(L.latLngBounds(places), { maxZoom: STREET, padding: [60, 60] })
  }

  #showAt(at = ''): void {
    const [lat, lon, zoom] = at.split(',').map(Number)
    if ([lat, lon, zoom].every(Number.isFinite) && Math.abs(lat) <= 90) this.#map.setView([lat, lon], zoom)
    else this.#map.fitBounds(WORLD)
  }

  /** Shows all coolers. */
  #fit(): void {
    const places = this.#points.map(({ lat, lon }) => L.latLng(lat, lon))
    this.#map.fitBounds(places.length === 0 ? L.latLngBounds(WORLD) : L.latLngBounds(places), {
      maxZoom: STREET,
      padding: [40, 40],
    })
    this.#draw()
  }

  #draw(): void {
    this.#marks.clearLayers()
    const bounds = this.#map.getBounds().pad(0.2)
    const box: [number, number, number, number] = [
      bounds.getWest(),
      bounds.getSouth(),
      bounds.getEast(),
      bounds.getNorth(),
    ]
    for (const feature of this.#clusters?.getClusters(box, Math.round(this.#map.getZoom())) ?? []) {
      const [lon, lat] = feature.geometry.coordinates
      const mark =
        'cluster' in feature.properties
          ? this.#clusterMark(feature.properties)
          : this.#pointMark(feature.properties as Point)
      const marker = L.marker([lat, lon], mark.options).addTo(this.#marks)
      marker.on('click', () => mark.onPick(marker))
      marker.on('keypress', ({ originalEvent }) => {
        if (originalEvent.key === 'Enter') mark.onPick(marker)
      })
      // What is read aloud; it is the content otherwise.
      marker.getElement()?.setAttribute('aria-label', mark.options.title ?? '')
    }
  }

  #clusterMark({ cluster_id, point_count, bad, unknown }: ClusterProperties & Counts) {
    const kind: Kind = bad > 0 ? 'bad' : unknown === point_count ? 'unknown' : 'good'
    const title = say('map-cluster', { count: point_count, bad })
    const text = [h('b', {}, number(point_count)), bad > 0 ? h('span', {}, `▲ ${number(bad)}`) : '']
    const onPick = (marker: L.Marker): void => {
      const zoom = this.#clusters?.getClusterExpansionZoom(cluster_id) ?? STREET
      this.#map.setView(marker.getLatLng(), Math.min(zoom, CLOSEST))
    }
    return { options: markOptions(`cluster ${kind}`, title, h('span', {}, text), point_count < 1000 ? 44 : 64), onPick }
  }

  #pointMark(point: Point) {
    const kinds = { good: '', bad: '▲', unknown: '?' }
    const what = point.exceptions.map((name) => say(`exception-${name}`)).join(', ')
    const title = what === '' ? idText(point.id) : `${idText(point.id)}: ${what}`
    const options = markOptions(
      `cooler-mark ${kindOf(point)}`,
      title,
      h('span', { 'aria-hidden': 'true' }, kinds[kindOf(point)]),
      18,
    )
    return { options, onPick: () => this.#parts.onPick(point.id) }
  }

  async #showCoasts(signal: AbortSignal): Promise<void> {
    const response = await fetch(`/dashboard/${COASTS_FILE}`, { signal }).catch(() => null)
    if (response === null || signal.aborted) return
    const rings = (await response.json()) as L.LatLngTuple[][]
    if (signal.aborted) return
    this.#map.createPane('coasts').style.zIndex = '150' // Below the tiles.
    L.polygon(rings, {
      pane: 'coasts',
      renderer: L.svg({ pane: 'coasts', padding: 1 }),
      interactive: false,
      className: 'land',
    }).addTo(this.#map)
  }

  /** Shows the tiles of the server that the page names. Where it has none so close, those around them are enlarged. */
  #showTiles({ dataset }: HTMLElement): void {
    const { mapTiles: template, mapAttribution: attribution = '' } = dataset
    if (template === undefined) return
    const tiles = L.tileLayer(template, { maxZoom: CLOSEST, maxNativeZoom: CLOSEST, referrerPolicy: 'strict-origin' })
    const loaded = new Set<number>()
    tiles.on('tileload', ({ coords }) => void loaded.add(coords.z))
    tiles.on('tileerror', ({ coords }) => {
      if (loaded.has(coords.z) || coords.z === 0 || coords.z > (tiles.options.maxNativeZoom ?? CLOSEST)) return
      tiles.options.maxNativeZoom = coords.z - 1
      tiles.redraw()
    })
    tiles.addTo(this.#map)
    if (attribution !== '')
      L.control.attribution({ prefix: false }).addTo(this.#map).addAttribution(escaped(attribution))
  }
}

/** Makes a mark of a size in pixels. Its title is read aloud, and shown under the pointer. */
function markOptions(className: string, title: string, html: HTMLElement, size: number): L.MarkerOptions {
  const zIndexOffset = /\bbad$/.test(className) ? 1000 : 0 // Nothing hides an exception.
  return {
    title,
    zIndexOffset,
    icon: L.divIcon({ className: `mark-on-map ${className}`, html, iconSize: [size, size] }),
  }
}

/** Returns a text as HTML. */
function escaped(text: string): string {
  return h('span', {}, text).innerHTML
}
