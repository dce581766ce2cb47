import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { OPEN } from '../api/access.ts'
import { call, resource, type Statement, textOf } from '../api/call.ts'
import { documentOf, renderDocument } from './open-api.ts'
import { pagePolicy, referencePage } from './page.ts'

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
  description: 'The same document as a page, without scripts and without anything from elsewhere.',
  access: OPEN,
  response: { 200: textOf('An HTML page.', ['text/html'], '<!doctype html>...') },
  errors: [],
} as const satisfies Statement

/** `GET /openapi.json`, the description of the API, and `GET /docs`, the same as a page. */
export function referenceRoutes(app: FastifyInstance): void {
  const text = once(() => Buffer.from(renderDocument(app)))
  const policy = once(pagePolicy)
  const page = once(() => Buffer.from(referencePage(documentOf(app))))
  resource(app, '/openapi.json', {
    GET: call(READ_DOCUMENT, async (_request, reply) => reply.type('application/json; charset=utf-8').send(text())),
  })
  resource(app, '/docs', {
    GET: call(READ_PAGE, async (_request, reply) =>
      reply.header('content-security-policy', policy()).type('text/html; charset=utf-8').send(page()),
    ),
  })
}

/** What is open to everybody is made and compressed once, when it is first asked for: then it costs the same each time. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | null = null
  return () => {
    made ??= make()
    return made
  }
}
