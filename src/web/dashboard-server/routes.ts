import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { Type } from '../../base/typebox.ts'
import type { MapTiles } from '../../config/map-tiles.ts'
import { OPEN } from '../api/access.ts'
import { type Asset, KEPT, makeAsset, onFirstUse, PAGE, SCRIPT, sendAsset } from '../api/asset.ts'
import { call, describeText, resource, type Statement } from '../api/call.ts'
import { BUNDLE, type Bundle, MANIFEST } from './files.ts'
import { dashboardPage } from './page.ts'

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
  description:
    'Scripts, a style sheet and the coasts of the world. A name holds a hash of the content, so browsers keep the file.',
  access: OPEN,
  params: Type.Object({ file: Type.String({ description: 'Name of the file.', examples: ['main-BX3hIrqd.js'] }) }),
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
      return sendAsset(request, reply, asset, policy, KEPT)
    }),
  })
}

function readAssets(options: DashboardOptions): { page: Asset; files: ReadonlyMap<string, Asset> } {
  const bundle = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Bundle
  const read = (name: string): Asset => makeAsset(TYPES[extname(name)], readFileSync(`${BUNDLE}${name}`))
  return {
    page: makeAsset(PAGE, dashboardPage(bundle, options)),
    files: new Map(bundle.files.map((name) => [name, read(name)])),
  }
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT,
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}
