import { CoolerError } from '../base/errors.ts'

/** Pictures of the world for the map of the dashboard, each of a square of it, from a tile server. */
export interface MapTiles {
  /** Where they are: `{z}` stands for the zoom, `{x}` and `{y}` for the column and row at that zoom. */
  template: string
  /** Where alone, beside the service itself, the page may load pictures from. */
  origin: string
  /** Whose they are, as their makers want it told; empty where they do not. */
  attribution: string
}

const MOST_ATTRIBUTION = 200

/**
 * The tile server of COOLER_MAP_TILES and COOLER_MAP_ATTRIBUTION; null where the first is empty.
 *
 * @throws CoolerError `bad-configuration`, one line.
 */
export function mapTilesOf(template: string, attribution: string): MapTiles | null {
  if (attribution.length > MOST_ATTRIBUTION || /\p{Cc}/u.test(attribution)) {
    throw bad('COOLER_MAP_ATTRIBUTION', attribution, `one line of at most ${MOST_ATTRIBUTION} characters`)
  }
  if (template === '') return null
  const origin = originOf(template)
  if (origin === null) {
    const right = 'an http or https URL with {z}, {x} and {y} in its path: https://tiles.example.org/{z}/{x}/{y}.png'
    throw bad('COOLER_MAP_TILES', template, right)
  }
  return { template, origin, attribution }
}

/**
 * A name or an IPv4 address, with a port or without. It goes into the page's policy, where `*` or `;` would allow more
 * than this host, and an IPv6 address could not be said.
 */
const SHAPE = /^https?:\/\/[\w.-]+(:\d+)?\/\S+$/i
const PLACES = ['{z}', '{x}', '{y}']

function originOf(template: string): string | null {
  if (!SHAPE.test(template) || !PLACES.every((place) => template.includes(place))) return null
  const address = PLACES.reduce((text, place) => text.replaceAll(place, '0'), template)
  // Such as {s}, which elsewhere stands for one of several hosts: nothing here would fill it.
  if (/[{}]/.test(address) || !URL.canParse(address)) return null
  return new URL(address).origin
}

const bad = (name: string, value: string, right: string): CoolerError =>
  new CoolerError('bad-configuration', `${name} is ${JSON.stringify(value)}: it must be ${right}`)
