import { dayText, parseDay, yesterday } from './days.ts'

/**
 * What a list of coolers is asked for, by the names of the parameters of `GET /v1/fleet`, and how it is shown: the
 * columns of a day, the figure of a heat map, the part of the world and the cooler of a map. Messages are of a subscription
 * and state.
 */
export const CHOICES = [
  ...['search', 'timezone', 'label', 'exception', 'status', 'unknown', 'sort', 'order'],
  ...['columns', 'heat', 'at', 'cooler', 'subscription', 'state'],
] as const
export type Choices = Partial<Record<(typeof CHOICES)[number], string>>

/** The view that the hash of the address names. Days are whole days since 1970-01-01. */
export type Route =
  | { view: 'day'; day: number; choices: Choices }
  | { view: 'range'; from: number; to: number; choices: Choices }
  | { view: 'map'; day: number; choices: Choices }
  | { view: 'device'; id: string; lastDay: number }
  | { view: 'explain'; id: string; day: number }
  | { view: 'messages'; choices: Choices }
  | { view: 'subscriptions' }
  | { view: 'rejects' }
  | { view: 'health' }

/** Most days of a range. */
export const MOST_DAYS = 31

/** Returns the route of a hash, or null if there is no such view. An empty hash is the fleet on its last full day. */
export function parseRoute(hash: string, now: number): Route | null {
  const [path, query = ''] = hash.replace(/^#?\/?/, '').split('?', 2)
  const parts = path.split('/')
  const [view] = parts
  if (view === '') return { view: 'day', day: yesterday(now), choices: {} }
  if (view === 'rejects' || view === 'health' || view === 'subscriptions') return parts.length === 1 ? { view } : null
  if (view === 'messages') return parts.length === 1 ? { view, choices: choicesOf(query) } : null
  return view === 'device' ? parseDevice(parts, now) : parseFleet(parts, choicesOf(query), now)
}

function parseFleet([view, ...texts]: readonly string[], choices: Choices, now: number): Route | null {
  const days = texts.length === 0 ? [yesterday(now)] : texts.map(parseDay)
  const [from, to] = days
  if (days.includes(null)) return null
  if ((view === 'day' || view === 'map') && days.length === 1) return { view, day: from as number, choices }
  if (view !== 'range' || days.length !== 2) return null
  const length = (to as number) - (from as number) + 1
  return length < 1 || length > MOST_DAYS ? null : { view, from: from as number, to: to as number, choices }
}

function parseDevice(parts: readonly string[], now: number): Route | null {
  const [, encodedId, kind, day = ''] = parts
  const id = encodedId ? decoded(encodedId) : null
  if (id === null) return null
  if (parts.length === 2) return { view: 'device', id, lastDay: yesterday(now) }
  const asked = parts.length === 4 ? parseDay(day) : null
  if (asked === null) return null
  if (kind === 'day') return { view: 'explain', id, day: asked }
  return kind === 'to' ? { view: 'device', id, lastDay: asked } : null
}

function choicesOf(query: string): Choices {
  const given = new URLSearchParams(query)
  return Object.fromEntries(CHOICES.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : []))) as Choices
}

/** Returns the part of the address that names a view. */
export function hashOf(route: Route): string {
  if (route.view === 'device') return `#/device/${encoded(route.id)}/to/${dayText(route.lastDay)}`
  if (route.view === 'explain') return `#/device/${encoded(route.id)}/day/${dayText(route.day)}`
  if (!('choices' in route)) return `#/${route.view}`
  const days = route.view === 'range' ? [route.from, route.to] : 'day' in route ? [route.day] : []
  const query = queryOf(route.choices)
  return `#/${[route.view, ...days.map(dayText)].join('/')}${query === '' ? '' : `?${query}`}`
}

/** Returns choices as a query, in the order of their names, without those that are empty. */
export const queryOf = (choices: Choices): string =>
  new URLSearchParams(
    CHOICES.flatMap((name): [string, string][] => (choices[name] ? [[name, choices[name]]] : [])),
  ).toString()

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
