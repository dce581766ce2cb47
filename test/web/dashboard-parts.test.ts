import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { type TemporaryService, temporaryService } from '../helpers/temporary-service.ts'
import { filledService, openDashboard } from './dashboard-fixture.ts'
import { makeKeys } from './keyed-app.ts'

describe('with keys', () => {
  const { keys, settings } = makeKeys({
    reader: { scopes: ['read'] },
    admin: { scopes: ['admin'] },
    some: { scopes: ['read'], prefix: 'a' },
  })

  test('a key is asked for, kept in the tab alone, and shows what it may', async () => {
    const service = await filledService([visitors('a', 1), visitors('b', 2)], settings)
    const { page, go } = await openDashboard(service, `#/day/${DAY}`)
    await page.getByRole('heading', { name: 'An API key is needed' }).waitFor()
    await page.getByLabel('API key').fill('nonsense')
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('The service does not know this key.').waitFor()
    await page.getByLabel('API key').fill(keys.some)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'a', exact: true }).waitFor()
    expect(await page.getByRole('status').textContent()).toBe('1 of 1 cooler')
    expect(await page.evaluate('JSON.stringify([Object.values(localStorage), document.cookie])')).not.toContain(
      keys.some,
    )
    await page.reload()
    await page.getByRole('link', { name: 'a', exact: true }).waitFor()
    await go('#/rejects')
    await page.getByText('It needs a key of the scope admin that is not limited to some devices.').waitFor()
    await go('#/health')
    await page.getByText('It needs a key of the scope read that is not limited').waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.getByLabel('API key').fill(keys.admin)
    await page.keyboard.press('Enter')
    await page.getByText('All that came in is rolled up.').waitFor()
  })
})

describe('rejected events', () => {
  const bad = [
    { deviceId: 'x', at: 5, type: 'door' },
    { deviceId: '<img src=x onerror=alert(1)>\u202E', at: '2025-06-01T12:00:00Z', type: 'nothing' },
  ]

  test('are told by reason, as text whatever they hold, and replayed', async () => {
    const { page, service } = await openDashboard(await filledService(bad), '#/rejects')
    const shown = bad.toReversed().map((event) => JSON.stringify(event).replace('\u202E', '⟨U+202E⟩'))
    expect(await page.locator('.raw').allTextContents()).toEqual(shown)
    expect(await page.locator('main img').count()).toBe(0)
    await page.getByRole('button', { name: 'Show only at-in-seconds' }).click()
    const raws = page.locator('.raw')
    await eventually(() => raws.allTextContents()).toEqual([JSON.stringify(bad[0])])
    await page.getByRole('button', { name: 'Show all reasons' }).click()
    await eventually(() => raws.count()).toBe(2)
    await page.getByRole('button', { name: 'Replay event 1' }).click()
    const outcome = page.getByRole('status')
    await eventually(() => outcome.textContent()).toMatch(/^Replayed: 0 accepted, 1 rejected/)
    await page.getByRole('button', { name: 'Replay all that are unknown-type' }).click()
    await page.getByText('Replay 1 event rejected as unknown-type?').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await eventually(() => outcome.textContent()).toMatch(/^Replayed: 0 accepted, 1 rejected/)
    // What was rejected once more is kept under a new number.
    await page.getByRole('button', { name: 'Replay event 4' }).waitFor()
    await service.close()
    await page.getByRole('button', { name: 'Replay event 4' }).click()
    await eventually(() => outcome.textContent()).toBe('Nothing was replayed: The service does not answer.')
  })
})

test('of more rejected events than are loaded, all are counted, listed by reason, and replayed only if one agrees', async () => {
  const many = Array.from({ length: 250 }, () => ({ deviceId: 'x', at: 5, type: 'door' }))
  const later = Array.from({ length: 210 }, () => 7)
  const { page, service } = await openDashboard(await filledService([...many, ...later]), '#/rejects')
  const count = (reason: string) => page.getByRole('row', { name: reason }).getByRole('cell').first().textContent()
  expect(await count('at-in-seconds')).toBe('250')
  expect(await count('not-an-object')).toBe('210')
  await page.getByRole('button', { name: 'Show only at-in-seconds' }).click()
  await page.getByText('200 loaded').waitFor()
  await page.getByRole('button', { name: 'Replay all that are at-in-seconds' }).click()
  await page.getByText('Replay 250 events rejected as at-in-seconds?').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await service.pipeline.reader.landing.counters()).toMatchObject({ rejected: 460 })
})

