import { CoolerError } from '../base/errors.ts'
import type { MovedDevice, MoveTarget } from '../store/moving.ts'
import type { StoreView } from '../store/view.ts'
import { hashOf } from './digest.ts'
import { numberRanges, rangeOf } from './number-ranges.ts'

const hashOfDevice = ({ id }: Pick<MovedDevice, 'id'>): number => (id === null ? 0 : hashOf(id))

/** Knows the numbers that devices of the source have in the target, and the ids of both, which it reads independently. */
export class DeviceNumbers {
  readonly #target: MoveTarget
  readonly #numbers: Map<number, number>
  readonly #sourceHashes = new Map<number, number>()
  readonly #targetHashes = new Map<number, number>()

  private constructor(target: MoveTarget, numbers: Map<number, number>) {
    this.#target = target
    this.#numbers = numbers
  }

  /** Reads what earlier runs have noted. */
  static async read(target: MoveTarget): Promise<DeviceNumbers> {
    const numbers = new DeviceNumbers(target, new Map(await target.numbers()))
    for (const range of await numberRanges(target.view.registry, target.shards)) {
      for (const device of await target.view.moving.devices(range))
        numbers.#targetHashes.set(device.number, hashOfDevice(device))
    }
    return numbers
  }

  /** Takes note of devices of the source, and registers those in the target that it does not have. */
  async add(devices: readonly MovedDevice[]): Promise<void> {
    for (const device of devices) this.#sourceHashes.set(device.number, hashOfDevice(device))
    const fresh = devices.filter(({ number }) => !this.#numbers.has(number))
    if (fresh.length === 0) return
    const targets = await this.#target.addDevices(fresh)
    const ids = await this.#target.view.registry.ids(targets)
    for (const [nth, { number }] of fresh.entries()) {
      this.#numbers.set(number, targets[nth])
      this.#targetHashes.set(targets[nth], hashOfDevice({ id: ids.get(targets[nth]) ?? null }))
    }
  }

  /** Registers devices that the source has registered since its devices were copied. */
  async require(view: Pick<StoreView, 'moving' | 'rollups'>, devices: Iterable<number>): Promise<void> {
    const { shards } = view.rollups
    for (const device of new Set(devices)) {
      if (!this.#numbers.has(device)) await this.add(await view.moving.devices(rangeOf(device, shards)))
    }
  }

  /** Takes note of a device that has been erased in both stores. */
  noteErased(source: number): void {
    this.#sourceHashes.set(source, 0)
    this.#targetHashes.set(this.target(source), 0)
  }

  /** Returns the number that a device of the source has in the target. @throws CoolerError `store-damaged` */
  target(source: number): number {
    const target = this.#numbers.get(source)
    if (target !== undefined) return target
    throw new CoolerError(
      'store-damaged',
      `the store has something of device number ${source}, which is not registered: \`cooler verify --fix\` removes rollups of such numbers`,
    )
  }

  readonly hashOfSource = (device: number): number => this.#sourceHashes.get(device) ?? 0
  readonly hashOfTarget = (device: number): number => this.#targetHashes.get(device) ?? 0
}
