import type { DeviceAnswer, DeviceDaysAnswer } from './answers.ts'
import { ask } from './api.ts'
import { dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { degrees, placementAt } from './device-place.ts'
import { fill, h } from './dom.ts'
import { downloads } from './downloads.ts'
import { instantNode, mediumDay } from './format.ts'
import { idText } from './id-text.ts'
import { say } from './messages.ts'
import { devicePath, encoded, hashOf } from './routes.ts'
import { guarded } from './trouble.ts'
import { beginView, facts, type Stage } from './view.ts'

const DAYS = 31

/** Shows 31 days of one cooler, `lastDay` included. */
export async function showDevice(stage: Stage, id: string, lastDay: number): Promise<void> {
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'device', id, lastDay: to })
  }
  beginView(stage, say('device-title', { id: idText(id) }), dayTools(say('last-day'), lastDay, go))
  const days = Array.from({ length: DAYS }, (_, nth) => lastDay - DAYS + 1 + nth)
  const body = h('div', { 'aria-busy': 'true' }, h('p', { class: 'quiet' }, say('loading')))
  stage.main.append(
    h('p', { class: 'quiet' }, say('device-range', { first: mediumDay(days[0]), last: mediumDay(lastDay) })),
    downloads(
      () => `/v1/reports/summary?startDay=${dayText(days[0])}&endDay=${dayText(lastDay)}&assertIds=${encoded(id)}`,
      stage.signal,
    ),
    body,
  )
  const { signal } = stage
  await guarded(body, signal, { scope: 'read', ofAll: false }, async () => {
    const device = await ask<DeviceAnswer>(devicePath(id), { signal })
    const about = h('div', { class: 'panel' }, aboutOf(device))
    const range = `fromDay=${dayText(days[0])}&toDay=${dayText(lastDay)}`
    const answer = await ask<DeviceDaysAnswer>(devicePath(id, '/days', range), { signal })
    const { deviceCharts } = await import('./device-charts.ts')
    fill(body, about, h('div', { class: 'grid' }, deviceCharts({ id, days, answers: answer.days }, signal)))
    body.removeAttribute('aria-busy')
  })
}

function aboutOf(device: DeviceAnswer): HTMLElement {
  const placement = placementAt(device, Date.now())
  const { lastHeardAt, retiredAt } = device
  // A cooler without a zone of its own has that of the service, which the page does not know: then UTC, which is named.
  const zone = placement?.timezone ?? 'UTC'
  return facts([
    [say('last-heard'), lastHeardAt === null ? say('never-heard') : instantNode(lastHeardAt, zone)],
    [say('placement'), placement === undefined ? say('never-placed') : degrees(placement.lat, placement.lon)],
    ...(placement === undefined
      ? []
      : ([
          [say('placed-since'), instantNode(placement.at, zone)],
          [say('zone'), placement.timezone ?? say('zone-default')],
          ...(placement.address === undefined ? [] : [[say('address'), h('bdi', {}, placement.address)] as const]),
        ] as const)),
    ...(retiredAt === null ? [] : [[say('retired'), instantNode(retiredAt, zone)] as const]),
  ])
}
