import { dayText, parseDay, yesterday } from './days.ts'

/** The view that the hash of the address names. Days are whole days since 1970-01-01. */
export type Route =
  | { view: 'day'; day: number }
  | { view: 'map'; day: number }
  | { view: 'device'; id: string; lastDay: number }
  | { view: 'explain'; id: string; day: number }
  | { view: 'rejects' }
  | { view: 'health' }

/** Returns the route of a hash, or null if there is no such view. An empty hash is the fleet on its last full day. */
export function parseRoute(hash: string, now: number): Route | null {
  const parts = hash.replace(/^#?\/?/, '').split('/')
  const [view, id = '', , day = ''] = parts
  const latest = yesterday(now)
  if (view === '') return { view: 'day', day: latest }
  if (view === 'day' || view === 'map') {
    const asked = parts.length === 1 ? latest : parseDay(id)
    return asked === null || parts.length > 2 ? null : { view, day: asked }
  }
  if (view === 'rejects' || view === 'health') return parts.length === 1 ? { view } : null
  if (view !== 'device' || id === '') return null
  const name = decoded(id)
  if (name === null) return null
  if (parts.length === 2) return { view: 'device', id: name, lastDay: latest }
  const asked = parts.length === 4 ? parseDay(day) : null
  if (asked === null) return null
  if (parts[2] === 'day') return { view: 'explain', id: name, day: asked }
  return parts[2] === 'to' ? { view: 'device', id: name, lastDay: asked } : null
}

/** Returns the part of the address that names a view. */
export function hashOf(route: Route): string {
  if (route.view === 'day' || route.view === 'map') return `#/${route.view}/${dayText(route.day)}`
  if (route.view === 'device') return `#/device/${encoded(route.id)}/to/${dayText(route.lastDay)}`
  if (route.view === 'explain') return `#/device/${encoded(route.id)}/day/${dayText(route.day)}`
  return `#/${route.view}`
}

/**
 * Returns the path of a device in the API, with what follows the id there and a query. A path cannot hold the ids `.`
 * and `..`, so the query names them.
 */
export function devicePath(id: string, rest = '', query = ''): string {
  const isDots = id === '.' || id === '..'
  const parts = [query, isDots ? `deviceId=${id}` : ''].filter((part) => part !== '').join('&')
  return `/v1/devices/${isDots ? '-' : encoded(id)}${rest}${parts === '' ? '' : `?${parts}`}`
}

/** Encodes an id for a path. Lone surrogates, which no path can hold, become the replacement character. */
export const encoded = (id: string): string =>
  encodeURIComponent(new TextDecoder().decode(new TextEncoder().encode(id)))

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // encoded() never makes such a part.
  }
}
