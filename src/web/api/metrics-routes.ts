import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../base/metrics.ts'
import { allow, READ_ALL } from './access.ts'
import { resource } from './resource.ts'

/** `GET /metrics`, as Prometheus reads them; every answer of the API is timed. */
export function metricsRoutes(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    // A path that is none of ours may be anything: all of them are one.
    const route = routeOptions.url ?? 'none'
    metrics.answered({ route, method, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    done()
  })
  resource(app, '/metrics', {
    GET: allow(READ_ALL, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text())),
  })
}
