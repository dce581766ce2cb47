import type { Labels } from '../../base/labels.ts'
import { type Placement, placementInForce } from '../../event/placement.ts'
import type { Device, RegistryReads } from '../../store/registry.ts'
import { type Current, nextPlacementAt, placedAt, retirementDay } from '../report.ts'
import type { Texts } from './json-bytes.ts'

const encoder = new TextEncoder()

/** Returns texts encoded as UTF-8, one after the other. */
export function textsOf(texts: readonly string[]): Texts {
  const encoded = texts.map((text) => encoder.encode(text))
  const starts = new Int32Array(texts.length + 1)
  for (const [index, { length }] of encoded.entries()) starts[index + 1] = starts[index] + length
  const bytes = new Uint8Array(starts[texts.length])
  for (const [index, text] of encoded.entries()) bytes.set(text, starts[index])
  return { bytes, starts }
}

/** What the placements in force say about all devices, in the order of the fleet: JSON values ready to be written. */
export interface InForce {
  location: Texts
  address: Texts
  throwinDate: Texts
  /** This holds from `from` until before `until` (epoch ms), when another placement comes into force. */
  from: number
  until: number
}

/**
 * Selects one of `of` stretches, about as long as each other, of all devices in ascending order of id; `nth` counts from
 * 0. Devices with neighbouring ids were mostly registered together, so that few blocks of rollups are of two parts.
 */
export interface Part {
  nth: number
  of: number
}

/** Returns the ranks that a part begins and ends at, of so many devices in ascending order of id. */
const boundsOf = (part: Part | null, count: number): [from: number, to: number] =>
  part === null
    ? [0, count]
    : [Math.floor((count * part.nth) / part.of), Math.floor((count * (part.nth + 1)) / part.of)]

/**
 * All devices, or a part of them, in the form that large reports need, in ascending order of id; kept while the registry
 * is unchanged.
 */
export class Fleet {
  /** The part that was read; null for all devices. */
  readonly part: Part | null
  readonly ids: readonly string[]
  /** The rank of the first device, and the number of all devices. */
  readonly #first: number
  readonly #count: number
  readonly numbers: Int32Array
  readonly labels: readonly Labels[]
  /** UTC day of the retirement (epoch day); Infinity for a device in use. */
  readonly retiredDay: Float64Array
  /** The ids as JSON. */
  readonly idTexts: Texts
  readonly #placements: ReadonlyMap<number, readonly Placement[]>
  readonly #defaultZone: string
  #inForce: InForce | null = null

  private constructor(
    part: Part | null,
    all: readonly Device[],
    placements: Map<number, readonly Placement[]>,
    defaultZone: string,
  ) {
    const [first, end] = boundsOf(part, all.length)
    const devices = all.slice(first, end)
    this.part = part
    this.#first = first
    this.#count = all.length
    this.ids = devices.map(({ id }) => id)
    this.numbers = Int32Array.from(devices, ({ number }) => number)
    this.labels = devices.map(({ labels }) => labels)
    this.retiredDay = Float64Array.from(devices, ({ retiredAt }) => retirementDay(retiredAt))
    this.idTexts = textsOf(this.ids.map((id) => JSON.stringify(id)))
    const own = new Set(this.numbers)
    for (const number of part === null ? [] : placements.keys()) if (!own.has(number)) placements.delete(number)
    this.#placements = placements
    this.#defaultZone = defaultZone
  }

  static async read(registry: RegistryReads, defaultZone: string, part: Part | null = null): Promise<Fleet> {
    return new Fleet(part, await registry.devices(), await registry.allPlacements(), defaultZone)
  }

  /** Tells whether this fleet has all devices of a part. */
  holds(part: Part | null): boolean {
    return this.part === null || (part !== null && part.nth === this.part.nth && part.of === this.part.of)
  }

  /** Returns the places in this fleet that a part begins and ends at. */
  bounds(part: Part | null): [from: number, to: number] {
    const [from, to] = boundsOf(part, this.#count)
    return part === null ? [0, this.ids.length] : [from - this.#first, to - this.#first]
  }

  /** Returns the placements of a device by its place in the fleet, in the order of their instants. */
  placements(place: number): readonly Placement[] {
    return this.#placements.get(this.numbers[place]) ?? []
  }

  /** Returns what holds at an instant (epoch ms). */
  inForce(now: number): InForce {
    const kept = this.#inForce
    if (kept !== null && kept.from <= now && now < kept.until) return kept
    const placements = [...this.numbers].map((number) => this.#placements.get(number) ?? [])
    const placed = placements.map((own) => placedAt(placementInForce(own, now), this.#defaultZone))
    const texts = (field: keyof Current): Texts => textsOf(placed.map((one) => JSON.stringify(one[field])))
    this.#inForce = {
      location: texts('location'),
      address: texts('address'),
      throwinDate: texts('throwinDate'),
      from: now,
      until: nextPlacementAt(placements, now),
    }
    return this.#inForce
  }
}

/** The fleet that was read last, kept while the registry is unchanged. */
export class KeptFleet {
  readonly #defaultZone: string
  #kept: { version: number; fleet: Fleet } | null = null

  constructor(defaultZone: string) {
    this.#defaultZone = defaultZone
  }

  /** Returns the fleet, or at least a part of it. */
  async read(registry: RegistryReads, part: Part | null = null): Promise<Fleet> {
    const version = await registry.version()
    if (this.#kept?.version !== version || !this.#kept.fleet.holds(part)) {
      this.#kept = { version, fleet: await Fleet.read(registry, this.#defaultZone, part) }
    }
    return this.#kept.fleet
  }
}
