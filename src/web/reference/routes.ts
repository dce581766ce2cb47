import type { FastifyInstance } from 'fastify'
import { allow, OPEN } from '../api/access.ts'
import { resource } from '../api/resource.ts'
import { openApi, renderOpenApi } from '../openapi/openapi.ts'
import { pagePolicy, referencePage } from './page.ts'

/** `GET /openapi.json`, the description of the API, and `GET /docs`, the same as a page. */
export function referenceRoutes(app: FastifyInstance): void {
  const text = once(() => Buffer.from(renderOpenApi()))
  const policy = once(pagePolicy)
  const page = once(() => Buffer.from(referencePage(openApi())))
  resource(app, '/openapi.json', {
    GET: allow(OPEN, async (_request, reply) => reply.type('application/json; charset=utf-8').send(text())),
  })
  resource(app, '/docs', {
    GET: allow(OPEN, async (_request, reply) =>
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
