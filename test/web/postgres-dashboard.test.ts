import { expect, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { filledService, openDashboard } from './dashboard-fixture.ts'

test('health shows the state of PostgreSQL', async () => {
  const service = await filledService([visitors('a', 1)])
  await service.pipeline.upkeep.compact(Date.now())
  const { page } = await openDashboard(service, '#/health')
  const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'PostgreSQL' }) })
  await panel.waitFor()
  expect(await panel.textContent()).toMatch(/Standbys0.*Days ahead with partitions([89]|1\d)$/s)
})
