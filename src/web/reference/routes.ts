import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { BUILT } from '../../base/project-folder.ts'
import { Type } from '../../base/typebox.ts'
import { OPEN } from '../api/access.ts'
import { makeAsset, onFirstUse, PAGE, SCRIPT, sendAsset } from '../api/asset.ts'
import { call, describeText, resource, type Statement } from '../api/call.ts'
import { renderDocument } from './open-api.ts'
import { PAGE_POLICY, referencePage } from './page.ts'

const READ_DOCUMENT = {
  operationId: 'readOpenApi',
  tags: ['Service'],
  summary: 'This description, for programs',
  description: 'The OpenAPI 3.1 document of this API, from which clients can be generated.',
  access: OPEN,
  response: {
    200: Type.Unsafe<unknown>({
      type: 'object',
      description: 'An OpenAPI 3.1 document.',
      additionalProperties: {},
      examples: [{ openapi: '3.1.0', info: { title: 'cooler-reports', version: '1' }, paths: {} }],
    }),
  },
  errors: [],
} as const satisfies Statement

const READ_PAGE = {
  operationId: 'readDocs',
  tags: ['Service'],
  summary: 'This description, for people',
  description: 'The same document as a page to search in and to try calls from; nothing of it is from elsewhere.',
  access: OPEN,
  response: { 200: describeText('An HTML page.', ['text/html'], '<!doctype html>...') },
  errors: [],
} as const satisfies Statement

const READ_SCRIPT = {
  operationId: 'readDocsScript',
  tags: ['Service'],
  summary: 'The script of that page',
  description: 'It reads the description, shows it, and makes the calls that somebody tries.',
  access: OPEN,
  response: { 200: describeText('The script.', ['text/javascript']) },
  errors: [],
} as const satisfies Statement

/** Written by the build. */
const SCRIPT_FILE = `${BUILT}/web/reference/reference.js`

/**
 * `GET /openapi.json` (the API description), `GET /docs` (the same as a page) and the script of that page. `hasQueues`:
 * whether there is a page of the queues to link to.
 */
export function referenceRoutes(app: FastifyInstance, { hasQueues }: { hasQueues: boolean }): void {
  const text = onFirstUse(() => Buffer.from(renderDocument(app)))
  const page = onFirstUse(() => makeAsset(PAGE, referencePage(hasQueues)))
  const script = onFirstUse(() => makeAsset(SCRIPT, readFileSync(SCRIPT_FILE)))
  resource(app, '/openapi.json', {
    GET: call(READ_DOCUMENT, async (_request, reply) => reply.type('application/json; charset=utf-8').send(text())),
  })
  resource(app, '/docs', {
    GET: call(READ_PAGE, async (request, reply) => sendAsset(request, reply, page(), PAGE_POLICY)),
  })
  resource(app, '/docs/reference.js', {
    GET: call(READ_SCRIPT, async (request, reply) => sendAsset(request, reply, script(), PAGE_POLICY)),
  })
}
