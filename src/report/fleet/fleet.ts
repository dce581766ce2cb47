import { type Placement, placementInForce } from '../../event/placement.ts'
import type { Device, RegistryReads } from '../../store/registry.ts'
import { type Current, nextPlacementAt, placedAt, retirementDay } from '../report.ts'

const encoder = new TextEncoder()

/** Concatenated texts in UTF-8: the n-th is `bytes` from `starts[n]` up to, but not including, `starts[n + 1]`. */
export interface Texts {
  bytes: Uint8Array
  starts: Int32Array
}

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

/** All devices in the form that large reports need, in ascending order of id; kept while the registry is unchanged. */
export class Fleet {
  readonly ids: readonly string[]
  readonly numbers: Int32Array
  /** UTC day of the retirement (epoch day); Infinity for a device in use. */
  readonly retiredDay: Float64Array
  /** The ids as JSON. */
  readonly idTexts: Texts
  readonly #placements: ReadonlyMap<number, readonly Placement[]>
  readonly #defaultZone: string
  #inForce: InForce | null = null

  private constructor(
    devices: readonly Device[],
    placements: ReadonlyMap<number, readonly Placement[]>,
    defaultZone: string,
  ) {
    this.ids = devices.map(({ id }) => id)
    this.numbers = Int32Array.from(devices, ({ number }) => number)
    this.retiredDay = Float64Array.from(devices, ({ retiredAt }) => retirementDay(retiredAt))
    this.idTexts = textsOf(this.ids.map((id) => JSON.stringify(id)))
    this.#placements = placements
    this.#defaultZone = defaultZone
  }

  static async read(registry: RegistryReads, defaultZone: string): Promise<Fleet> {
    return new Fleet(await registry.devices(), await registry.allPlacements(), defaultZone)
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
