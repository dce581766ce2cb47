/**
 * The sources of a placement, as stored: a JSON object from the number of each import that reported it (0 for landings
 * without an import) to the address that it gave, or null. Null for a placement that no import reported.
 */
export type SourcesText = string | null

export interface ToldPlacement {
  address: string | null
  sources: SourcesText
}

type Addresses = Record<string, string | null>

const addressesOf = ({ address, sources }: ToldPlacement): Addresses =>
  sources === null ? { 0: address } : JSON.parse(sources)

/** Returns the greatest address, by UTF-16 units, or null if all are null. */
const greatest = (addresses: readonly (string | null)[]): string | null =>
  addresses.reduce((most, one) => (one !== null && (most === null || one > most) ? one : most), null)

/** Returns a placement as it is after an event of an import (0 for none), and whether its address changes. */
export function mergePlacement(
  before: ToldPlacement | undefined,
  { address, ofImport }: { address: string | null; ofImport: number },
): ToldPlacement & { isReaddressed: boolean } {
  const addresses = before === undefined ? {} : addressesOf(before)
  const own = addresses[ofImport]
  addresses[ofImport] = own === undefined ? address : greatest([own, address])
  const all = greatest(Object.values(addresses))
  const onlyLanded = ofImport === 0 && (before === undefined || before.sources === null)
  return {
    address: all,
    sources: onlyLanded ? null : JSON.stringify(addresses),
    isReaddressed: before !== undefined && all !== before.address,
  }
}

/**
 * Returns what remains of a placement when an import is taken back: null for nothing, the placement itself if the
 * import did not report it.
 */
export function withoutImport(placement: ToldPlacement, ofImport: number): ToldPlacement | null {
  if (placement.sources === null) return placement
  const { [ofImport]: own, ...others } = addressesOf(placement)
  if (own === undefined) return placement
  const sources = Object.keys(others)
  if (sources.length === 0) return null
  return {
    address: greatest(Object.values(others)),
    sources: sources.length === 1 && sources[0] === '0' ? null : JSON.stringify(others),
  }
}

/** Tells whether anybody but an import reported a placement. */
export const isToldByOthers = (sources: SourcesText, ofImport: number): boolean =>
  sources === null || Object.keys(JSON.parse(sources)).some((key) => key !== `${ofImport}`)