test('what a service that was stopped and is back tells is shown: health by itself, the fleet when asked', async () => {
  const { page, service } = await openDashboard(await filledService([visitors('a', 1)]), '#/health')
  await page.getByText('There is no queue').waitFor()
  await service.intake.accept({ events: [visitors('late', 1)] })
  const late = page.getByText('Events of 1 earlier day wait for a rollup.')
  await late.waitFor()
  await service.close()
  const offline = page.getByText('The service does not answer.')
  await offline.waitFor()
  const again = await startedAgain(service)
  await late.waitFor()
  await page.getByRole('link', { name: 'Fleet' }).click()
  await page.evaluate(`location.hash = '#/day/${DAY}'`)
  await page.getByRole('link', { name: 'a', exact: true }).waitFor()
  await again.close()
  await page.getByRole('button', { name: 'Visitors' }).click()
  await offline.waitFor()
  await startedAgain(service)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'a', exact: true }).waitFor()
})

/** The same service on the same port and store. */
const startedAgain = ({ config: { store }, url }: TemporaryService): Promise<TemporaryService> =>
  temporaryService({ api: true, work: false }, { COOLER_STORE: store, PORT: new URL(url as string).port })

test('ids that would turn the text around, or hold what is not seen, are shown so that they are told apart', async () => {
  const ids = ['a\u202Ecba', 'a\u200Bb', 'a b', 'a  b', 'a b ', 'שלום-1']
  const { page, go } = await openDashboard(
    await filledService(ids.map((id) => visitors(id, 1))),
    `#/day/${DAY}?sort=id&order=asc`,
  )
  const shown = await page.locator('.fleet tbody th').allInnerTexts()
  expect(shown.map((text) => text.replace(/[\u2068\u2069]/g, '').trim()).filter((text) => text !== '')).toEqual([
    'a ⟨U+0020⟩b',
    'a b',
    'a b⟨U+0020⟩',
    'a⟨U+200B⟩b',
    'a⟨U+202E⟩cba',
    'שלום-1',
  ])
  await go(`#/device/${encodeURIComponent(ids[0])}/to/${DAY}`)
  expect(await page.locator('h1').textContent()).toBe('Cooler \u2068a⟨U+202E⟩cba\u2069')
})

test('every instant names its clock: that of the cooler where it is about one, else that of the viewer', async () => {
  const placement = {
    deviceId: 'a',
    at: '2025-05-01T00:00:00Z',
    type: 'placement',
    lat: 35.6,
    lon: 139.7,
    timezone: 'Asia/Tokyo',
  }
  const service = await filledService([placement, visitors('a', 1)])
  const { page, go } = await openDashboard(service, `#/day/${DAY}`, { timezoneId: 'America/New_York' })
  expect(await page.locator('.fleet time').allTextContents()).toEqual(['1 Jun 2025, 21:00:00 GMT+9'])
  await go(`#/device/a/to/${DAY}`)
  expect(await page.locator('.facts time').allTextContents()).toEqual([
    '1 Jun 2025, 21:00:00 GMT+9',
    '1 May 2025, 09:00:00 GMT+9',
  ])
  await go('#/health')
  await page.getByText(/^As of .* (EST|EDT|GMT-[45])$/).waitFor()
})

test('labels of coolers are columns to sort by, and filters', async () => {
  const service = await filledService(['a', 'b', 'c'].map((id) => visitors(id, 1)))
  for (const [id, route] of [
    ['a', 'N2'],
    ['b', 'N1'],
  ]) {
    const body = JSON.stringify({ route })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${service.url}/v1/devices/${id}/labels`, { method: 'PUT', headers, body })).status).toBe(200)
  }
  const { page } = await openDashboard(service, `#/day/${DAY}?columns=label:route`)
  const cells = async () =>
    (await page.locator('.fleet tbody:not(.spacer) tr').allInnerTexts()).map((row) => row.replaceAll('\n', ''))
  await page.getByRole('button', { name: 'route' }).click()
  await eventually(cells).toEqual(['a\tN2', 'b\tN1', 'c\t'])
  await page.getByLabel('Label').fill('route:N1')
  await eventually(cells).toEqual(['b\tN1'])
  expect(page.url()).toMatch(/label=route%3AN1/)
})
