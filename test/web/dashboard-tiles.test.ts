import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DAY, NOON } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { type Dashboard, filledService, openDashboard } from './dashboard-fixture.ts'
import { type Colour, colourOf, type TileServer, tileServer } from './tile-server.ts'

const ATTRIBUTION = '© The <b>makers</b> & "others"'
/** Berlin and Munich. */
const PLACES = [
  { lat: 52.52, lon: 13.405 },
  { lat: 48.137, lon: 11.575 },
]
/** Places of the map without coolers, buttons and legend. */
const POINTS: [x: number, y: number][] = [
  [100, 100],
  [300, 350],
  [500, 90],
  [80, 300],
]

const events = PLACES.flatMap((place, nth) => [
  { deviceId: `c${nth}`, at: '2025-05-01T00:00:00Z', type: 'placement', ...place },
  { deviceId: `c${nth}`, at: NOON, type: 'gps', ...place },
])

async function openMap(server: TileServer | null, attribution = ATTRIBUTION): Promise<Dashboard> {
  const settings = server === null ? {} : { COOLER_MAP_TILES: server.template, COOLER_MAP_ATTRIBUTION: attribution }
  return openDashboard(await filledService(events, settings), `#/map/${DAY}`)
}

/** What people see: what comes from elsewhere a page cannot read back. */
async function coloursOf(page: Page): Promise<Colour[]> {
  const picture = (await page.locator('.map-frame canvas').screenshot()).toString('base64')
  return page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${picture}'
    await image.decode()
    const context = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d')
    context.drawImage(image, 0, 0)
    return ${JSON.stringify(POINTS)}.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3))
  })()`) as Promise<Colour[]>
}

/** Where the map shows both places: the zoom, and the tile of a pixel by the formulas of slippy maps. */
async function viewOf(page: Page) {
  const [width, height] = (await page.evaluate(
    "(({ clientWidth, clientHeight }) => [clientWidth, clientHeight])(document.querySelector('.map-frame canvas'))",
  )) as [number, number]
  const column = (lon: number): number => (lon + 180) / 360
  const row = (lat: number): number => (1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2
  const [[west, east], [north, south]] = [
    PLACES.map(({ lon }) => column(lon)).sort(),
    PLACES.map(({ lat }) => row(lat)),
  ]
  const scale = Math.min((width * 0.86) / (east - west), (height * 0.8) / (south - north))
  const z = Math.round(Math.log2(scale / 256))
  const tileAt = (x: number, y: number, zoom = z): [number, number] => [
    Math.floor(((west + east) / 2 + (x - width / 2) / scale) * 2 ** zoom),
    Math.floor(((north + south) / 2 + (y - height / 2) / scale) * 2 ** zoom),
  ]
  const [[left, top], [right, bottom]] = [tileAt(0, 0), tileAt(width - 0.01, height - 0.01)]
  const tiles: string[] = []
  for (let x = left; x <= right; x++) for (let y = top; y <= bottom; y++) tiles.push(`${z}/${x}/${y}`)
  return { z, tiles, colours: (zoom = z) => POINTS.map(([x, y]) => colourOf(zoom, ...tileAt(x, y, zoom))) }
}

/** Of an outline alone. */
async function outlineColours(page: Page): Promise<string[]> {
  const names = ['--land', '--sea', '--shore']
  const style = `getComputedStyle(document.querySelector('canvas'))`
  return page.evaluate(`${JSON.stringify(names)}.map((name) => ${style}.getPropertyValue(name).trim())`) as Promise<
    string[]
  >
}

const hex = (colour: Colour): string => `#${Buffer.from(colour).toString('hex')}`

test('the map shows the tiles of its view, asks for no others, and tells whose they are', async () => {
  const server = await tileServer()
  const { page, url } = await openMap(server)
  const view = await viewOf(page)
  await eventually(() => coloursOf(page)).toEqual(view.colours())
  expect([...server.asked].sort()).toEqual(view.tiles.sort())
  expect(await page.getByText(ATTRIBUTION, { exact: true }).isVisible()).toBe(true)
  expect([...server.referers], 'where it is from, and not what it shows').toEqual([`${url}/`])
})

