import type { FastifyInstance, HTTPMethods, onRequestHookHandler, RouteHandlerMethod } from 'fastify'
import { CoolerError } from '../errors.ts'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Registers the handlers of one path; its other methods are answered 405 with what is allowed. */
export function resource(
  app: FastifyInstance,
  url: string,
  handlers: Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', RouteHandlerMethod>>,
  onRequest: onRequestHookHandler[] = [],
): void {
  const own = Object.entries(handlers) as [HTTPMethods, RouteHandlerMethod][]
  for (const [method, handler] of own) app.route({ method, url, handler, onRequest, exposeHeadRoute: false })
  const allowed: string[] = own.map(([method]) => method)
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      reply.header('allow', allowed.join(', '))
      throw new CoolerError('method-not-allowed', `${request.method} is not allowed here: use ${allowed.join(' or ')}`)
    },
  })
}
