import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../base/metrics.ts'
import { READ_ALL } from './access.ts'
import { call, describeText, resource, type Statement } from './call.ts'

const READ_METRICS = {
  operationId: 'readMetrics',
  tags: ['Service'],
  summary: 'Metrics, for Prometheus',
  description:
    'Landing, rollups, what is due, the queue, the store and every answer, in the text format of Prometheus.',
  access: READ_ALL,
  response: {
    200: describeText('A sample a line.', ['text/plain'], '# TYPE cooler_devices gauge\ncooler_devices 120\n'),
  },
  errors: [],
} as const satisfies Statement

/** Measures the time of every answer of the API. Must come before the first route. */
export function timeAnswers(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    // Unknown paths may be anything, so all of them share one label.
    const route = routeOptions.url ?? 'none'
    metrics.answered({ route, method, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    done()
  })
}

/** `GET /metrics`: the metrics in the text format of Prometheus. */
export function metricsRoutes(app: FastifyInstance, metrics: Metrics): void {
  resource(app, '/metrics', {
    GET: call(READ_METRICS, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text())),
  })
}
