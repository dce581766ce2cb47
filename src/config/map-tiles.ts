import { CoolerError } from '../base/errors.ts'

/** Tile server with the pictures of the dashboard's map, each of one square of the world. */
export interface MapTiles {
  /** URL of a tile. `{z}` stands for the zoom, `{x}` and `{y}` for the column and row at that zoom. */
  template: string
  /** The only origin other than the service from which the page may load pictures. */
  origin: string
  /** Attribution that the makers of the tiles require; empty if they require none. */
  attribution: string
}

const MOST_ATTRIBUTION = 200

/**
 * Returns the tile server of COOLER_MAP_TILES and COOLER_MAP_ATTRIBUTION, or null if COOLER_MAP_TILES is empty.
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
 * Matches URLs whose host is a name or an IPv4 address, optionally with a port. The host goes into the page's security
 * policy, where `*` or `;` would allow more than this host and an IPv6 address cannot be expressed.
 */
const SHAPE = /^https?:\/\/[\w.-]+(:\d+)?\/\S+$/i
const PLACES = ['{z}', '{x}', '{y}']

function originOf(template: string): string | null {
  if (!SHAPE.test(template) || !PLACES.every((place) => template.includes(place))) return null
  const address = PLACES.reduce((text, place) => text.replaceAll(place, '0'), template)
  // Other placeholders would stay unfilled, such as {s}, which elsewhere stands for one of several hosts.
  if (/[{}]/.test(address) || !URL.canParse(address)) return null
  return new URL(address).origin
}

const bad = (name: string, value: string, right: string): CoolerError =>
  new CoolerError('bad-configuration', `${name} is ${JSON.stringify(value)}: it must be ${right}`)
