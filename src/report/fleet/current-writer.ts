import type { LastFixes } from '../../store/rollup-store.ts'
import type { InForce } from './fleet.ts'
import { appendNth, type JsonBytes, labelOf } from './json-bytes.ts'

const COMMA = 0x2c
const QUOTE = 0x22
const LABELS = { location: labelOf('location'), address: labelOf('address'), throwinDate: labelOf('throwinDate') }

/** Finds the latest fix of a device by the device's number. */
export class FixesByNumber {
  readonly fixes: LastFixes
  /** By device number, the place of its fix among the fixes, plus 1; 0 if it has no fix. */
  readonly #places: Int32Array

  constructor(fixes: LastFixes) {
    this.fixes = fixes
    this.#places = new Int32Array(fixes.devices.reduce((most, device) => Math.max(most, device), -1) + 1)
    for (let index = 0; index < fixes.devices.length; index++) this.#places[fixes.devices[index]] = index + 1
  }

  /** Returns the place of a device's fix among the fixes; -1 if it has no fix. */
  placeOf(number: number): number {
    return (number < this.#places.length ? this.#places[number] : 0) - 1
  }
}

/** Writes the current fields of devices, which do not depend on the range. */
export class CurrentWriter {
  readonly #fixes: FixesByNumber
  readonly #inForce: InForce

  constructor(fixes: FixesByNumber, inForce: InForce) {
    this.#fixes = fixes
    this.#inForce = inForce
  }

  /** @param device place in the fleet */
  write(out: JsonBytes, device: number, number: number): void {
    const { lat, lon, addresses } = this.#fixes.fixes
    const fix = this.#fixes.placeOf(number)
    out.literal(LABELS.location)
    if (fix < 0) {
      appendNth(out, this.#inForce.location, device)
    } else {
      out.byte(QUOTE)
      out.decimal(lat[fix], 7)
      out.byte(COMMA)
      out.decimal(lon[fix], 7)
      out.byte(QUOTE)
    }
    out.literal(LABELS.address)
    const address = addresses.get(number)
    if (address === undefined) appendNth(out, this.#inForce.address, device)
    else out.append(Buffer.from(JSON.stringify(address)))
    out.literal(LABELS.throwinDate)
    appendNth(out, this.#inForce.throwinDate, device)
  }
}
