import { type Placement, placementAt, placementInForce } from '../event/placement.ts'
import { silentDay } from '../report/described-day.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import { LastHeard } from '../report/last-heard.ts'
import { retirementDay } from '../report/report.ts'
import { type Calendar, Calendars, dayOfDate, zonesOf } from '../rollup/local-day.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import { type DeviceDay, isOpen } from '../store/device-day.ts'
import type { Device } from '../store/registry.ts'
import { type DeviceState, deviceAt } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'

/** A day of a device: its stored rollup, or the silence that stands for a missing one. */
export interface SeenDay {
  device: Device
  rollup: DeviceDay
  isSettled: boolean
  /** Zone of the placement in force at the end of the day. */
  timezone: string
  address: string | null
}

type Roles = Pick<StoreView, 'rollups' | 'registry'>

/** Reads the days of all devices of a shard, within one snapshot. */
export class ShardDays {
  readonly #view: Roles
  readonly #shard: number
  readonly #settings: DescriptionSettings
  readonly #devices: readonly Device[]
  #numbers: Set<number> | null = null
  readonly #placements: ReadonlyMap<number, Placement[]>
  readonly #states: ReadonlyMap<number, DeviceState>
  readonly #rolledUpAt: number
  readonly #heard: LastHeard
  readonly #calendars: Calendars

  private constructor(
    view: Roles,
    shard: number,
    settings: DescriptionSettings,
    parts: {
      devices: readonly Device[]
      placements: ReadonlyMap<number, Placement[]>
      states: ReadonlyMap<number, DeviceState>
      rolledUpAt: number
    },
  ) {
    this.#view = view
    this.#shard = shard
    this.#settings = settings
    this.#devices = parts.devices
    this.#placements = parts.placements
    this.#states = parts.states
    this.#rolledUpAt = parts.rolledUpAt
    this.#heard = new LastHeard(view.rollups)
    this.#calendars = new Calendars(settings)
  }

  /** Reads the devices of a shard, as of its last rollup. @throws CoolerError `store-damaged` */
  static async read(view: Roles, shard: number, settings: DescriptionSettings): Promise<ShardDays> {
    const devices = await view.registry.devicesOfShard(shard)
    return new ShardDays(view, shard, settings, {
      devices,
      placements: await view.registry.placementsOfShard(shard),
      states: await view.rollups.states(devices.map(({ number }) => number)),
      rolledUpAt: (await view.rollups.lastRollupAt(shard)) ?? 0,
    })
  }

  /** Tells whether the shard has a device of that number. */
  has(number: number): boolean {
    this.#numbers ??= new Set(this.#devices.map((device) => device.number))
    return this.#numbers.has(number)
  }

  /**
   * Returns the local day (epoch day) of each device. Leaves out devices that were retired before, that
   * have no such day, whose day has not begun, and those without a rollup that were registered after it.
   */
  async on(day: number): Promise<SeenDay[]> {
    const rollups = await this.#rollupsOn(day)
    const seen: SeenDay[] = []
    for (const device of this.#devices) {
      if (day > retirementDay(device.retiredAt)) continue
      const placements = this.#placements.get(device.number) ?? []
      const rollup = rollups.get(device.number) ?? (await this.#silence(device, day, placements))
      if (rollup === null) continue
      const lastMs = rollup.startAt + rollup.lengthMs - 1
      seen.push({
        device,
        rollup,
        isSettled: !isOpen(rollup),
        // The zone of the first placement also holds before it, as in the calendar of the device.
        timezone: placementAt(placements, lastMs)?.zone || this.#settings.defaultZone,
        address: placementInForce(placements, lastMs)?.address ?? null,
      })
    }
    return seen
  }

  async #rollupsOn(day: number): Promise<Map<number, DeviceDay>> {
    const { shards } = this.#view.rollups
    const found = new Map<number, DeviceDay>()
    for (const { block, body } of await this.#view.rollups.blocksOfShard(this.#shard, day, day)) {
      for (const [slot, rollup] of decodeBlock(body, [this.#shard, block, day]).entries())
        if (rollup !== null) found.set(deviceAt({ shard: this.#shard, block, slot }, shards), rollup)
    }
    return found
  }

  async #silence(
    { number: device, registeredAt }: Device,
    day: number,
    placements: readonly Placement[],
  ): Promise<DeviceDay | null> {
    const calendar: Calendar = this.#calendars.of(zonesOf(placements, this.#settings.defaultZone))
    const local = dayOfDate(calendar, day)
    if (local === null || local.end <= registeredAt) return null
    const state = this.#states.get(device)
    return silentDay({
      local,
      rolledUpAt: this.#rolledUpAt,
      firstHeardAt: state?.firstHeardAt ?? null,
      lastHeardAt: await this.#heard.before(device, day, local, state),
      now: this.#rolledUpAt,
    })
  }
}
