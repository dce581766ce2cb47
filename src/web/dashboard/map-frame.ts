import { h, s } from './dom.ts'
import type { MapCanvas } from './map-canvas.ts'
import { type MessageName, say } from './messages.ts'

const CLOSER = 1.8

/** Makes the map with its buttons, its legend and the attribution of its tiles. */
export function mapFrame(canvas: HTMLCanvasElement, map: MapCanvas, attribution: string): HTMLElement {
  const zoom = (name: MessageName, sign: string, factor: number): HTMLElement =>
    h(
      'button',
      { type: 'button', class: 'zoom', 'aria-label': say(name), title: say(name), onclick: () => map.zoom(factor) },
      h('span', { 'aria-hidden': 'true' }, sign),
    )
  const whole = h('button', { type: 'button', onclick: () => map.fit({ always: true }) }, say('map-all'))
  return h(
    'div',
    { class: 'map-frame' },
    canvas,
    h('div', { class: 'map-buttons' }, zoom('map-zoom-in', '+', CLOSER), zoom('map-zoom-out', '−', 1 / CLOSER), whole),
    h('div', { class: 'map-foot' }, legend(), attribution === '' ? null : h('p', {}, attribution)),
  )
}

const legend = (): HTMLElement =>
  h(
    'ul',
    { class: 'map-legend', 'aria-label': say('map-legend') },
    sign(say('map-fine'), s('circle', { cx: 6, cy: 6, r: 4, fill: 'var(--accent)' })),
    sign(say('map-flagged'), s('path', { d: 'M6 1 11 10H1Z', fill: 'var(--flag)' })),
    sign(
      say('map-placement'),
      s('rect', { x: 2, y: 2, width: 8, height: 8, fill: 'none', stroke: 'var(--flag)', 'stroke-width': 1.5 }),
    ),
  )

const sign = (name: string, shape: SVGElement): HTMLElement =>
  h('li', {}, s('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, shape), name)
