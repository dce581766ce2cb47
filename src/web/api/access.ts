import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeviceLimit } from '../../base/device-limit.ts'
import { CoolerError } from '../../base/errors.ts'
import { includesLabels, type Labels } from '../../base/labels.ts'
import type { ApiKey, Scope } from '../../config/api-keys.ts'
import { keyOf, presentedKey } from './identify.ts'
import { namesLoopback } from './loopback.ts'
import { networkOf, RateLimit } from './rate-limit.ts'

/**
 * Who may call a route: everybody, the holder of any key, or the holder of a key with `scope`. `all`: the route reads
 * or changes all devices, so keys limited to some devices are refused; `own`: its handler keeps to the key's limit.
 * `inBrowser`: people open the page by its address, so no script of ours can add their key; the browser asks for it and
 * sends it as a password.
 */
export type Access = 'open' | 'any-key' | { scope: Scope; devices: 'own' | 'all'; inBrowser?: true }

export const OPEN = 'open'
export const READ = { scope: 'read', devices: 'own' } as const
export const READ_ALL = { scope: 'read', devices: 'all' } as const
export const INGEST = { scope: 'ingest', devices: 'own' } as const
export const ADMIN = { scope: 'admin', devices: 'own' } as const
export const ADMIN_ALL = { scope: 'admin', devices: 'all' } as const
export const ADMIN_IN_BROWSER = { scope: 'admin', devices: 'all', inBrowser: true } as const

export interface RouteAccess {
  method: string
  url: string
  access: Access
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
  interface FastifyRequest {
    /** Null if no keys are configured, and on open routes. If it has labels, `devices` are those that have them now. */
    apiKey: ApiKey | null
  }
  interface FastifyInstance {
    /** Every registered route, and who may call it. */
    routeAccess: RouteAccess[]
  }
}

export interface AccessOptions {
  /** Null: everybody may call. A function is called for each request and returns the current keys. */
  apiKeys: readonly ApiKey[] | null | (() => readonly ApiKey[] | null)
  /** Without keys: whether requests may name a host other than loopback. */
  insecure: boolean
  /** For one key, or for one address without a key; null for no limit. Open routes have no limit. */
  requestsPerMinute: number | null
  /** Counts a request across all processes: returns 0, or the seconds to wait. If unset, this process counts alone. */
  takeShared?: ((caller: string) => Promise<number>) | null
  /** Returns the devices that have labels, for keys that are limited by them. */
  devicesWith: (labels: Labels) => Promise<DeviceLimit>
}

/** Lets a request pass only if its route says so, before its body is read. Must come before the first route. */
export function guardRoutes(app: FastifyInstance, options: AccessOptions): void {
  const routes: RouteAccess[] = []
  app.decorate('routeAccess', routes)
  app.decorateRequest('apiKey', null)
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access
    if (access === undefined) throw new TypeError(`the route ${url} does not say who may call it`)
    for (const one of [method].flat()) routes.push({ method: one, url, access })
  })
  const takeTurn = turnTaker(options)
  app.addHook('onRequest', (request, reply, done) => {
    // onRoute refuses routes without an access; should one exist all the same, it is not open.
    const access: Access = request.is404 ? 'any-key' : (request.routeOptions.config.access ?? ADMIN_ALL)
    if (access === 'open') return done()
    const caller = identify(request, access, options)
    const admit = (seconds: number): void => {
      try {
        requireTurn(seconds, reply)
        admitCaller(request, reply, { ...caller, access }, options)
      } catch (error) {
        done(error as CoolerError)
        return
      }
      const { apiKey } = request
      if (!apiKey?.labels) done()
      else limitByLabels(request, apiKey, apiKey.labels, options).then(() => done(), done)
    }
    const seconds = takeTurn(callerOf({ apiKey: caller.key, ip: request.ip }))
    if (typeof seconds === 'number') admit(seconds)
    else seconds.then(admit, done)
  })
}

/** Limits a request's key to the devices that have its labels. */
async function limitByLabels(request: FastifyRequest, key: ApiKey, labels: Labels, { devicesWith }: AccessOptions) {
  request.apiKey = { ...key, devices: await devicesWith(labels) }
}

/** Counts a request of a caller. Returns the seconds to wait, 0 if it may go on. */
function turnTaker({ requestsPerMinute, takeShared }: AccessOptions): (caller: string) => number | Promise<number> {
  if (requestsPerMinute === null) return () => 0
  const limit = new RateLimit(requestsPerMinute)
  return (caller) => {
    const seconds = limit.take(caller)
    // A caller over the limit of this process is over the shared limit, too.
    return seconds > 0 || !takeShared ? seconds : takeShared(caller)
  }
}

