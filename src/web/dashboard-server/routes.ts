import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { Type } from '../../base/typebox.ts'
import type { MapTiles } from '../../config/map-tiles.ts'
import { FIGURES } from '../../rollup/figures/figures.ts'
import { OPEN } from '../api/access.ts'
import { type Asset, builtPath, makeAsset, onFirstUse, PAGE, SCRIPT, sendAsset } from '../api/asset.ts'
import { call, describeText, resource, type Statement } from '../api/call.ts'
import { dashboardPage } from './page.ts'
import { DASHBOARD_STYLE } from './style.ts'

/**
 * Returns the content security policy of the dashboard: the page may run its own scripts, call this service, show
 * pictures of the tile server if there is one, and nothing else. Device data that got into the page as markup could not
 * run.
 */
const policyOf = (mapTiles: MapTiles | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${mapTiles === null ? '' : ` ${mapTiles.origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const READ_PAGE = {
  operationId: 'readDashboard',
  tags: ['Service'],
  summary: 'The dashboard',
  description: 'A page that asks this API for what it shows, with the key of whoever looks at it.',
  access: OPEN,
  response: { 200: describeText('An HTML page.', ['text/html'], '<!doctype html>...') },
  errors: [],
} as const satisfies Statement

const READ_FILE = {
  operationId: 'readDashboardFile',
  tags: ['Service'],
  summary: 'What the dashboard is made of',
  description: 'Scripts, a style sheet and an outline of the world: those that the page names.',
  access: OPEN,
  params: Type.Object({ file: Type.String({ description: 'Name of the file.', examples: ['style.css'] }) }),
  response: { 200: describeText('The text of the file.', ['text/javascript', 'text/css']) },
  errors: ['not-found'],
} as const satisfies Statement

export interface DashboardOptions {
  /** Tiles of the map; null for none. */
  mapTiles: MapTiles | null
  /** Whether there is a page of the queues to link to. */
  hasQueues: boolean
}

/** `GET /`, the dashboard, and `GET /dashboard/{file}`, its files. They hold no data: the page asks the API for it. */
export function dashboardRoutes(app: FastifyInstance, options: DashboardOptions): void {
  const assets = onFirstUse(() => readAssets(options))
  const policy = policyOf(options.mapTiles)
  resource(app, '/', {
    GET: call(READ_PAGE, async (request, reply) => sendAsset(request, reply, assets().page, policy)),
  })
  resource(app, '/dashboard/:file', {
    GET: call(READ_FILE, async (request, reply) => {
      const asset = assets().files.get(request.params.file)
      if (asset === undefined) throw new CoolerError('not-found', 'the dashboard has no such file')
      return sendAsset(request, reply, asset, policy)
    }),
  })
}

function readAssets(options: DashboardOptions): { page: Asset; files: ReadonlyMap<string, Asset> } {
  const scripts = readdirSync(SCRIPTS).filter((name) => name.endsWith('.js'))
  const readScript = (name: string): string =>
    name === 'figures.js' ? figuresScript() : readFileSync(`${SCRIPTS}${name}`, 'utf8')
  const texts = scripts.map((name) => [name, SCRIPT, readScript(name)] as const)
  const outline = readFileSync(createRequire(import.meta.url).resolve('world-atlas/land-110m.json'), 'utf8')
  const all = [
    ...texts,
    ['style.css', 'text/css; charset=utf-8', DASHBOARD_STYLE],
    ['land.json', 'application/json; charset=utf-8', outline],
  ] as const
  return {
    page: makeAsset(PAGE, dashboardPage(scripts, options)),
    files: new Map(all.map(([name, type, body]) => [name, makeAsset(type, withoutMap(body))])),
  }
}

/** Returns the script that gives the page the data of the figures, without the functions that finalise them. */
const figuresScript = (): string =>
  `export const FIGURES = ${JSON.stringify(FIGURES)}\nexport const FIGURE_NAMES = Object.keys(FIGURES)\n`

/** Removes the reference to the source map of a compiled script, because the maps are not served. */
const withoutMap = (body: string): string => body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')

const SCRIPTS = builtPath(new URL('../dashboard/', import.meta.url))
