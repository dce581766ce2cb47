import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DAY, NOON } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { type Dashboard, filledService, openDashboard } from './dashboard-fixture.ts'
import { type TileServer, tileServer } from './tile-server.ts'

const ATTRIBUTION = '© The <b>makers</b> & "others"'
/** Berlin and Munich. */
const PLACES = [
  { lat: 52.52, lon: 13.405 },
  { lat: 48.137, lon: 11.575 },
]
const events = PLACES.flatMap((place, nth) => [
  { deviceId: `c${nth}`, at: '2025-05-01T00:00:00Z', type: 'placement', ...place },
  { deviceId: `c${nth}`, at: NOON, type: 'gps', ...place },
])

async function openMap(server: TileServer | null, attribution = ATTRIBUTION): Promise<Dashboard> {
  const settings = server === null ? {} : { COOLER_MAP_TILES: server.template, COOLER_MAP_ATTRIBUTION: attribution }
  return openDashboard(await filledService(events, settings), `#/map/${DAY}`)
}

/** The tiles that a view of the map needs, by the formulas of slippy maps, with the edge that Leaflet adds. */
async function viewOf(page: Page) {
  const { width, height } = (await page.locator('.map-frame').boundingBox()) as { width: number; height: number }
  const [lat, lon, zoom] = (/at=([^&]*)/.exec(decodeURIComponent(page.url()))?.[1] ?? '').split(',').map(Number)
  const size = 256 * 2 ** zoom
  const x = ((lon + 180) / 360) * size
  const y = ((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * size
  const tiles = new Set<string>()
  for (let column = Math.floor((x - width / 2) / 256); column * 256 <= x + width / 2; column++) {
    for (let row = Math.floor((y - height / 2) / 256); row * 256 <= y + height / 2; row++)
      tiles.add(`${zoom}/${column}/${row}`)
  }
  return { zoom, tiles }
}

const shownTiles = (page: Page): Promise<string[]> =>
  page
    .locator('.leaflet-tile-loaded')
    .evaluateAll((tiles) =>
      tiles.map((tile) => new URL((tile as unknown as { src: string }).src).pathname.replace(/^\/tiles\/|\.png$/g, '')),
    )

test('the map shows the tiles of its view, asks for no others, and tells whose they are', async () => {
  const server = await tileServer()
  const { page, url } = await openMap(server)
  await eventually(() => shownTiles(page).then((tiles) => tiles.length)).toBeGreaterThan(3)
  const { tiles } = await viewOf(page)
  await eventually(() => [...tiles].every((tile) => server.asked.includes(tile))).toBe(true)
  const beyond = server.asked.filter((tile) => !tiles.has(tile))
  expect(beyond.length, 'a row of tiles around what is seen').toBeLessThan(30)
  expect(await page.getByText(ATTRIBUTION, { exact: true }).isVisible()).toBe(true)
  expect([...server.referers], 'where it is from, and not what it shows').toEqual([`${url}/`])
})

test('a tile server that fails leaves the coasts; one without tiles so close shows those there are', async () => {
  const server = await tileServer()
  server.does('fail')
  const { page } = await openMap(server)
  await eventually(() => server.asked).toContain('0/0/0')
  expect(await shownTiles(page)).toEqual([])
  expect(await page.locator('path.land').count()).toBe(1)
  const { zoom } = await viewOf(page)
  server.does('answer', zoom - 2)
  await page.reload()
  await eventually(() => shownTiles(page).then((tiles) => tiles.some((tile) => tile.startsWith(`${zoom - 2}/`)))).toBe(
    true,
  )
})

test('the policy of the page allows pictures of the tile server alone, and only where there is one', async () => {
  const server = await tileServer()
  const policy = async ({ url }: Dashboard): Promise<string> =>
    (await fetch(url)).headers.get('content-security-policy') as string
  const without = await openMap(null)
  const asked: string[] = []
  without.page.on('request', (request) => asked.push(request.url()))
  await without.page.reload()
  await without.page.getByText('None is known to have moved.').waitFor()
  await without.page.getByRole('application').press('+')
  await without.page.screenshot()
  expect(asked.length).toBeGreaterThan(5)
  expect(asked.filter((address) => !address.startsWith(`${without.url}/`))).toEqual([])
  expect(await without.page.locator('.leaflet-control-attribution').count()).toBe(0)
  const withTiles = await openMap(server, '')
  expect(await policy(withTiles)).toBe((await policy(without)).replace('data:;', `data: ${server.origin};`))
  expect(await policy(without)).toContain("img-src 'self' data:;")
  expect(await withTiles.page.locator('.leaflet-control-attribution').count()).toBe(0)
})