test('another view has other tiles, the outline where there are none yet, and before them those around them', async () => {
  const server = await tileServer()
  server.does('wait')
  const { page } = await openMap(server)
  const view = await viewOf(page)
  // A browser asks for few at once.
  await eventually(() => server.asked.length).toBeGreaterThan(4)
  const outline = await outlineColours(page)
  for (const colour of await coloursOf(page)) expect(outline).toContain(hex(colour))
  server.does('answer')
  await eventually(() => coloursOf(page)).toEqual(view.colours())
  server.asked.length = 0
  server.does('wait')
  for (const _ of [1, 2]) await page.getByRole('application').press('+')
  await eventually(() => server.asked.length).toBeGreaterThan(0)
  expect(server.asked.every((tile) => tile.startsWith(`${view.z + 1}/`))).toBe(true)
  for (const colour of await coloursOf(page)) expect(colour[2], 'of the zoom before').toBe(colourOf(view.z, 0, 0)[2])
})

test('a tile server that fails leaves the outline; one without tiles so close shows those there are', async () => {
  const server = await tileServer()
  server.does('fail')
  const { page } = await openMap(server)
  const view = await viewOf(page)
  await eventually(() => server.asked).toContain('0/0/0')
  const outline = await outlineColours(page)
  for (const colour of await coloursOf(page)) expect(outline).toContain(hex(colour))
  const asked = server.asked.length
  await page.getByRole('application').press('ArrowUp')
  await page.getByRole('application').press('ArrowDown')
  await page.screenshot()
  expect(server.asked.filter((tile) => view.tiles.includes(tile)).length, 'each once').toBe(view.tiles.length)
  expect(asked).toBeLessThan(view.tiles.length * 2)
  server.does('answer', view.z - 2)
  await page.reload()
  await eventually(() => coloursOf(page)).toEqual(view.colours(view.z - 2))
})

test('of many views only so many tiles are kept', async () => {
  const server = await tileServer()
  const { page } = await openMap(server)
  const [made, kept] = (await page.evaluate(`(async () => {
    const { TilePictures } = await import('/dashboard/tile-pictures.js')
    const images = []
    const PageImage = window.Image
    window.Image = class extends PageImage {
      constructor() {
        super()
        images.push(this)
      }
    }
    const { signal } = new AbortController()
    const pictures = new TilePictures(${JSON.stringify(server.template)}, { signal, onChange: () => {} })
    for (let nth = 1; nth < 20; nth++) {
      pictures.inView({ x: nth / 20, y: 0.5, scale: 256 * 2 ** 8 }, { width: 1280, height: 800 })
      await Promise.allSettled(images.map((image) => image.decode()))
    }
    return [images.length, images.filter((image) => image.hasAttribute('src')).length]
  })()`)) as [number, number]
  expect(made).toBeGreaterThan(400)
  expect(kept).toBe(320)
})

test('the policy of the page allows pictures of the tile server alone, and only where there is one', async () => {
  const server = await tileServer()
  const policy = async ({ url }: Dashboard): Promise<string> =>
    (await fetch(url)).headers.get('content-security-policy') as string
  const without = await openMap(null)
  const asked: string[] = []
  without.page.on('request', (request) => asked.push(request.url()))
  await without.page.reload()
  await without.page.getByText('No cooler was more than 200 m off.').waitFor()
  await without.page.getByRole('application').press('+')
  await without.page.screenshot()
  expect(asked.length).toBeGreaterThan(10)
  expect(asked.filter((address) => !address.startsWith(`${without.url}/`))).toEqual([])
  expect(await without.page.locator('.map-foot p').count()).toBe(0)
  const withTiles = await openMap(server, '')
  expect(await policy(withTiles)).toBe((await policy(without)).replace('data:;', `data: ${server.origin};`))
  expect(await policy(without)).toContain("img-src 'self' data:;")
  expect(await withTiles.page.locator('.map-foot p').count()).toBe(0)
})
