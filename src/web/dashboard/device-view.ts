import { idText } from '../../base/id-text.ts'
import type { DeviceAnswer, DeviceDaysAnswer } from './answers.ts'
import { ask } from './api.ts'
import { dayTools } from './day-tools.ts'
import { dayText } from './days.ts'
import { placeFacts, placementAt } from './device-place.ts'
import { fill, h } from './dom.ts'
import { downloads } from './downloads.ts'
import { instantNode, mediumDay } from './format.ts'
import { say } from './messages.ts'
import { devicePath, encoded, hashOf } from './routes.ts'
import { addPart, READ } from './trouble.ts'
import { beginView, facts, type Stage } from './view.ts'

const DAYS = 31

/** Shows 31 days of one cooler, `lastDay` included. */
export async function showDevice(stage: Stage, id: string, lastDay: number): Promise<void> {
  const go = (to: number): void => {
    location.hash = hashOf({ view: 'device', id, lastDay: to })
  }
  beginView(stage, say('device-title', { id: idText(id) }), dayTools(say('last-day'), lastDay, go))
  const days = Array.from({ length: DAYS }, (_, nth) => lastDay - DAYS + 1 + nth)
  stage.main.append(
    h('p', { class: 'quiet' }, say('device-range', { first: mediumDay(days[0]), last: mediumDay(lastDay) })),
    downloads(
      () => `/v1/reports/summary?startDay=${dayText(days[0])}&endDay=${dayText(lastDay)}&assertIds=${encoded(id)}`,
      stage.signal,
    ),
  )
  const { signal } = stage
  await addPart(stage, READ, async (body) => {
    const device = await ask<DeviceAnswer>(devicePath(id), { signal })
    const about = h('div', { class: 'panel' }, aboutOf(device))
    const range = `fromDay=${dayText(days[0])}&toDay=${dayText(lastDay)}`
    const answer = await ask<DeviceDaysAnswer>(devicePath(id, '/days', range), { signal })
    const { deviceCharts, isSilent } = await import('./device-charts.ts')
    const silence = [h('span', { class: 'swatch unknown', 'aria-hidden': 'true' }), ' ', say('chart-silent')]
    fill(
      body,
      about,
      answer.days.some(isSilent) ? h('p', { class: 'quiet' }, silence) : null,
      h('div', { class: 'grid' }, deviceCharts({ id, days, answers: answer.days }, signal)),
    )
  })
}

function aboutOf(device: DeviceAnswer): HTMLElement {
  const placement = placementAt(device, Date.now())
  const { lastHeardAt, retiredAt } = device
  // A cooler without a zone of its own has that of the service, which the page does not know: then UTC, which is named.
  const zone = placement?.timezone ?? 'UTC'
  return facts([
    ...placeFacts({ placement: placement ?? null, address: placement?.address ?? null, lastHeardAt }, zone),
    [say('zone'), placement?.timezone ?? say('zone-default')],
    ...(retiredAt === null ? [] : [[say('retired'), instantNode(retiredAt, zone)] as const]),
  ])
}
