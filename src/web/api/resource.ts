import type { FastifyInstance, HTTPMethods, onRequestHookHandler } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import type { Access, Allowed } from './access.ts'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Registers the handlers of one path, each with who may call it (`allow`); its other methods are answered 405 with what
 * is allowed. `bodyLimit`: most bytes of a body, where it is not the usual one.
 */
export function resource(
  app: FastifyInstance,
  url: string,
  handlers: Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Allowed>>,
  { bodyLimit, onRequest = [] }: { bodyLimit?: number; onRequest?: onRequestHookHandler[] } = {},
): void {
  const own = Object.entries(handlers) as [HTTPMethods, Allowed][]
  const limit = bodyLimit === undefined ? {} : { bodyLimit }
  for (const [method, { access, handler }] of own) {
    app.route({ method, url, handler, onRequest, ...limit, exposeHeadRoute: false, config: { access } })
  }
  const allowed: string[] = own.map(([method]) => method)
  const access: Access = own.some(([, one]) => one.access === 'open') ? 'open' : 'any-key'
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    config: { access },
    handler: async (request, reply) => {
      reply.header('allow', allowed.join(', '))
      throw new CoolerError('method-not-allowed', `${request.method} is not allowed here: use ${allowed.join(' or ')}`)
    },
  })
}