/** The caller of a request, as the request identifies it. */
interface Caller {
  /** Null if everybody may call. */
  keys: readonly ApiKey[] | null
  presented: string | null
  key: ApiKey | null
}

const isInBrowser = (access: Exclude<Access, 'open'>): boolean => access !== 'any-key' && access.inBrowser === true

function identify({ headers }: FastifyRequest, access: Exclude<Access, 'open'>, { apiKeys }: AccessOptions): Caller {
  const keys = typeof apiKeys === 'function' ? apiKeys() : apiKeys
  const presented = keys === null ? null : presentedKey(headers, isInBrowser(access))
  return { keys, presented, key: keys === null || presented === null ? null : keyOf(presented, keys) }
}

function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { keys, presented, key, access }: Caller & { access: Exclude<Access, 'open'> },
  { insecure }: AccessOptions,
): void {
  if (keys === null) {
    refuseOtherSites(request, insecure)
    return
  }
  if (key === null) {
    if (isInBrowser(access)) reply.header('www-authenticate', ASK_FOR_PASSWORD)
    throw new CoolerError('unauthorized', presented === null ? NO_KEY : WRONG_KEY)
  }
  // A browser sends a remembered password along with any site's requests.
  if (isInBrowser(access)) refuseChangesByOtherSites(request)
  request.apiKey = key
  if (access !== 'any-key') authorize(key, access)
}

const NO_KEY = 'an API key is needed: send it as "Authorization: Bearer KEY" or as "X-API-Key: KEY"'
/** RFC 7617: the browser shows a form; the name entered there does not matter. */
const ASK_FOR_PASSWORD = 'Basic realm="cooler-reports: any name, an admin key as password", charset="UTF-8"'
const WRONG_KEY = 'this is no API key that is known here'

/** Returns the name of a caller for limits per caller: the holder of a key, or an address without a key. */
export const callerOf = ({ apiKey, ip }: Pick<FastifyRequest, 'apiKey' | 'ip'>): string =>
  apiKey === null ? `address ${networkOf(ip)}` : `key ${apiKey.name}`

function requireTurn(seconds: number, reply: FastifyReply): void {
  if (seconds === 0) return
  reply.header('retry-after', seconds)
  throw new CoolerError('too-many-requests', `too many requests: try again in ${seconds} s`)
}

function authorize(key: ApiKey, { scope, devices }: Exclude<Access, string>): void {
  if (!key.scopes.includes(scope) && !key.scopes.includes('admin')) {
    throw new CoolerError('forbidden', `this needs a key of the scope ${scope}, yours has ${key.scopes.join(', ')}`)
  }
  if (devices === 'all' && key.devices !== null) {
    throw new CoolerError('forbidden', 'this is of all devices, and your key is limited to some')
  }
}

/**
 * Without keys, on loopback, a page of any site that is open in a local browser could send requests here, though not
 * read the answers. The browser marks such requests in their headers. With DNS rebinding (a site whose name resolves to
 * 127.0.0.1) the page could read the answers, too, but then `Host` holds the name of that site.
 */
function refuseOtherSites(request: FastifyRequest, insecure: boolean): void {
  if (!insecure && !namesLoopback(request.headers.host)) {
    throw new CoolerError('forbidden', 'without API keys only http://localhost and its addresses are answered')
  }
  refuseChangesByOtherSites(request)
}

/** Every browser sends `Origin` with a change, and newer ones also `Sec-Fetch-Site`; programs send neither. */
function refuseChangesByOtherSites({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site === 'cross-site' || site === 'same-site' || (origin !== undefined && !isOriginOf(origin, host))) {
    throw new CoolerError('forbidden', 'a page of another site may not call this')
  }
}

/** Tells whether an `Origin` header names the host of a `Host` header. `null` and values that are not URLs do not. */
function isOriginOf(origin: string, host = ''): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: named } = new URL(origin)
  const own = `${protocol}//${host}`
  return named !== '' && URL.canParse(own) && new URL(own).host === named
}

/** Returns the devices that the request's key is limited to, or null for all. */
export const devicesOf = ({ apiKey }: Pick<FastifyRequest, 'apiKey'>): DeviceLimit | null => apiKey?.devices ?? null

/** Refuses labels that would take a device out of the key's limit. @throws CoolerError `forbidden` */
export function requireOwnLabels({ apiKey }: Pick<FastifyRequest, 'apiKey'>, labels: Labels | undefined): void {
  const own = apiKey?.labels ?? null
  if (own === null || labels === undefined || includesLabels(labels, own)) return
  throw new CoolerError('forbidden', 'your key is limited to devices with labels that it may not change')
}

/** Makes the error for an unknown device, and for one outside the key's limit: nobody learns which devices exist. */
export const noSuchDevice = (id: string): CoolerError =>
  new CoolerError('not-found', `no such device: ${JSON.stringify(id)}`)
