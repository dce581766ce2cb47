import { h } from './dom.ts'
import { type MessageName, say } from './messages.ts'
import { plainNumber } from './number.ts'

/** Makes the legend of a map of coolers. */
export function mapLegend(): HTMLElement {
  const sign = (kind: string, text: string, name: MessageName): HTMLElement =>
    h('li', {}, h('span', { class: `mark-on-map ${kind}`, 'aria-hidden': 'true' }, text), ' ', say(name))
  return h(
    'ul',
    { class: 'map-legend', 'aria-label': say('map-legend') },
    sign('cooler-mark good', '', 'map-good'),
    sign('cooler-mark bad', '▲', 'map-bad'),
    sign('cooler-mark unknown', '?', 'map-not-known'),
    sign('cluster good', plainNumber(5), 'map-several'),
    sign('last-fix', '', 'map-last-fix'),
  )
}
