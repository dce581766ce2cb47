import { BLOCK_DEVICES } from '../../store/codec/block-codec.ts'
import { type BlockBodies, BlockColumns } from '../../store/codec/block-columns.ts'
import { DEVICE_DAY_FIELDS, type DeviceDay } from '../../store/device-day.ts'

/** The statistics that figures are finalised from, in the order in which they stand for a device. */
const STATISTICS = [
  'visitors',
  'doors',
  'celsiusSum',
  'celsiusCount',
  'setpointSum',
  'setpointCount',
  'onMs',
  'onDaytimeMs',
  'distanceSumMm',
  'distanceCount',
  'celsiusMin',
  'celsiusMax',
] as const satisfies readonly (keyof DeviceDay)[]

type Statistic = (typeof STATISTICS)[number]

/** Where a statistic stands behind the first one of its device. */
export const AT = Object.fromEntries(STATISTICS.map((name, index) => [name, index])) as Record<Statistic, number>

/** How far the statistics of one device are from those of the next. */
export const STATISTICS_OF_DEVICE = STATISTICS.length

const SUMS = AT.celsiusMin
const FIELDS = Int32Array.from(STATISTICS, (name) => DEVICE_DAY_FIELDS.indexOf(name))

/**
 * Totals (see totals.ts) of many devices at once, in one typed array: what a large report adds up, without an object for
 * a device or a day. Those of one device lie together, in the order of AT: so they come into the processor's cache
 * together, in whatever order devices are asked for.
 */
export class FleetTotals {
  /** The device of a slot of the n-th block is at `(n * BLOCK_DEVICES + slot) * STATISTICS_OF_DEVICE`. */
  readonly values: Float64Array
  readonly #columns = new BlockColumns()

  constructor(blocks: number) {
    this.values = new Float64Array(blocks * BLOCK_DEVICES * STATISTICS_OF_DEVICE)
    for (let device = 0; device < this.values.length; device += STATISTICS_OF_DEVICE) {
      this.values[device + AT.celsiusMin] = Infinity
      this.values[device + AT.celsiusMax] = -Infinity
    }
  }

  /** Adds the rollups of the n-th block. @throws CoolerError `store-damaged` */
  add(bodies: BlockBodies, nth: number): void {
    const columns = this.#columns
    const first = nth * BLOCK_DEVICES * STATISTICS_OF_DEVICE
    columns.forEach(bodies, () => {
      for (let at = 0; at < SUMS; at++) columns.addTo(this.values, first + at, STATISTICS_OF_DEVICE, FIELDS[at])
      this.#addExtremes(first)
    })
  }

  #addExtremes(first: number): void {
    const { slots, count } = this.#columns
    const readings = this.#slotValues(READINGS, FIELDS[AT.celsiusCount])
    const least = this.#slotValues(LEAST, FIELDS[AT.celsiusMin])
    const most = this.#slotValues(MOST, FIELDS[AT.celsiusMax])
    const { values } = this
    for (let rank = 0; rank < count; rank++) {
      const slot = slots[rank]
      if (readings[slot] === 0) continue
      const device = first + slot * STATISTICS_OF_DEVICE
      if (least[slot] < values[device + AT.celsiusMin]) values[device + AT.celsiusMin] = least[slot]
      if (most[slot] > values[device + AT.celsiusMax]) values[device + AT.celsiusMax] = most[slot]
    }
  }

  #slotValues(into: Float64Array, field: number): Float64Array {
    into.fill(0)
    this.#columns.addTo(into, 0, 1, field)
    return into
  }
}

/** Used again for every block. */
const [READINGS, LEAST, MOST] = [0, 1, 2].map(() => new Float64Array(BLOCK_DEVICES))
